//! Calls from their request to their result.

use std::time::Duration;

use serde_json::json;
use tokio::{io::AsyncWriteExt, time::timeout};
use tool_core::truncate::SpillStore;

use crate::{
    tools::{Seen, builder, server},
    wire::{Wire, text},
};

#[tokio::test]
async fn progress_comes_in_order_before_the_result_and_only_grows() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    let params = json!({ "name": "steps", "arguments": {}, "_meta": { "progressToken": "p" } });
    assert_eq!(text(&wire.request("tools/call", params).await), "arrived");
    let told: Vec<_> = wire.others.iter().map(|message| &message["params"]).collect();
    let titles: Vec<_> = told.iter().map(|params| params["message"].as_str().expect("a text")).collect();
    assert_eq!(titles, ["Starting", "Halfway", "Stumbling", "Done"]);
    let numbers: Vec<f64> = told.iter().map(|params| params["progress"].as_f64().expect("a number")).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    assert_eq!((numbers[0], numbers[1], numbers[3]), (0.0, 50.0, 100.0));
    assert!(told.iter().all(|params| params["total"] == 100.0 && params["progressToken"] == "p"));
}

#[tokio::test]
async fn without_a_token_nobody_is_told_of_progress() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    assert_eq!(text(&wire.call("steps", json!({})).await), "arrived");
    assert!(wire.others.is_empty(), "{:?}", wire.others);
}

#[tokio::test]
async fn a_cancelled_call_ends_and_the_connection_goes_on() {
    let seen = Seen::default();
    let mut wire = Wire::connect(&server(&seen), json!({})).await;
    let id = wire.begin("tools/call", json!({ "name": "wait", "arguments": {} })).await;
    seen.began.notified().await;
    wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })).await;
    timeout(Duration::from_secs(30), seen.cancelled.notified()).await.expect("it was told to stop");
    assert_eq!(text(&wire.call("echo", json!({ "text": "on" })).await), "on");
    assert!(wire.others.iter().all(|message| message["id"] != id), "{:?}", wire.others);
}

#[tokio::test]
async fn the_end_of_input_ends_the_calls_and_the_server() {
    let seen = Seen::default();
    let mut wire = Wire::connect(&server(&seen), json!({})).await;
    wire.begin("tools/call", json!({ "name": "wait", "arguments": {} })).await;
    seen.began.notified().await;
    wire.output.shutdown().await.expect("it is open");
    timeout(Duration::from_secs(30), seen.cancelled.notified()).await.expect("it was told to stop");
    timeout(Duration::from_secs(30), wire.served).await.expect("the server ends").expect("well").expect("no error");
}

#[tokio::test]
async fn a_server_that_is_stopped_tells_of_the_calls_that_it_cancels() {
    let seen = Seen::default();
    let server = server(&seen);
    let mut wire = Wire::connect(&server, json!({})).await;
    let id = wire.begin("tools/call", json!({ "name": "wait", "arguments": {} })).await;
    seen.began.notified().await;
    server.stop();
    let answer = wire.answer(id).await;
    assert!(answer["result"].is_object(), "{answer}");
    timeout(Duration::from_secs(30), wire.served).await.expect("the server ends").expect("well").expect("no error");
}

#[tokio::test]
async fn an_output_that_was_cut_is_a_resource_of_its_session_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = builder(&Seen::default()).spills(SpillStore::new(folder.path())).build().expect("a server");
    let mut wire = Wire::connect(&server, json!({})).await;
    let answer = wire.call("lines", json!({ "count": 3_000 })).await;
    assert!(!text(&answer).contains("line 2999"), "it was cut");
    let link = &answer["result"]["content"][1];
    assert_eq!(link["type"], "resource_link", "{answer}");
    let uri = link["uri"].as_str().expect("an address");
    let read = wire.request("resources/read", json!({ "uri": uri })).await;
    let whole = read["result"]["contents"][0]["text"].as_str().expect("a text");
    assert!(whole.starts_with("line 0\n") && whole.ends_with("line 2999\n"));
    let listed = wire.request("resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"][0]["uri"], uri, "{listed}");
    assert_eq!(wire.next("notifications/resources/list_changed").await["jsonrpc"], "2.0");

    let mut other = Wire::connect(&server, json!({})).await;
    assert_eq!(other.request("resources/read", json!({ "uri": uri })).await["error"]["code"], -32002);
    assert_eq!(other.request("resources/list", json!({})).await["result"]["resources"], json!([]));
}

#[tokio::test]
async fn messages_below_the_level_that_was_set_are_not_sent() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({ "elicitation": {} })).await;
    for (level, sent) in [("debug", true), ("error", false)] {
        assert_eq!(wire.request("logging/setLevel", json!({ "level": level })).await["result"], json!({}));
        let id = wire.begin("tools/call", json!({ "name": "greet", "arguments": {} })).await;
        for _ in 0..2 {
            let question = wire.next("elicitation/create").await;
            wire.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } })).await;
        }
        assert_eq!(text(&wire.answer(id).await), "Hello nobody");
        let said = wire.others.iter().any(|message| message["params"]["data"] == "asking");
        assert_eq!(said, sent, "{level}: {:?}", wire.others);
        wire.others.clear();
    }
}
