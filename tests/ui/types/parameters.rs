#![allow(unused)]

use tool_core::prelude::*;

struct Plain;

type Alias = Plain;

/// Types that cannot be read from JSON.
#[tool]
fn parameters(a: Plain, b: Option<Alias>, c: Vec<std::time::Instant>, #[inject] d: Plain, e: Missing) {}

fn main() {}
