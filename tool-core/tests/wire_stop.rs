//! Turns that end otherwise than their model meant: why they did, and that what goes back is what a provider takes.

use serde_json::{Value, json};
use tool_core::wire::{Conversation, ModelTurn, Provider, Stop};

fn read(provider: Provider, response: &Value) -> (ModelTurn, Vec<Value>) {
    let mut conversation = Conversation::new(provider);
    let turn = conversation.read(response).expect("a response");
    let message = conversation.message(&turn);
    (turn, message)
}

fn streamed(provider: Provider, events: &[Value]) -> (ModelTurn, Vec<Value>) {
    let mut conversation = Conversation::new(provider);
    let mut stream = conversation.stream();
    events.iter().for_each(|event| stream.push(event));
    let turn = conversation.finish(stream);
    let message = conversation.message(&turn);
    (turn, message)
}

#[test]
fn every_provider_says_why_it_stopped() {
    let chat = |reason: &str| json!({ "choices": [{ "message": { "content": "x" }, "finish_reason": reason }] });
    let responses = |status: Value| {
        let mut response = json!({ "output": [{ "type": "message", "role": "assistant", "content": [] }] });
        response
            .as_object_mut()
            .into_iter()
            .for_each(|whole| whole.extend(status.as_object().cloned().expect("members")));
        response
    };
    let anthropic = |reason: &str| json!({ "content": [{ "type": "text", "text": "x" }], "stop_reason": reason });
    let gemini =
        |reason: &str| json!({ "candidates": [{ "content": { "parts": [{ "text": "x" }] }, "finishReason": reason }] });
    let refused = |word: &str| Stop::Refused(word.to_owned());
    for (provider, response, stop) in [
        (Provider::OpenAiChat, chat("stop"), Stop::Completed),
        (Provider::OpenAiChat, chat("length"), Stop::Limit),
        (Provider::OpenAiChat, chat("content_filter"), refused("content_filter")),
        (Provider::OpenAiChat, chat("eos_token"), Stop::Completed),
        (Provider::OpenAiChat, chat("model_length"), Stop::Limit),
        (Provider::OpenAiChat, chat("sensitive"), refused("sensitive")),
        (Provider::OpenAiChat, chat("load_shed"), Stop::Other("load_shed".to_owned())),
        (Provider::OpenAiChat, json!({ "role": "assistant", "content": "x" }), Stop::Unsaid),
        (Provider::OpenAiResponses, responses(json!({ "status": "completed" })), Stop::Completed),
        (
            Provider::OpenAiResponses,
            responses(json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" } })),
            Stop::Limit,
        ),
        (
            Provider::OpenAiResponses,
            responses(json!({ "status": "incomplete", "incomplete_details": { "reason": "content_filter" } })),
            refused("content_filter"),
        ),
        (
            Provider::OpenAiResponses,
            responses(json!({ "status": "failed", "error": { "code": "server_error", "message": "Overloaded." } })),
            Stop::Failed("Overloaded.".to_owned()),
        ),
        (Provider::OpenAiResponses, responses(json!({ "status": "queued" })), Stop::Other("queued".to_owned())),
        (Provider::Anthropic, anthropic("end_turn"), Stop::Completed),
        (Provider::Anthropic, anthropic("model_context_window_exceeded"), Stop::Limit),
        (Provider::Anthropic, anthropic("refusal"), refused("refusal")),
        (Provider::Anthropic, anthropic("pause_turn"), Stop::Paused),
        (Provider::Gemini, gemini("STOP"), Stop::Completed),
        (Provider::Gemini, gemini("MAX_TOKENS"), Stop::Limit),
        (Provider::Gemini, gemini("SAFETY"), refused("SAFETY")),
        (Provider::Gemini, json!({ "promptFeedback": { "blockReason": "BLOCKLIST" } }), refused("BLOCKLIST")),
        (Provider::Gemini, gemini("OTHER"), Stop::Other("OTHER".to_owned())),
        (Provider::Mcp, json!({ "name": "now" }), Stop::Unsaid),
    ] {
        assert_eq!(*read(provider, &response).0.stop(), stop, "{provider:?}: {response}");
    }
}

#[test]
fn streams_say_it_too() {
    let chunk = |delta: Value, reason: Value| json!({ "choices": [{ "delta": delta, "finish_reason": reason }] });
    let text = json!({ "candidates": [{ "content": { "parts": [{ "text": "x" }] } }] });
    for (provider, events, stop) in [
        (Provider::OpenAiChat, vec![chunk(json!({ "content": "x" }), Value::Null)], Stop::Broken),
        (Provider::OpenAiChat, vec![chunk(json!({ "content": "x" }), json!("length"))], Stop::Limit),
        (
            Provider::OpenAiChat,
            vec![chunk(json!({ "refusal": "I can" }), Value::Null), chunk(json!({ "refusal": "not." }), json!("stop"))],
            Stop::Refused("I cannot.".to_owned()),
        ),
        (
            Provider::OpenAiResponses,
            vec![json!({ "type": "response.failed", "response": {
                "status": "failed", "output": [], "error": { "message": "Overloaded." } } })],
            Stop::Failed("Overloaded.".to_owned()),
        ),
        (
            Provider::OpenAiResponses,
            vec![json!({ "type": "error", "code": "server_error", "message": "Gone." })],
            Stop::Failed("Gone.".to_owned()),
        ),
        (
            Provider::Anthropic,
            vec![json!({ "type": "message_delta", "delta": {
                "stop_reason": "refusal", "stop_details": { "type": "refusal", "explanation": "Not this." } } })],
            Stop::Refused("Not this.".to_owned()),
        ),
        (
            Provider::Anthropic,
            vec![json!({ "type": "content_block_start", "index": 0, "content_block": {} })],
            Stop::Broken,
        ),
        (Provider::Gemini, vec![text.clone()], Stop::Broken),
        (
            Provider::Gemini,
            vec![text, json!({ "candidates": [{ "finishReason": "RECITATION" }] })],
            Stop::Refused("RECITATION".to_owned()),
        ),
        (
            Provider::Gemini,
            vec![json!({ "promptFeedback": { "blockReason": "SAFETY" } })],
            Stop::Refused("SAFETY".to_owned()),
        ),
    ] {
        assert_eq!(*streamed(provider, &events).0.stop(), stop, "{provider:?}: {events:?}");
    }
}

#[test]
fn a_malformed_call_is_no_end_and_the_model_is_told() {
    let said = "Malformed function call: print(default_api.now())";
    let candidate = json!({ "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": said });
    let response = json!({ "candidates": [candidate] });
    let compatible = json!({ "choices": [{
        "message": { "role": "assistant" }, "finish_reason": "function_call_filter: MALFORMED_FUNCTION_CALL",
    }] });
    for (turn, provider) in [
        (read(Provider::Gemini, &response).0, Provider::Gemini),
        (streamed(Provider::Gemini, std::slice::from_ref(&response)).0, Provider::Gemini),
        (read(Provider::OpenAiChat, &compatible).0, Provider::OpenAiChat),
        // A conversation may go on with another provider.
        (read(Provider::Gemini, &response).0, Provider::Anthropic),
        (read(Provider::Gemini, &response).0, Provider::OpenAiResponses),
    ] {
        assert!(matches!(turn.stop(), Stop::MalformedCall(_)) && !turn.is_final());
        let mut conversation = Conversation::new(provider);
        assert!(conversation.message(&turn).is_empty());
        let results = conversation.results(&turn, []).messages;
        assert_eq!((results.len(), &results[0]["role"]), (1, &json!("user")), "{provider:?}");
        let text = results[0].to_string();
        assert!(text.contains("could not be read, and was not run") && text.contains("Make it again"), "{text}");
        assert_eq!(text.contains("print(default_api.now())"), *turn.stop() == Stop::MalformedCall(said.to_owned()));
    }
    assert!(Conversation::new(Provider::Mcp).results(&read(Provider::Gemini, &response).0, []).messages.is_empty());
}

#[test]
fn a_refusal_of_chat_completions_is_a_part_of_the_message() {
    let message = json!({ "role": "assistant", "content": null, "refusal": "No." });
    let (turn, history) =
        read(Provider::OpenAiChat, &json!({ "choices": [{ "message": message, "finish_reason": "stop" }] }));
    assert_eq!((turn.stop(), turn.is_final(), turn.text()), (&Stop::Refused("No.".to_owned()), true, ""));
    assert_eq!(history, [json!({ "role": "assistant", "content": [{ "type": "refusal", "refusal": "No." }] })]);
    let part = json!({ "type": "refusal", "refusal": "No." });
    let item = json!({ "type": "message", "role": "assistant", "content": [part] });
    let (turn, history) = read(Provider::OpenAiResponses, &json!({ "status": "completed", "output": [item] }));
    assert_eq!((turn.stop(), history), (&Stop::Refused("No.".to_owned()), vec![item]));
}

#[test]
fn reasoning_goes_back_with_what_came_of_it_alone() {
    let reasoning = |id: &str| json!({ "type": "reasoning", "id": id, "summary": [] });
    let call = json!({ "type": "function_call", "id": "fc_1", "call_id": "1", "name": "now", "arguments": "{}", "status": "completed" });
    let output = json!([reasoning("rs_1"), call, reasoning("rs_2"), reasoning("rs_3")]);
    let (turn, history) = read(Provider::OpenAiResponses, &json!({ "status": "incomplete", "output": output }));
    assert_eq!(turn.calls().count(), 1);
    assert_eq!(history, [reasoning("rs_1"), call]);
    let (_, history) =
        read(Provider::OpenAiResponses, &json!({ "status": "incomplete", "output": [reasoning("rs_1")] }));
    assert!(history.is_empty());
    // The message that the reasoning led to broke off in the stream.
    let item = |kind: &str, index: u8, item: Value| json!({ "type": kind, "output_index": index, "item": item });
    let (turn, history) = streamed(
        Provider::OpenAiResponses,
        &[
            item("response.output_item.done", 0, reasoning("rs_1")),
            item("response.output_item.added", 1, json!({ "type": "message", "id": "msg_1", "content": [] })),
        ],
    );
    assert_eq!((turn.stop(), history), (&Stop::Broken, vec![]));
}

#[test]
fn anthropic_gets_no_thinking_in_the_end_and_no_call_without_its_result() {
    let thinking = json!({ "type": "thinking", "thinking": "So.", "signature": "c2ln" });
    let hidden = json!({ "type": "redacted_thinking", "data": "c2ln" });
    let text = json!({ "type": "text", "text": "Let me see." });
    let search =
        |id: &str| json!({ "type": "server_tool_use", "id": id, "name": "web_search", "input": { "query": "x" } });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [] });
    let sent = |content: Value, reason: &str| {
        let history = read(Provider::Anthropic, &json!({ "content": content, "stop_reason": reason })).1;
        history.first().map(|message| message["content"].clone())
    };
    assert_eq!(sent(json!([thinking]), "max_tokens"), None);
    assert_eq!(sent(json!([thinking, hidden, { "type": "text", "text": " " }]), "max_tokens"), None);
    assert_eq!(sent(json!([thinking, text, thinking]), "max_tokens"), Some(json!([thinking, text])));
    let searched = json!([thinking, search("srvtoolu_1"), found, text]);
    assert_eq!(sent(searched.clone(), "end_turn"), Some(searched), "with its result it stays");
    let cut = json!([text, thinking, search("srvtoolu_2")]);
    assert_eq!(sent(cut.clone(), "max_tokens"), Some(json!([text])));
    assert_eq!(sent(cut.clone(), "pause_turn"), Some(cut.clone()), "its result is still to come");
    assert_eq!(sent(cut.clone(), "tool_use"), Some(cut.clone()), "it goes on with the results of the other calls");
    let called = json!([search("srvtoolu_3"), { "type": "tool_use", "id": "toolu_1", "name": "now", "input": {},
        "caller": { "type": "code_execution_20250825", "tool_id": "srvtoolu_3" } }]);
    assert_eq!(sent(called.clone(), "max_tokens"), Some(called), "a call was made from within it");
    // A stream that breaks off has no reason at all.
    let start =
        |index: u8, block: &Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let stop = |index: u8| json!({ "type": "content_block_stop", "index": index });
    let events = [start(0, &text), stop(0), start(1, &search("srvtoolu_4")), stop(1)];
    assert_eq!(streamed(Provider::Anthropic, &events).1[0]["content"], json!([text]));
}

