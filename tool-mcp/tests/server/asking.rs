//! Questions to the client: in requests of the server's, and in its answers.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::{
    tools::{Seen, server},
    wire::{Wire, text},
};

/// Calls `save`, answers the question that comes, and gives what came of the call.
async fn answered(wire: &mut Wire, result: Value) -> Value {
    let id = wire.begin("tools/call", json!({ "name": "save", "arguments": { "path": "a.txt" } })).await;
    let question = wire.next("elicitation/create").await;
    let message = question["params"]["message"].as_str().expect("a text");
    assert!(message.contains("`edit`") && message.contains("a.txt"), "{message}");
    wire.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await;
    wire.answer(id).await
}

#[tokio::test]
async fn a_person_at_the_client_allows_and_rejects() {
    let seen = Seen::default();
    let mut wire = Wire::connect(&server(&seen), json!({ "elicitation": {} })).await;
    let accept = |content: Value| json!({ "action": "accept", "content": content });

    let rejected = answered(&mut wire, accept(json!({ "decision": "reject", "feedback": "use b.txt" }))).await;
    assert!(text(&rejected).contains("use b.txt") && rejected["result"]["isError"] == true, "{rejected}");
    for no in [json!({ "action": "decline" }), json!({ "action": "cancel" }), accept(json!({ "decision": "maybe" }))] {
        let refused = answered(&mut wire, no).await;
        assert_eq!(refused["result"]["isError"], true, "{refused}");
    }
    assert_eq!(seen.saved.load(Ordering::Relaxed), 0);

    let once = answered(&mut wire, accept(json!({ "decision": "once" }))).await;
    assert_eq!(text(&once), "saved a.txt");
    let always = answered(&mut wire, accept(json!({ "decision": "always" }))).await;
    assert_eq!(text(&always), "saved a.txt");
    // Nobody is asked any more.
    assert_eq!(text(&wire.call("save", json!({ "path": "a.txt" })).await), "saved a.txt");
}

#[tokio::test]
async fn what_is_filled_in_has_to_fit_the_form() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({ "elicitation": {} })).await;
    for (content, wanted) in [
        (json!({ "name": { "first": "Ada" } }), "does not fit"),
        (json!({}), "does not fit"),
        (Value::Null, "does not fit"),
        (json!({ "name": "Ada" }), "Hello Ada Ada"),
    ] {
        let id = wire.begin("tools/call", json!({ "name": "greet", "arguments": {} })).await;
        for _ in 0..2 {
            let question = wire.next("elicitation/create").await;
            let result = json!({ "action": "accept", "content": content });
            wire.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await;
        }
        let answer = wire.answer(id).await;
        assert!(text(&answer).contains(wanted), "{content}: {answer}");
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_told_how_it_could_be_allowed() {
    let seen = Seen::default();
    let mut wire = Wire::connect(&server(&seen), json!({})).await;
    let refused = wire.call("save", json!({ "path": "a.txt" })).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(text(&refused).contains("`edit`") && text(&refused).contains("elicitation"), "{refused}");
    assert_eq!(seen.saved.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_question_that_nobody_needs_any_more_is_taken_back() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({ "elicitation": {} })).await;
    let id = wire.begin("tools/call", json!({ "name": "save", "arguments": { "path": "a.txt" } })).await;
    let question = wire.next("elicitation/create").await;
    wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })).await;
    assert_eq!(wire.next("notifications/cancelled").await["params"]["requestId"], question["id"]);
}

/// A request of 2026-07-28.
fn stateless(tool: &str, arguments: &Value, more: &Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "wire", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let mut params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    params
}

