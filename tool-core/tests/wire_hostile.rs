//! JSON that no provider sends: read or refused, never a panic, and every call that is read can be answered.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::wire::{Conversation, Provider};

const PROVIDERS: [Provider; 5] =
    [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini, Provider::Mcp];

/// Every name that the providers' modules look at.
const NAMES: &str = "choices|message|delta|index|tool_calls|function|custom|name|arguments|input|id|type|content|text|\
    finish_reason|output|status|item|item_id|output_index|response|call_id|content_block|partial_json|stop_reason|\
    candidates|parts|functionCall|args|partialArgs|jsonPath|stringValue|numberValue|willContinue|method|params|error|\
    object|thinking";

/// Every word that they decide by, and a few others.
const WORDS: &str = "function|custom|function_call|custom_tool_call|tool_use|server_tool_use|text|thinking|length|\
    max_tokens|incomplete|content_block_start|content_block_delta|content_block_stop|input_json_delta|message_delta|\
    message_stop|response\\.output_item\\.added|response\\.output_item\\.done|response\\.function_call_arguments\\.delta|\
    response\\.function_call_arguments\\.done|response\\.completed|\
    response\\.failed|error|tools/call|\\$\\.a\\[0\\]|\\$|\\{\"a\":|\\{\\}|\\PC{0,3}";

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (0..3_u8).prop_map(Value::from),
        WORDS.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((NAMES, inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn anything_is_read_or_refused(events in proptest::collection::vec(value(), 1..8)) {
        for provider in PROVIDERS {
            let mut conversation = Conversation::new(provider);
            let mut stream = conversation.stream();
            events.iter().for_each(|event| stream.push(event));
            let streamed = conversation.finish(stream);
            let wrapped = events.iter().flat_map(|event| [
                event.clone(),
                json!({ "choices": [{ "message": { "tool_calls": event } }] }),
                json!({ "output": [event] }),
                json!({ "content": [event] }),
                json!({ "candidates": [{ "content": { "parts": [event] } }] }),
            ]);
            let read: Vec<_> = wrapped.filter_map(|message| conversation.read(&message).ok()).collect();
            for turn in read.iter().chain([&streamed]) {
                conversation.message(turn);
                let results = conversation.results(turn, []);
                prop_assert_eq!(results.aborted.len(), turn.calls().count());
            }
        }
    }
}
