//! Which changes of a tool break its callers.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test says what is wrong by panicking")]

#[path = "compat/sampled.rs"]
mod sampled;
#[path = "compat/table.rs"]
mod table;

use serde_json::{Value, json};
use tool_core::{
    prelude::*,
    testing::{
        Severity, Snapshot,
        compat::{Mismatch, Update, check},
    },
    tool::{Annotations, FnTool, ToolPolicy},
};

/// A snapshot with one tool, as its file would have it.
fn snapshot(entry: Value) -> Snapshot {
    serde_json::from_value(json!({ "t": entry })).expect("a snapshot")
}

fn of_input(schema: &Value) -> Snapshot {
    snapshot(json!({ "inputSchema": schema }))
}

fn of_output(schema: &Value) -> Snapshot {
    snapshot(json!({ "inputSchema": { "type": "object" }, "outputSchema": schema }))
}

fn registry(tool: FnTool) -> Registry {
    Registry::builder().add(tool).build().unwrap()
}

fn echo(properties: Value) -> FnTool {
    let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    FnTool::raw("echo", "Say it again.", schema, |value: Value, _| async move { value.to_string() }).unwrap()
}

#[test]
fn what_is_said_of_the_whole_tool() {
    let plain = json!({ "inputSchema": { "type": "object" } });
    let with = |key: &str, value: Value| {
        let mut entry = plain.clone();
        entry[key] = value;
        entry
    };
    for (old, new, wanted) in [
        (with("annotations", json!({ "readOnlyHint": true })), plain.clone(), Some(Severity::Breaking)),
        (plain.clone(), with("annotations", json!({ "readOnlyHint": true })), None),
        (plain.clone(), with("annotations", json!({ "destructiveHint": true })), Some(Severity::MayBreak)),
        (with("annotations", json!({ "idempotentHint": true })), plain.clone(), Some(Severity::MayBreak)),
        (plain.clone(), with("annotations", json!({ "openWorldHint": true })), Some(Severity::MayBreak)),
        (with("permission", json!("edit")), with("permission", json!("write")), Some(Severity::MayBreak)),
        (with("outputSchema", json!({ "type": "object" })), plain.clone(), Some(Severity::Breaking)),
        (plain.clone(), with("outputSchema", json!({ "type": "object" })), Some(Severity::Compatible)),
        (
            with("grammar", json!({ "syntax": "lark", "definition": "start: /a/" })),
            plain.clone(),
            Some(Severity::Breaking),
        ),
        (plain.clone(), with("description", json!("Other words.")), Some(Severity::Compatible)),
    ] {
        let report = snapshot(old.clone()).compare(&snapshot(new.clone()));
        let worst = report.differences().first().map(|difference| difference.severity);
        assert_eq!(worst, wanted, "{old} to {new}: {report}");
    }
}

#[test]
fn a_renamed_tool_is_removed_and_the_new_name_is_told() {
    let entry = json!({ "inputSchema": { "type": "object", "properties": { "a": {} } } });
    let named = |name: &str| serde_json::from_value::<Snapshot>(json!({ name: entry })).unwrap();
    let report = named("before").compare(&named("after"));
    let lines: Vec<_> = report.differences().iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["breaking: before: removed; `after` takes the same: renamed?", "compatible: after: added"]);
}

#[test]
fn the_file_is_written_only_where_that_is_wanted_and_breaks_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("specs.json");
    let (before, wider) = (json!({ "a": { "type": "string", "maxLength": 9 } }), json!({ "a": { "type": "string" } }));

    let missing = check(&path, &registry(echo(before.clone())), Update::Never).unwrap_err();
    assert!(matches!(missing, Mismatch::Missing(_)) && missing.to_string().contains("UPDATE_SPECS=1"), "{missing}");
    assert!(!path.exists());

    check(&path, &registry(echo(before.clone())), Update::Compatible).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(serde_json::from_str::<Snapshot>(&written).unwrap(), Snapshot::of(&registry(echo(before.clone()))));

    // Wider is compatible: it passes without being written, and is written where that is wanted.
    assert!(check(&path, &registry(echo(wider.clone())), Update::Never).unwrap().is_compatible());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), written);
    check(&path, &registry(echo(wider)), Update::Compatible).unwrap();

    // And then the narrower one breaks; only the word for it lets it be written.
    let broken = check(&path, &registry(echo(before.clone())), Update::Compatible).unwrap_err().to_string();
    assert!(
        broken.contains("breaking: echo /inputSchema/properties/a/maxLength: `maxLength` was none, is 9"),
        "{broken}"
    );
    assert!(broken.contains("UPDATE_SPECS=breaking"), "{broken}");
    let report = check(&path, &registry(echo(before.clone())), Update::Breaking).unwrap();
    assert_eq!(report.breaking().count(), 1);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), written);

    std::fs::write(&path, "[]").unwrap();
    let unreadable = check(&path, &registry(echo(before)), Update::Compatible).unwrap_err();
    assert!(matches!(unreadable, Mismatch::Unreadable { .. }), "{unreadable}");
}

#[test]
fn a_snapshot_has_what_callers_go_by() {
    let policy = ToolPolicy { permission: Some("edit".into()), ..ToolPolicy::default() };
    let tool = echo(json!({})).annotations(Annotations::new(true, false, true, false)).policy(policy);
    let written = serde_json::to_value(Snapshot::of(&registry(tool))).unwrap();
    assert_eq!(
        written["echo"],
        json!({
            "description": "Say it again.",
            "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false },
            "annotations":
                { "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false },
            "permission": "edit",
        })
    );
}

/// References that are doubled at each level are too many to walk, not a day's work.
#[test]
fn doubled_references_are_left_open_and_not_walked_to_the_end() {
    let doubled = |keyword: &str, levels: usize, leaf: &Value| {
        let level =
            |n: usize| json!({ keyword: [{ "$ref": format!("#/$defs/l{n}") }, { "$ref": format!("#/$defs/l{n}") }] });
        let mut defs: serde_json::Map<_, _> = (1..levels).map(|n| (format!("l{n}"), level(n + 1))).collect();
        defs.insert(format!("l{levels}"), leaf.clone());
        json!({ "type": "object", "properties": { "a": level(1) }, "$defs": defs })
    };
    let (wide, narrow) = (json!({ "type": "integer" }), json!({ "type": "integer", "maximum": 9 }));
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for (old, new) in [(&wide, &narrow), (&narrow, &wide)] {
            let report = of_input(&doubled(keyword, 60, old)).compare(&of_input(&doubled(keyword, 60, new)));
            assert!(!report.is_compatible(), "{keyword}: what is not known to fit is not passed");
        }
        let same = doubled(keyword, 60, &wide);
        assert!(of_input(&same).compare(&of_input(&same)).is_compatible(), "{keyword}");
    }
    // A few levels are no trouble.
    let few = of_input(&doubled("allOf", 6, &narrow)).compare(&of_input(&doubled("allOf", 6, &wide)));
    assert!(few.is_compatible(), "{few}");
    let fewer = of_input(&doubled("allOf", 6, &wide)).compare(&of_input(&doubled("allOf", 6, &narrow)));
    assert_eq!(fewer.breaking().next().unwrap().pointer, "/inputSchema/properties/a/maximum");
}
