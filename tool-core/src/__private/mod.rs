//! The one door for generated code. Not public API: the macros of the same version are its only user.

pub use std::{
    default::Default,
    file, line, module_path,
    option::Option::{self, None},
    path::PathBuf,
    result::Result::{self, Err, Ok},
    string::String,
    vec::Vec,
};

pub use futures_util::future::BoxFuture;
pub use inventory::submit;
pub use {schemars, serde};

use crate::permission::{PatternKind, path_pattern};
pub use crate::{
    context::{Owned, Shared, ToolContext, owned, shared},
    error::ToolError,
    output::{Returns, returns},
    tool::{
        Annotations, Audience, Concurrency, Describe, Description, Icon, IconSize, IconTheme, LinkedTool, Location,
        Requirement, ToolFacts, ToolResult, TypedTool, freeform_text,
    },
    truncate::Keep,
    validation::{
        InvalidArguments,
        constraint::Constraints,
        param::{Field, Param, Slot, default_json, param},
        source::{Mismatch, Source},
    },
};

/// Patterns that a parameter gives to its tool's permission.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the pattern of a permission",
    label = "no pattern",
    note = "a pattern is a text, a path, a number, or a list or an `Option` of these"
)]
pub trait Patterns {
    /// The patterns.
    fn patterns(&self, ctx: &ToolContext) -> Vec<String>;
}

macro_rules! displayed {
    ($($kind:ty)*) => { $( impl Patterns for $kind {
        fn patterns(&self, ctx: &ToolContext) -> Vec<String> {
            let _ = ctx;
            vec![self.to_string()]
        }
    } )* };
}
displayed! { bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 }

impl Patterns for String {
    fn patterns(&self, ctx: &ToolContext) -> Vec<String> {
        PatternKind::Text.patterns(self, ctx)
    }
}

impl Patterns for std::path::PathBuf {
    fn patterns(&self, ctx: &ToolContext) -> Vec<String> {
        vec![path_pattern(self, ctx)]
    }
}

impl<T: Patterns> Patterns for Option<T> {
    fn patterns(&self, ctx: &ToolContext) -> Vec<String> {
        self.as_ref().map_or_else(|| vec!["*".to_owned()], |value| value.patterns(ctx))
    }
}

impl<T: Patterns> Patterns for Vec<T> {
    fn patterns(&self, ctx: &ToolContext) -> Vec<String> {
        self.iter().flat_map(|value| value.patterns(ctx)).collect()
    }
}

/// What `describe = path` calls: any async function from an [`Audience`] to something that is a [`Description`].
pub fn describe<'a, D: Into<Description>>(future: impl Future<Output = D> + Send + 'a) -> BoxFuture<'a, Description> {
    Box::pin(async move { future.await.into() })
}

/// Types whose default may be written as a text.
#[diagnostic::on_unimplemented(message = "a text is no default for `{Self}`", label = "not of the parameter's type")]
pub trait DefaultText {
    /// The value.
    fn of(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> DefaultText for T {
    fn of(text: &'static str) -> Self {
        text.into()
    }
}

/// What `default = "…"` stands for.
#[must_use]
pub fn default_text<T: DefaultText>(text: &'static str) -> T {
    T::of(text)
}
