//! A client that sends what it is told to, right or wrong.

use std::{collections::VecDeque, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split},
    task::JoinHandle,
    time::timeout,
};
use tool_mcp::server::{McpServer, ServeError};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Wire {
    pub(crate) output: WriteHalf<DuplexStream>,
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    /// What came while an answer was waited for.
    pub(crate) others: VecDeque<Value>,
    pub(crate) served: JoinHandle<Result<(), ServeError>>,
    asked: u64,
}

impl Wire {
    /// A connection that has said nothing yet.
    pub(crate) fn raw(server: &McpServer) -> Self {
        let (ours, theirs) = duplex(64 * 1024);
        let (read, write) = split(theirs);
        let server = server.clone();
        let served = tokio::spawn(async move { server.serve(read, write).await });
        let (read, output) = split(ours);
        Self { output, input: BufReader::new(read).lines(), others: VecDeque::new(), served, asked: 0 }
    }

    /// One of the revision 2025-11-25, of a client that can do this.
    pub(crate) async fn connect(server: &McpServer, capabilities: Value) -> Self {
        let mut wire = Self::raw(server);
        let info = json!({ "name": "wire", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info });
        let answer = wire.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        wire
    }

    pub(crate) async fn line(&mut self, line: &[u8]) {
        let sent = async {
            self.output.write_all(line).await.expect("the server reads");
            self.output.write_all(b"\n").await.expect("the server reads");
        };
        timeout(PATIENCE, sent).await.expect("the server reads in time");
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.line(message.to_string().as_bytes()).await;
    }

    /// The next message.
    pub(crate) async fn receive(&mut self) -> Value {
        let line = timeout(PATIENCE, self.input.next_line()).await.expect("a message comes in time");
        let line = line.expect("it can be read").expect("the server goes on");
        serde_json::from_str(&line).expect("it is JSON")
    }

    /// Sends a request, and gives its id.
    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// The answer to a request.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.others.push_back(message);
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The next message of this method, among those that have come, and those to come.
    pub(crate) async fn next(&mut self, method: &str) -> Value {
        if let Some(at) = self.others.iter().position(|message| message["method"] == method) {
            return self.others.remove(at).expect("it is there");
        }
        loop {
            let message = self.receive().await;
            if message["method"] == method {
                return message;
            }
            self.others.push_back(message);
        }
    }
}

/// The text of a result.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("a result with a text: {answer}"))
}
