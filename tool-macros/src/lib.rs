//! `#[tool]` and `#[toolset]`.
//!
//! The files are the pipeline: `input` (what was annotated; bodies stay tokens) -> `attr` (its keys) -> `model` (what
//! the macro knows) -> `check` (one rule a function) -> `expand` (the function first and unchanged, then facts and one
//! call). All mistakes are collected in `errors`. Everything with an `if` that runs when a tool is called lives in
//! `tool-core`.

mod attr;
mod check;
mod errors;
mod expand;
mod input;
mod model;
mod tool;
mod toolset;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Makes an agent tool of a function. The grammar is in the documentation of `tool-core`.
///
/// ```text
/// #[tool(name = "…", title = "…", description = "…", rename_all = "camelCase",
///        icon = "https://…", icon(src = "data:…", mime_type = "…", sizes("48x48", "any"), theme = "dark"),
///        read_only, destructive, idempotent, open_world, parallel, exclusive, blocking,
///        set = "…", tags("…"), permission = "…", pattern = parameter, asks = "…",
///        timeout = "2m", truncate = head, truncate(lines = 500, bytes = 10_000, keep = tail),
///        describe = path, format_error = path, unknown = "ignore", register = false, crate = path)]
/// ```
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(attribute.into(), &item.into()).into()
}

/// Makes tools of the methods that are marked `#[tool]` in an `impl` block; they share the value behind `&self`.
///
/// ```text
/// #[toolset(set = "…", tags("…"), register = false, crate = path)]
/// ```
#[proc_macro_attribute]
pub fn toolset(attribute: TokenStream, item: TokenStream) -> TokenStream {
    toolset::expand(attribute.into(), &item.into()).into()
}
