#![allow(unused)]

use tool_core::prelude::*;

/// Not a function.
#[tool]
struct NotAFunction;

/// Not an impl.
#[toolset]
fn not_an_impl() {}

fn main() {}
