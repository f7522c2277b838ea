//! Streams in: however a response is cut into events, the calls are the same; what breaks off is not run.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::wire::{Conversation, ModelTurn, Provider};

fn stream(provider: Provider, events: &[Value]) -> ModelTurn {
    let mut conversation = Conversation::new(provider);
    let mut stream = conversation.stream();
    events.iter().for_each(|event| stream.push(event));
    conversation.finish(stream)
}

fn calls(turn: &ModelTurn) -> Vec<(&str, &str, &str)> {
    turn.calls().map(|call| (call.id.as_str(), call.name.as_ref(), call.arguments.as_str())).collect()
}

fn cut_off(turn: &ModelTurn) -> Vec<&str> {
    turn.cut_off().map(|call| call.id.as_str()).collect()
}

/// One chunk of Chat Completions with these fragments.
fn chunk(fragments: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": fragments }, "finish_reason": null }] })
}

fn end(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

#[test]
fn chat_fragments_of_two_calls_may_be_mixed() {
    let turn = stream(
        Provider::OpenAiChat,
        &[
            json!({ "choices": [{ "index": 1, "delta": { "content": "another choice" } }] }),
            json!({ "choices": [{ "index": 0, "delta": { "role": "assistant", "content": "Two" } }] }),
            chunk(
                json!([{ "index": 1, "id": "b", "type": "function", "function": { "name": "two", "arguments": "" } }]),
            ),
            chunk(
                json!([{ "index": 0, "id": "a", "type": "function", "function": { "name": "one", "arguments": "{\"x" } }]),
            ),
            chunk(
                json!([{ "index": 1, "function": { "arguments": "{}" } }, { "index": 0, "function": { "arguments": "\":1}" } }]),
            ),
            json!({ "choices": [], "usage": {} }),
            end("tool_calls"),
        ],
    );
    assert_eq!(turn.text(), "Two");
    assert_eq!(calls(&turn), [("b", "two", "{}"), ("a", "one", "{\"x\":1}")]);
}

#[test]
fn chat_servers_that_resemble_openai() {
    let cases = [
        // The id and the whole name in every chunk.
        json!([
            [{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{\"x\"" } }],
            [{ "index": 0, "id": "a", "function": { "name": "one", "arguments": ":1}" } }],
            [{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "" } }],
            [{ "index": 1, "id": "b", "function": { "name": "one", "arguments": "{}" } }],
        ]),
        // Names in pieces, and names that grow.
        json!([
            [{ "index": 0, "id": "a", "function": { "name": "o" } }],
            [{ "index": 0, "function": { "name": "ne", "arguments": "{\"x\":" } }],
            [{ "index": 0, "function": { "arguments": "1}" } }],
            [{ "index": 1, "id": "b", "function": { "name": "on" } }],
            [{ "index": 1, "function": { "name": "one", "arguments": "{}" } }],
        ]),
        // No index.
        json!([
            [{ "id": "a", "function": { "name": "one", "arguments": "{\"x" } }],
            [{ "function": { "arguments": "\":1}" } }],
            [{ "id": "b", "function": { "name": "one", "arguments": "{}" } }],
        ]),
        // One index for all calls, each whole (Gemini behind OpenAI's API).
        json!([
            [{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{\"x\":1}" } }],
            [{ "index": 0, "id": "b", "function": { "name": "one", "arguments": "{}" } }],
        ]),
        // Arguments as an object, and an id that changes behind the first fragment.
        json!([
            [{ "index": 0, "id": "a", "function": { "name": "one", "arguments": { "x": 1 } } }],
            [{ "index": 1, "id": "b", "function": { "name": "one", "arguments": "{" } }],
            [{ "index": 1, "id": "c", "function": { "name": null, "arguments": "}" } }],
        ]),
    ];
    for case in cases {
        let mut events: Vec<Value> = case.as_array().expect("chunks").iter().cloned().map(chunk).collect();
        events.push(end("stop"));
        let turn = stream(Provider::OpenAiChat, &events);
        assert_eq!(calls(&turn), [("a", "one", "{\"x\":1}"), ("b", "one", "{}")], "{case:#}");
    }
    // Neither index nor id: a name behind a closed object begins the next call.
    let bare = |name: &str, arguments: &str| chunk(json!([{ "function": { "name": name, "arguments": arguments } }]));
    let turn =
        stream(Provider::OpenAiChat, &[bare("one", "{\"x\":1}"), bare("one", ""), bare("two", "{}"), end("stop")]);
    let names: Vec<&str> = turn.calls().map(|call| call.name.as_ref()).collect();
    assert_eq!(names, ["one", "two"]);
}

