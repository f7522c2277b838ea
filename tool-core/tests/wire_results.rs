//! Results out: exactly one a call, and media where each provider wants them.

use std::time::UNIX_EPOCH;

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::{
    Attachment, Outcome, ToolCall, ToolError, ToolOutput,
    executor::CallTime,
    wire::{CallIdRule, Conversation, ModelTurn, Provider},
};

const PROVIDERS: [Provider; 5] =
    [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini, Provider::Mcp];
const NOW: CallTime = CallTime { start: UNIX_EPOCH, end: UNIX_EPOCH };

fn call(id: &str) -> ToolCall {
    ToolCall::new(id.to_owned(), "shot", "{}")
}

fn done(id: &str, output: ToolOutput) -> Outcome {
    Outcome::completed(&call(id), output, NOW)
}

fn failed(id: &str) -> Outcome {
    Outcome::failed(&call(id), ToolError::failed("disk on fire"), NOW)
}

fn results(provider: Provider, outcomes: Vec<Outcome>) -> Vec<Value> {
    let ids: Vec<String> = outcomes.iter().map(|outcome| outcome.call_id().to_string()).collect();
    let turn = ModelTurn::new("", ids.iter().map(|id| call(id)));
    Conversation::new(provider).results(&turn, outcomes).messages
}

/// A text, a picture, a PDF, a text file, a sound, a picture at an address, a file of this machine, an archive.
fn everything() -> ToolOutput {
    ToolOutput::text("Done.")
        .attach(Attachment::base64("image/png", "iVBORw0=").named("a.png"))
        .attach(Attachment::base64("application/pdf", "JVBERi0=").named("b.pdf"))
        .attach(Attachment::base64("text/plain; charset=utf-8", "aGVsbG8=").named("c.txt"))
        .attach(Attachment::base64("audio/wav", "UklGRg==").named("d.wav"))
        .attach(Attachment::url("image/jpeg", "https://example.org/e.jpg"))
        .attach(Attachment::url("image/png", "file:///tmp/f.png").named("f.png"))
        .attach(Attachment::base64("application/octet-stream", "AAA=").named("g.bin"))
}

fn omitted(name: &str, mime: &str) -> String {
    format!("[Attachment `{name}` ({mime}) was left out: this provider takes no such media from a tool]")
}

#[test]
fn chat_completions_have_media_behind_the_results() {
    let messages = results(Provider::OpenAiChat, vec![done("1", everything()), failed("2")]);
    let text = format!(
        "Done.\n\n[Attachment `c.txt`]\nhello\n\n{}\n\n{}",
        omitted("f.png", "image/png"),
        omitted("g.bin", "application/octet-stream")
    );
    assert_eq!(
        messages,
        [
            json!({ "role": "tool", "tool_call_id": "1", "content": text }),
            json!({ "role": "tool", "tool_call_id": "2", "content": "Error: disk on fire" }),
            json!({ "role": "user", "content": [
                { "type": "text", "text": "Attached media from the result of `shot`:" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0=" } },
                { "type": "file", "file": { "filename": "b.pdf", "file_data": "data:application/pdf;base64,JVBERi0=" } },
                { "type": "input_audio", "input_audio": { "data": "UklGRg==", "format": "wav" } },
                { "type": "image_url", "image_url": { "url": "https://example.org/e.jpg" } },
            ] }),
        ]
    );
}

#[test]
fn mistral_wants_a_word_between_tool_and_user() {
    let turn = ModelTurn::new("", [call("abcdefgh1")]);
    let picture = ToolOutput::default().attach(Attachment::base64("image/png", "iVBORw0="));
    let mut conversation = Conversation::new(Provider::OpenAiChat).call_ids(CallIdRule::Mistral);
    let messages = conversation.results(&turn, [done("abcdefgh1", picture)]).messages;
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["tool", "assistant", "user"]);
    assert_eq!(messages[0]["content"], "(the result is attached)");
}

