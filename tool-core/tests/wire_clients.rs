//! The published client crates read what is written here, member by member, and what they write is read here.
//!
//! `async-openai` for both of OpenAI's interfaces, `rmcp` for MCP. Anthropic's and Google's own SDKs are asked in
//! `wire_sdks`: the Rust clients for these two bring an HTTP stack each, types alone cannot be had.

use std::{fmt::Debug, time::UNIX_EPOCH};

use async_openai::types::{
    chat::{
        ChatCompletionRequestMessage, ChatCompletionTools, CreateChatCompletionResponse,
        CreateChatCompletionStreamResponse,
    },
    responses::{InputItem, Response, ResponseStreamEvent, Tool},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tool_core::{
    Outcome, ToolOutput,
    executor::CallTime,
    wire::{Conversation, ModelTurn, Provider},
};

mod wire_tools;

use wire_tools::{declared, outcomes, registry};

/// Reads a value as the client's type and writes it again: every member has to be there still.
#[track_caller]
fn kept<T: DeserializeOwned + Serialize>(written: &[Value]) {
    for value in written {
        let typed: T = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value:#}"));
        let back = serde_json::to_value(typed).expect("JSON");
        assert!(holds(&back, value), "some of it was not understood:\n{value:#}\n{back:#}");
    }
}

/// Whether `back` has all that `written` has. A member that is `null` may be missing.
fn holds(back: &Value, written: &Value) -> bool {
    match (back, written) {
        (Value::Object(back), Value::Object(written)) => {
            written.iter().all(|(key, value)| back.get(key).map_or(value.is_null(), |back| holds(back, value)))
        }
        (Value::Array(back), Value::Array(written)) => {
            back.len() == written.len() && back.iter().zip(written).all(|(back, written)| holds(back, written))
        }
        (back, written) => back == written,
    }
}

/// What a client type writes of the same JSON.
fn through<T: DeserializeOwned + Serialize + Debug>(value: Value) -> Value {
    let typed: T = serde_json::from_value(value).expect("the client's own form");
    serde_json::to_value(typed).expect("JSON")
}

/// The next request's messages, made of a whole response, and of the same calls from elsewhere.
fn written(provider: Provider, response: &Value) -> Vec<Value> {
    let mut conversation = declared(Conversation::new(provider));
    let turn = conversation.read(response).expect("a response");
    let mut messages = conversation.message(&turn);
    messages.extend(conversation.results(&turn, outcomes(&turn)).messages);

    let foreign = ModelTurn::new("Let me see.", turn.calls().cloned());
    let mut conversation = Conversation::new(provider);
    messages.extend(conversation.message(&foreign));
    messages.extend(conversation.results(&foreign, []).messages);
    messages
}

#[test]
fn async_openai_takes_the_declarations() {
    for strict in [false, true] {
        let conversation = |provider| {
            let conversation = Conversation::new(provider);
            if strict { conversation.strict() } else { conversation }
        };
        kept::<ChatCompletionTools>(&conversation(Provider::OpenAiChat).declarations(registry().specs()).tools);
        kept::<Tool>(&conversation(Provider::OpenAiResponses).declarations(registry().specs()).tools);
    }
}

#[test]
fn async_openai_and_chat_completions() {
    let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "add", "arguments": arguments } });
    let response = through::<CreateChatCompletionResponse>(json!({
        "id": "chatcmpl_1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{ "index": 0, "finish_reason": "tool_calls", "logprobs": null, "message": {
            "role": "assistant", "content": "Two.", "refusal": null,
            "tool_calls": [call("call_1", "{\"a\":1}"), call("call_2", "{\"a\":"), call("call_3", "")],
        } }],
    }));
    let turn = Conversation::new(Provider::OpenAiChat).read(&response).expect("a response");
    assert_eq!((turn.text(), turn.calls().count()), ("Two.", 3));
    kept::<ChatCompletionRequestMessage>(&written(Provider::OpenAiChat, &response));
}

