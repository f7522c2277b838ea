//! Whole responses in: what providers really send, read into calls, and sent back with their ids settled.

use serde_json::{Value, json};
use tool_core::wire::{Conversation, ModelTurn, Provider};

/// What was asked for: id, name, arguments.
fn calls(turn: &ModelTurn) -> Vec<(&str, &str, &str)> {
    turn.calls().map(|call| (call.id.as_str(), call.name.as_ref(), call.arguments.as_str())).collect()
}

fn read(provider: Provider, response: &Value) -> (ModelTurn, Vec<Value>) {
    let mut conversation = Conversation::new(provider);
    let turn = conversation.read(response).expect("a response");
    let message = conversation.message(&turn);
    (turn, message)
}

#[test]
fn parallel_calls_of_chat_completions_come_in_order() {
    let message = json!({ "role": "assistant", "content": "Both.", "tool_calls": [
        { "id": "call_a", "type": "function", "function": { "name": "one", "arguments": "{\"x\": 1}" } },
        { "id": "call_b", "type": "function", "function": { "name": "two", "arguments": "" } },
    ] });
    let response = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
    let (turn, history) = read(Provider::OpenAiChat, &response);
    assert_eq!(turn.text(), "Both.");
    assert_eq!(calls(&turn), [("call_a", "one", "{\"x\": 1}"), ("call_b", "two", "{}")]);
    assert_eq!(history[0]["tool_calls"][0], message["tool_calls"][0]);
    assert_eq!(history[0]["tool_calls"][1]["function"]["arguments"], "{}", "some servers refuse an empty text");
    assert_eq!(history[0]["content"], "Both.");
}

#[test]
fn servers_that_resemble_openai_may_leave_things_out() {
    let (turn, history) = read(
        Provider::OpenAiChat,
        &json!({ "content": null, "tool_calls": [
            { "function": { "name": "one", "arguments": { "x": 1 } } },
            { "id": "", "function": { "name": "one", "arguments": null } },
            { "id": "same", "function": { "name": "one" } },
            { "id": "same", "function": { "name": "one", "arguments": "{\"x\":" } },
        ] }),
    );
    let ids: Vec<&str> = turn.calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call00001", "call00002", "same", "call00003"]);
    assert_eq!(calls(&turn)[0].2, "{\"x\":1}");
    assert_eq!(calls(&turn)[3].2, "{\"x\":", "the executor says what is wrong with it");
    for (index, id) in ids.iter().enumerate() {
        let sent = &history[0]["tool_calls"][index];
        assert_eq!((sent["id"].as_str(), &sent["type"]), (Some(*id), &json!("function")));
    }
    let broken = history[0]["tool_calls"][3]["function"]["arguments"].as_str().expect("a text");
    assert_eq!(serde_json::from_str::<Value>(broken).expect("JSON"), json!({ "invalidArguments": "{\"x\":" }));
}

#[test]
fn a_turn_without_calls_is_the_last() {
    for (provider, response) in [
        (
            Provider::OpenAiChat,
            json!({ "choices": [{ "message": { "role": "assistant", "content": "Hi", "tool_calls": [] } }] }),
        ),
        (
            Provider::OpenAiResponses,
            json!({ "output": [
            { "type": "reasoning", "id": "rs_1", "summary": [] },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Hi", "annotations": [] }] },
        ] }),
        ),
        (Provider::Anthropic, json!({ "content": [{ "type": "text", "text": "Hi" }], "stop_reason": "end_turn" })),
        (
            Provider::Gemini,
            json!({ "candidates": [{ "content": { "parts": [
            { "text": "Hmm", "thought": true }, { "text": "Hi" },
        ] }, "finishReason": "STOP" }] }),
        ),
    ] {
        let (turn, history) = read(provider, &response);
        assert!(turn.is_final(), "{provider:?}");
        assert_eq!(turn.text(), "Hi", "{provider:?}");
        assert!(!history.is_empty(), "{provider:?}");
        assert!(!history[0].as_object().expect("an object").contains_key("tool_calls"), "an empty list is refused");
    }
}

#[test]
fn responses_have_functions_and_plain_text() {
    let output = json!([
        { "type": "reasoning", "id": "rs_1", "summary": [] },
        { "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "one", "arguments": "{}", "status": "completed" },
        { "type": "custom_tool_call", "id": "ct_1", "call_id": "call_2", "name": "patch", "input": "*** \"Begin\"\n" },
        { "type": "web_search_call", "id": "ws_1", "status": "completed" },
    ]);
    let (turn, history) = read(Provider::OpenAiResponses, &json!({ "status": "completed", "output": output }));
    assert_eq!(calls(&turn), [("call_1", "one", "{}"), ("call_2", "patch", "{\"input\":\"*** \\\"Begin\\\"\\n\"}")]);
    assert_eq!(Value::Array(history), output, "nothing needs settling");
}

#[test]
fn anthropic_gets_its_own_message_back_without_what_it_refuses() {
    let thinking = json!({ "type": "thinking", "thinking": "So.", "signature": "c2ln" });
    let call = json!({ "type": "tool_use", "id": "toolu_1", "name": "one", "input": { "x": 1 } });
    let search =
        json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "x" } });
    let (turn, history) = read(
        Provider::Anthropic,
        &json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": {}, "stop_reason": "tool_use",
            "content": [thinking, { "type": "text", "text": "" }, search, call],
        }),
    );
    assert_eq!(calls(&turn), [("toolu_1", "one", "{\"x\":1}")], "the provider runs its own tools itself");
    assert_eq!(history, [json!({ "role": "assistant", "content": [thinking, search, call] })]);
}

