//! The command line as a process: `examples/demo.rs` is run as an operator would run it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod batch;
mod call;
mod demo;
mod list_and_schema;
mod permission;
mod streams;
#[cfg(unix)]
mod terminal;
