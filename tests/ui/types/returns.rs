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

/// Nothing may be found.
#[tool]
fn maybe() -> Option<String> {
    None
}

/// A list is no text.
#[tool]
fn list() -> Vec<String> {
    Vec::new()
}

/// A reference to what lives on.
#[tool]
fn lent() -> &'static u64 {
    &1
}

/// A future made by hand.
#[tool]
fn later() -> std::future::Ready<String> {
    std::future::ready(String::new())
}

/// Metadata that cannot be written.
#[tool]
fn facts() -> tool_core::output::Output<Plain> {
    tool_core::output::Output { output: ToolOutput::text(""), metadata: Plain }
}

/// An error that cannot leave its thread.
#[tool]
fn bound() -> Result<String, std::rc::Rc<str>> {
    Ok(String::new())
}

fn main() {}
