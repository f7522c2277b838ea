//! What the report on a registry says, and that a call in a strict dialect's form is taken.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::{
    prelude::*,
    schema::{Dialect, Fit, Portability, UnfitReason, adapt, fit},
    tool::{FnTool, ToolName},
    wire::{Provider, declarations},
};

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Inner {
    name: Option<String>,
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 9))]
    depth: u8,
    #[serde(default)]
    tags: Vec<String>,
}

fn five() -> u8 {
    5
}

/// Nested optional things.
#[tool(register = false)]
fn nested(
    /// A day.
    #[arg(default = 3, range(1..=14))]
    days: u8,
    inner: Inner,
    list: Vec<Inner>,
    #[arg(length(..=5))] word: Option<String>,
    #[schemars(range(min = 1))] number: Option<u32>,
) -> String {
    format!("{days} {} {} {word:?} {number:?}", json!(inner), json!(list))
}

#[tool(register = false, description = "A map.")]
fn map(labels: HashMap<String, String>) -> String {
    format!("{labels:?}")
}

async fn run(registry: Registry, name: &str, arguments: &Value) -> String {
    let executor = Executor::builder(registry).build().unwrap();
    let call = ToolCall::new("1", name.to_owned(), arguments.to_string());
    let outcome = executor.call(&Session::new("/"), call).await;
    outcome.output().map_or_else(|| format!("{outcome:?}"), str::to_owned)
}

#[tokio::test]
async fn a_null_that_a_strict_dialect_asks_for_is_nothing() {
    let registry = Registry::builder().add(NestedTool).build().unwrap();
    let schema = adapt(&registry.get("nested").unwrap().spec().input_schema, Dialect::OpenAiStrict).unwrap().schema;
    assert_eq!(schema["required"], json!(["days", "inner", "list", "word", "number"]));
    assert_eq!(schema["properties"]["inner"]["required"], json!(["name", "depth", "tags"]));
    let nulls = json!({ "name": null, "depth": null, "tags": null });
    let arguments = json!({ "days": null, "inner": nulls, "list": [nulls], "word": null, "number": null });
    let left_out = r#"{"name":null,"depth":5,"tags":[]}"#;
    assert_eq!(run(registry, "nested", &arguments).await, format!("3 {left_out} [{left_out}] None None"));
}

