//! Connections to servers that nobody here wrote: the protocol's reference servers, `server-everything` on stdio and
//! over HTTP, and `server-filesystem`.
//!
//! Left out: `server-everything`'s tools that begin a task or send a person to a page, which this client does not do, and
//! its old HTTP+SSE transport.

use std::{fs, process::Command, sync::Arc};

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_core::{Executor, Outcome, Registry, Session, ToolCall, permission::Ruleset};
use tool_mcp::client::{
    Environment, McpConnections, ServerState,
    config::{McpConfig, ServerConfig, Surroundings, Syntax},
    host::{Abilities, Elicitation, ElicitationAnswer, McpHost},
};
use tool_oracles::McpPrograms;

/// Somebody who takes what a form proposes, and a model that knows one word.
struct Host;

#[async_trait]
impl McpHost for Host {
    fn abilities(&self) -> Abilities {
        Abilities { forms: true, sampling: true, ..Abilities::default() }
    }

    async fn elicit(&self, _: &str, asked: Elicitation) -> ElicitationAnswer {
        let mut form = asked.defaults();
        form["name"] = json!("Ada");
        ElicitationAnswer::Accepted(form)
    }

    async fn sample(&self, _: &str, _: Value) -> Result<Value, String> {
        let content = json!({ "type": "text", "text": "Lovelace" });
        Ok(json!({ "role": "assistant", "content": content, "model": "nobody", "stopReason": "endTurn" }))
    }
}

/// A host of one server, whose tools may do all they want.
struct Bench {
    connections: McpConnections,
    executor: Executor,
    session: Arc<Session>,
}

impl Bench {
    async fn of(config: ServerConfig) -> Self {
        let name = config.name.clone();
        let builder = McpConnections::builder(std::env::temp_dir()).servers([config]).host(Host);
        let connections = builder.environment(Environment::of_process()).connect().await;
        let status = &connections.status()[0];
        assert!(matches!(status.state, ServerState::Ready { .. }), "{name}: {status} {}", status.stderr);
        let none = Registry::builder().build().expect("no tools");
        let registry = connections.over(&none).expect("names that differ");
        let executor = Executor::builder(registry).rules(Ruleset::new().allow("*", "*")).build().expect("no state");
        Self { connections, executor, session: Arc::new(Session::new(std::env::temp_dir())) }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.executor.call(&self.session, ToolCall::new(tool.to_owned(), tool.to_owned(), arguments.to_string())).await
    }
}

/// A program as configurations have it.
fn stdio(name: &str, command: &Command) -> ServerConfig {
    let words = |word: &std::ffi::OsStr| word.to_string_lossy().into_owned();
    ServerConfig::stdio(name, words(command.get_program())).args(command.get_args().map(words))
}