#[test]
fn responses_have_media_in_the_output() {
    let items = results(Provider::OpenAiResponses, vec![done("1", everything()), failed("2")]);
    let text = |text: String| json!({ "type": "input_text", "text": text });
    assert_eq!(
        items,
        [
            json!({ "type": "function_call_output", "call_id": "1", "output": [
                text("Done.".to_owned()),
                { "type": "input_image", "image_url": "data:image/png;base64,iVBORw0=", "detail": "auto" },
                { "type": "input_file", "filename": "b.pdf", "file_data": "data:application/pdf;base64,JVBERi0=" },
                { "type": "input_file", "filename": "c.txt", "file_data": "data:text/plain; charset=utf-8;base64,aGVsbG8=" },
                text(omitted("d.wav", "audio/wav")),
                { "type": "input_image", "image_url": "https://example.org/e.jpg", "detail": "auto" },
                text(omitted("f.png", "image/png")),
                text(omitted("g.bin", "application/octet-stream")),
            ] }),
            json!({ "type": "function_call_output", "call_id": "2", "output": "Error: disk on fire" }),
        ]
    );
}

#[test]
fn anthropic_has_media_in_the_result_and_marks_failures() {
    let messages = results(Provider::Anthropic, vec![done("1", everything()), failed("2")]);
    let text = |text: String| json!({ "type": "text", "text": text });
    assert_eq!(
        messages,
        [json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "1", "content": [
                text("Done.".to_owned()),
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBORw0=" } },
                { "type": "document", "title": "b.pdf",
                  "source": { "type": "base64", "media_type": "application/pdf", "data": "JVBERi0=" } },
                { "type": "document", "title": "c.txt",
                  "source": { "type": "text", "media_type": "text/plain", "data": "hello" } },
                text(omitted("d.wav", "audio/wav")),
                { "type": "image", "source": { "type": "url", "url": "https://example.org/e.jpg" } },
                text(omitted("f.png", "image/png")),
                text(omitted("g.bin", "application/octet-stream")),
            ] },
            { "type": "tool_result", "tool_use_id": "2", "content": "disk on fire", "is_error": true },
        ] })]
    );
}

#[test]
fn gemini_has_some_media_in_the_response_and_others_behind() {
    let contents = results(Provider::Gemini, vec![done("1", everything()), failed("2")]);
    let output =
        format!("Done.\n\n{}\n\n{}", omitted("f.png", "image/png"), omitted("g.bin", "application/octet-stream"));
    assert_eq!(
        contents,
        [
            json!({ "role": "user", "parts": [
                { "functionResponse": { "id": "1", "name": "shot", "response": { "output": output }, "parts": [
                    { "inlineData": { "mimeType": "image/png", "data": "iVBORw0=" } },
                    { "inlineData": { "mimeType": "application/pdf", "data": "JVBERi0=" } },
                    { "inlineData": { "mimeType": "text/plain", "data": "aGVsbG8=" } },
                ] } },
                { "functionResponse": { "id": "2", "name": "shot", "response": { "error": "disk on fire" } } },
            ] }),
            json!({ "role": "user", "parts": [
                { "text": "Attached media from the result of `shot`:" },
                { "inlineData": { "mimeType": "audio/wav", "data": "UklGRg==" } },
                { "fileData": { "mimeType": "image/jpeg", "fileUri": "https://example.org/e.jpg" } },
            ] }),
        ]
    );
}

#[test]
fn mcp_has_everything_in_the_result() {
    let mut structured = everything();
    structured.structured = Some(Box::new(json!({ "n": 1 })));
    let results = results(Provider::Mcp, vec![done("1", structured), failed("2")]);
    assert_eq!(results[0]["structuredContent"], json!({ "n": 1 }));
    assert_eq!(
        results[0]["content"],
        json!([
            { "type": "text", "text": "Done." },
            { "type": "image", "data": "iVBORw0=", "mimeType": "image/png" },
            { "type": "resource", "resource": { "uri": "attachment:///b.pdf", "mimeType": "application/pdf", "blob": "JVBERi0=" } },
            { "type": "resource", "resource": { "uri": "attachment:///c.txt", "mimeType": "text/plain", "text": "hello" } },
            { "type": "audio", "data": "UklGRg==", "mimeType": "audio/wav" },
            { "type": "resource_link", "uri": "https://example.org/e.jpg", "name": "attachment", "mimeType": "image/jpeg" },
            { "type": "text", "text": omitted("f.png", "image/png") },
            { "type": "resource", "resource": { "uri": "attachment:///g.bin", "mimeType": "application/octet-stream", "blob": "AAA=" } },
        ])
    );
    assert_eq!(results[1], json!({ "content": [{ "type": "text", "text": "disk on fire" }], "isError": true }));
}

