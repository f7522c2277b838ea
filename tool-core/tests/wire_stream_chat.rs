//! Chunks of Chat Completions, from OpenAI and from the many servers that only resemble it.

mod wire_streams;

use serde_json::{Value, json};
use tool_core::wire::{Conversation, Provider};
use wire_streams::{calls, chunk, cut_off, end, stream};

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
fn a_fragment_with_an_id_goes_to_the_call_that_has_it() {
    let begins = |id: &str, name: &str| json!({ "id": id, "function": { "name": name, "arguments": "" } });
    let goes_on = |id: &str, piece: &str| json!({ "id": id, "function": { "arguments": piece } });
    let both = [("a", "one", "{\"x\":1}"), ("b", "two", "{\"y\":2}")];
    for index in [Value::Null, json!(0)] {
        let chunk = |mut fragment: Value| {
            fragment["index"] = index.clone();
            chunk(json!([fragment]))
        };
        let events = [
            chunk(begins("a", "one")),
            chunk(begins("b", "two")),
            chunk(goes_on("a", "{\"x\"")),
            chunk(goes_on("b", "{\"y\"")),
            chunk(goes_on("b", ":2}")),
            chunk(goes_on("a", ":1}")),
            end("tool_calls"),
        ];
        assert_eq!(calls(&stream(Provider::OpenAiChat, &events)), both, "{index}");
    }
}

/// Mistral's models that think send lists of parts, and texts where they no longer think.
#[test]
fn a_content_may_come_as_parts() {
    let chunk = |content: Value| json!({ "choices": [{ "delta": { "content": content } }] });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let thought = |thought: &str| json!({ "type": "thinking", "thinking": [text(thought)] });
    let taken = |contents: &[Value]| {
        let events: Vec<Value> = contents.iter().cloned().map(chunk).chain([end("stop")]).collect();
        let turn = stream(Provider::OpenAiChat, &events);
        let message = Conversation::new(Provider::OpenAiChat).message(&turn);
        (turn.text().to_owned(), message.first().map(|message| message["content"].clone()))
    };
    let plain = taken(&[json!([text("H")]), json!([text(""), text("i")]), json!("!")]);
    assert_eq!(plain, ("Hi!".to_owned(), Some(json!("Hi!"))));

    let reference = json!({ "type": "reference", "reference_ids": [1] });
    let said = taken(&[
        json!(""),
        json!([thought("S")]),
        json!([thought("o."), text("H")]),
        json!("i"),
        json!([reference]),
        json!([text("!")]),
    ]);
    assert_eq!(said, ("Hi!".to_owned(), Some(json!([thought("So."), text("Hi"), reference, text("!")]))));
    assert_eq!(taken(&[json!([reference])]), (String::new(), Some(json!([reference]))), "a part is something said");
    assert_eq!(taken(&[json!([thought("So.")])]), (String::new(), None), "nothing came of it");
}