/// What is the same whatever way the messages go.
async fn everything_is_well(config: ServerConfig) {
    let bench = Bench::of(config).await;
    let echo = bench.call("mcp__everything__echo", json!({ "message": "hello" })).await;
    assert_eq!(echo.text(), "Echo: hello");
    let sum = bench.call("mcp__everything__get-sum", json!({ "a": 2, "b": 40 })).await;
    assert!(sum.text().contains("42"), "{}", sum.text());

    let image = bench.call("mcp__everything__get-tiny-image", json!({})).await;
    let attachments = image.status().expect("a picture").attachments();
    assert!(attachments.len() == 1 && attachments[0].mime == "image/png", "{attachments:?}");
    let structured = bench.call("mcp__everything__get-structured-content", json!({ "location": "New York" })).await;
    let value =
        structured.status().ok().and_then(tool_core::truncate::Bounded::structured).expect("a structured result");
    assert!(value["temperature"].is_number(), "{value}");
    let links = bench.call("mcp__everything__get-resource-links", json!({ "count": 2 })).await;
    assert!(links.error().is_none() && links.text().contains("demo://resource"), "{}", links.text());

    // The server's own schema says what is wrong, before it is asked.
    let wrong = bench.call("mcp__everything__get-sum", json!({ "a": "two", "b": 40 })).await;
    assert!(wrong.error().is_some() && wrong.text().contains("/a"), "{}", wrong.text());

    let long = json!({ "duration": 1, "steps": 2 });
    let long = bench.call("mcp__everything__trigger-long-running-operation", long).await;
    assert!(long.error().is_none(), "{}", long.text());
    let sampled = json!({ "prompt": "Ada who?", "maxTokens": 10 });
    let sampled = bench.call("mcp__everything__trigger-sampling-request", sampled).await;
    assert!(sampled.text().contains("Lovelace"), "{}", sampled.text());
    let elicited = bench.call("mcp__everything__trigger-elicitation-request", json!({})).await;
    assert!(elicited.text().contains("Ada"), "{}", elicited.text());

    let resources = bench.call("list_mcp_resources", json!({})).await;
    assert!(resources.text().contains("demo://resource/static"), "{}", resources.text());
    let templates = bench.call("list_mcp_resource_templates", json!({})).await;
    assert!(templates.text().contains("demo://resource/dynamic/text/{resourceId}"), "{}", templates.text());
    let read = json!({ "server": "everything", "uri": "demo://resource/dynamic/text/7" });
    let read = bench.call("read_mcp_resource", read).await;
    assert!(read.error().is_none() && read.text().contains("Resource 7"), "{}", read.text());
    bench.connections.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_is_usable_over_stdio() {
    match McpPrograms::installed() {
        Ok(programs) => everything_is_well(stdio("everything", &programs.everything())).await,
        Err(skipped) => skipped.report(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_is_usable_over_http() {
    let programs = match McpPrograms::installed() {
        Ok(programs) => programs,
        Err(skipped) => return skipped.report(),
    };
    let (_serving, url) = programs.everything_by_http();
    everything_is_well(ServerConfig::http("everything", url)).await;
}

/// A person's configuration, two servers, one of which cannot start: the other's tools are there.
#[tokio::test(flavor = "multi_thread")]
async fn server_filesystem_is_usable_from_a_configuration() {
    let programs = match McpPrograms::installed() {
        Ok(programs) => programs,
        Err(skipped) => return skipped.report(),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("a path without links");
    fs::write(folder.join("greeting.txt"), "good morning\n").expect("a file");
    let command = programs.filesystem(&folder);
    let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
    let servers = json!({ "mcpServers": {
        "files": { "command": command.get_program().to_string_lossy(), "args": args },
        "absent": { "command": "there-is-no-such-program" },
    } });
    let config = McpConfig::parse(&servers.to_string(), Syntax::Json, &Surroundings::new(&folder));
    assert!(config.faults.is_empty(), "{:?}", config.faults);

    let builder = McpConnections::builder(&folder).servers(config.servers).environment(Environment::of_process());
    let connections = builder.connect().await;
    let status = connections.status();
    assert!(matches!(status[0].state, ServerState::Ready { .. }), "{} {}", status[0], status[0].stderr);
    assert!(status[1].state.failure().is_some_and(|why| why.contains("there-is-no-such-program")), "{}", status[1]);

    let registry = connections.over(&Registry::builder().build().expect("no tools")).expect("names that differ");
    let executor = Executor::builder(registry).rules(Ruleset::new().allow("*", "*")).build().expect("no state");
    let session = Session::new(&folder);
    let mut made = 0;
    let mut call = async |tool: &str, arguments: Value| {
        made += 1;
        executor.call(&session, ToolCall::new(made.to_string(), tool.to_owned(), arguments.to_string())).await
    };
    let (greeting, farewell) = (folder.join("greeting.txt"), folder.join("farewell.txt"));
    let read = call("mcp__files__read_text_file", json!({ "path": greeting })).await;
    assert_eq!(read.text().trim_end(), "good morning");
    let written = call("mcp__files__write_file", json!({ "path": farewell, "content": "good night\n" })).await;
    assert!(written.error().is_none(), "{}", written.text());
    assert_eq!(fs::read_to_string(&farewell).expect("it was written"), "good night\n");
    // Its own error stays one: what is outside of its folder is not for it.
    let outside = call("mcp__files__read_text_file", json!({ "path": "/etc/hostname" })).await;
    assert!(outside.error().is_some() && outside.text().contains("denied"), "{}", outside.text());
    connections.shutdown().await;
}
