//! `core-tools mcp` as programs see it that nobody here wrote: the MCP Inspector, the official Python SDK and fastmcp.
//!
//! Left out: the Inspector's `--verify` and `--app-info`, which are about skills and apps; there are none.

use std::{fs, path::Path, process::Command, time::Duration};

use serde_json::{Value, json};
use tool_oracles::{Finished, MCP_PYTHON, McpPrograms, Oracle, Serving, finish};

const LIMIT: Duration = Duration::from_secs(90);
const CORE_TOOLS: &str = env!("CARGO_BIN_EXE_core-tools");

/// Two files, and a place that is nobody's home.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("greeting.txt"), "good morning\n").expect("a file");
    fs::write(folder.path().join("farewell.txt"), "good night\n").expect("a file");
    folder
}

/// The server over HTTP, on a port of its own choice.
fn by_http(folder: &Path) -> Serving {
    let mut server = Command::new(CORE_TOOLS);
    Serving::start(server.args(["mcp", "--http", "127.0.0.1:0", "--cwd"]).arg(folder), "http://")
}

/// What the Inspector prints as JSON, where it ended with `code`.
#[track_caller]
fn answer(finished: &Finished, code: i32) -> Value {
    assert_eq!(finished.code, Some(code), "{} {}", finished.stdout, finished.stderr);
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {}", finished.stdout))
}

struct Inspector {
    programs: McpPrograms,
    folder: tempfile::TempDir,
}

impl Inspector {
    /// Of the server on standard input and output.
    fn stdio(&self, arguments: &[&str]) -> Finished {
        let mut inspector = self.programs.inspector(self.folder.path());
        inspector.args([CORE_TOOLS, "mcp", "--cwd"]).arg(self.folder.path()).args(["--format", "json"]);
        finish(inspector.args(arguments), LIMIT)
    }

    fn http(&self, url: &str, era: &str, arguments: &[&str]) -> Finished {
        let mut inspector = self.programs.inspector(self.folder.path());
        inspector.args([url, "--transport", "http", "--protocol-era", era, "--format", "json"]);
        finish(inspector.args(arguments), LIMIT)
    }
}

/// `None` where the programs cannot be had, which is told.
fn inspector() -> Option<Inspector> {
    match McpPrograms::installed() {
        Ok(programs) => Some(Inspector { programs, folder: folder() }),
        Err(skipped) => {
            skipped.report();
            None
        }
    }
}

/// Status 6 would be a schema that some client cannot use.
#[test]
fn every_schema_is_portable_by_the_inspectors_word() {
    let Some(inspector) = inspector() else { return };
    let serving = by_http(inspector.folder.path());
    let list = ["--method", "tools/list", "--strict", "-q"];
    let of_names = |finished: &Finished| -> Vec<String> {
        let listed = answer(finished, 0);
        let tools = listed["result"]["tools"].as_array().expect("tools");
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    };
    let expected = of_names(&inspector.stdio(&list));
    assert!(expected.len() > 10 && expected.iter().any(|name| name == "read"), "{expected:?}");
    for era in ["legacy", "modern"] {
        assert_eq!(of_names(&inspector.http(serving.address(), era, &list)), expected, "{era}");
    }
}

