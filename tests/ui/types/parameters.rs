#![allow(unused)]

use tool_core::prelude::*;

struct Plain;

type Alias = Plain;

/// Types that cannot be read from JSON.
#[tool]
fn parameters(a: Plain, b: Option<Alias>, c: Vec<std::time::Instant>, #[inject] d: Plain, e: Missing) {}

type Word = String;

/// A grammar needs a text: an alias is one, a number and a text that may be missing are not.
#[tool(grammar(regex = "[0-9]+"))]
fn of_number(number: u32) {}

/// The same.
#[tool(grammar(regex = "[0-9]+"))]
fn of_optional(text: Option<String>) {}

/// This one is right.
#[tool(grammar(regex = "[0-9]+"))]
fn of_alias(text: Word) {}

fn main() {}
