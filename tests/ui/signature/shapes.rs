#![allow(unused)]

use tool_core::prelude::*;

#[tool]
fn no_description() {}

struct Alone;

impl Alone {
    /// Stands alone.
    #[tool]
    fn with_self(&self, name: String) {}
}

/// Patterns.
#[tool]
fn patterns((a, b): (u8, u8), _: u8, (Some(_) | None): Option<u8>) {}

/// Generics.
#[tool]
fn generic<T: Default, const N: usize>(a: T, b: impl Iterator<Item = u8>) -> impl Into<String> {
    ""
}

/// A lifetime.
#[tool]
fn lifetime<'a>(a: &'a str) -> &'a str {
    a
}

/// Two of one kind.
#[tool]
fn contexts(ctx: &ToolContext, again: &ToolContext) {}

/// Not shared.
#[tool]
fn exclusive(ctx: &mut ToolContext, list: Option<&str>) {}

/// Unsafe.
#[tool]
unsafe extern "C" fn dangerous() {}

/// Cannot be stopped.
#[tool(timeout = "1s", description = "")]
fn unstoppable(text: &'static str, #[cfg(unix)] sometimes: u8) {}

fn main() {}
