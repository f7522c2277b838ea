//! The vendors' own SDKs take every declaration, every message with calls, and every result, as their request types: a
//! member that they do not know is an error.

use serde_json::{Map, Value, json};
use tool_core::wire::{CallIdRule, Conversation, Provider};
use tool_oracles::{Oracle, WIRE_PYTHON};

mod wire_tools;

use wire_tools::{declared, outcomes, registry};

/// A response with text, parallel calls, arguments that are none, a freeform call where there are any, and one call
/// that was cut off.
fn response(provider: Provider) -> Value {
    let chat = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "add", "arguments": arguments } });
    let item = |id: &str, arguments: &str, status: &str| json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "add", "arguments": arguments, "status": status });
    let block = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "add", "input": input });
    let part = |call: Value| json!({ "functionCall": call });
    match provider {
        Provider::OpenAiChat => json!({ "choices": [{ "finish_reason": "length", "message": {
            "role": "assistant", "content": "Two.",
            "tool_calls": [chat("call_1", "{\"a\":1}"), chat(&"x".repeat(50), "{\"a\":2}"), chat("call_3", "{\"a\":")],
        } }] }),
        Provider::OpenAiResponses => json!({ "status": "incomplete", "output": [
            { "type": "reasoning", "id": "rs_1", "summary": [] },
            item("call_1", "{\"a\":1}", "completed"),
            { "type": "custom_tool_call", "id": "ctc_1", "call_id": "x".repeat(70), "name": "search", "input": "tea" },
            item("call_3", "{\"a\":", "incomplete"),
        ] }),
        Provider::Anthropic => json!({ "stop_reason": "max_tokens", "content": [
            { "type": "thinking", "thinking": "So.", "signature": "c2ln" },
            { "type": "text", "text": "Two." },
            block("toolu_1", json!({ "a": 1 })), block("functions.add:0", json!({})), block("toolu_3", json!("{\"a\":")),
        ] }),
        _ => json!({ "candidates": [{ "finishReason": "STOP", "content": { "role": "model", "parts": [
            { "text": "Two." },
            part(json!({ "name": "add", "args": { "a": 1 } })),
            part(json!({ "name": "add", "id": "call_2" })),
            part(json!({ "name": "add", "args": {}, "willContinue": true })),
        ] } }] }),
    }
}

/// A turn of the provider's own, one that began elsewhere, and one that was aborted.
fn messages(provider: Provider) -> Vec<Value> {
    let mut messages = Vec::new();
    for behind in [false, true] {
        let conversation = Conversation::new(provider);
        let mut conversation = declared(if behind { conversation.media_behind() } else { conversation });
        let turn = conversation.read(&response(provider)).expect("a response");
        messages.extend(conversation.message(&turn));
        messages.extend(conversation.results(&turn, outcomes(&turn)).messages);
    }
    for elsewhere in [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini] {
        let turn = Conversation::new(elsewhere).read(&response(elsewhere)).expect("a response");
        let mut conversation = Conversation::new(provider).call_ids(match provider {
            Provider::OpenAiChat => CallIdRule::Mistral,
            other => other.call_ids(),
        });
        messages.extend(conversation.message(&turn));
        messages.extend(conversation.results(&turn, []).messages);
    }
    messages
}

#[test]
fn the_sdks_take_everything() {
    let oracle = match Oracle::python(&WIRE_PYTHON) {
        Ok(oracle) => oracle,
        Err(skipped) => return skipped.report(),
    };
    let mut question = Map::new();
    for (name, provider) in [
        ("openai_chat", Provider::OpenAiChat),
        ("openai_responses", Provider::OpenAiResponses),
        ("anthropic", Provider::Anthropic),
        ("gemini", Provider::Gemini),
    ] {
        let tools = [Conversation::new(provider), Conversation::new(provider).strict()]
            .map(|mut conversation| conversation.declarations(registry().specs()).tools);
        question.insert(name.to_owned(), json!({ "tools": tools.concat(), "messages": messages(provider) }));
    }
    let mut mcp = Conversation::new(Provider::Mcp);
    let request = |id: u8| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "add" } });
    let turn = mcp.read(&Value::Array((0..4).map(request).collect())).expect("requests");
    let results = mcp.results(&turn, outcomes(&turn)).messages;
    question
        .insert("mcp".to_owned(), json!({ "tools": mcp.declarations(registry().specs()).tools, "messages": results }));

    let question = Value::Object(question);
    let answer = oracle.ask("wire.py", &question);
    for (provider, asked) in question.as_object().expect("an object") {
        for kind in ["tool", "message"] {
            for (at, value) in asked[format!("{kind}s")].as_array().expect("a list").iter().enumerate() {
                let word = answer[provider][format!("{kind} {at}")].as_str().expect("a verdict");
                assert_eq!(word, "ok", "{provider}: {value:#}");
            }
        }
    }
}
