//! One annotated `async fn` becomes a production-grade agent tool.
//!
//! `#[tool]` makes of a function: an argument struct, a JSON schema, validation whose errors a model can act on,
//! registration at link time, a permission check, events, cancellation, truncation with the whole output kept on disk,
//! and every provider's declaration.
//!
//! ```standalone_crate
//! use tool_core::prelude::*;
//!
//! /// Look up the weather forecast for a city.
//! #[tool(read_only)]
//! async fn weather(
//!     /// City name as a person would write it, e.g. "Lisbon".
//!     city: String,
//!     /// Days ahead, 1 to 14.
//!     #[arg(default = 3, range(1..=14))]
//!     days: u8,
//! ) -> String {
//!     format!("{city}: sun for {days} days")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let executor = Executor::builder(Registry::linked()?).build()?;
//! let call = ToolCall::new("call_1", "weather", r#"{"city":"Lisbon"}"#);
//! let outcome = executor.call(&Session::new("/home/me/project"), call).await;
//! assert_eq!(outcome.output(), Some("Lisbon: sun for 3 days"));
//! # Ok(()) }
//! ```
//!
//! # The path of a call
//! Each stage is a folder of this crate, and hands on a type that only it can make:
//!
//! | stage | module | makes |
//! |---|---|---|
//! | resolve | [`registry`] | the tool that the name stands for |
//! | decode | [`call`] | [`Decoded`](call::Decoded) |
//! | prepare | [`validation`] | [`Prepared`](validation::Prepared) |
//! | authorize | [`permission`] | [`Granted`](permission::Granted) |
//! | run | [`executor`], under its [`context`] | [`ToolOutput`] or [`ToolError`] |
//! | fit | [`truncate`] | [`Bounded`](truncate::Bounded) |
//! | | [`executor`] | [`Outcome`] |
//!
//! Those who watch get an [`event`] at each step. [`schema`] and [`wire`] make declarations of the tools; [`testing`]
//! is for authors of tools.
//!
//! # The attribute
//! `#[tool(…)]` goes on a free `async fn` or `fn`, or on a method of an `impl` block marked `#[toolset]`.
//!
//! | key | meaning |
//! |---|---|
//! | doc comment | the description |
//! | `name`, `title`, `description` | in place of what is derived |
//! | `icon = "https://…"`, `icon(src = include_str!("icon.uri"), mime_type = "image/png", sizes("48x48", "any"), theme = "dark")` | a picture for people, as in MCP: an `https:` address or a `data:` URI; may be given again |
//! | `rename_all = "camelCase"` | the parameters' names in the schema |
//! | `read_only`, `destructive`, `idempotent`, `open_world` | hints, as in MCP |
//! | `parallel` / `exclusive` | whether it may run beside other calls, for hosts that make several; parallel where `read_only` |
//! | `blocking` | a plain `fn` runs on the pool for blocking work |
//! | `set = "coding"`, `tags("a", "b")` | membership, for selection |
//! | `permission = "edit", pattern = path` | asks before the body runs, with that argument as the pattern; a `PathBuf` or `&Path` is compared as a path, from the working directory |
//! | `asks = "edit"` | the body asks for this itself; rules on it govern the tool, in place of those on its name |
//! | `timeout = "2m"` | stopped after it |
//! | `truncate = tail`, `truncate(lines = 500, bytes = 10_000, keep = middle)` | this tool's output limits |
//! | `describe = path` | an async function from [`Audience`](tool::Audience) to the description for one model |
//! | `format_error = path` | a function that words validation errors |
//! | `grammar(lark = include_str!("query.lark"))`, `grammar(regex = "…")` | its one parameter is plain text under this grammar, where the provider can (OpenAI's `custom` tools) |
//! | `unknown = "ignore"` | unknown arguments are dropped; without it they are reported |
//! | `register = false` | not found by [`Registry::linked`] |
//! | `crate = path` | where this crate lives, for those who re-export or rename it |
//!
//! | on a parameter | meaning |
//! |---|---|
//! | doc comment | its description |
//! | `#[arg(default)]`, `#[arg(default = …)]` | may be left out; the default stands in the schema |
//! | `#[arg(rename = "…", alias = "…")]` | other names |
//! | `#[arg(range(1..=9))]`, `length(…)`, `pattern("…")`, `format = "…"`, `example = …` | in the schema, and enforced |
//! | `Option<T>` | may be left out |
//! | `&str`, `&[T]`, `&Path` | an argument, borrowed |
//! | any other `&T`, or `#[inject]` | from the [`context`], never in the schema |
//! | `#[serde(…)]`, `#[schemars(…)]` | as on a struct's field, where it concerns the value |
//!
//! The function itself stays as it was written. Beside it stand `WeatherArgs` and `WeatherTool`, the handle for
//! [`RegistryBuilder::add`](registry::RegistryBuilder::add).

#![deny(missing_docs)]

// So that the macros' absolute paths hold in this crate's own examples too.
#[allow(unused_extern_crates, reason = "used by macros in examples and tests")]
extern crate self as tool_core;

pub mod call;
pub mod context;
pub mod error;
pub mod event;
pub mod executor;
pub mod output;
pub mod permission;
pub mod registry;
pub mod schema;
pub mod suggest;
pub mod testing;
pub mod tool;
pub mod truncate;
pub mod validation;
pub mod wire;

#[doc(hidden)]
pub mod __private;

pub use async_trait::async_trait;
pub use schemars;
pub use serde;
pub use tokio_util::sync::CancellationToken;
#[cfg(feature = "macros")]
pub use tool_macros::{tool, toolset};

pub use crate::{
    call::{CallId, ToolCall},
    context::{Session, ToolContext},
    error::{ErrorKind, ToolError},
    executor::{Executor, Outcome},
    output::{Attachment, IntoToolOutput, Json, ToolOutput},
    registry::Registry,
    tool::{Tool, ToolName, ToolSpec},
};

/// What a tool author and a host write most.
pub mod prelude {
    pub use crate::{
        Attachment, CancellationToken, Executor, IntoToolOutput, Json, Registry, Session, Tool, ToolCall, ToolContext,
        ToolError, ToolOutput,
        permission::{Approver, PermissionRequest, Ruleset},
    };
    #[cfg(feature = "macros")]
    pub use tool_macros::{tool, toolset};
}
