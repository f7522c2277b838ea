//! `multiedit`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::fs;

use core_tools as _;
use project::{Project, error, output};
use serde_json::{Value, json};
use tool_core::{Outcome, Registry, tool::Audience};

async fn edits(project: &Project, edits: Value) -> Outcome {
    project.call("multiedit", json!({ "filePath": "f", "edits": edits })).await
}

#[tokio::test]
async fn all_are_made_against_the_file_as_it_was() {
    let project = Project::new();
    let path = project.file("f", "a b c\nd\n");
    // In opencode's older tool the second would have found what the first put there.
    let outcome = edits(
        &project,
        json!([
            { "oldString": "c", "newString": "d" },
            { "oldString": "d\n", "newString": "e\n" },
            { "oldText": "a", "newText": "c" },
        ]),
    )
    .await;
    assert_eq!(output(&outcome), "Successfully replaced 3 block(s) in f.");
    assert_eq!(fs::read_to_string(path).unwrap(), "c b d\ne\n");
    assert_eq!(outcome.metadata()["filediff"]["additions"], 2);
    assert_eq!(outcome.metadata()["firstChangedLine"], 1);
}

#[tokio::test]
async fn every_failing_edit_is_told_and_none_is_made() {
    let project = Project::new();
    let path = project.file("f", "one two\ntwo\nthree four\n");
    let message = error(
        &edits(
            &project,
            json!([
                { "oldString": "one", "newString": "1" },
                { "oldString": "two", "newString": "2" },
                { "oldString": "", "newString": "x" },
                { "oldString": "three fuor", "newString": "x" },
                { "oldString": "three", "newString": "3" },
                { "oldString": "three four", "newString": "34" },
            ]),
        )
        .await,
    );
    for part in [
        "4 of 6 edits cannot be made:",
        "Found 2 occurrences of edits[1] in f, which begin at lines 1 and 2.",
        "edits[2].oldString must not be empty in f.",
        "Could not find edits[3] in f.",
        "+ line 3: three four",
        "edits[4] and edits[5] overlap in f, in line 3.",
        "Nothing was changed.",
    ] {
        assert!(message.contains(part), "lacks {part:?}: {message}");
    }
    assert_eq!(fs::read_to_string(path).unwrap(), "one two\ntwo\nthree four\n");
}

#[tokio::test]
async fn one_edit_is_worded_as_one() {
    let project = Project::new();
    project.file("f", "foo foo foo\n");
    for (edit, part) in [
        (json!({ "oldString": "bar", "newString": "x" }), "Could not find the exact text in f."),
        (json!({ "oldString": "foo", "newString": "x" }), "Found 3 occurrences of the text in f, all in line 1."),
        (json!({ "oldString": "", "newString": "x" }), "oldString must not be empty in f."),
        (
            json!({ "oldString": "foo\n", "newString": "foo\r\n" }),
            "No changes made to f. The replacement produced identical content",
        ),
    ] {
        let message = error(&edits(&project, json!([edit])).await);
        assert!(message.contains(part), "lacks {part:?}: {message}");
    }
    let message = error(&edits(&project, json!([])).await);
    assert_eq!(message, "Edit tool input is invalid. edits must contain at least one replacement.");
    let missing = json!({ "filePath": "no", "edits": [{ "oldString": "a", "newString": "b" }] });
    let message = error(&project.call("multiedit", missing).await);
    assert!(message.contains("Could not edit file: no. Error code: ENOENT."), "{message}");
}

#[tokio::test]
async fn the_forms_that_models_send() {
    let project = Project::new();
    let edit = json!({ "oldText": "a", "newText": "b" });
    for (number, mut arguments) in [
        json!({ "edits": [edit] }),
        json!({ "edits": edit }),
        json!({ "edits": json!([edit]).to_string() }),
        json!({ "edits": edit.to_string() }),
        json!({ "edits": [edit.to_string()] }),
        json!({ "oldText": "a", "newText": "b" }),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("f{number}");
        let path = project.file(&name, "a");
        arguments["path"] = name.into();
        output(&project.call("multiedit", arguments.clone()).await);
        assert_eq!(fs::read_to_string(path).unwrap(), "b", "{arguments}");
    }
    // The older form is one more edit.
    let path = project.file("f", "a c");
    output(
        &project.call("multiedit", json!({ "path": "f", "edits": [edit], "oldString": "c", "newString": "d" })).await,
    );
    assert_eq!(fs::read_to_string(path).unwrap(), "b d");
    assert!(
        error(&project.call("multiedit", json!({ "path": "f", "oldText": "b" })).await).contains("belong together")
    );
}

#[tokio::test]
async fn all_of_one_text_beside_others() {
    let project = Project::new();
    let path = project.file("f", "a1a2a3a\n  x\n");
    let outcome = edits(
        &project,
        json!([
            { "oldString": "a", "newString": "-", "replaceAll": true },
            { "oldString": "2", "newString": "two" },
            { "oldString": "\tx", "newString": "\ty" },
        ]),
    )
    .await;
    assert!(output(&outcome).starts_with("Successfully replaced 3 block(s) in f, in 6 places."), "{}", outcome.text());
    assert!(output(&outcome).contains("edits[2].oldString is not in the file as it was given"), "{}", outcome.text());
    assert_eq!(fs::read_to_string(path).unwrap(), "-1-two-3-\n  y\n");
}

#[tokio::test]
async fn models_are_shown_one_form() {
    let registry = Registry::linked().unwrap();
    let specs = registry.specs_for(&Audience::default()).await;
    let spec = specs.iter().find(|spec| spec.name.as_str() == "multiedit").unwrap();
    let shown: Vec<&String> = spec.input_schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(shown, ["filePath", "edits"]);
    assert_eq!(spec.input_schema["required"], json!(["filePath", "edits"]));
    assert!(spec.description.starts_with("Replace several texts in one file"));
}
