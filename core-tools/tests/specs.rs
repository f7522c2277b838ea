//! What models and hosts are told of the tools.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use core_tools as _;
use serde_json::json;
use tool_core::{Registry, testing::assert_compatible};

#[test]
fn parameters_and_sets() {
    let registry = Registry::linked().unwrap();
    for (name, parameters, required, sets) in [
        ("apply_patch", json!(["input"]), json!(["input"]), &["codex", "opencode", "coding"][..]),
        (
            "bash",
            json!(["command", "timeout", "workdir", "description"]),
            json!(["command"]),
            &["opencode", "pi", "coding"][..],
        ),
        (
            "edit",
            json!(["filePath", "oldString", "newString", "replaceAll"]),
            json!(["filePath", "oldString", "newString"]),
            &["opencode", "coding"][..],
        ),
        ("find", json!(["pattern", "path", "limit"]), json!(["pattern"]), &["pi", "read_only"]),
        ("glob", json!(["pattern", "path"]), json!(["pattern"]), &["opencode", "coding", "read_only"]),
        (
            "grep",
            json!([
                "pattern",
                "path",
                "include",
                "ignoreCase",
                "literal",
                "context",
                "multiline",
                "filesOnly",
                "limit"
            ]),
            json!(["pattern"]),
            &["opencode", "pi", "coding", "read_only"],
        ),
        ("grep_files", json!(["pattern", "include", "path", "limit"]), json!(["pattern"]), &["codex"]),
        ("list_dir", json!(["dir_path", "offset", "limit", "depth"]), json!(["dir_path"]), &["codex"]),
        ("ls", json!(["path", "limit"]), json!(null), &["pi", "read_only"]),
        ("read_file", json!(["file_path", "offset", "limit", "mode", "indentation"]), json!(["file_path"]), &["codex"]),
        (
            "multiedit",
            json!(["filePath", "edits", "oldString", "newString", "replaceAll"]),
            json!(["filePath"]),
            &["pi", "coding"],
        ),
        (
            "read",
            json!(["filePath", "offset", "limit"]),
            json!(["filePath"]),
            &["opencode", "pi", "coding", "read_only"],
        ),
        ("view_image", json!(["path", "detail"]), json!(["path"]), &["codex", "read_only"]),
        ("write", json!(["content", "filePath"]), json!(["content", "filePath"]), &["opencode", "pi", "coding"][..]),
    ] {
        let tool = registry.iter().find(|tool| tool.name().as_str() == name).unwrap();
        let schema = &tool.tool().spec().input_schema;
        let schema = serde_json::to_value(schema).unwrap();
        let properties: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!((json!(properties), &schema["required"]), (parameters, &required), "{name}");
        assert_eq!(tool.tool().policy().sets, tool_core::tool::Labels::fixed(sets));
    }
}

/// Stored conversations and permission rules name these tools and their parameters.
#[test]
fn no_caller_of_the_last_release_is_broken() {
    assert_compatible("tests/specs.json", &Registry::linked().unwrap());
}