#[test]
fn media_can_be_moved_behind_for_models_that_take_none_in_results() {
    for provider in [Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini] {
        let mut conversation = Conversation::new(provider).media_behind();
        let messages = conversation.results(&ModelTurn::new("", [call("1")]), [done("1", everything())]).messages;
        let text = Value::Array(messages).to_string();
        let (label, picture) =
            (text.find("Attached media").expect("a label"), text.find("iVBORw0=").expect("a picture"));
        assert!(label < picture, "{provider:?}: {text}");
        assert!(text.find("Done.").expect("a text") < label, "{provider:?}: {text}");
    }
}

/// Anthropic refuses empty texts, and a model takes an empty result for a mistake.
#[test]
fn an_empty_output_says_so() {
    for provider in PROVIDERS {
        let text = Value::Array(results(provider, vec![done("1", ToolOutput::default())])).to_string();
        match provider {
            Provider::Gemini => assert!(text.contains("{\"output\":\"\"}"), "{text}"),
            Provider::Mcp => assert_eq!(text, "[{\"content\":[]}]"),
            _ => assert!(text.contains("(no output)"), "{text}"),
        }
    }
}

#[test]
fn a_note_is_told_behind_the_output_and_is_no_part_of_it() {
    for (output, told) in [("x\n", "x\nexit code 2"), ("x", "x\nexit code 2"), ("", "exit code 2")] {
        let outcome = done("1", ToolOutput::text(output).note("exit code 2"));
        assert_eq!((outcome.output(), &*outcome.text()), (Some(output), told));
        for provider in PROVIDERS {
            let messages = Value::from(results(provider, vec![outcome.clone()])).to_string();
            let told = Value::from(told).to_string();
            assert!(messages.contains(&told), "{provider:?}: {messages}");
        }
        let written = serde_json::to_value(&outcome).unwrap();
        assert_eq!((&written["output"], &written["note"]), (&json!(output), &json!("exit code 2")));
        assert_eq!(serde_json::from_value::<Outcome>(written).unwrap().text(), told);
    }
    let without = serde_json::to_value(done("1", ToolOutput::text("x").note(""))).unwrap();
    assert!(without.get("note").is_none());
}

#[test]
fn a_turn_that_was_aborted_is_answered_whole() {
    let turn = ModelTurn::new("", [call("1"), call("2"), call("3")]);
    let results = Conversation::new(Provider::Anthropic).results(&turn, [done("2", ToolOutput::text("two"))]);
    let blocks = results.messages[0]["content"].as_array().expect("blocks").clone();
    let answered: Vec<_> = blocks.iter().map(|block| (block["tool_use_id"].as_str(), &block["is_error"])).collect();
    assert_eq!(answered, [(Some("1"), &json!(true)), (Some("2"), &Value::Null), (Some("3"), &json!(true))]);
    assert_eq!(blocks[0]["content"], "The call was cancelled before it completed.");
    assert_eq!(results.aborted, ["1".into(), "3".into()]);
}

#[test]
fn a_stray_outcome_is_handed_back_and_the_first_of_two_counts() {
    let turn = ModelTurn::new("", [call("1")]);
    let outcomes = [done("9", ToolOutput::text("?")), done("1", ToolOutput::text("first")), failed("1")];
    let results = Conversation::new(Provider::OpenAiResponses).results(&turn, outcomes.clone());
    assert_eq!(results.messages.len(), 1);
    assert_eq!(results.messages[0]["output"], "first");
    assert_eq!(results.unmatched, [outcomes[0].clone(), outcomes[2].clone()]);
}

/// By position: the first outcome of that id belongs to the first call of it.
#[test]
fn an_id_used_twice_is_paired_in_order() {
    let turn = ModelTurn::new("", [call("1"), call("1")]);
    let outcomes = [done("1", ToolOutput::text("first")), done("1", ToolOutput::text("second"))];
    let messages = Conversation::new(Provider::OpenAiChat).results(&turn, outcomes).messages;
    let said: Vec<_> = messages.iter().map(|message| message["content"].as_str()).collect();
    assert_eq!(said, [Some("first"), Some("second")]);
}

