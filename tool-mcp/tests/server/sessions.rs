//! Sessions of clients over HTTP: who makes room for whom, and who waits for whom.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::{advance, pause, resume, timeout},
};
use tool_mcp::server::HttpOptions;

use crate::{
    http::{Http, headers, initialize, stateless},
    tools::Seen,
};

impl Http {
    /// Begins a session.
    async fn begin(&self) -> String {
        let begun = self.post(&[], &initialize()).await;
        begun.header("mcp-session-id").unwrap_or_else(|| panic!("no session: {}", begun.head)).to_owned()
    }

    /// Opens the session's own stream.
    async fn listen(&self, session: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n",
            HttpOptions::PATH
        );
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.expect("an answer");
        assert_eq!(&head, b"HTTP/1.1 200");
        stream
    }

    async fn is_there(&self, session: &str) -> bool {
        match self.post(&[("Mcp-Session-Id", session)], &call("echo", &json!({ "text": "on" }))).await.status() {
            200 => true,
            404 => false,
            other => panic!("status {other}"),
        }
    }
}

/// Lets time pass for the server.
async fn pass(time: Duration) {
    pause();
    advance(time).await;
    resume();
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

#[tokio::test]
async fn the_session_that_is_idle_longest_makes_room() {
    let http = Http::start(&Seen::default(), HttpOptions::new().max_sessions(3)).await;
    let [first, second, third] = [http.begin().await, http.begin().await, http.begin().await];
    // The first has been used since.
    assert!(http.is_there(&first).await);
    let fourth = http.begin().await;
    assert!(!http.is_there(&second).await, "its client is told that it is gone, and can begin anew");
    for session in [&third, &first, &fourth] {
        assert!(http.is_there(session).await);
    }
    // Who comes and goes locks nobody out.
    for _ in 0..20 {
        http.begin().await;
    }
    assert!(!http.is_there(&third).await);
}

#[tokio::test]
async fn a_session_with_a_call_under_way_is_not_idle() {
    let seen = Seen::default();
    let http = Http::start(&seen, HttpOptions::new().max_sessions(2)).await;
    let (busy, idle) = (http.begin().await, http.begin().await);
    let waiting = http.open(&[("Mcp-Session-Id", &busy)], &call("wait", &json!({}))).await;
    seen.began.notified().await;
    assert!(http.is_there(&idle).await);
    // The call goes on without its client's connection.
    drop(waiting);
    let next = http.begin().await;
    assert!(!http.is_there(&idle).await && http.is_there(&next).await);
    let other = http.open(&[("Mcp-Session-Id", &next)], &call("wait", &json!({}))).await;
    seen.began.notified().await;
    let refused = http.post(&[], &initialize()).await;
    assert_eq!(refused.status(), 503, "{}", refused.head);
    let called = http.post(&headers("echo"), &stateless("echo", &json!({ "text": "needs none" }))).await;
    assert_eq!(called.message["result"]["content"][0]["text"], "needs none", "{}", called.head);
    // What was cancelled is not waited for.
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
    http.post(&[("Mcp-Session-Id", &next)], &cancel).await;
    timeout(Duration::from_secs(30), seen.cancelled.notified()).await.expect("it was told to stop");
    let last = http.begin().await;
    assert!(http.is_there(&last).await && !http.is_there(&next).await);
    drop(other);
}

#[tokio::test]
async fn who_listens_is_there_still_and_goes_last() {
    let http = Http::start(&Seen::default(), HttpOptions::new().max_sessions(2)).await;
    let (listens, gone) = (http.begin().await, http.begin().await);
    let _stream = http.listen(&listens).await;
    assert!(http.is_there(&gone).await, "it was used later");
    pass(Duration::from_secs(31)).await;
    http.begin().await;
    assert!(http.is_there(&listens).await && !http.is_there(&gone).await);
}

#[tokio::test]
async fn who_has_just_begun_does_not_make_room_where_all_others_listen() {
    let http = Http::start(&Seen::default(), HttpOptions::new().max_sessions(3)).await;
    let others = [http.begin().await, http.begin().await, http.begin().await];
    let mut streams = Vec::new();
    for other in &others {
        streams.push(http.listen(other).await);
    }
    pass(Duration::from_secs(31)).await;
    let (first, second) = (http.begin().await, http.begin().await);
    assert!(http.is_there(&first).await && http.is_there(&second).await);
    assert!(!http.is_there(&others[0]).await && !http.is_there(&others[1]).await, "they were used before");
    // Who does not listen after a while either makes room.
    pass(Duration::from_secs(31)).await;
    http.begin().await;
    assert!(!http.is_there(&first).await && http.is_there(&others[2]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_begins_is_answered_before_anybody_else_can_take_the_room() {
    let http = Arc::new(Http::start(&Seen::default(), HttpOptions::new().max_sessions(1)).await);
    let begin = |http: Arc<Http>| async move { http.post(&[], &initialize()).await.status() };
    let begun: Vec<_> = (0..64).map(|_| tokio::spawn(begin(http.clone()))).collect();
    for status in begun {
        assert_eq!(status.await.expect("it ends"), 200);
    }
}

/// Begins a session of a client that can be asked.
async fn asked(http: &Http) -> String {
    let mut begin = initialize();
    begin["params"]["capabilities"] = json!({ "elicitation": {} });
    let begun = http.post(&[], &begin).await;
    begun.header("mcp-session-id").expect("a session").to_owned()
}

/// The question that comes instead of an answer.
async fn question(stream: &mut BufReader<TcpStream>) -> Value {
    let mut line = String::new();
    loop {
        line.clear();
        let read = timeout(Duration::from_secs(60), stream.read_line(&mut line)).await.expect("a question in time");
        assert!(read.expect("it can be read") > 0, "it ended without a question");
        let message =
            line.trim().strip_prefix("data:").and_then(|data| serde_json::from_str::<Value>(data.trim()).ok());
        if let Some(message) = message.filter(|message| message["method"] == "elicitation/create") {
            return message;
        }
    }
}

/// All that comes still.
async fn rest(stream: &mut BufReader<TcpStream>) -> String {
    let mut rest = String::new();
    timeout(Duration::from_secs(60), stream.read_to_string(&mut rest)).await.expect("in time").expect("whole");
    rest
}

#[tokio::test]
async fn an_open_question_holds_up_what_has_to_come_after_and_nothing_else() {
    let http = Http::start(&Seen::default(), HttpOptions::new()).await;
    let (session, other) = (asked(&http).await, asked(&http).await);
    let own = [("Mcp-Session-Id", session.as_str())];
    // A tool that runs beside others asks: they go on.
    let mut agree = BufReader::new(http.open(&own, &call("agree", &json!({}))).await);
    let agreed = question(&mut agree).await;
    let mut echo = call("echo", &json!({ "text": "on" }));
    echo["id"] = json!(8);
    assert_eq!(http.post(&own, &echo).await.message["result"]["content"][0]["text"], "on");
    let answer = |question: &Value, content: Value| json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": content } });
    assert_eq!(http.post(&own, &answer(&agreed, json!({ "yes": true }))).await.status(), 202);
    assert!(rest(&mut agree).await.contains("\"agreed\""));

    // One that runs alone asks: what is no call goes on, and other sessions; calls after it have their turn in the end.
    let mut save = BufReader::new(http.open(&own, &call("save", &json!({ "path": "a.txt" }))).await);
    let leave = question(&mut save).await;
    let list = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/list" });
    assert!(http.post(&own, &list).await.message["result"]["tools"].is_array());
    assert!(http.is_there(&other).await);
    let mut waiting = BufReader::new(http.open(&own, &echo).await);
    let mut line = String::new();
    while !line.trim().is_empty() || line.is_empty() {
        line.clear();
        waiting.read_line(&mut line).await.expect("a head");
    }
    assert_eq!(http.post(&own, &answer(&leave, json!({ "decision": "once" }))).await.status(), 202);
    assert!(rest(&mut save).await.contains("\"saved a.txt\""));
    assert!(rest(&mut waiting).await.contains("\"on\""));
}