#[test]
fn gemini_gives_no_ids_and_gets_none() {
    let part = json!({ "functionCall": { "name": "one", "args": { "x": 1 } }, "thoughtSignature": "c2ln" });
    let bare = json!({ "functionCall": { "name": "one" } });
    let response =
        json!({ "candidates": [{ "content": { "role": "model", "parts": [part, bare] }, "finishReason": "STOP" }] });
    let mut conversation = Conversation::new(Provider::Gemini);
    let first = conversation.read(&response).expect("a response");
    assert_eq!(calls(&first), [("call00001", "one", "{\"x\":1}"), ("call00002", "one", "{}")]);
    assert_eq!(conversation.message(&first), [json!({ "role": "model", "parts": [part, bare] })]);
    let again = conversation.read(&response).expect("a response");
    assert_eq!(calls(&again)[0].0, "call00003", "unique in the conversation");

    let mut other = Conversation::new(Provider::Gemini);
    assert_eq!(other.read(&response).expect("a response"), first, "the same for the same conversation");
}

#[test]
fn mcp_requests_and_their_params() {
    let params = json!({ "name": "one", "arguments": { "x": 1 } });
    let (turn, history) =
        read(Provider::Mcp, &json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }));
    assert_eq!(calls(&turn), [("7", "one", "{\"x\":1}")]);
    assert!(history.is_empty());
    assert_eq!(calls(&read(Provider::Mcp, &params).0)[0].1, "one");
    let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" });
    assert!(Conversation::new(Provider::Mcp).read(&list).is_err());
}

#[test]
fn a_limit_leaves_half_a_call_that_is_not_run() {
    let half = "{\"path\":\"a\",\"text\":\"onc";
    for (provider, response) in [
        (
            Provider::OpenAiChat,
            json!({ "choices": [{ "finish_reason": "length", "message": { "tool_calls": [
            { "id": "a", "function": { "name": "write", "arguments": "{}" } },
            { "id": "b", "function": { "name": "write", "arguments": half } },
        ] } }] }),
        ),
        (
            Provider::OpenAiResponses,
            json!({ "status": "incomplete", "output": [
            { "type": "function_call", "call_id": "a", "name": "write", "arguments": "{}", "status": "completed" },
            { "type": "function_call", "call_id": "b", "name": "write", "arguments": half, "status": "incomplete" },
        ] }),
        ),
        (
            Provider::Anthropic,
            json!({ "stop_reason": "max_tokens", "content": [
            { "type": "tool_use", "id": "a", "name": "write", "input": {} },
            { "type": "tool_use", "id": "b", "name": "write", "input": half },
        ] }),
        ),
        // As the API closes what its model left open.
        (
            Provider::Anthropic,
            json!({ "stop_reason": "max_tokens", "content": [
            { "type": "tool_use", "id": "a", "name": "write", "input": {} },
            { "type": "tool_use", "id": "b", "name": "write", "input": { "path": "a.txt" } },
        ] }),
        ),
    ] {
        let mut conversation = Conversation::new(provider);
        let turn = conversation.read(&response).expect("a response");
        assert_eq!(turn.calls().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["a"], "{provider:?}");
        assert_eq!(turn.cut_off().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["b"], "{provider:?}");
        let results = conversation.results(&turn, []);
        assert!(Value::Array(results.messages).to_string().contains("was cut off"), "{provider:?}");
        assert_eq!(results.aborted.len(), 1, "the other was only aborted");
    }
}

#[test]
fn what_is_no_message_is_refused_with_a_reason() {
    for provider in
        [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini, Provider::Mcp]
    {
        for message in
            [json!({ "error": { "message": "overloaded" } }), json!(null), json!("text"), json!(4), json!({})]
        {
            let error = Conversation::new(provider).read(&message).expect_err("no message").to_string();
            assert!(error.starts_with("expected "), "{error}");
        }
    }
    let error = Conversation::new(Provider::Anthropic).read(&json!({ "error": {} })).expect_err("no message");
    assert_eq!(
        error.to_string(),
        "expected a message with `content`, or its blocks, got an object with error; check which provider this came from, and whether it is an error response"
    );
}
