#![allow(unused)]

use tool_core::prelude::*;

struct Counter;

#[toolset(name = "x")]
impl Counter {
    /// By value.
    #[tool]
    fn by_value(self) {}

    /// By mutable reference.
    #[tool]
    fn by_mutable(&mut self, again: &mut Self) {}

    #[tool(raed_only)]
    fn no_description(&self) {}
}

#[toolset]
impl Counter {
    fn not_a_tool(&self) {}
}

struct Generic<T>(T);

#[toolset]
impl<T> Generic<T> {
    fn generic(&self) {}
}

#[toolset]
impl Default for Counter {
    fn default() -> Self {
        Counter
    }
}

fn main() {}
