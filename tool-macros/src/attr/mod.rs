//! The keys of the attributes, each with its span.

mod arg;
mod doc;
mod duration;
mod icon;
mod keys;
mod slot;
mod tool;

pub(crate) use self::{
    arg::{ArgAttr, DefaultAttr},
    doc::{Doc, doc},
    icon::{IconAttr, SizeAttr, ThemeAttr},
    slot::Slot,
    tool::{GrammarAttr, KeepAttr, ToolAttr, UnknownAttr},
};
