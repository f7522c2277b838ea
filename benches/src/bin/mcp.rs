//! The MCP server beside a bare one on `rmcp` with the same tool, a long list of tools, and many clients over HTTP.
//!
//! Calls a second over a pair of streams, one after the other and 64 at a time, the median over interleaved rounds; the
//! ratio is taken within a round (aim: 0.95). 1,000 tools listed (aim: under 20 ms). 256 HTTP clients, 100,000 calls (aim:
//! no error, steady memory). `mcp --rounds N --calls N --http-calls N`.

use std::{fs, process::ExitCode, time::Instant};

use rmcp::{
    RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ServerCapabilities,
        ServerConfig,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split},
    net::{TcpListener, TcpStream},
};
use tool_core::{prelude::*, registry::RegistryBuilder, tool::FnTool};
use tool_mcp::server::{HttpOptions, McpServer};

const CLIENTS: usize = 256;

/// Say it back.
#[tool(read_only)]
fn echo(
    /** What. */
    text: String,
) -> String {
    text
}

/// The same without anything around it.
struct Bare;

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request.arguments.as_ref().and_then(|all| all.get("text")?.as_str()).unwrap_or_default();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

struct Client {
    output: WriteHalf<DuplexStream>,
    input: BufReader<ReadHalf<DuplexStream>>,
}

impl Client {
    async fn begin(stream: DuplexStream) -> Self {
        let (input, output) = split(stream);
        let mut client = Self { output, input: BufReader::new(input) };
        let info = json!({ "name": "bench", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        client.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })).await;
        client.receive().await;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        self.output.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
    }

    async fn receive(&mut self) -> String {
        let mut line = String::new();
        self.input.read_line(&mut line).await.expect("the server answers");
        line
    }

    /// Calls a second, so many at a time.
    async fn rate(&mut self, calls: usize, at_once: usize) -> f64 {
        let params = json!({ "name": "echo", "arguments": { "text": "hello" } });
        let start = Instant::now();
        for _ in 0..calls / at_once {
            for id in 1..=at_once {
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })).await;
            }
            for _ in 0..at_once {
                assert!(self.receive().await.contains("hello"));
            }
        }
        calls as f64 / start.elapsed().as_secs_f64()
    }
}

async fn ours(server: &McpServer) -> Client {
    let (near, far) = duplex(1 << 16);
    let (read, write) = split(far);
    let server = server.clone();
    tokio::spawn(async move { server.serve(read, write).await });
    Client::begin(near).await
}

async fn bare() -> Client {
    let (near, far) = duplex(1 << 16);
    tokio::spawn(async move {
        if let Ok(running) = Bare.serve(split(far)).await {
            let _ = running.waiting().await;
        }
    });
    Client::begin(near).await
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

async fn streams(rounds: usize, calls: usize) {
    let registry = Registry::builder().add(EchoTool).build().expect("one tool");
    let server = McpServer::builder(Executor::builder(registry)).build().expect("a server");
    let (mut ours, mut bare) = (ours(&server).await, bare().await);
    for at_once in [1, 64] {
        let (mut own, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let (theirs, mine) = (bare.rate(calls, at_once).await, ours.rate(calls, at_once).await);
            own.push(mine);
            ratios.push(mine / theirs);
        }
        println!("{at_once:3} at a time: {:9.0} calls/s, {:.3} of bare rmcp", median(own), median(ratios));
    }
}

async fn listing(rounds: usize) {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string", "description": "Where." } } });
    let tool = |number: usize| {
        FnTool::raw(format!("tool_{number:04}"), "One of many.", schema.clone(), |_, _| async { "done" })
            .expect("a tool")
    };
    let registry = (0..1_000).map(tool).fold(Registry::builder(), RegistryBuilder::add).build().expect("tools");
    let server = McpServer::builder(Executor::builder(registry)).build().expect("a server");
    let mut client = ours(&server).await;
    let mut times = Vec::new();
    for id in 1..=rounds {
        let start = Instant::now();
        client.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list" })).await;
        assert!(client.receive().await.contains("tool_0999"));
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    println!("1,000 tools listed: {:.2} ms, the first time {:.2} ms", median(times.clone()), times[0]);
}

/// This process's memory in MiB.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or_default() / 1024
}

async fn http(calls: usize) {
    let registry = Registry::builder().add(EchoTool).build().expect("one tool");
    let server = McpServer::builder(Executor::builder(registry)).build().expect("a server");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let serving = server.clone();
    tokio::spawn(async move { serving.serve_http(listener, HttpOptions::new()).await });
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "echo", "arguments": { "text": "hello" }, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let request = format!(
        "POST {} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n\
         Content-Length: {}\r\n\r\n{body}",
        HttpOptions::PATH,
        body.len()
    );
    let start = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let request = request.clone();
            tokio::spawn(async move {
                let mut stream = TcpStream::connect(address).await.expect("it listens");
                stream.set_nodelay(true).expect("a socket");
                let (mut errors, mut buffer) = (0, vec![0; 4096]);
                for _ in 0..calls / CLIENTS {
                    stream.write_all(request.as_bytes()).await.expect("it reads");
                    let read = stream.read(&mut buffer).await.expect("it answers");
                    errors += usize::from(!String::from_utf8_lossy(&buffer[..read]).contains("hello"));
                }
                errors
            })
        })
        .collect();
    let mut errors = 0;
    let early = resident();
    for client in clients {
        errors += client.await.expect("a client ends well");
    }
    let rate = calls as f64 / start.elapsed().as_secs_f64();
    println!(
        "{CLIENTS} HTTP clients: {rate:.0} calls/s, {errors} errors, {early} MiB at first, {} MiB at the end",
        resident()
    );
    server.stop();
}

fn main() -> ExitCode {
    let (mut rounds, mut calls, mut http_calls) = (21, 6_400, 100_000);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match (word.as_str(), words.next().and_then(|value| value.parse().ok())) {
            ("--rounds", Some(value)) => rounds = value,
            ("--calls", Some(value)) => calls = value,
            ("--http-calls", Some(value)) => http_calls = value,
            _ => {
                eprintln!("usage: mcp [--rounds N] [--calls N] [--http-calls N]");
                return ExitCode::from(2);
            }
        }
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        streams(rounds, calls).await;
        listing(rounds).await;
        http(http_calls).await;
    });
    ExitCode::SUCCESS
}