#[test]
fn an_id_that_comes_twice_is_two_calls() {
    let turn = stream(
        Provider::OpenAiChat,
        &[
            chunk(json!([{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{}" } }])),
            chunk(json!([{ "index": 1, "id": "a", "function": { "name": "one", "arguments": "{}" } }])),
            end("tool_calls"),
        ],
    );
    assert_eq!(calls(&turn), [("a", "one", "{}"), ("call00001", "one", "{}")]);
}

#[test]
fn a_chat_stream_that_breaks_off() {
    let events = [
        chunk(json!([{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{\"x\":{}}" } }])),
        chunk(json!([{ "index": 1, "id": "b", "function": { "name": "one", "arguments": "{\"x\":{}" } }])),
        chunk(json!([{ "index": 2, "id": "c", "function": { "name": "one", "arguments": "" } }])),
    ];
    let turn = stream(Provider::OpenAiChat, &events);
    assert_eq!((calls(&turn), cut_off(&turn)), (vec![("a", "one", "{\"x\":{}}")], vec!["b", "c"]));

    // With its end, broken arguments are the model's own, and a call without arguments is complete.
    let turn = stream(Provider::OpenAiChat, &[&events[..], &[end("tool_calls")]].concat());
    assert_eq!(calls(&turn).len(), 3);
    let turn = stream(Provider::OpenAiChat, &[&events[..], &[end("length")]].concat());
    assert_eq!(cut_off(&turn), ["b", "c"]);
}

fn item_events(index: u64, item: &Value, key: &str, pieces: &[&str]) -> (Value, Vec<Value>, Value) {
    let mut begun = item.clone();
    begun[key] = json!("");
    begun["status"] = json!("in_progress");
    let kind = if key == "input" { "custom_tool_call_input" } else { "function_call_arguments" };
    let delta = |piece: &&str| json!({ "type": format!("response.{kind}.delta"), "item_id": item["id"], "output_index": index, "delta": piece });
    (
        json!({ "type": "response.output_item.added", "output_index": index, "item": begun }),
        pieces.iter().map(delta).collect(),
        json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
    )
}

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

/// Arguments with everything that is special in JSON text.
fn arguments() -> impl Strategy<Value = String> {
    proptest::collection::vec(("[a-z\"\\\\{} é😀]{0,4}", "\\PC{0,12}"), 0..4).prop_map(|members| {
        Value::Object(members.into_iter().map(|(key, value)| (key, json!(value))).collect()).to_string()
    })
}

/// A text cut at any characters.
fn split<'t>(text: &'t str, cuts: &[usize]) -> Vec<&'t str> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut % (text.len() + 1))).collect();
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
}

/// Takes from the lists in turn, so that their order stays and the lists are mixed.
fn mix(lists: Vec<Vec<Value>>) -> Vec<Value> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or_default();
    (0..longest).flat_map(|at| lists.iter().filter_map(move |list| list.get(at).cloned())).collect()
}

proptest! {
    #[test]
    fn any_cut_of_a_stream_gives_the_same_calls(
        texts in proptest::collection::vec((arguments(), proptest::collection::vec(any::<usize>(), 0..6)), 1..4),
    ) {
        let ids: Vec<String> = (0..texts.len()).map(|at| format!("id_{at}")).collect();
        let expected: Vec<(&str, &str, &str)> =
            texts.iter().zip(&ids).map(|((text, _), id)| (id.as_str(), "one", text.as_str())).collect();

        let chat = texts.iter().zip(&ids).enumerate().map(|(at, ((text, cuts), id))| {
            let mut events = vec![chunk(json!([{ "index": at, "id": id, "type": "function", "function": { "name": "one", "arguments": "" } }]))];
            events.extend(split(text, cuts).iter().map(|piece| chunk(json!([{ "index": at, "function": { "arguments": piece } }]))));
            events
        });
        let mut events = mix(chat.collect());
        events.push(end("tool_calls"));
        let turn = stream(Provider::OpenAiChat, &events);
        prop_assert_eq!(calls(&turn), expected.clone());

        let responses = texts.iter().zip(&ids).zip(0..).map(|(((text, cuts), id), at)| {
            let item = json!({ "type": "function_call", "id": format!("fc_{at}"), "call_id": id, "name": "one", "arguments": text, "status": "completed" });
            let (begun, deltas, _) = item_events(at, &item, "arguments", &split(text, cuts));
            let close = json!({ "type": "response.function_call_arguments.done", "item_id": item["id"], "output_index": at });
            [vec![begun], deltas, vec![close]].concat()
        });
        let mut events = mix(responses.collect());
        events.push(json!({ "type": "response.completed", "response": { "status": "completed", "output": [] } }));
        let turn = stream(Provider::OpenAiResponses, &events);
        prop_assert_eq!(calls(&turn), expected.clone());

        let anthropic = texts.iter().zip(&ids).enumerate().flat_map(|(at, ((text, cuts), id))| {
            let delta = |piece: &&str| json!({ "type": "content_block_delta", "index": at, "delta": { "type": "input_json_delta", "partial_json": piece } });
            let mut events = vec![json!({ "type": "content_block_start", "index": at, "content_block": { "type": "tool_use", "id": id, "name": "one", "input": {} } })];
            events.extend(split(text, cuts).iter().map(delta));
            events.push(json!({ "type": "content_block_stop", "index": at }));
            events
        });
        let mut events: Vec<Value> = anthropic.collect();
        events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }));
        let turn = stream(Provider::Anthropic, &events);
        prop_assert_eq!(calls(&turn), expected);
    }

    /// Whatever comes: no panic, and where a stream breaks off no call but a whole one is run.
    #[test]
    fn a_stream_cut_short_runs_no_half_call(text in arguments(), cuts in proptest::collection::vec(any::<usize>(), 0..6), kept in 0..8_usize) {
        let mut events = vec![chunk(json!([{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "" } }]))];
        events.extend(split(&text, &cuts).iter().map(|piece| chunk(json!([{ "index": 0, "function": { "arguments": piece } }]))));
        events.truncate(kept);
        let turn = stream(Provider::OpenAiChat, &events);
        for call in turn.calls() {
            prop_assert_eq!(&call.arguments, &text);
        }
    }
}

