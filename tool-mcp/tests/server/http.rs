//! Clients over HTTP, by the bytes they send.

use std::{net::SocketAddr, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::timeout,
};
use tool_mcp::server::{HttpOptions, McpServer, ServeError};

use crate::tools::{Seen, server};

pub(crate) struct Http {
    server: McpServer,
    pub(crate) address: SocketAddr,
    served: JoinHandle<Result<(), ServeError>>,
}

/// What came back: the head, and the message in the body.
pub(crate) struct Reply {
    pub(crate) head: String,
    pub(crate) message: Value,
}

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().filter_map(|line| line.split_once(": ")).find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

impl Http {
    pub(crate) async fn start(seen: &Seen, options: HttpOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let (address, server) = (listener.local_addr().expect("an address"), server(seen));
        let serving = server.clone();
        let served = tokio::spawn(async move { serving.serve_http(listener, options).await });
        Self { server, address, served }
    }

    pub(crate) async fn open(&self, headers: &[(&str, &str)], body: &Value) -> TcpStream {
        self.send(headers, &body.to_string()).await
    }

    async fn send(&self, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let host = format!("127.0.0.1:{}", self.address.port());
        let named = headers.iter().any(|(key, _)| *key == "Host");
        let mut request = format!("POST {} HTTP/1.1\r\nConnection: close\r\n", HttpOptions::PATH);
        if !named {
            request += &format!("Host: {host}\r\n");
        }
        for (key, value) in headers {
            request += &format!("{key}: {value}\r\n");
        }
        request += &format!(
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        stream.write_all(request.as_bytes()).await.expect("it reads");
        stream
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], body: &Value) -> Reply {
        read(self.open(headers, body).await).await
    }
}

/// All that comes, until the connection ends.
async fn text(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    timeout(Duration::from_secs(60), stream.read_to_end(&mut bytes)).await.expect("an answer in time").expect("whole");
    String::from_utf8(bytes).expect("a text")
}

async fn read(stream: TcpStream) -> Reply {
    let text = text(stream).await;
    let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
    // Bare JSON, JSON in chunks, or events.
    let mut json = body.lines().filter_map(|line| {
        let line = line.strip_prefix("data:").unwrap_or(line).trim();
        serde_json::from_str::<Value>(line).ok().filter(|value| value.get("id").is_some())
    });
    Reply { head: head.to_owned(), message: json.next_back().unwrap_or_default() }
}