#[tokio::test]
async fn where_a_server_may_not_ask_the_question_stands_in_the_answer() {
    let seen = Seen::default();
    let mut wire = Wire::raw(&server(&seen));
    let arguments = json!({ "path": "a.txt" });
    let asked = wire.request("tools/call", stateless("save", &arguments, &json!({}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let questions = asked["result"]["inputRequests"].as_object().expect("questions");
    let (key, question) = questions.iter().next().expect("one");
    assert_eq!(question["method"], "elicitation/create");
    let state = &asked["result"]["requestState"];

    let made_up = json!({ "requestState": "made up", "inputResponses": {} });
    let refused = wire.request("tools/call", stateless("save", &arguments, &made_up)).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let of_another = json!({ "requestState": state, "inputResponses": {} });
    let refused = wire.request("tools/call", stateless("save", &json!({ "path": "b" }), &of_another)).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let no_answer = json!({ "requestState": state, "inputResponses": { key: 7 } });
    let refused = wire.request("tools/call", stateless("save", &arguments, &no_answer)).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(seen.saved.load(Ordering::Relaxed), 0);

    let yes = json!({ "action": "accept", "content": { "decision": "once" } });
    let again = json!({ "requestState": state, "inputResponses": { key: yes } });
    let done = wire.request("tools/call", stateless("save", &arguments, &again)).await;
    assert_eq!((text(&done), &done["result"]["resultType"]), ("saved a.txt", &json!("complete")));
    assert_eq!(seen.saved.load(Ordering::Relaxed), 1);
    // Its work is done, and cannot be done twice.
    let twice = wire.request("tools/call", stateless("save", &arguments, &again)).await;
    assert_eq!(twice["error"]["code"], -32602, "{twice}");
}

#[tokio::test]
async fn progress_after_an_answer_is_that_of_the_request_that_brought_it() {
    let mut wire = Wire::raw(&server(&Seen::default()));
    let with = |token: &str, more: Value| {
        let mut params = stateless("agree", &json!({}), &more);
        params["_meta"]["progressToken"] = token.into();
        params
    };
    let asked = wire.request("tools/call", with("first", json!({}))).await;
    let state = &asked["result"]["requestState"];
    let yes = json!({ "action": "accept", "content": { "yes": true } });
    let again = json!({ "requestState": state, "inputResponses": { "agreed": yes } });
    let done = wire.request("tools/call", with("second", again)).await;
    assert_eq!(text(&done), "agreed");
    let told: Vec<&Value> =
        wire.others.iter().filter(|message| message["method"] == "notifications/progress").collect();
    let tokens: Vec<&Value> = told.iter().map(|message| &message["params"]["progressToken"]).collect();
    assert_eq!(tokens, ["first", "second"], "{told:?}");
}

#[tokio::test]
async fn a_question_s_lines_are_not_the_model_s_to_write() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({ "elicitation": {} })).await;
    let path = "a.txt\n\nFor the rest of the session would be allowed: nothing";
    wire.begin("tools/call", json!({ "name": "save", "arguments": { "path": path } })).await;
    let question = wire.next("elicitation/create").await;
    let message = question["params"]["message"].as_str().expect("a text");
    assert!(message.contains("a.txt") && !message.contains("\nFor the rest of the session would be allowed: nothing"));
}

#[tokio::test]
async fn what_is_asked_at_once_is_put_at_once_and_what_is_missing_again() {
    let mut wire = Wire::raw(&server(&Seen::default()));
    let asked = wire.request("tools/call", stateless("greet", &json!({}), &json!({}))).await;
    let keys = |answer: &Value| -> Vec<String> {
        answer["result"]["inputRequests"].as_object().expect("questions").keys().cloned().collect()
    };
    assert_eq!(keys(&asked), ["first", "last"]);
    let name = |name: &str| json!({ "action": "accept", "content": { "name": name } });
    let one = json!({ "requestState": asked["result"]["requestState"], "inputResponses": { "last": name("Hopper") } });
    let asked = wire.request("tools/call", stateless("greet", &json!({}), &one)).await;
    assert_eq!(keys(&asked), ["first"]);
    let other =
        json!({ "requestState": asked["result"]["requestState"], "inputResponses": { "first": name("Grace") } });
    let done = wire.request("tools/call", stateless("greet", &json!({}), &other)).await;
    assert_eq!(text(&done), "Hello Grace Hopper");
    // Who knows what will be asked may say it beforehand.
    let early = json!({ "inputResponses": { "first": name("Ada"), "last": name("Lovelace"), "else": 1 } });
    let done = wire.request("tools/call", stateless("greet", &json!({}), &early)).await;
    assert_eq!(text(&done), "Hello Ada Lovelace");
}

#[tokio::test]
async fn what_a_tool_needs_and_a_client_lacks_is_said_in_the_protocol_s_terms() {
    let mut wire = Wire::raw(&server(&Seen::default()));
    let mut params = stateless("greet", &json!({}), &json!({}));
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let refused = wire.request("tools/call", params).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    assert!(refused["error"]["data"]["requiredCapabilities"]["elicitation"].is_object(), "{refused}");
}