#[test]
fn what_a_compatible_server_sends_along_goes_back() {
    let mut conversation = Conversation::new(Provider::OpenAiChat);
    let mut stream = conversation.stream();
    let chunk = |delta: Value| json!({ "choices": [{ "delta": delta }] });
    let signature = json!({ "google": { "thought_signature": "c2ln" } });
    for event in [
        chunk(json!({ "role": "assistant", "reasoning": "So", "reasoning_details": [{ "index": 0, "text": "So" }] })),
        chunk(json!({ "reasoning": ".", "reasoning_details": [{ "index": 0, "signature": "c2ln" }], "audio": null })),
        chunk(json!({ "tool_calls": [{
            "index": 0, "id": "call_1", "type": "function", "extra_content": signature,
            "function": { "name": "now", "arguments": "{}" },
        }] })),
        chunk(json!({ "tool_calls": [{ "index": 0, "extra_content": { "google": { "more": 1 } } }] })),
        json!({ "choices": [{ "delta": { "extra_content": signature }, "finish_reason": "tool_calls" }] }),
    ] {
        stream.push(&event);
    }
    let turn = conversation.finish(stream);
    let message = &conversation.message(&turn)[0];
    let call = &message["tool_calls"][0];
    assert_eq!(call["extra_content"], json!({ "google": { "thought_signature": "c2ln", "more": 1 } }));
    assert_eq!((call.get("index"), &call["id"]), (None, &json!("call_1")));
    assert_eq!(message["extra_content"], signature);
    assert_eq!(message["reasoning"], "So.");
    assert_eq!(message["reasoning_details"].as_array().map(Vec::len), Some(2));
    assert!(!message.as_object().expect("an object").contains_key("audio"));
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
