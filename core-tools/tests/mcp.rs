//! The MCP server as a process that a client starts.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]
#![cfg(target_os = "linux")]

mod project;

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use project::{Project, eventually, pid_in, runs};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// A client of a server that it has started.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(project: &Project, flags: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_core-tools"));
        command.arg("mcp").args(flags).arg("--cwd").arg(&project.root).arg("--output-dir").arg(project.outside("out"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, input, output };
        let info = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        client.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        assert_eq!(client.receive()["result"]["protocolVersion"], "2025-11-25");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn call(&mut self, id: u64, tool: &str, arguments: Value) {
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }

    /// The next line, which is a message whatever the tools print.
    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    async fn ended(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < Duration::from_secs(40), "it does not end");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A command that does not want to end, and a child of it that got away.
const DEAF: &str = "trap '' TERM INT; setsid sh -c 'trap \"\" TERM; echo $$ >away; while :; do sleep 1; done' & echo $$ >pid; while :; do sleep 1; done";

#[tokio::test]
async fn the_end_of_input_ends_the_server_and_all_that_its_calls_started() {
    let project = Project::new();
    let mut client = Client::start(&project, &["--yes"]);
    client.call(1, "bash", json!({ "command": DEAF }));
    let (pid, away) = (pid_in(&project.path("pid")).await, pid_in(&project.path("away")).await);
    drop(client.input.take());
    assert!(client.ended().await.success());
    eventually("nothing is left", || !runs(pid) && !runs(away)).await;
}

#[tokio::test]
async fn a_session_of_exec_command_ends_with_the_server() {
    let project = Project::new();
    let mut client = Client::start(&project, &["--yes"]);
    client.call(1, "exec_command", json!({ "cmd": "echo $$ >pid; sleep 600", "yield_time_ms": 250 }));
    assert!(client.receive()["result"]["isError"].is_null());
    let pid = pid_in(&project.path("pid")).await;
    drop(client.input.take());
    assert!(client.ended().await.success());
    eventually("nothing is left", || !runs(pid)).await;
}

#[tokio::test]
async fn a_signal_ends_the_calls_with_results_and_then_the_server() {
    let project = Project::new();
    let mut client = Client::start(&project, &["--yes"]);
    client.call(7, "bash", json!({ "command": DEAF }));
    let (pid, away) = (pid_in(&project.path("pid")).await, pid_in(&project.path("away")).await);
    kill_process(Pid::from_child(&client.child), Signal::TERM).unwrap();
    let answer = client.receive();
    assert_eq!(answer["id"], 7);
    assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
    assert!(client.ended().await.success());
    eventually("nothing is left", || !runs(pid) && !runs(away)).await;
}

#[tokio::test]
async fn rules_hold_and_who_is_refused_is_told_what_would_allow_it() {
    let project = Project::new();
    let mut client = Client::start(&project, &["--allow", "edit:src/*"]);
    client.call(1, "write", json!({ "filePath": "notes.txt", "content": "x" }));
    let refused = client.receive();
    let text = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(refused["result"]["isError"] == true && text.contains("--allow edit"), "{refused}");
    client.call(2, "write", json!({ "filePath": "src/a.txt", "content": "x" }));
    assert!(client.receive()["result"]["isError"].is_null());
    assert!(project.path("src/a.txt").exists() && !project.path("notes.txt").exists());
}

#[tokio::test]
async fn a_server_may_have_but_tools_that_change_nothing() {
    let project = Project::new();
    let mut client = Client::start(&project, &["--read-only"]);
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    let listed = client.receive();
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true), "{listed}");
}

/// What `mcp --http` says with these flags, where it is wrong to call it so.
fn misused(flags: &[&str]) -> String {
    let project = Project::new();
    let served = Command::new(env!("CARGO_BIN_EXE_core-tools"))
        .args(["mcp", "--http"])
        .args(flags)
        .arg("--cwd")
        .arg(&project.root)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(served.stderr).unwrap();
    assert_eq!(served.status.code(), Some(2), "{said}");
    said
}

#[test]
fn an_address_that_others_could_reach_is_refused_before_it_is_told_with_the_flags_that_allow_it() {
    let said = misused(&["0.0.0.0:0"]);
    assert!(said.contains("--bearer-token-env") && said.contains("--allow-host"), "{said}");
    assert!(!said.contains("listening"), "{said}");
}

#[test]
fn what_is_no_host_is_a_usage_error_before_anything_is_served() {
    let said = misused(&["127.0.0.1:0", "--allow-host", "*.example.com"]);
    assert!(said.contains("--allow-host: `*.example.com` is no host") && !said.contains("listening"), "{said}");
}

#[tokio::test]
async fn what_http_clients_began_ends_with_the_server() {
    let project = Project::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_core-tools"));
    command.args(["mcp", "--http", "127.0.0.1:0", "--yes", "--cwd"]).arg(&project.root);
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_owned();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let arguments = json!({ "cmd": "echo $$ >pid; while :; do sleep 1; done", "yield_time_ms": 250 });
    let params = json!({ "name": "exec_command", "arguments": arguments, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut stream = TcpStream::connect(&address).unwrap();
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
         Mcp-Name: exec_command\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("running"), "{answer}");
    let pid = pid_in(&project.path("pid")).await;
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
    eventually("nothing is left", || !runs(pid)).await;
}
