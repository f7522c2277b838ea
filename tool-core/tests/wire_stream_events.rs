//! Events of OpenAI's Responses, Anthropic and Gemini: what they hold, whole and broken off.

mod wire_streams;

use serde_json::{Value, json};
use tool_core::wire::{Conversation, Provider};
use wire_streams::{calls, cut_off, item_events, stream};

#[test]
fn a_responses_stream() {
    let function = json!({ "type": "function_call", "id": "fc_1", "call_id": "a", "name": "one", "arguments": "{\"x\":1}", "status": "completed" });
    let custom = json!({ "type": "custom_tool_call", "id": "ct_1", "call_id": "b", "name": "patch", "input": "*** Begin", "status": "completed" });
    let (begun, deltas, done) = item_events(0, &function, "arguments", &["{\"x", "\":1}"]);
    let (begun_custom, custom_deltas, done_custom) = item_events(1, &custom, "input", &["*** ", "Begin"]);
    let created = json!({ "type": "response.created", "response": { "output": [] } });
    let text = json!({ "type": "response.output_text.delta", "item_id": "msg_1", "output_index": 2, "delta": "Hi" });
    let completed =
        json!({ "type": "response.completed", "response": { "status": "completed", "output": [function, custom] } });
    let all = vec![
        created,
        begun.clone(),
        begun_custom.clone(),
        deltas[0].clone(),
        custom_deltas[0].clone(),
        deltas[1].clone(),
        custom_deltas[1].clone(),
        done_custom,
        text,
        done,
        completed.clone(),
    ];
    let whole = [("a", "one", "{\"x\":1}"), ("b", "patch", "{\"input\":\"*** Begin\"}")];
    assert_eq!(calls(&stream(Provider::OpenAiResponses, &all)), whole);
    assert_eq!(calls(&stream(Provider::OpenAiResponses, &[completed])), whole, "servers that send no items");

    // Broken off: the `done` of the arguments is enough, and nothing less.
    let done = json!({ "type": "response.function_call_arguments.done", "item_id": "fc_1", "output_index": 0, "arguments": "{\"x\":1}" });
    let turn = stream(Provider::OpenAiResponses, &[begun.clone(), begun_custom, custom_deltas[0].clone(), done]);
    assert_eq!((calls(&turn), cut_off(&turn)), (vec![whole[0]], vec!["b"]));
    let turn = stream(Provider::OpenAiResponses, &[begun, deltas[0].clone(), deltas[1].clone()]);
    assert_eq!(cut_off(&turn), ["a"]);
    let message = Conversation::new(Provider::OpenAiResponses).message(&turn);
    assert_eq!(message[0]["status"], "incomplete");
}

#[test]
fn an_anthropic_stream() {
    let block =
        |index: u64, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let delta = |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let stop = |index: u64| json!({ "type": "content_block_stop", "index": index });
    let tool = |id: &str| json!({ "type": "tool_use", "id": id, "name": "one", "input": {} });
    let json_delta =
        |index: u64, piece: &str| delta(index, json!({ "type": "input_json_delta", "partial_json": piece }));
    let begin = vec![
        json!({ "type": "message_start", "message": { "content": [] } }),
        block(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "So" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "." })),
        delta(0, json!({ "type": "signature_delta", "signature": "c2ln" })),
        stop(0),
        block(1, json!({ "type": "text", "text": "" })),
        delta(1, json!({ "type": "text_delta", "text": "Hi" })),
        stop(1),
        json!({ "type": "ping" }),
        block(2, tool("a")),
        json_delta(2, ""),
        json_delta(2, "{\"x\""),
        json_delta(2, ":1}"),
        stop(2),
        block(3, tool("b")),
        stop(3),
    ];
    let ending = |reason: &str| {
        [json!({ "type": "message_delta", "delta": { "stop_reason": reason } }), json!({ "type": "message_stop" })]
    };
    let turn = stream(Provider::Anthropic, &[begin.clone(), ending("tool_use").to_vec()].concat());
    assert_eq!(calls(&turn), [("a", "one", "{\"x\":1}"), ("b", "one", "{}")]);
    assert_eq!(
        Conversation::new(Provider::Anthropic).message(&turn),
        [json!({ "role": "assistant", "content": [
            { "type": "thinking", "thinking": "So.", "signature": "c2ln" },
            { "type": "text", "text": "Hi" },
            { "type": "tool_use", "id": "a", "name": "one", "input": { "x": 1 } },
            { "type": "tool_use", "id": "b", "name": "one", "input": {} },
        ] })]
    );

    let half = vec![block(4, tool("c")), json_delta(4, "{\"x\":")];
    let turn = stream(Provider::Anthropic, &[begin.clone(), half.clone()].concat());
    assert_eq!((calls(&turn).len(), cut_off(&turn)), (2, vec!["c"]));
    let empty = stream(Provider::Anthropic, &[begin.clone(), vec![block(4, tool("c"))]].concat());
    assert_eq!(cut_off(&empty), ["c"], "it only began");
    let limited = stream(Provider::Anthropic, &[begin, half, vec![stop(4)], ending("max_tokens").to_vec()].concat());
    assert_eq!(cut_off(&limited), ["c"], "closed by the limit, not by the model");
    let message = Conversation::new(Provider::Anthropic).message(&limited);
    assert!(message[0]["content"][4]["input"].is_object(), "{message:?}");
}

