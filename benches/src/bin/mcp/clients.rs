//! Clients without a runtime, so that what is measured is the server.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

use serde_json::{Value, json};

/// A server in a process of its own, which is ended with this.
pub(super) struct Server {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Server {
    pub(super) fn start(which: &str) -> Self {
        let program = std::env::current_exe().expect("a program");
        let mut child = Command::new(program)
            .args(["--serve", which])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, output }
    }

    /// Its memory in KiB.
    pub(super) fn resident(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
    }

    /// The address that a server on HTTP says first.
    pub(super) fn address(&mut self) -> String {
        self.line().trim().to_owned()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server answers");
        line
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client on a server's standard input and output.
pub(super) struct StdioClient {
    server: Server,
    input: ChildStdin,
}

impl StdioClient {
    pub(super) fn begin(which: &str) -> Self {
        let mut server = Server::start(which);
        let input = server.child.stdin.take().expect("a pipe");
        let mut client = Self { server, input };
        let info = json!({ "name": "bench", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        client.ask(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        client.send(&format!("{}\n", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })));
        client
    }

    fn send(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).expect("the server reads");
    }

    pub(super) fn ask(&mut self, message: &Value) -> String {
        self.send(&format!("{message}\n"));
        self.server.line()
    }

    /// Calls a second, so many at a time.
    pub(super) fn rate(&mut self, calls: usize, at_once: usize) -> f64 {
        let params = json!({ "name": "echo", "arguments": { "text": "hello" } });
        let call = |id| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string();
        let calls_at_once: String = (1..=at_once).map(|id| call(id) + "\n").collect();
        let start = Instant::now();
        for _ in 0..calls / at_once {
            self.send(&calls_at_once);
            for _ in 0..at_once {
                assert!(self.server.line().contains("hello"));
            }
        }
        calls as f64 / start.elapsed().as_secs_f64()
    }
}

/// One connection of a client over HTTP.
pub(super) struct HttpClient {
    stream: TcpStream,
    request: String,
    buffer: Vec<u8>,
}

impl HttpClient {
    pub(super) fn begin(address: &str) -> Self {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": "echo", "arguments": { "text": "hello" }, "_meta": meta });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, \
             text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        Self { stream, request, buffer: vec![0; 4096] }
    }

    /// Makes calls one after the other, and counts those without the answer that they should have.
    pub(super) fn errors(&mut self, calls: usize) -> usize {
        let mut errors = 0;
        for _ in 0..calls {
            self.stream.write_all(self.request.as_bytes()).expect("it reads");
            let read = self.stream.read(&mut self.buffer).expect("it answers");
            errors += usize::from(!String::from_utf8_lossy(&self.buffer[..read]).contains("hello"));
        }
        errors
    }
}
