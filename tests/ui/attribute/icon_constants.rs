#![allow(unused)]

use tool_core::prelude::*;

const BY_HTTP: &str = "http://example.com/icon.png";

/// A source that no literal gives is looked at as the constant is made of it.
#[tool(icon(src = BY_HTTP, sizes = "any"))]
fn constants() {}

fn main() {
    let _ = Registry::builder().add(ConstantsTool);
}
