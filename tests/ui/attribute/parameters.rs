#![allow(unused)]

use tool_core::prelude::*;

/// Keys of parameters.
#[tool]
fn keys(
    #[arg(defualt = 1)] a: u8,
    #[arg(default = 1, default = 2)] b: u8,
    #[arg(range, length = 3)] c: u8,
    #[arg] d: u8,
    #[arg(format = "regex")] e: String,
    #[serde(flatten)] f: Vec<String>,
    #[inject(please)] g: u8,
) {
}

/// Names that collide.
#[tool]
fn names(#[arg(rename = "b")] a: u8, b: u8, #[arg(alias = "c")] d: u8, c: u8) {}

/// Not from the model.
#[tool]
fn context(#[arg(default)] ctx: &ToolContext) {}

fn main() {}
