//! Streams in: however a response is cut into events, the calls are the same; what breaks off is not run.

mod wire_streams;

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::wire::Provider;
use wire_streams::{calls, chunk, end, item_events, stream};

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
