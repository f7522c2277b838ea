//! Several calls in one.

use serde_json::{Value, json};

mod project;
use project::{Project, error, output};
use tool_core::permission::{Reply, Ruleset};

fn write(name: &str, content: &str) -> Value {
    json!({ "tool": "write", "parameters": { "filePath": name, "content": content } })
}

fn read(name: &str) -> Value {
    json!({ "tool": "read", "parameters": { "filePath": name } })
}

#[tokio::test]
async fn results_come_in_the_order_of_the_calls_and_later_ones_see_what_earlier_ones_wrote() {
    let project = Project::new();
    let calls =
        json!({ "tool_calls": [write("a.txt", "one\n"), read("a.txt"), write("a.txt", "two\n"), read("a.txt")] });
    let outcome = project.call("batch", calls).await;
    let text = output(&outcome);
    assert!(text.starts_with("All 4 calls succeeded."), "{text}");
    let (one, two) = (text.find("one").expect("the first"), text.find("two").expect("the second"));
    assert!(one < two, "{text}");
    assert_eq!(outcome.metadata()["successful"], 4);
    assert_eq!(outcome.metadata()["tools"], json!(["write", "read", "write", "read"]));
}

#[tokio::test]
async fn a_call_that_fails_leaves_the_others_alone() {
    let project = Project::new();
    let unknown = json!({ "tool": "nowhere", "parameters": {} });
    let invalid = json!({ "tool": "read", "parameters": { "paths": "a.txt" } });
    let outcome =
        project.call("batch", json!({ "tool_calls": [unknown, invalid, read("b.txt"), write("c.txt", "c")] })).await;
    let text = output(&outcome);
    assert!(text.starts_with("1 of 4 calls succeeded, 3 failed."), "{text}");
    assert!(text.contains("no tool named `nowhere`") && text.contains("filePath"), "{text}");
    assert!(project.path("c.txt").exists());
}

#[tokio::test]
async fn more_than_25_and_a_batch_within_are_refused_one_by_one() {
    let project = Project::new();
    let within = json!({ "tool": "Batch", "parameters": { "tool_calls": [write("x.txt", "x")] } });
    let mut calls = vec![within];
    calls.extend((1..30).map(|n| write(&format!("{n}.txt"), "x")));
    let outcome = project.call("batch", json!({ "tool_calls": calls })).await;
    assert_eq!((outcome.metadata()["successful"].clone(), outcome.metadata()["failed"].clone()), (24.into(), 6.into()));
    assert!(project.path("24.txt").exists() && !project.path("25.txt").exists() && !project.path("x.txt").exists());
    assert!(output(&outcome).contains("A batch cannot hold a batch."));
}

#[tokio::test]
async fn each_call_asks_for_leave_of_its_own() {
    let project = Project::with(|bench| {
        let rules = Ruleset::new().allow("read", "*").ask("edit", "*");
        bench.replies([Reply::Reject { feedback: None }]).with(|executor| executor.rules(rules))
    });
    project.file("a.txt", "a\n");
    let outcome = project.call("batch", json!({ "tool_calls": [read("a.txt"), write("b.txt", "b")] })).await;
    assert!(output(&outcome).starts_with("1 of 2"), "{}", outcome.text());
    assert!(!project.path("b.txt").exists());
    assert_eq!(project.bench.asks()[0].call_id.as_str(), "call_1/2");
}

#[tokio::test]
async fn a_batch_of_nothing_and_of_something_else_are_mistakes() {
    let project = Project::new();
    assert!(error(&project.call("batch", json!({ "tool_calls": [] })).await).contains("tool_calls"));
    let odd = json!({ "tool_calls": [{ "name": "read", "parameters": {} }] });
    assert!(error(&project.call("batch", odd).await).contains("tool"));
}

#[tokio::test]
async fn attachments_of_the_calls_are_kept() {
    let project = Project::new();
    project.file("a.pdf", "%PDF-1.7\n...");
    project.file("b.txt", "text\n");
    let outcome = project.call("batch", json!({ "tool_calls": [read("a.pdf"), read("b.txt")] })).await;
    assert_eq!(outcome.status().expect("it succeeds").attachments().len(), 1);
}