pub(crate) fn initialize() -> Value {
    let info = json!({ "name": "http", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

pub(crate) fn stateless(tool: &str, arguments: &Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "http", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

const MODERN: [(&str, &str); 2] = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call")];

pub(crate) fn headers(tool: &str) -> Vec<(&str, &str)> {
    MODERN.into_iter().chain([("Mcp-Name", tool)]).collect()
}

#[tokio::test]
async fn both_lifecycles_are_served_side_by_side() {
    let http = Http::start(&Seen::default(), HttpOptions::new()).await;
    let begun = http.post(&[], &initialize()).await;
    assert_eq!(begun.message["result"]["protocolVersion"], "2025-11-25", "{}", begun.head);
    let session = begun.header("mcp-session-id").expect("a session").to_owned();
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "echo", "arguments": { "text": "in a session" } } });
    let called = http.post(&[("Mcp-Session-Id", &session)], &call).await;
    assert_eq!(called.message["result"]["content"][0]["text"], "in a session", "{}", called.head);

    let called = http.post(&headers("echo"), &stateless("echo", &json!({ "text": "without one" }))).await;
    assert_eq!(called.message["result"]["content"][0]["text"], "without one", "{}", called.head);
    assert_eq!(http.post(&[("Mcp-Session-Id", "made-up")], &call).await.status(), 404);
}

#[tokio::test]
async fn pages_of_other_hosts_are_kept_out() {
    let http = Http::start(&Seen::default(), HttpOptions::new()).await;
    for (header, value) in [("Host", "evil.example"), ("Origin", "http://evil.example"), ("Origin", "null")] {
        assert_eq!(http.post(&[(header, value)], &initialize()).await.status(), 403, "{header}: {value}");
    }
    let own = format!("http://localhost:{}", http.address.port());
    assert_eq!(http.post(&[("Origin", &own)], &initialize()).await.status(), 200);
}

#[tokio::test]
async fn without_the_token_nothing_is_served() {
    let http = Http::start(&Seen::default(), HttpOptions::new().bearer_token("secret")).await;
    for headers in [&[][..], &[("Authorization", "Bearer wrong")], &[("Authorization", "Basic secret")]] {
        let refused = http.post(headers, &initialize()).await;
        assert_eq!((refused.status(), refused.header("www-authenticate")), (401, Some("Bearer")));
    }
    assert_eq!(http.post(&[("Authorization", "bearer secret")], &initialize()).await.status(), 200);
}

#[tokio::test]
async fn other_machines_are_served_only_where_that_is_said() {
    let seen = Seen::default();
    for (options, is_served) in [
        (HttpOptions::new(), false),
        (HttpOptions::new().without_token(), false),
        (HttpOptions::new().bearer_token("secret"), true),
        (HttpOptions::new().without_token().hosts(["tools.example"]), true),
    ] {
        let listener = TcpListener::bind("0.0.0.0:0").await.expect("a free port");
        let server = server(&seen);
        server.stop();
        let served = server.serve_http(listener, options.clone()).await;
        assert_eq!(served.is_ok(), is_served, "{options:?}: {served:?}");
    }
}

#[tokio::test]
async fn hosts_are_understood_as_people_write_them() {
    for (given, taken, refused) in [
        ("Tools.Example", &["tools.example", "tools.example:8443"][..], &["other.example"][..]),
        ("tools.example:8443", &["tools.example:8443"], &["tools.example", "tools.example:1"]),
        ("tools.example:443", &["tools.example", "tools.example:443"], &["other.example"]),
        ("https://tools.example/mcp", &["tools.example", "tools.example:443"], &["other.example"]),
        ("http://tools.example:8000", &["tools.example:8000"], &["tools.example:8001"]),
        ("2001:db8::1", &["[2001:db8::1]", "[2001:DB8::1]:8000"], &["[2001:db8::2]"]),
        ("[2001:db8:0:0::1]", &["[2001:db8::1]", "[2001:db8::1]:8000"], &["[2001:db8::2]"]),
        ("[2001:db8::1]:8000", &["[2001:db8::1]:8000"], &["[2001:db8::1]:8001"]),
        ("https://[2001:db8::1]/", &["[2001:db8::1]"], &["[2001:db8::2]"]),
        ("b\u{fc}cher.example", &["xn--bcher-kva.example"], &["bcher.example"]),
    ] {
        let http = Http::start(&Seen::default(), HttpOptions::new().hosts([given])).await;
        for host in taken {
            assert_eq!(http.post(&[("Host", host)], &initialize()).await.status(), 200, "{given}: {host}");
            let origin = format!("https://{host}");
            let page = [("Host", *host), ("Origin", origin.as_str())];
            assert_eq!(http.post(&page, &initialize()).await.status(), 200, "{given}: a page of {host}");
        }
        for host in refused {
            assert_eq!(http.post(&[("Host", host)], &initialize()).await.status(), 403, "{given}: {host}");
        }
    }
}

#[tokio::test]
async fn what_is_no_host_is_refused_before_anything_is_served() {
    let local = "127.0.0.1:80".parse().expect("an address");
    for (given, words) in [
        ("", "got nothing"),
        ("*.example.com", "got a pattern"),
        ("tools.example:http", "a port from 1 to 65535"),
        ("tools.example:0", "a port from 1 to 65535"),
        ("[::1", "expected HOST"),
        ("fe80::1%eth0", "expected HOST"),
        ("tools.example/mcp", "expected HOST"),
        ("two words", "expected HOST"),
        ("ftp://tools.example", "got one of `ftp`"),
        ("https://ada@tools.example", "a user in it"),
        ("https://", "no address"),
    ] {
        let refused = HttpOptions::new().hosts([given]).check(local).expect_err(given).to_string();
        assert!(refused.contains(words) && refused.contains("is no host"), "{given:?}: {refused}");
    }
}

#[tokio::test]
async fn a_request_whose_client_is_gone_is_cancelled() {
    let seen = Seen::default();
    let http = Http::start(&seen, HttpOptions::new()).await;
    let stream = http.open(&headers("wait"), &stateless("wait", &json!({}))).await;
    seen.began.notified().await;
    drop(stream);
    timeout(Duration::from_secs(30), seen.cancelled.notified()).await.expect("it was told to stop");
}

#[tokio::test]
async fn a_server_that_is_stopped_answers_what_it_cancels_and_ends() {
    let seen = Seen::default();
    let http = Http::start(&seen, HttpOptions::new()).await;
    let stream = http.open(&headers("wait"), &stateless("wait", &json!({}))).await;
    seen.began.notified().await;
    http.server.stop();
    let reply = read(stream).await;
    assert!(reply.message["result"].is_object(), "{}", reply.head);
    timeout(Duration::from_secs(30), http.served).await.expect("it ends").expect("well").expect("without an error");
}

#[tokio::test]
async fn one_who_never_answers_holds_up_nobody_else() {
    let http = Http::start(&Seen::default(), HttpOptions::new()).await;
    let arguments = json!({ "path": "a.txt" });
    for _ in 0..2 {
        let asked = http.post(&headers("save"), &stateless("save", &arguments)).await;
        assert_eq!(asked.message["result"]["resultType"], "input_required", "{}", asked.head);
    }
    let called = http.post(&headers("echo"), &stateless("echo", &json!({ "text": "on" }))).await;
    assert_eq!(called.message["result"]["content"][0]["text"], "on", "{}", called.head);
}

#[tokio::test]
async fn what_is_no_message_is_refused() {
    let http = Http::start(&Seen::default(), HttpOptions::new()).await;
    for (body, code) in [
        ("not JSON", -32700),
        ("[[", -32700),
        ("\"text\"", -32600),
        ("[1, 2]", -32600),
        ("{ \"jsonrpc\": \"2.0\" }", -32600),
    ] {
        let refused = text(http.send(&[], body).await).await;
        assert!(refused.starts_with("HTTP/1.1 400") && refused.contains(&code.to_string()), "{body}: {refused}");
    }
    assert_eq!(http.post(&[], &initialize()).await.status(), 200);
}

#[tokio::test]
async fn a_body_that_is_too_much_is_refused() {
    let http = Http::start(&Seen::default(), HttpOptions::new()).await;
    let many = format!("[{}0]", "0,".repeat(600_000));
    let refused = text(http.send(&[], &many).await).await;
    assert!(refused.starts_with("HTTP/1.1 413"), "{refused}");
    // It is not waited for.
    let mut stream = TcpStream::connect(http.address).await.expect("it listens");
    let head = format!("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17000000\r\n\r\n", HttpOptions::PATH);
    stream.write_all(head.as_bytes()).await.expect("it reads");
    let refused = text(stream).await;
    assert!(refused.starts_with("HTTP/1.1 413"), "{refused}");
}

#[tokio::test]
async fn who_sends_slowly_holds_up_nobody_else() {
    let http = Http::start(&Seen::default(), HttpOptions::new()).await;
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n",
        HttpOptions::PATH
    );
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(http.address).await.expect("it listens");
        stream.write_all(head.as_bytes()).await.expect("it reads");
        slow.push(stream);
    }
    assert_eq!(http.post(&[], &initialize()).await.status(), 200);
}