/// Sent with ids that differ: a provider refuses two calls of one id.
#[test]
fn an_id_used_twice_is_sent_as_two() {
    let ids = ["1", "2", "1", "1"];
    let turn = ModelTurn::new("", ids.map(call));
    for provider in [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini] {
        let mut conversation = Conversation::new(provider);
        let results = conversation.results(&turn, []).messages;
        let answered = answered(provider, &results);
        let unlike: std::collections::HashSet<&String> = answered.iter().collect();
        assert_eq!((answered[0].as_str(), answered[1].as_str(), unlike.len()), ("1", "2", 4), "{provider:?}");
        let message = Value::Array(conversation.message(&turn)).to_string();
        assert!(answered.iter().all(|id| message.contains(&json!(id).to_string())), "{provider:?}: {message}");
        // The same for a conversation that is read from disk.
        let mut again = Conversation::new(provider);
        again.message(&turn);
        assert_eq!(again.results(&turn, []).messages, results, "{provider:?}");
    }
}

/// By tool, where completions come as they come.
#[test]
fn an_id_used_twice_is_paired_with_its_own_tool() {
    let calls = ["read", "shot", "list"].map(|name| ToolCall::new("1", name, "{}"));
    let turn = ModelTurn::new("", calls.clone());
    let done = |at: usize| Outcome::completed(&calls[at], ToolOutput::text(&*calls[at].name), NOW);
    // The name of the last one was repaired by an executor.
    let repaired = Outcome::completed(&ToolCall::new("1", "List", "{}"), ToolOutput::text("list"), NOW);
    let messages = Conversation::new(Provider::OpenAiChat).results(&turn, [repaired, done(1), done(0)]).messages;
    let said: Vec<_> = messages.iter().map(|message| message["content"].as_str()).collect();
    assert_eq!(said, [Some("read"), Some("shot"), Some("list")]);
}

/// How many results a provider's messages hold, in order, by what they say of their call.
fn answered(provider: Provider, messages: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let items = |value: &Value| value.as_array().cloned().unwrap_or_default();
    match provider {
        Provider::OpenAiChat => messages.iter().map(|message| text(&message["tool_call_id"])).collect(),
        Provider::OpenAiResponses => messages.iter().map(|item| text(&item["call_id"])).collect(),
        Provider::Anthropic => messages
            .iter()
            .flat_map(|message| items(&message["content"]))
            .map(|block| text(&block["tool_use_id"]))
            .collect(),
        _ => messages
            .iter()
            .flat_map(|content| items(&content["parts"]))
            .map(|part| text(&part["functionResponse"]["id"]))
            .collect(),
    }
}

proptest! {
    /// Whatever calls a model makes and whatever becomes of them: one result a call, in call order, and the ids of the
    /// results are those of the calls that are sent back.
    #[test]
    fn every_call_gets_exactly_one_result(
        ids in proptest::collection::vec("[a-c.]{1,3}|[a-z]{70}", 0..8),
        ended in proptest::collection::vec(("[a-c.]{1,3}|[a-z]{70}", any::<bool>()), 0..10),
        provider in 0..4_usize,
    ) {
        let provider = PROVIDERS[provider];
        let mut conversation = Conversation::new(provider);
        let turn = ModelTurn::new("", ids.iter().map(|id| call(id)));
        let message = conversation.message(&turn);
        let outcomes: Vec<Outcome> = ended.iter().map(|(id, fails)| if *fails { failed(id) } else { done(id, ToolOutput::text("x")) }).collect();
        let results = conversation.results(&turn, outcomes.clone());
        let answered = answered(provider, &results.messages);
        prop_assert_eq!(answered.len(), ids.len());
        let sent = Value::Array(message).to_string();
        let mut from = 0;
        for id in &answered {
            let quoted = json!(id).to_string();
            let found = sent[from..].find(&quoted);
            prop_assert!(found.is_some(), "{} is not in {}", quoted, sent);
            from += found.unwrap_or_default();
        }
        prop_assert_eq!(results.aborted.len() + outcomes.len() - results.unmatched.len(), ids.len());
    }
}