fn parts(parts: Value, reason: Option<&str>) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": reason }] })
}

#[test]
fn a_gemini_stream_of_whole_calls() {
    let one = json!({ "functionCall": { "name": "one", "args": { "x": 1 } }, "thoughtSignature": "c2ln" });
    let two = json!({ "functionCall": { "name": "two", "args": {} } });
    let events = [
        parts(json!([{ "text": "He" }]), None),
        parts(json!([{ "text": "llo" }, one]), None),
        parts(json!([two]), None),
        parts(json!([]), Some("STOP")),
    ];
    let turn = stream(Provider::Gemini, &events);
    assert_eq!(turn.text(), "Hello");
    assert_eq!(calls(&turn), [("call00001", "one", "{\"x\":1}"), ("call00002", "two", "{}")]);
    let message = Conversation::new(Provider::Gemini).message(&turn);
    assert_eq!(message[0]["parts"], json!([{ "text": "Hello" }, one, two]));
    let broken = stream(Provider::Gemini, &events[..3]);
    assert_eq!(calls(&broken).len(), 2, "they came whole");
}

#[test]
fn a_gemini_stream_of_partial_arguments() {
    let call = |call: Value| parts(json!([{ "functionCall": call }]), None);
    let partial = |partials: Value| call(json!({ "partialArgs": partials, "willContinue": true }));
    let events = [
        call(json!({ "name": "one", "id": "a", "willContinue": true })),
        partial(json!([{ "jsonPath": "$.text", "stringValue": "on", "willContinue": true }])),
        partial(
            json!([{ "jsonPath": "$.text", "stringValue": "ce" }, { "jsonPath": "$.list[0].n", "numberValue": 3 }]),
        ),
        partial(
            json!([{ "jsonPath": "$['list'][1]", "boolValue": true }, { "jsonPath": "$[\"none\"]", "nullValue": "NULL_VALUE" }]),
        ),
        call(json!({})),
        parts(json!([]), Some("STOP")),
    ];
    let turn = stream(Provider::Gemini, &events);
    assert_eq!(calls(&turn), [("a", "one", "{\"text\":\"once\",\"list\":[{\"n\":3},true],\"none\":null}")]);
    assert_eq!(cut_off(&stream(Provider::Gemini, &events[..4])), ["a"]);

    // A place that cannot be: nothing is guessed, and nothing grows.
    for path in ["$.list[4000000000]", "text", "$.text.inner", "$[", "$['a"] {
        let text = partial(json!([{ "jsonPath": "$.text", "stringValue": "x" }]));
        let strange = partial(json!([{ "jsonPath": path, "numberValue": 1 }]));
        let turn = stream(Provider::Gemini, &[events[0].clone(), text, strange, events[4].clone(), events[5].clone()]);
        assert_eq!(cut_off(&turn), ["a"], "{path}");
    }
}

#[test]
fn anthropics_citations_and_calls_of_its_own_come_whole() {
    let event = |kind: &str, index: u8, key: &str, value: Value| json!({ "type": kind, "index": index, key: value });
    let citation = |n: u8| json!({ "type": "web_search_result_location", "encrypted_index": format!("{n}") });
    let delta = |index: u8, delta: Value| event("content_block_delta", index, "delta", delta);
    let events = [
        event(
            "content_block_start",
            0,
            "content_block",
            json!({ "type": "mcp_tool_use", "id": "m_1", "name": "x", "input": {} }),
        ),
        delta(0, json!({ "type": "input_json_delta", "partial_json": "{\"a\":1}" })),
        json!({ "type": "content_block_stop", "index": 0 }),
        event(
            "content_block_start",
            1,
            "content_block",
            json!({ "type": "mcp_tool_result", "tool_use_id": "m_1", "content": [] }),
        ),
        json!({ "type": "content_block_stop", "index": 1 }),
        event("content_block_start", 2, "content_block", json!({ "type": "text", "text": "" })),
        delta(2, json!({ "type": "text_delta", "text": "So." })),
        delta(2, json!({ "type": "citations_delta", "citation": citation(1) })),
        delta(2, json!({ "type": "citations_delta", "citation": citation(2) })),
        json!({ "type": "content_block_stop", "index": 2 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
    ];
    let turn = stream(Provider::Anthropic, &events);
    let content = Conversation::new(Provider::Anthropic).message(&turn)[0]["content"].clone();
    assert_eq!(content[0]["input"], json!({ "a": 1 }));
    assert_eq!(content[2], json!({ "type": "text", "text": "So.", "citations": [citation(1), citation(2)] }));
}