#[tokio::test]
async fn nulls_are_taken_out_where_a_foreign_schema_refuses_them() {
    let schema = json!({
        "type": "object",
        "properties": {
            "kind": { "const": "file" },
            "sort": { "allOf": [{ "$ref": "#/definitions/Sort" }] },
            "may_be_null": { "type": ["string", "null"] },
            "named_null": { "enum": ["a", null] },
            "nested": { "type": "object", "properties": { "x": { "type": "integer" } } },
        },
        "definitions": { "Sort": { "type": "string", "enum": ["name"] } },
    });
    let echo = FnTool::raw("echo", "Echo.", schema, |arguments, _| async move { arguments.to_string() }).unwrap();
    let arguments =
        json!({ "kind": null, "sort": null, "may_be_null": null, "named_null": null, "nested": { "x": null } });
    let said = run(Registry::builder().add(echo).build().unwrap(), "echo", &arguments).await;
    assert_eq!(said, r#"{"may_be_null":null,"named_null":null,"nested":{}}"#);
}

#[tokio::test]
async fn nulls_for_the_fields_of_other_alternatives_are_nothing() {
    let form = |field: &str| {
        json!({ "type": "object", "properties": { field: { "type": "string" } }, "required": [field],
            "additionalProperties": false })
    };
    let schema = json!({ "type": "object", "anyOf": [form("a"), form("b")] });
    let strict = adapt(&schema, Dialect::OpenAiStrict).unwrap().schema;
    assert_eq!(strict["required"], json!(["a", "b"]));
    let echo = FnTool::raw("echo", "Echo.", schema, |arguments, _| async move { arguments.to_string() }).unwrap();
    let said = run(Registry::builder().add(echo).build().unwrap(), "echo", &json!({ "a": null, "b": "x" })).await;
    assert_eq!(said, r#"{"b":"x"}"#);
}

#[test]
fn the_report_on_a_registry() {
    let schema = json!({ "type": "object", "properties": { "filter[id]": { "type": "string" } } });
    let odd = FnTool::raw("odd", "Odd.", schema, |_, _| async { "" }).unwrap();
    let registry = Registry::builder().add(MapTool).add(odd).build().unwrap();
    let report = registry.portability();
    let of = |name: &str, dialect: Dialect| {
        let tool = report.tools.iter().find(|tool| tool.name == *name).unwrap();
        assert_eq!(tool.dialects.len(), Dialect::ALL.len());
        tool.dialects.iter().find(|fit| fit.dialect == dialect).unwrap().fit.clone()
    };
    assert_eq!(of("map", Dialect::Mcp), Fit::AsIs);
    assert!(matches!(of("map", Dialect::OpenAiStrict), Fit::FellBack { why, .. } if why.reason == UnfitReason::Map));
    assert!(matches!(of("odd", Dialect::Anthropic), Fit::Unusable { .. }));
    assert!(matches!(of("odd", Dialect::AnthropicStrict), Fit::Unusable { .. }));
    assert!(matches!(of("odd", Dialect::XAi), Fit::Adapted { .. }));
    assert!(!report.is_usable());
    let text = report.to_string();
    assert!(text.contains("not strict: /properties/labels: a map"), "{text}");
    assert!(text.contains("CANNOT BE USED: root: the property name `filter[id]`"), "{text}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["tools"][0]["dialects"][0]["fit"], "fell_back");
    assert!(Portability::of(registry.specs(), &[Dialect::Mcp]).is_usable());
}

#[test]
fn limits_on_all_strict_tools_of_a_request() {
    let spec = |number: usize, optional: usize| {
        let properties: serde_json::Map<_, _> =
            (0..optional).map(|n| (format!("p{n}"), json!({ "type": "string" }))).collect();
        let schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        tool_core::ToolSpec::new(ToolName::new(format!("t{number}")).unwrap(), "It.", schema)
    };
    let strict = |specs: &[tool_core::ToolSpec]| -> Vec<bool> {
        fit(specs, Dialect::AnthropicStrict).iter().map(|fitted| fitted.dialect == Dialect::AnthropicStrict).collect()
    };
    let many: Vec<_> = (0..22).map(|number| spec(number, 0)).collect();
    assert_eq!(strict(&many), [vec![true; 20], vec![false; 2]].concat());
    // The third would be the 25th optional parameter; the fourth still fits.
    let wide = [spec(0, 20), spec(1, 4), spec(2, 1), spec(3, 0)];
    assert_eq!(strict(&wide), [true, true, false, true]);
    let declared = declarations(&wide, Provider::Anthropic, Dialect::AnthropicStrict).tools;
    assert_eq!((&declared[0]["strict"], declared[2].get("strict")), (&json!(true), None));
}

/// Adapted schemas are kept with the spec: each still has to be that of the schema it is asked for.
#[test]
fn a_schema_that_is_exchanged_is_adapted_anew() {
    let schema = |names: &[&str]| {
        let properties: serde_json::Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string", "maxLength": 5 }))).collect();
        json!({ "type": "object", "properties": properties })
    };
    let mut spec = tool_core::ToolSpec::new(ToolName::new("it").unwrap(), "It.", schema(&["a", "b"]));
    let copy = spec.clone();
    for names in [&["a", "b"][..], &["c"], &["b", "a"], &["a"], &["d"], &["e"], &["a", "b"]] {
        spec.input_schema = schema(names);
        for dialect in Dialect::ALL {
            let expected = adapt(&spec.input_schema, dialect).map(|adapted| adapted.schema.to_string()).ok();
            for _ in 0..2 {
                let fitted = fit([&spec], dialect).remove(0);
                assert_eq!(Some(fitted.schema.to_string()), expected, "{names:?} in {dialect}");
            }
        }
        assert_eq!(fit([&copy], Dialect::Gemini)[0].schema["properties"].as_object().unwrap().len(), 2);
    }
    assert_eq!(spec, copy);
}
