#![allow(unused)]

use tool_core::prelude::*;

struct Plain;

/// A number is no output.
#[tool]
fn number() -> u64 {
    1
}

/// An error that cannot be shown.
#[tool]
async fn silent() -> Result<String, Plain> {
    Err(Plain)
}

/// Not structured.
#[tool]
fn unstructured() -> Json<Plain> {
    Json(Plain)
}

fn main() {}
