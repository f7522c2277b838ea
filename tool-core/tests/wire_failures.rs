//! Providers that fail in the middle of a response: it is said with their own words, what came goes on, and no half call
//! is run.

mod wire_streams;

use serde_json::{Value, json};
use tool_core::wire::{Conversation, NotAMessage, Provider, Stop};
use wire_streams::{calls, chunk, cut_off, end, stream};

/// Words of servers behind OpenAI's form, known or not.
const FAILURES: [&str; 6] =
    ["error", "abort", "network_error", "insufficient_system_resource", "ERR_UPSTREAM", "preempted"];

#[test]
fn a_call_under_a_word_for_failure_is_run_if_it_is_whole() {
    let whole = json!([{ "index": 0, "id": "a", "function": { "name": "one", "arguments": "{\"x\":1}" } }]);
    let custom = |index: u8, id: &str| {
        json!([{ "index": index, "id": id, "type": "custom", "custom": {
        "name": "apply_patch", "input": "*** Begin Patch\n*** Delete File: a" } }])
    };
    let named = json!([{ "index": 1, "id": "b", "function": { "name": "clean", "arguments": "" } }]);
    let half = json!([{ "index": 1, "id": "b", "function": { "name": "clean", "arguments": "{\"x\":" } }]);
    for reason in FAILURES {
        for last in [&named, &half, &custom(1, "b")] {
            let events = [chunk(whole.clone()), chunk(last.clone()), end(reason)];
            let turn = stream(Provider::OpenAiChat, &events);
            assert_eq!((calls(&turn).len(), cut_off(&turn)), (1, vec!["b"]), "{reason}: {last}");
            assert!(matches!(turn.stop(), Stop::Failed(_) | Stop::Other(_)), "{reason}");
        }
        let both = [chunk(custom(0, "a")), chunk(custom(1, "b")), end(reason)];
        assert_eq!(cut_off(&stream(Provider::OpenAiChat, &both)), ["b"], "something came behind the first");

        let message = json!({ "role": "assistant", "tool_calls": [{ "id": "a", "function": { "name": "clean", "arguments": "" } }] });
        let response = json!({ "choices": [{ "message": message, "finish_reason": reason }] });
        let turn = Conversation::new(Provider::OpenAiChat).read(&response).expect("a response");
        assert_eq!(cut_off(&turn), ["a"], "{reason}");
    }
}

#[test]
fn other_providers_words_too() {
    let call = json!({ "type": "tool_use", "id": "a", "name": "clean", "input": {} });
    let item = json!({ "type": "custom_tool_call", "call_id": "a", "name": "patch", "input": "*** Begin" });
    for (provider, response) in [
        (Provider::Anthropic, json!({ "content": [call], "stop_reason": "preempted" })),
        (Provider::OpenAiResponses, json!({ "status": "in_progress", "output": [item] })),
    ] {
        let turn = Conversation::new(provider).read(&response).expect("a response");
        assert_eq!((calls(&turn), cut_off(&turn)), (vec![], vec!["a"]), "{provider:?}");
    }
    // A stored item has a status, which is no word about a response.
    let stored =
        json!({ "type": "function_call", "call_id": "a", "name": "now", "arguments": "{}", "status": "in_progress" });
    let turn = Conversation::new(Provider::OpenAiResponses).read(&stored).expect("an item");
    assert_eq!(turn.stop(), &Stop::Unsaid);
}