#[test]
fn a_paused_turn_goes_on() {
    let search = json!({ "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} });
    let (turn, history) = read(Provider::Anthropic, &json!({ "content": [search], "stop_reason": "pause_turn" }));
    assert!(!turn.is_final());
    assert_eq!(history[0]["content"], json!([search]));
    assert!(Conversation::new(Provider::Anthropic).results(&turn, []).messages.is_empty());
}

#[test]
fn gemini_gets_no_part_that_says_nothing() {
    let sent = |parts: Value| {
        let content = json!({ "role": "model", "parts": parts });
        let history =
            read(Provider::Gemini, &json!({ "candidates": [{ "content": content, "finishReason": "MAX_TOKENS" }] })).1;
        history.first().map(|content| content["parts"].clone())
    };
    let call = json!({ "functionCall": { "name": "now", "args": {} } });
    let signed = json!({ "text": "", "thoughtSignature": "c2ln" });
    assert_eq!(sent(json!([{ "text": "" }])), None);
    assert_eq!(sent(json!([{ "text": "Hm", "thought": true }, { "text": "", "thought": true }])), None);
    assert_eq!(sent(json!([{ "text": "" }, call, {}])), Some(json!([call])));
    assert_eq!(sent(json!([{ "text": "Hi" }, signed])), Some(json!([{ "text": "Hi" }, signed])), "it wants that back");
}
