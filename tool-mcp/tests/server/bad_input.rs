//! Clients that do not do as they should.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tool_core::permission::AllowAll;

use crate::{
    tools::{Seen, builder, server},
    wire::{Wire, text},
};

const CALL_AND_ANSWER: &[u8] = br#"{"jsonrpc":"2.0","id":91,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}},"result":null}"#;

#[tokio::test]
async fn lines_that_are_no_messages_are_answered_and_skipped() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    for (line, code) in [
        (&b"not JSON"[..], -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":", -32700),
        (b"[]", -32600),
        (b"\"text\"", -32600),
        (b"{\"jsonrpc\":\"1.0\",\"id\":90,\"method\":\"ping\"}", -32600),
        // A request and an answer in one is neither.
        (CALL_AND_ANSWER, -32600),
        (b"\xff\xfe", -32700),
    ] {
        wire.line(line).await;
        let answer = wire.receive().await;
        assert_eq!(answer["error"]["code"], code, "{}: {answer}", String::from_utf8_lossy(line));
    }
    wire.line(b"").await;
    wire.line(b"   ").await;
    assert_eq!(text(&wire.call("echo", json!({ "text": "still here" })).await), "still here");
}

#[tokio::test]
async fn a_line_that_is_too_long_is_skipped() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    let chunk = vec![b'x'; 1024 * 1024];
    for _ in 0..33 {
        wire.output.write_all(&chunk).await.expect("the server reads");
    }
    wire.line(b"").await;
    let answer = wire.receive().await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert_eq!(text(&wire.call("echo", json!({ "text": "still here" })).await), "still here");
}

#[tokio::test]
async fn a_line_of_too_many_values_is_skipped() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    let items = "0,".repeat(600_000);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":"v","method":"tools/call","params":{{"name":"echo","arguments":{{"text":[{items}0]}}}}}}"#
    );
    wire.line(line.as_bytes()).await;
    let answer = wire.receive().await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    // As many commas in a text are one value.
    assert!(text(&wire.call("echo", json!({ "text": items })).await).starts_with("0,0,"));
}

#[tokio::test]
async fn a_request_that_is_cancelled_before_there_is_room_for_it_is_never_begun() {
    let seen = Seen::default();
    let server = builder(&seen).ask_client(false).approver(AllowAll).build().expect("a server");
    let mut wire = Wire::connect(&server, json!({})).await;
    let mut waits = Vec::new();
    for _ in 0..256 {
        waits.push(wire.begin("tools/call", json!({ "name": "wait", "arguments": {} })).await);
    }
    let save = wire.begin("tools/call", json!({ "name": "save", "arguments": { "path": "a.txt" } })).await;
    let ping = wire.begin("ping", json!({})).await;
    for id in [save].into_iter().chain(waits) {
        let params = json!({ "requestId": id });
        wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
    }
    wire.answer(ping).await;
    assert_eq!(text(&wire.call("echo", json!({ "text": "on" })).await), "on");
    assert!(!wire.others.iter().any(|message| message["id"] == save), "it was answered");
    assert_eq!(seen.saved.load(Ordering::Relaxed), 0, "it was begun");
}

#[tokio::test]
async fn half_a_surrogate_pair_is_a_replacement_character() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    let line = br#"{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"echo","arguments":{"text":"a\ud800b\ud83d\ude00\\ud800"}}}"#;
    wire.line(line).await;
    let answer = wire.receive().await;
    assert_eq!(text(&answer), "a\u{fffd}b😀\\ud800");
}

#[tokio::test]
async fn requests_that_ask_for_what_there_is_not_are_protocol_errors() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    for (method, params, code) in [
        ("tools/call", json!({ "name": "ech" }), -32602),
        ("tools/call", json!({ "name": 7 }), -32602),
        ("tools/call", json!({ "name": "echo", "arguments": [1] }), -32602),
        ("tools/call", json!({}), -32602),
        ("tools/list", json!({ "cursor": "made up" }), -32602),
        ("resources/read", json!({ "uri": "file:///etc/passwd" }), -32002),
        ("resources/read", json!({ "uri": "spill:///../../etc/passwd" }), -32002),
        ("prompts/get", json!({ "name": "none" }), -32602),
        ("nothing/at/all", json!({}), -32601),
    ] {
        let answer = wire.request(method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_the_tool_s_to_refuse() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    let answer = wire.call("echo", json!({ "tetx": "a" })).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(text(&answer).contains("text"), "{answer}");
}

#[tokio::test]
async fn a_client_that_is_gone_before_it_is_answered_is_no_error() {
    let Wire { mut output, served, .. } = Wire::raw(&server(&Seen::default()));
    let info = json!({ "name": "wire", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    output.write_all(format!("{request}\n").as_bytes()).await.expect("there is room");
    drop(output);
    served.await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn a_request_before_the_handshake_is_refused_and_the_handshake_still_possible() {
    let mut wire = Wire::raw(&server(&Seen::default()));
    let answer = wire.request("tools/call", json!({ "name": "echo", "arguments": { "text": "a" } })).await;
    assert!(answer["error"]["code"].is_number(), "{answer}");
    let info = json!({ "name": "wire", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info });
    assert_eq!(wire.request("initialize", params).await["result"]["protocolVersion"], "2025-06-18");
}

#[tokio::test]
async fn a_flood_of_calls_is_answered_to_the_last() {
    let server = server(&Seen::default());
    let mut wire = Wire::connect(&server, json!({})).await;
    let mut batch = Vec::new();
    for id in 1_000..3_000 {
        let params = json!({ "name": "echo", "arguments": { "text": "x" } });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        batch.extend_from_slice(format!("{request}\n").as_bytes());
    }
    let mut output = std::mem::replace(&mut wire.output, Wire::raw(&server).output);
    let writing = tokio::spawn(async move {
        output.write_all(&batch).await.expect("the server reads");
        output
    });
    let mut answered = Vec::new();
    for _ in 0..2_000 {
        let answer = wire.receive().await;
        assert_eq!(text(&answer), "x");
        answered.push(answer["id"].as_u64().expect("a number"));
    }
    answered.sort_unstable();
    answered.dedup();
    assert_eq!(answered.len(), 2_000);
    drop(writing.await.expect("all was written"));
}

#[tokio::test]
async fn who_never_reads_is_not_read_from_for_ever() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    let params = json!({ "name": "lines", "arguments": { "count": 500 } });
    let request = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params });
    let line = format!("{request}\n");
    let flood = async {
        for _ in 0..200_000 {
            wire.output.write_all(line.as_bytes()).await.expect("the server is there");
        }
    };
    // The server stops reading long before the end of it.
    assert!(tokio::time::timeout(Duration::from_secs(5), flood).await.is_err(), "all of it was read");
}

#[tokio::test]
async fn two_requests_with_one_id_leave_the_connection_as_it_was() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    let params = json!({ "name": "echo", "arguments": { "text": "twice" } });
    let request = json!({ "jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": params });
    wire.send(&request).await;
    wire.send(&request).await;
    let first: Value = wire.receive().await;
    assert_eq!((&first["id"], text(&first)), (&json!(77), "twice"));
    assert_eq!(text(&wire.call("echo", json!({ "text": "on" })).await), "on");
}