#[test]
fn an_error_in_a_stream_is_a_failure_with_its_message() {
    let message = json!({ "code": 503, "message": "Overloaded." });
    let unsaid = json!({ "type": "overloaded_error" });
    for (provider, event, said) in [
        (Provider::OpenAiChat, json!({ "error": message }), "Overloaded."),
        (Provider::OpenAiChat, json!({ "error": "Overloaded." }), "Overloaded."),
        (Provider::OpenAiChat, json!({ "object": "error", "message": "Overloaded.", "code": 503 }), "Overloaded."),
        (
            Provider::OpenAiChat,
            json!({ "error": message, "choices": [{ "delta": {}, "finish_reason": "error" }] }),
            "Overloaded.",
        ),
        (
            Provider::OpenAiChat,
            json!({ "choices": [{ "delta": {}, "finish_reason": "error", "error": message }] }),
            "Overloaded.",
        ),
        (Provider::OpenAiChat, json!({ "error": unsaid }), "overloaded_error"),
        (
            Provider::Anthropic,
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded." } }),
            "Overloaded.",
        ),
        (Provider::Anthropic, json!({ "type": "error", "error": unsaid }), "overloaded_error"),
        (Provider::Gemini, json!({ "error": message }), "Overloaded."),
        (Provider::Gemini, json!({ "error": { "code": 503, "status": "UNAVAILABLE" } }), "UNAVAILABLE"),
        (Provider::OpenAiResponses, json!({ "type": "error", "message": "Overloaded." }), "Overloaded."),
        (Provider::OpenAiResponses, json!({ "type": "error", "error": message }), "Overloaded."),
        (Provider::OpenAiResponses, json!({ "error": message }), "Overloaded."),
        (
            Provider::OpenAiResponses,
            json!({ "type": "response.failed", "response": { "error": message } }),
            "Overloaded.",
        ),
    ] {
        let turn = stream(provider, std::slice::from_ref(&event));
        assert_eq!(turn.stop(), &Stop::Failed(said.to_owned()), "{provider:?}: {event}");
    }
}

/// What came before it stands; what it broke off is not run.
#[test]
fn an_error_behind_calls() {
    let begun =
        |id: &str, arguments: &str| json!([{ "id": id, "function": { "name": "one", "arguments": arguments } }]);
    let block = |index: u8| {
        json!({ "type": "content_block_start", "index": index, "content_block": {
        "type": "tool_use", "id": (["a", "b"][usize::from(index)]), "name": "one", "input": {} } })
    };
    let delta = |index: u8, piece: &str| {
        json!({ "type": "content_block_delta", "index": index,
        "delta": { "type": "input_json_delta", "partial_json": piece } })
    };
    let call = |call: Value| json!({ "candidates": [{ "content": { "parts": [{ "functionCall": call }] } }] });
    let error = json!({ "type": "error", "error": { "message": "Gone." } });
    for (provider, events) in [
        (Provider::OpenAiChat, vec![chunk(begun("a", "{}")), chunk(begun("b", "{\"x"))]),
        (Provider::OpenAiChat, vec![chunk(begun("a", "{}")), chunk(begun("b", "")), end("tool_calls")]),
        (
            Provider::Anthropic,
            vec![
                block(0),
                delta(0, "{\"x\":1}"),
                json!({ "type": "content_block_stop", "index": 0 }),
                block(1),
                delta(1, "{"),
            ],
        ),
        (
            Provider::Gemini,
            vec![
                call(json!({ "id": "a", "name": "one", "args": {} })),
                call(json!({ "id": "b", "name": "one", "willContinue": true })),
            ],
        ),
    ] {
        let turn = stream(provider, &[events, vec![error.clone()]].concat());
        let run: Vec<&str> = calls(&turn).into_iter().map(|(id, ..)| id).collect();
        assert_eq!((run, cut_off(&turn)), (vec!["a"], vec!["b"]), "{provider:?}");
        assert_eq!(turn.stop(), &Stop::Failed("Gone.".to_owned()), "{provider:?}");
        let mut conversation = Conversation::new(provider);
        assert_eq!(conversation.message(&turn).len(), 1, "{provider:?}");
        assert_eq!(conversation.results(&turn, []).aborted, ["a".into()], "{provider:?}");
    }
}

#[test]
fn no_error_is_none() {
    for error in [Value::Null, json!(""), json!({})] {
        let mut last = end("stop");
        last["error"] = error.clone();
        let turn = stream(Provider::OpenAiChat, &[last.clone()]);
        assert_eq!(turn.stop(), &Stop::Completed, "{error}");
        let response =
            json!({ "choices": [{ "message": { "content": "x" }, "finish_reason": "stop" }], "error": error });
        let turn = Conversation::new(Provider::OpenAiChat).read(&response).expect("a response");
        assert_eq!(turn.stop(), &Stop::Completed, "{error}");
    }
    let refused: Result<_, NotAMessage> =
        Conversation::new(Provider::Anthropic).read(&json!({ "type": "error", "error": { "message": "Gone." } }));
    assert!(refused.is_err(), "a whole answer that is an error is no message");
}
