//! Prebuilt tools for coding agents, made with [`tool_core`].
//!
//! Each tool has a folder or a file: the `#[tool]` function in front, its algorithm beside it; [`custom`] makes tools of
//! programs that a manifest describes. What tools share is named
//! for the thing: [`workspace`] (the machine they work on), [`text_file`] (what makes a file text, and how it is
//! replaced), [`command`] (what a command does, read before it runs). Linking this crate registers them all; select by set: `opencode`, `coding`, `read_only`.
//!
//! Unix only: processes are run in groups, and a file's kind and mode are looked at.

#![deny(missing_docs)]

pub mod bash;
pub mod batch;
pub mod command;
pub mod custom;
pub mod read;
pub mod text_file;
pub mod workspace;
pub mod write;

pub use self::{
    bash::{BashTool, Shell},
    batch::BatchTool,
    read::ReadTool,
    workspace::{ActiveWorkspace, LocalWorkspace, Workspace},
    write::WriteTool,
};
