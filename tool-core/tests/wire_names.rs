//! Names that no tool has: sent back as each provider takes them, with the call and with its result alike.

use std::time::UNIX_EPOCH;

use jsonschema::{Validator, validator_for};
use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::{
    Outcome, ToolCall, ToolError, ToolOutput,
    executor::CallTime,
    prelude::*,
    schema::Dialect,
    tool::FnTool,
    wire::{Conversation, ModelTurn, Provider},
};

const NOW: CallTime = CallTime { start: UNIX_EPOCH, end: UNIX_EPOCH };

/// The providers that take calls back, and their rule for names.
fn rules() -> [(Provider, Validator); 4] {
    let rule = |pattern: &str| validator_for(&json!({ "type": "string", "pattern": pattern })).expect("a pattern");
    [
        (Provider::OpenAiChat, rule("^[a-zA-Z0-9_-]{1,64}$")),
        (Provider::OpenAiResponses, rule("^[a-zA-Z0-9_-]{1,64}$")),
        (Provider::Anthropic, rule("^[a-zA-Z0-9_-]{1,128}$")),
        (Provider::Gemini, rule("^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$")),
    ]
}

/// A response that calls a tool of this name.
fn response(provider: Provider, name: &str) -> Value {
    match provider {
        Provider::OpenAiChat => json!({ "choices": [{ "finish_reason": "tool_calls", "message": { "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": name, "arguments": "{}" } },
        ] } }] }),
        Provider::OpenAiResponses => json!({ "status": "completed", "output": [
            { "type": "function_call", "call_id": "1", "name": name, "arguments": "{}", "status": "completed" },
        ] }),
        Provider::Anthropic => json!({ "stop_reason": "tool_use", "content": [
            { "type": "tool_use", "id": "1", "name": name, "input": {} },
        ] }),
        _ => json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [
            { "functionCall": { "id": "1", "name": name, "args": {} } },
        ] } }] }),
    }
}

/// Every name in a message, of calls and of results.
fn names<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        Value::Object(members) => {
            for (key, member) in members {
                match member.as_str() {
                    Some(name) if key == "name" => found.push(name),
                    _ => names(member, found),
                }
            }
        }
        _ => {}
    }
}

fn texts(messages: &[Value]) -> String {
    Value::Array(messages.to_vec()).to_string()
}

#[test]
fn a_name_that_was_made_up_goes_back_in_a_form_that_is_taken() {
    let long = "x".repeat(200);
    for (provider, rule) in rules() {
        for name in ["", "a.b", "read file", "7up", "größe", "::", &long] {
            let mut conversation = Conversation::new(provider);
            let turn = conversation.read(&response(provider, name)).expect("a response");
            let call = turn.calls().next().expect("the call").clone();
            assert_eq!(*call.name, *name, "the executor says what is wrong with the name itself");
            let mut messages = conversation.message(&turn);
            let failed = Outcome::failed(&call, ToolError::failed("there is no such tool"), NOW);
            messages.extend(conversation.results(&turn, [failed]).messages);
            let sent = Value::Array(messages.clone());
            let mut found = Vec::new();
            names(&sent, &mut found);
            assert!(
                !found.is_empty() && found.iter().all(|sent| rule.is_valid(&json!(sent))),
                "{provider:?}: {found:?}"
            );
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{provider:?}: {found:?}");
            let is_told = texts(&messages).contains("is none that a tool can have");
            assert_eq!(is_told, found[0] != name, "{provider:?}: `{name}`");
        }
    }
}

#[test]
fn the_model_is_told_what_it_called() {
    let mut conversation = Conversation::new(Provider::Anthropic);
    let turn = conversation.read(&response(Provider::Anthropic, "fs.read")).expect("a response");
    let block = &conversation.results(&turn, []).messages[0]["content"][0];
    assert_eq!(
        block["content"],
        "The call was cancelled before it completed.\n\n(The name that was called, `fs.read`, is none that a tool can \
         have; the call stands here as `fs_read`.)"
    );
    // A call whose name could be repaired worked: there is nothing to tell.
    let done = Outcome::completed(turn.calls().next().expect("the call"), ToolOutput::text("read"), NOW);
    assert_eq!(conversation.results(&turn, [done]).messages[0]["content"][0]["content"], "read");
}

#[test]
fn a_turn_of_another_provider_is_under_this_ones_rule() {
    let name = "files.read:all";
    let turn = Conversation::new(Provider::Gemini).read(&response(Provider::Gemini, name)).expect("a response");
    let mut same = Conversation::new(Provider::Gemini);
    assert_eq!(same.message(&turn)[0]["parts"][0]["functionCall"]["name"], name, "Gemini takes dots and colons");
    let mut other = Conversation::new(Provider::OpenAiChat).dialect(Dialect::Moonshot);
    assert_eq!(other.message(&turn)[0]["tool_calls"][0]["function"]["name"], "files_read_all");
}

#[test]
fn a_call_that_lacks_its_parts_is_made_whole() {
    let mut conversation = Conversation::new(Provider::OpenAiChat);
    let turn = conversation.read(&json!({ "tool_calls": [{ "id": "1" }, { "function": { "name": "now" } }] }));
    let sent = conversation.message(&turn.expect("a message"));
    let function = |at: usize| &sent[0]["tool_calls"][at]["function"];
    assert_eq!(*function(0), json!({ "name": "_", "arguments": "{}" }));
    assert_eq!(*function(1), json!({ "name": "now", "arguments": "{}" }));
}

#[test]
fn a_tool_that_a_provider_cannot_use_is_left_out_and_named() {
    let spaced = json!({ "type": "object", "properties": { "a b": { "type": "string" } } });
    let odd = FnTool::raw("odd", "Odd.", spaced, |_, _| async { "" }).expect("a tool");
    let plain = FnTool::raw("plain", "Plain.", json!({ "type": "object" }), |_, _| async { "" }).expect("a tool");
    let registry = Registry::builder().add(odd).add(plain).build().expect("two names");
    let declared = |provider| Conversation::new(provider).declarations(registry.specs());
    let anthropic = declared(Provider::Anthropic);
    assert_eq!(anthropic.tools.iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), ["plain"]);
    assert_eq!(anthropic.left_out.len(), 1);
    assert_eq!(anthropic.left_out[0].name.as_str(), "odd");
    assert!(anthropic.left_out[0].why.to_string().contains("`a b`"), "{}", anthropic.left_out[0]);
    let openai = declared(Provider::OpenAiResponses);
    assert_eq!((openai.tools.len(), openai.left_out), (2, vec![]));
}

proptest! {
    #[test]
    fn every_name_has_one_that_is_taken(name in "\\PC{0,150}|[a-z.]{0,8}") {
        for (provider, rule) in rules() {
            let mut conversation = Conversation::new(provider);
            let turn = ModelTurn::new("", [ToolCall::new("1", name.clone(), "{}")]);
            let message = Value::Array(conversation.message(&turn));
            let mut found = Vec::new();
            names(&message, &mut found);
            prop_assert_eq!(found.len(), 1);
            prop_assert!(rule.is_valid(&json!(found[0])), "{:?} of {:?}", found[0], name);
            prop_assert!(!rule.is_valid(&json!(name)) || found[0] == name, "a name that is taken stays");
        }
    }
}
