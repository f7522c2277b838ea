#![doc = include_str!("../../README.md")]
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
mod suggest;
pub mod testing;
pub mod tool;
pub mod truncate;
pub mod validation;
pub mod wire;

#[doc(hidden)]
pub mod __private;

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