#[test]
fn the_inspector_calls_tools() {
    let Some(inspector) = inspector() else { return };
    let serving = by_http(inspector.folder.path());
    let read = ["--method", "tools/call", "--tool-name", "read", "--tool-args-json"];
    let good = [&read[..], &[r#"{"filePath":"greeting.txt"}"#]].concat();
    let bad = [&read[..], &[r#"{"filePath":"missing.txt"}"#]].concat();
    let runs = [
        ("stdio", inspector.stdio(&good), inspector.stdio(&bad)),
        (
            "legacy",
            inspector.http(serving.address(), "legacy", &good),
            inspector.http(serving.address(), "legacy", &bad),
        ),
        (
            "modern",
            inspector.http(serving.address(), "modern", &good),
            inspector.http(serving.address(), "modern", &bad),
        ),
    ];
    for (way, good, bad) in runs {
        let result = &answer(&good, 0)["result"];
        assert!(
            result["content"][0]["text"].as_str().is_some_and(|text| text.contains("good morning")),
            "{way}: {result}"
        );
        assert_ne!(result["isError"], json!(true), "{way}: {result}");
        let result = &answer(&bad, 5)["result"];
        assert_eq!(result["isError"], json!(true), "{way}: {result}");
        assert!(
            result["content"][0]["text"].as_str().is_some_and(|text| text.contains("missing.txt")),
            "{way}: {result}"
        );
    }
}

#[test]
fn no_call_of_many_is_lost() {
    let Some(inspector) = inspector() else { return };
    let serving = by_http(inspector.folder.path());
    let call = ["--method", "tools/call", "--tool-name", "ls", "--tool-args-json", "{}"];
    let load = ["--load", "--load-requests", "200", "--load-concurrency", "10"];
    let arguments = [&call[..], &load[..]].concat();
    let runs = [
        ("stdio", inspector.stdio(&arguments)),
        ("legacy", inspector.http(serving.address(), "legacy", &arguments)),
        ("modern", inspector.http(serving.address(), "modern", &arguments)),
    ];
    for (way, finished) in runs {
        let result = answer(&finished, 0)["result"].take();
        assert_eq!((&result["ok"], &result["errorRate"]), (&json!(200), &json!(0)), "{way}: {result}");
    }
}

/// All that the Python clients saw of one server, by both eras of the protocol.
fn python(server: &Value, call: &Value) -> Option<Value> {
    match Oracle::python(&MCP_PYTHON) {
        Ok(oracle) => Some(oracle.ask("client.py", &json!({ "server": server, "call": call }))),
        Err(skipped) => {
            skipped.report();
            None
        }
    }
}

#[track_caller]
fn python_is_well(answer: &Value) {
    let expected = &answer["fastmcp"]["tools"];
    assert!(expected.as_array().is_some_and(|tools| tools.len() > 10 && tools.contains(&json!("read"))), "{answer:#}");
    for client in ["legacy", "modern", "fastmcp"] {
        let seen = &answer[client];
        assert_eq!(&seen["tools"], expected, "{client}");
        assert_eq!(seen["error"], json!(false), "{client}: {seen:#}");
        assert!(seen["text"].as_str().is_some_and(|text| text.contains("good morning")), "{client}: {seen:#}");
    }
    assert_eq!(answer["legacy"]["protocol"], "2025-11-25");
    assert_eq!(answer["modern"]["protocol"], "2026-07-28");
}

#[test]
fn the_python_clients_list_and_call_over_stdio() {
    let folder = folder();
    let server = json!({ "command": [CORE_TOOLS, "mcp", "--cwd", folder.path()] });
    if let Some(answer) = python(&server, &json!(["read", { "filePath": "greeting.txt" }])) {
        python_is_well(&answer);
    }
}

#[test]
fn the_python_clients_list_and_call_over_http() {
    let folder = folder();
    let serving = by_http(folder.path());
    if let Some(answer) = python(&json!({ "url": serving.address() }), &json!(["read", { "filePath": "greeting.txt" }]))
    {
        python_is_well(&answer);
    }
}

/// A person at the client is asked before a command runs, in both eras; where a client cannot ask, it does not run, and
/// the model is told why.
#[cfg(unix)]
#[test]
fn a_person_at_the_python_client_is_asked() {
    let folder = folder();
    let server = json!({ "command": [CORE_TOOLS, "mcp", "--cwd", folder.path()] });
    let call = json!(["bash", { "command": "cat farewell.txt >> said.txt; cat said.txt", "description": "Say it" }]);
    let Some(answer) = python(&server, &call) else { return };
    for client in ["legacy", "modern"] {
        let seen = &answer[client];
        assert_eq!(seen["error"], json!(false), "{client}: {seen:#}");
        assert!(seen["text"].as_str().is_some_and(|text| text.contains("good night")), "{client}: {seen:#}");
        let asked = seen["asked"].as_array().expect("questions");
        assert!(!asked.is_empty() && asked.iter().any(|text| text.to_string().contains("bash")), "{client}: {seen:#}");
    }
    let denied = &answer["fastmcp"];
    assert_eq!(denied["error"], json!(true), "{denied:#}");
    assert!(denied["text"].as_str().is_some_and(|text| text.contains("bash")), "{denied:#}");
    assert_eq!(fs::read_to_string(folder.path().join("said.txt")).expect("two ran"), "good night\n".repeat(2));
}
