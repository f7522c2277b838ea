//! Recordings of several sessions at once, and of tools that are found by searching.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use serde_json::json;
use tool_core::{
    permission::Reply,
    prelude::*,
    registry::TOOL_SEARCH,
    testing::{
        SharedBuffer,
        replay::{Recorder, Recording, Replay},
    },
    tool::Audience,
};

/// Write a file.
#[tool(register = false, permission = "edit", pattern = path)]
fn edit(path: &str) -> String {
    format!("wrote {path}")
}

/// Send a letter.
#[tool(register = false)]
fn mail(to: &str) -> String {
    format!("to {to}")
}

fn tools() -> Registry {
    Registry::builder().add(MailTool).defer("mail").add(EditTool).build().unwrap()
}

/// Answers when both sessions have asked, the later one first.
struct Both(tokio::sync::Barrier);

#[tool_core::async_trait]
impl Approver for Both {
    async fn approve(&self, ask: &tool_core::permission::Ask) -> Reply {
        self.0.wait().await;
        match &*ask.session {
            "one" => Reply::Once,
            _ => Reply::Reject { feedback: None },
        }
    }
}

#[tokio::test]
async fn an_answer_belongs_to_the_session_that_asked() {
    let file = SharedBuffer::default();
    let recorder = Recorder::new(file.clone()).unwrap();
    let executor = Executor::builder(tools())
        .approver(recorder.approvals(Both(tokio::sync::Barrier::new(2))))
        .inline_observer(recorder.clone())
        .build()
        .unwrap();
    let call = |session: &str| {
        let (executor, session) = (executor.clone(), Session::builder("/").id(session).build());
        async move { executor.call(&session, ToolCall::new("1", "edit", r#"{"path":"a"}"#)).await }
    };
    let (one, other) = tokio::join!(call("one"), call("other"));
    assert!(one.output().is_some() && other.error().is_some());
    let text = String::from_utf8(file.contents()).unwrap();
    let recording = Recording::read(text.as_bytes()).unwrap();
    for call in recording.calls() {
        assert_eq!(call.asks.len(), 1, "{}", call.session);
        assert_eq!(call.asks[0].reply == Reply::Once, call.session == "one");
    }
    // The first recordings did not say whose question it was.
    let ask = text.lines().find(|line| line.contains(r#""type":"ask""#)).unwrap();
    let mut old: serde_json::Value = serde_json::from_str(ask).unwrap();
    assert!(old.as_object_mut().unwrap().remove("session").is_some());
    let lines: Vec<String> = text
        .lines()
        .filter(|line| !line.contains(r#""session":"other""#))
        .map(|line| if line.contains(r#""type":"ask""#) { old.to_string() } else { line.to_owned() })
        .collect();
    let read = Recording::read((lines.join("\n") + "\n").as_bytes()).unwrap();
    assert_eq!((read.calls().len(), read.calls()[0].asks.len()), (1, 1));
}

#[tokio::test]
async fn deferred_tools_are_found_in_a_replay_as_they_were() {
    let calls = [(TOOL_SEARCH, json!({ "query": "letter" })), ("mail", json!({ "to": "Ada" }))];
    let play = async |executor: &Executor| {
        let session = Session::new("/");
        let mut seen = Vec::new();
        for (tool, arguments) in &calls {
            let specs = executor.specs(&session, &Audience::new()).await;
            seen.push(specs.into_iter().map(|spec| spec.name.to_string()).collect::<Vec<_>>());
            let outcome = executor.call(&session, ToolCall::new("1", *tool, arguments.to_string())).await;
            seen.push(vec![outcome.text()]);
        }
        seen
    };
    let file = SharedBuffer::default();
    let recorder = Recorder::new(file.clone()).unwrap();
    let real = Executor::builder(tools()).inline_observer(recorder.clone()).build().unwrap();
    let was = play(&real).await;
    assert_eq!(
        (was[0].as_slice(), was[2].as_slice()),
        (&["edit".into(), TOOL_SEARCH.into()][..], &["edit".into(), "mail".into(), TOOL_SEARCH.into()][..])
    );

    let replay = Replay::new(&Recording::read(file.contents().as_slice()).unwrap());
    let stand_ins = replay.registry_like(&tools());
    assert!(stand_ins.get("mail").unwrap().is_deferred());
    assert_eq!(play(&Executor::builder(stand_ins).build().unwrap()).await, was);
    replay.assert_finished();
}
