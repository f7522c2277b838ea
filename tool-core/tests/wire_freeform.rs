//! Freeform tools: plain text under a grammar for OpenAI's Responses, a function for everyone else.

use serde_json::{Value, json};
use tool_core::{
    prelude::*,
    tool::{FnTool, Grammar},
    wire::{Conversation, Provider},
};

const QUERY: &str = "start: WORD (\" AND \" WORD)*\nWORD: /[a-z]+/\n";

/// Search.
#[tool(register = false, read_only, grammar(lark = QUERY))]
fn search(
    /** What for. */
    query: &str,
) -> String {
    format!("found {query}")
}

/// Wait.
#[tool(register = false, grammar(regex = "[0-9]+ms"))]
fn wait(duration: String) -> String {
    duration
}

fn registry() -> Registry {
    Registry::builder().add(SearchTool).add(WaitTool).build().expect("two names")
}

#[test]
fn responses_get_the_grammar() {
    let declared = Conversation::new(Provider::OpenAiResponses).declarations(registry().specs()).tools;
    assert_eq!(
        declared,
        [
            json!({ "type": "custom", "name": "search", "description": "Search.",
                    "format": { "type": "grammar", "syntax": "lark", "definition": QUERY } }),
            json!({ "type": "custom", "name": "wait", "description": "Wait.",
                    "format": { "type": "grammar", "syntax": "regex", "definition": "[0-9]+ms" } }),
        ]
    );
}

#[test]
fn others_get_a_function_whose_description_has_the_grammar() {
    for provider in [Provider::OpenAiChat, Provider::Anthropic, Provider::Gemini, Provider::Mcp] {
        let declared = Conversation::new(provider).declarations(registry().specs()).tools;
        let declared = declared[0].get("function").unwrap_or(&declared[0]).clone();
        assert_eq!(
            declared["description"],
            "Search.\n\nThe text of `query` follows this Lark grammar:\nstart: WORD (\" AND \" WORD)*\nWORD: /[a-z]+/"
        );
    }
}

#[tokio::test]
async fn a_text_becomes_the_argument_and_the_result_its_output() {
    let mut conversation = Conversation::new(Provider::OpenAiResponses);
    assert_eq!(conversation.declarations(registry().specs()).left_out, []);
    let input = "tea AND \"milk\"\n";
    let response = json!({ "output": [
        { "type": "custom_tool_call", "id": "ct_1", "call_id": "call_1", "name": "search", "input": input },
        { "type": "custom_tool_call", "id": "ct_2", "call_id": "call_2", "name": "guess", "input": "x" },
    ] });
    let turn = conversation.read(&response).expect("a response");
    let executor = Executor::builder(registry()).build().expect("no state needed");
    let session = Session::new("/");
    let mut outcomes = Vec::new();
    for call in turn.calls() {
        outcomes.push(executor.call(&session, call.clone()).await);
    }
    assert_eq!(outcomes[0].output(), Some("found tea AND \"milk\"\n"));
    let results = conversation.results(&turn, outcomes).messages;
    assert_eq!(
        results[0],
        json!({ "type": "custom_tool_call_output", "call_id": "call_1", "output": "found tea AND \"milk\"\n" })
    );
    assert_eq!(results[1]["type"], "custom_tool_call_output", "an unknown tool is answered in kind");

    // The same turn at another provider, and what it became there back again.
    let mut anthropic = Conversation::new(Provider::Anthropic);
    assert_eq!(anthropic.message(&turn)[0]["content"][0]["input"], json!({ "query": input }));
    let mut again = Conversation::new(Provider::OpenAiResponses);
    assert_eq!(again.message(&turn), response["output"].as_array().expect("items").clone());
}

#[test]
fn a_stream_of_text_may_be_cut_anywhere() {
    let mut conversation = Conversation::new(Provider::OpenAiResponses);
    assert_eq!(conversation.declarations(registry().specs()).left_out, []);
    let mut stream = conversation.stream();
    let begun = json!({ "type": "custom_tool_call", "id": "ct_1", "call_id": "a", "name": "search", "input": "" });
    stream.push(&json!({ "type": "response.output_item.added", "output_index": 0, "item": begun }));
    for piece in ["te", "a\n", "\"", "{"] {
        stream.push(&json!({ "type": "response.custom_tool_call_input.delta", "output_index": 0, "item_id": "ct_1", "delta": piece }));
    }
    stream.push(&json!({ "type": "response.custom_tool_call_input.done", "output_index": 0, "item_id": "ct_1" }));
    let turn = conversation.finish(stream);
    let arguments: Vec<Value> = turn.calls().map(|call| serde_json::from_str(&call.arguments).expect("JSON")).collect();
    assert_eq!(arguments, [json!({ "query": "tea\n\"{" })]);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Patch {
    input: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Two {
    input: String,
    strip: u8,
}

#[test]
fn tools_made_at_run_time_may_have_a_grammar() {
    let grammar = || Grammar::Regex("[a-z]+".into());
    let patch = FnTool::new("patch", "Patch.", |patch: Patch, _| async move { patch.input }).expect("a name");
    let registry = Registry::builder().add(patch.grammar(grammar())).build().expect("a text");
    let declared = Conversation::new(Provider::OpenAiResponses).declarations(registry.specs()).tools;
    assert_eq!(declared[0]["type"], "custom");

    let two = FnTool::new("two", "Two.", |two: Two, _| async move { format!("{}{}", two.input, two.strip) });
    let registry = Registry::builder().add(two.expect("a name").grammar(grammar())).build().expect("one name");
    let error = Executor::builder(registry).build().map(drop).expect_err("two parameters");
    assert!(error.to_string().contains("a tool with a grammar has exactly one parameter, a text"), "{error}");
}
