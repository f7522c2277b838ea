#![allow(unused)]

use tool_core::prelude::*;

/// The types of what attributes give.
#[tool]
fn values(
    #[arg(default = "three")] a: u8,
    #[arg(default = 3)] b: String,
    #[arg(range(1..=10))] c: String,
    #[arg(length(1..=10))] d: u8,
    #[arg(pattern("^a"))] e: bool,
    #[arg(range("a".."b"))] f: u8,
) {
}

fn main() {}
