//! The client that the official conformance suite judges: connections as any host makes them, whose tools are called
//! through an executor.
//!
//! The suite runs it as `conformance_client URL`, with what to do in the environment. By hand, against any server:
//!
//! ```sh
//! cargo run -p tool-mcp --example conformance_client -- http://127.0.0.1:8000/mcp
//! ```

mod arguments;
mod host;
mod visit;

use std::{env, error::Error, time::Duration};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tool_core::{Executor, Outcome, Registry, Session, ToolCall, permission::Ruleset};
use tool_mcp::client::{
    McpConnections,
    config::{Era, ServerConfig},
};

use self::{arguments::arguments, host::Host};

/// What tools of the server are called by.
const PREFIX: &str = "mcp__suite__";
/// The suite gives up after 30 seconds.
const LIMIT: Duration = Duration::from_secs(25);

/// What a scenario tells a client beforehand.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Context {
    #[serde(rename = "toolCalls")]
    tool_calls: Vec<Call>,
    client_id: Option<String>,
    client_secret: Option<String>,
}

/// A call that a scenario wants.
#[derive(Debug, Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// Calls tools, one after the other.
struct Calls {
    executor: Executor,
    session: Session,
    made: usize,
}

impl Calls {
    async fn make(&mut self, tool: &str, arguments: Value) -> Outcome {
        self.made += 1;
        let call = ToolCall::new(format!("call_{}", self.made), tool.to_owned(), arguments.to_string());
        let outcome = self.executor.call(&self.session, call).await;
        eprintln!("{tool}: {}", outcome.text());
        outcome
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().filter(|last| last.starts_with("http")).ok_or("give the URL of a server")?;
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context: Context = match env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Context::default(),
    };

    // The suite says which revision is to be spoken. Its servers of 2025-11-25 could not be asked.
    let era = match env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").as_deref() {
        Ok("2026-07-28") => Era::Stateless,
        Ok(_) => Era::Handshake,
        Err(_) => Era::Any,
    };
    let server = ServerConfig::http("suite", url).era(era).startup_timeout(LIMIT).tool_timeout(LIMIT);
    let builder = McpConnections::builder(env::current_dir()?)
        .servers([server])
        .host(Host { id: context.client_id, secret: context.client_secret });
    let connections = builder.connect().await;
    for status in connections.status() {
        eprintln!("{status}");
        status.notes.iter().for_each(|note| eprintln!("{note}"));
    }
    let registry = connections.over(&Registry::builder().build()?)?;
    let names: Vec<String> = registry.specs().map(|spec| spec.name.to_string()).collect();
    let executor = Executor::builder(registry).rules(Ruleset::new().allow("*", "*")).build()?;
    let mut calls = Calls { executor, session: Session::new(env::current_dir()?), made: 0 };

    match scenario.as_str() {
        "json-schema-2020-12-preservation" => {
            let declared = connections.declaration(&format!("{PREFIX}json_schema_2020_12_tool"));
            let schema = declared.ok_or("the tool is not there")?["inputSchema"].take();
            calls.make(&format!("{PREFIX}json_schema_echo"), json!({ "schema": schema })).await;
        }
        _ if context.tool_calls.is_empty() => {
            for name in &names {
                let Some(declared) = connections.declaration(name) else { continue };
                calls.make(name, arguments(&declared["inputSchema"])).await;
            }
        }
        _ => {
            for call in context.tool_calls {
                calls.make(&format!("{PREFIX}{}", call.name), call.arguments.into()).await;
            }
        }
    }
    connections.shutdown().await;
    Ok(())
}
