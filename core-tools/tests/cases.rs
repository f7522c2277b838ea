//! Recorded behaviour of opencode, codex and pi, from `cases/`.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{fs, os::unix::fs::symlink, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use project::Project;
use serde_json::Value;

#[tokio::test(flavor = "multi_thread")]
async fn recorded_cases() {
    hold(include_str!("cases/recorded.json"), 51).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_searches() {
    hold(include_str!("cases/search.json"), 32).await;
}

async fn hold(cases: &str, count: usize) {
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        wrong.extend(check(case).await.into_iter().map(|what| format!("{}: {what}", case["name"])));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(cases.len(), count);
}

async fn check(case: &Value) -> Vec<String> {
    let project = Project::new();
    let root = project.root.to_str().unwrap();
    for (path, content) in case["setup"].as_object().unwrap() {
        lay_out(&project.root.join(path), content);
    }
    let place = |value: &Value| -> Value { serde_json::from_str(&value.to_string().replace("$DIR", root)).unwrap() };
    let outcome = project.call(case["tool"].as_str().unwrap(), place(&case["params"])).await;
    let expect = place(&case["expect"]);
    let text = outcome.output().map_or_else(|| outcome.text(), str::to_owned);
    let texts = |key: &str| expect[key].as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned());

    let mut wrong = Vec::new();
    let mut that = |holds: bool, what: String| {
        if !holds {
            wrong.push(format!("{what}\n    got {text:.400?}"));
        }
    };
    that(expect["ok"] == outcome.output().is_some(), format!("ok: {}", expect["ok"]));
    texts("output_contains").for_each(|part| that(text.contains(&part), format!("contains {part:?}")));
    texts("error_contains").for_each(|part| that(text.contains(&part), format!("error contains {part:?}")));
    texts("output_not_contains").for_each(|part| that(!text.contains(&part), format!("does not contain {part:?}")));
    if let Some(equal) = expect["output_equals"].as_str() {
        that(text == equal, format!("equals {equal:?}"));
    }
    if let Some(title) = expect["title"].as_str() {
        that(outcome.status().unwrap().title() == title, format!("title {title:?}"));
    }
    let metadata = outcome.metadata();
    for (key, value) in expect["metadata"].as_object().into_iter().flatten() {
        that(metadata.get(key) == Some(value), format!("metadata {key} {value}, not {:?}", metadata.get(key)));
    }
    for (path, content) in expect["file_after"].as_object().into_iter().flatten() {
        that(fs::read(project.root.join(path)).ok() == Some(bytes(content)), format!("{path} holds {content}"));
    }
    wrong
}

fn lay_out(path: &Path, content: &Value) {
    if content.is_null() {
        return fs::create_dir_all(path).unwrap();
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match content["symlink"].as_str() {
        Some(target) => symlink(target, path).unwrap(),
        None => fs::write(path, bytes(content)).unwrap(),
    }
}

fn bytes(content: &Value) -> Vec<u8> {
    match content["base64"].as_str() {
        Some(encoded) => STANDARD.decode(encoded).unwrap(),
        None => content.as_str().unwrap().as_bytes().to_vec(),
    }
}
