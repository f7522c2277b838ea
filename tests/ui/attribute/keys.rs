#![allow(unused)]

use tool_core::prelude::*;

/// Unknown, misspelt, repeated, without a value, with a wrong one.
#[tool(readonly, colour = "red", title = "A", title = "B", timeout, truncate = upwards, timeout = "soon")]
fn keys() {}

/// Every mistake is reported.
#[tool(name = "read file", rename_all = "camel", unknown = "drop", set, register, truncate(rows = 3))]
fn values() {}

/// Contradictions.
#[tool(parallel, exclusive, read_only, destructive)]
fn contradictions() {}

/// Garbage between good keys.
#[tool(read_only, = 5, idempotent "x", tags())]
fn garbage() {}

/// Patterns.
#[tool(pattern = path)]
fn no_permission(path: String) {}

/// Patterns.
#[tool(permission = "edit", pattern = file)]
fn no_such_argument(path: String, ctx: &ToolContext) {}

/// Asked about before it runs, and by its body: which of the two rules are to go by is not to be guessed.
#[tool(permission = "edit", asks = "network")]
fn asked_twice() {}

/// Grammars that are none.
#[tool(grammar, grammar(lark = "start: /a/", regex = "a", ebnf = "a"))]
fn no_grammar(text: String) {}

/// A grammar and more than a text.
#[tool(grammar(regex = "[0-9]+"))]
fn two_arguments(text: String, flag: bool, ctx: &ToolContext) {}

/// A grammar and nothing to write.
#[tool(grammar(regex = "[0-9]+"))]
fn no_argument(ctx: &ToolContext) {}

/// For a plain function only.
#[tool(blocking)]
async fn blocking() {}

fn main() {
    // The handles exist in spite of the mistakes, so nothing follows from them.
    let _ = Registry::builder().add(KeysTool).add(ValuesTool).add(GarbageTool);
    let _ = NoSuchArgumentArgs { path: String::new() };
}
