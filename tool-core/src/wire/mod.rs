//! Providers' messages, both ways: declarations out, calls in, results out.
//!
//! In: a [`ToolSpec`](crate::ToolSpec), a response, an [`Outcome`](crate::Outcome). Out: the JSON of a declaration, a
//! [`ToolCall`](crate::ToolCall), the JSON of a result. [`Conversation`] is the front; each provider has a module behind
//! it. Sending and receiving is the host's: any HTTP client will do.
//!
//! | | calls in | results out | media |
//! |---|---|---|---|
//! | [OpenAI's Chat Completions](Provider::OpenAiChat) | `tool_calls` | messages of the role `tool` | in a user message behind the results |
//! | [OpenAI's Responses](Provider::OpenAiResponses) | `function_call` and `custom_tool_call` items | their `…_output` items | in the output |
//! | [Anthropic](Provider::Anthropic) | `tool_use` blocks | `tool_result` blocks in one user message | in the result |
//! | [Gemini](Provider::Gemini) | `functionCall` parts | `functionResponse` parts in one content | in the response, from Gemini 3 on |
//! | [MCP](Provider::Mcp) | `tools/call` requests | their results | in the result |
//!
//! An attachment that a provider cannot take becomes a line of text that says so; nothing is dropped in silence.
//!
//! A conversation that goes on with another provider:
//!
//! ```
//! use serde_json::json;
//! use tool_core::wire::{Conversation, Provider};
//! let mut gemini = Conversation::new(Provider::Gemini);
//! let turn = gemini.read(&json!({ "candidates": [{ "content": { "role": "model", "parts": [
//!     { "functionCall": { "name": "now", "args": {} } },
//! ] } }] }))?;
//!
//! let mut openai = Conversation::new(Provider::OpenAiResponses);
//! let mut input = openai.message(&turn);
//! input.extend(openai.results(&turn, []).messages);
//! assert_eq!(input[0]["type"], "function_call");
//! assert_eq!(input[0]["call_id"], input[1]["call_id"]);
//! assert_eq!(input[1]["output"], "Error: The call was cancelled before it completed.");
//! # Ok::<(), tool_core::wire::NotAMessage>(())
//! ```
//!
//! An MCP server's side, where a request is a turn of one call:
//!
//! ```
//! use serde_json::json;
//! use tool_core::{Outcome, ToolOutput, executor::CallTime, wire::{Conversation, Provider}};
//! let mut mcp = Conversation::new(Provider::Mcp);
//! let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "now" } });
//! let turn = mcp.read(&request)?;
//! # let now = std::time::UNIX_EPOCH;
//! let noon = |call| Outcome::completed(call, ToolOutput::text("12:00"), CallTime { start: now, end: now });
//! let results = mcp.results(&turn, turn.calls().map(noon)).messages;
//! assert_eq!(results, [json!({ "content": [{ "type": "text", "text": "12:00" }] })]);
//! # Ok::<(), tool_core::wire::NotAMessage>(())
//! ```

mod anthropic;
mod call_id;
mod conversation;
mod declaration;
mod format;
pub(crate) mod freeform;
mod gemini;
pub mod mcp;
mod media;
mod not_a_message;
mod openai_chat;
mod openai_responses;
mod pairing;
mod stop;
mod stream;
mod told;
mod turn;

pub use self::{
    call_id::{CallIdRule, CallIds},
    conversation::{Conversation, TurnResults},
    declaration::{Declarations, LeftOut, Provider, declaration, declarations},
    not_a_message::NotAMessage,
    stop::Stop,
    stream::TurnStream,
    turn::ModelTurn,
};