#[test]
fn async_openai_and_responses() {
    let response = through::<Response>(json!({
        "id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed",
        "output": [
            { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
              "content": [{ "type": "output_text", "text": "Two.", "annotations": [], "logprobs": [] }] },
            { "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add", "arguments": "{\"a\":1}", "status": "completed" },
            { "type": "custom_tool_call", "id": "ctc_1", "call_id": "call_2", "name": "search", "input": "*** Begin" },
            { "type": "function_call", "id": "fc_3", "call_id": "call_3", "name": "add", "arguments": "{}", "status": "completed" },
        ],
    }));
    let mut conversation = Conversation::new(Provider::OpenAiResponses);
    let turn = conversation.read(&response).expect("a response");
    assert_eq!((turn.text(), turn.calls().count()), ("Two.", 3));
    kept::<InputItem>(&written(Provider::OpenAiResponses, &response));
}

#[test]
fn async_openai_streams() {
    let chunk = |delta: Value, reason: Option<&str>| {
        through::<CreateChatCompletionStreamResponse>(json!({
            "id": "chatcmpl_1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }],
        }))
    };
    let mut conversation = Conversation::new(Provider::OpenAiChat);
    let mut stream = conversation.stream();
    stream.push(&chunk(
        json!({ "role": "assistant", "tool_calls": [
        { "index": 0, "id": "call_1", "type": "function", "function": { "name": "add", "arguments": "{\"a\"" } },
    ] }),
        None,
    ));
    stream.push(&chunk(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": ":1}" } }] }), None));
    stream.push(&chunk(json!({}), Some("tool_calls")));
    let turn = conversation.finish(stream);
    assert_eq!(turn.calls().next().map(|call| call.arguments.as_str()), Some("{\"a\":1}"));

    let item = |arguments: &str, status: &str| json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add", "arguments": arguments, "status": status });
    let events = [
        json!({ "type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item("", "in_progress") }),
        json!({ "type": "response.function_call_arguments.delta", "sequence_number": 2, "item_id": "fc_1", "output_index": 0, "delta": "{\"a\":" }),
        json!({ "type": "response.function_call_arguments.delta", "sequence_number": 3, "item_id": "fc_1", "output_index": 0, "delta": "1}" }),
        json!({ "type": "response.output_item.done", "sequence_number": 4, "output_index": 0, "item": item("{\"a\":1}", "completed") }),
    ];
    let mut conversation = Conversation::new(Provider::OpenAiResponses);
    let mut stream = conversation.stream();
    for event in events {
        stream.push(&through::<ResponseStreamEvent>(event));
    }
    let turn = conversation.finish(stream);
    assert_eq!(turn.calls().next().map(|call| call.arguments.as_str()), Some("{\"a\":1}"));
}

#[test]
fn rmcp_and_mcp() {
    kept::<rmcp::model::Tool>(&Conversation::new(Provider::Mcp).declarations(registry().specs()).tools);
    let params = through::<rmcp::model::CallToolRequestParams>(json!({ "name": "add", "arguments": { "a": 1 } }));
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let request = through::<rmcp::model::JsonRpcRequest<rmcp::model::CallToolRequest>>(request);
    let mut conversation = Conversation::new(Provider::Mcp);
    let turn = conversation.read(&Value::Array(vec![request, params])).expect("requests");
    assert_eq!(turn.calls().count(), 2);
    let now = CallTime { start: UNIX_EPOCH, end: UNIX_EPOCH };
    let mut ended = outcomes(&turn);
    let mut structured = ToolOutput::text("3");
    structured.structured = Some(Box::new(json!({ "sum": 3 })));
    let first = turn.calls().next().expect("a call");
    kept::<rmcp::model::CallToolResult>(&conversation.results(&turn, std::mem::take(&mut ended)).messages);
    kept::<rmcp::model::CallToolResult>(
        &conversation.results(&turn, [Outcome::completed(first, structured, now)]).messages,
    );
}
