//! Whatever a model sends gets a clear error, soon, in bounded memory, and the same one on every path.

#![allow(dead_code, reason = "fields are read by `Debug` alone")]
#![allow(clippy::too_many_arguments, reason = "one of every kind")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::{Outcome, error::ErrorKind, prelude::*, testing::Bench, tool::FnTool, validation::Validator};

/// What a report may have at most, in bytes: fifty lines of five hundred, what was received, and the frame.
const REPORT: usize = 50 * 510 + 2_500;

#[derive(Debug, Deserialize, JsonSchema)]
struct Point {
    x: i32,
    y: i32,
}

/// Two alternatives that a reader can tell apart at the leaves only.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Bomb {
    Leaf(u8),
    All(Vec<Bomb>),
    Any(Vec<Bomb>),
}

/// Takes one of everything.
#[tool(register = false)]
fn take(
    text: Option<String>,
    number: Option<f64>,
    #[arg(range(..=1000))] count: Option<u64>,
    point: Option<Point>,
    map: Option<BTreeMap<String, i64>>,
    list: Option<Vec<Point>>,
    any: Option<Value>,
    bomb: Option<Bomb>,
    #[arg(pattern("^(a+)+$"))] word: Option<String>,
) -> String {
    let all = format!("{text:?} {number:?} {count:?} {point:?} {map:?} {list:?} {any:?} {bomb:?} {word:?}");
    all.chars().take(200).collect()
}

/// Ignores what it does not know.
#[tool(register = false, unknown = "ignore")]
fn lax(count: Option<u8>) -> String {
    format!("{count:?}")
}

fn point() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["x", "y"],
        "properties": { "x": { "type": "integer" }, "y": { "type": "integer" } },
    })
}

/// The same as `take`, by its schema alone, with keywords that no type has.
fn raw() -> FnTool {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "text": { "type": "string" },
            "number": { "type": "number" },
            "count": { "type": "integer", "minimum": 0, "maximum": 1000 },
            "point": point(),
            "map": { "type": "object", "additionalProperties": { "type": "integer" } },
            "list": { "type": "array", "items": point() },
            "any": {},
            "bomb": { "$ref": "#/$defs/bomb" },
            "word": { "type": "string", "pattern": "^(a+)+$" },
            "look": { "type": "string", "pattern": "^(?=(a+)+$)(a|aa)+$" },
            "looks": { "type": "array", "items": { "type": "string", "pattern": "^(?=(a+)+$)(a|aa)+$" } },
            "unique": { "type": "array", "uniqueItems": true },
        },
        "$defs": { "bomb": { "anyOf": [
            { "type": "integer" },
            { "type": "array", "items": { "$ref": "#/$defs/bomb" } },
            { "type": "array", "items": { "$ref": "#/$defs/bomb" }, "minItems": 1 },
        ] } },
    });
    FnTool::raw("take", "Takes one of everything.", schema, |arguments: Value, _| async move {
        arguments.to_string().chars().take(200).collect::<String>()
    })
    .expect("the name is one")
}

fn benches() -> [Bench; 2] {
    [Bench::new(TakeTool), Bench::new(raw())]
}

async fn call(bench: &Bench, arguments: &str) -> Outcome {
    bench.call("take", arguments).await
}

/// The report of arguments that no tool may take.
async fn refused(bench: &Bench, arguments: &str) -> String {
    let outcome = call(bench, arguments).await;
    let shown: String = arguments.chars().take(100).collect();
    assert_eq!(outcome.error().map(ToolError::kind), Some(ErrorKind::InvalidArguments), "{shown}");
    let text = outcome.text();
    assert!(text.len() <= REPORT, "{shown}: a report of {} bytes", text.len());
    let metadata = serde_json::to_string(&outcome.metadata()).expect("JSON");
    assert!(metadata.len() <= 60_000, "{shown}: metadata of {} bytes", metadata.len());
    text
}

async fn taken(bench: &Bench, arguments: &str) -> Outcome {
    let outcome = call(bench, arguments).await;
    assert!(outcome.output().is_some(), "{}", outcome.text());
    outcome
}

fn nested(levels: usize) -> String {
    format!("{}0{}", "[".repeat(levels), "]".repeat(levels))
}

#[tokio::test]
async fn megabytes_are_taken_up_to_the_limit() {
    for bench in benches() {
        let large = "x".repeat(1 << 20);
        taken(&bench, &json!({ "text": large }).to_string()).await;
        let text = refused(&bench, &json!({ "count": large }).to_string()).await;
        assert!(text.contains("/count: expected an integer"), "{text}");
        let text = refused(&bench, &json!({ "text": "x".repeat(17 << 20) }).to_string()).await;
        assert!(text.contains("expected at most 16777216 bytes of arguments, got 178"), "{text}");
        refused(&bench, &"x".repeat(1 << 20)).await;
        refused(&bench, &"\u{1}".repeat(1 << 20)).await;
        refused(&bench, &format!("{{\"text\":\"{}", "\n".repeat(1 << 20))).await;
    }
}

#[tokio::test]
async fn nesting_has_one_limit_on_every_path() {
    for bench in benches() {
        for levels in [10_000, 200_000] {
            for arguments in [
                format!(r#"{{"any":{}}}"#, nested(levels)),
                format!(r#"{{"text":{}}}"#, nested(levels)),
                format!(r#"{{"unknown":{}}}"#, nested(levels)),
                nested(levels),
                "[".repeat(levels),
                r#"{"any":"#.repeat(levels),
                Value::from(format!(r#"{{"any":{}}}"#, nested(levels))).to_string(),
            ] {
                let text = refused(&bench, &arguments).await;
                let told = ["nested more than 127 levels", "ends too early"];
                assert!(told.iter().any(|told| text.contains(told)), "{}", text.chars().take(200).collect::<String>());
            }
        }
    }
    let [typed, _] = benches();
    // With the slow path (`"5"` is no number) and without it.
    for count in ["5", "\"5\""] {
        taken(&typed, &format!(r#"{{"any":{},"count":{count}}}"#, nested(127))).await;
        refused(&typed, &format!(r#"{{"any":{},"count":{count}}}"#, nested(128))).await;
    }
}

#[tokio::test]
async fn what_is_ignored_is_read_all_the_same() {
    let bench = Bench::new(LaxTool);
    for count in ["5", "\"5\""] {
        for (ignored, is_taken) in [
            (nested(100), true),
            (nested(1_000_000), false),
            (r#""\ud83d""#.to_owned(), true),
            ("1e400".to_owned(), false),
        ] {
            let outcome = bench.call("lax", &format!(r#"{{"ignored":{ignored},"count":{count}}}"#)).await;
            assert_eq!(outcome.output().is_some(), is_taken, "{}", outcome.text());
        }
    }
}

#[tokio::test]
async fn a_declared_name_given_twice_is_a_mistake_and_of_others_the_last_counts() {
    for bench in benches() {
        for (arguments, at) in [
            (r#"{"count":1,"count":2}"#, "/count"),
            (r#"{"count":"1","count":2}"#, "/count"),
            (r#"{"point":{"x":1,"x":2,"y":3}}"#, "/point/x"),
            (r#"{"point":{"x":"1","x":2,"y":3}}"#, "/point/x"),
            (r#"{"list":[{"x":1,"y":1},{"x":1,"y":2,"y":3}]}"#, "/list/1/y"),
        ] {
            let text = refused(&bench, arguments).await;
            assert!(text.contains(&format!("- {at}: given twice; give it once")), "{text}");
        }
        for (arguments, last) in [
            (r#"{"map":{"a":1,"a":2}}"#, "2"),
            (r#"{"map":{"a":1,"a":"2"}}"#, "2"),
            (r#"{"any":{"a":1,"a":2}}"#, "2"),
            (r#"{"any":{"a":1,"a":2},"count":"1"}"#, "2"),
        ] {
            let outcome = taken(&bench, arguments).await;
            assert!(
                outcome.text().replace(' ', "").contains(&format!("\"a\":{last}"))
                    || outcome.text().contains(&format!("Number({last})")),
                "{arguments}: {}",
                outcome.text()
            );
        }
        let many: String = (0..100_000).map(|n| format!("\"a{n}\":1,\"a{n}\":2,")).collect();
        refused(&bench, &format!(r#"{{{many}"z":1}}"#)).await;
        taken(&bench, &format!(r#"{{"map":{{{many}"z":1}}}}"#)).await;
    }
}

#[tokio::test]
async fn odd_numbers_keep_their_value_or_are_refused() {
    for bench in benches() {
        for (arguments, told) in [
            (r#"{"number":1e400}"#, "number out of range"),
            (r#"{"number":NaN}"#, "JSON has no such number"),
            (r#"{"number":"1e400"}"#, "expected a number"),
            (r#"{"number":"NaN"}"#, "expected a number"),
            (r#"{"number":"inf"}"#, "expected a number"),
            (r#"{"count":18446744073709551616}"#, "/count: expected an integer"),
            (r#"{"count":"18446744073709551616"}"#, "/count: expected an integer"),
            (r#"{"count":-1}"#, "/count: expected an integer"),
            (r#"{"count":1.5}"#, "/count: expected an integer"),
            (r#"{"count":01}"#, "not valid JSON"),
            (r#"{"count":+1}"#, "not valid JSON"),
            (r#"{"count":0x10}"#, "not valid JSON"),
        ] {
            let text = refused(&bench, arguments).await;
            assert!(text.contains(told), "{arguments}: {text}");
        }
        for arguments in
            [r#"{"number":1e-400}"#, r#"{"number":-0}"#, r#"{"count":-0}"#, r#"{"count":1e2}"#, r#"{"count":"007"}"#]
        {
            taken(&bench, arguments).await;
        }
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_are_refused() {
    for bench in benches() {
        for arguments in ["[]", "5", "\"x\"", "true", "[{\"count\":1}]", "-", "{", "}", "\u{0}", "\u{feff}5"] {
            refused(&bench, arguments).await;
        }
        for arguments in ["", " \n", "null", "{}", "\u{feff}", "\"null\""] {
            taken(&bench, arguments).await;
        }
    }
}

#[tokio::test]
async fn a_hundred_thousand_mistakes_make_a_short_report_that_counts_them() {
    for bench in benches() {
        let unknown: Vec<String> = (0..100_000).map(|n| format!("\"key{n}\":1")).collect();
        let text = refused(&bench, &format!("{{{}}}", unknown.join(","))).await;
        assert!(text.contains("- and 99950 more\n"), "{}", &text[text.len() - 2_500..]);
        let wrong = format!(r#"{{"list":[{}]}}"#, vec![r#"{"x":"no"}"#; 100_000].join(","));
        let text = refused(&bench, &wrong).await;
        assert!(text.contains(" more\n") && text.contains("- /list/0/y: missing"), "{}", &text[..2_000]);
        let wrong: Vec<String> = (0..100_000).map(|n| format!("\"k{n}\":\"no\"")).collect();
        let text = refused(&bench, &format!(r#"{{"map":{{{}}}}}"#, wrong.join(","))).await;
        assert!(text.contains(" more\n"), "{}", &text[..2_000]);
    }
}

#[tokio::test]
async fn long_names_and_values_are_shown_cut() {
    for bench in benches() {
        let long = "k".repeat(1 << 20);
        let text = refused(&bench, &json!({ &long: 1 }).to_string()).await;
        assert!(text.contains("unknown argument") || text.contains("kkk…"), "{text}");
        refused(&bench, &json!({ "map": { &long: "no" } }).to_string()).await;
        refused(&bench, &json!({ "count": long }).to_string()).await;
        refused(&bench, &json!({ "text": vec![1; 100_000] }).to_string()).await;
        refused(&bench, &json!({ "number": { "a": vec![json!({ "b": 1 }); 100_000] } }).to_string()).await;
        refused(&bench, &format!("{{\"count\": {long}}}")).await;
    }
}

#[tokio::test]
async fn alternatives_that_cannot_be_told_apart_cost_no_time() {
    for bench in benches() {
        for levels in [10, 30, 60, 120] {
            let wrong = nested(levels).replace('0', "\"no\"");
            refused(&bench, &format!(r#"{{"bomb":{wrong}}}"#)).await;
            refused(&bench, &format!(r#"{{"bomb":{wrong},"count":"1"}}"#)).await;
        }
        let wide = format!("[{}]", vec!["[[[\"1\"]]]"; 20_000].join(","));
        call(&bench, &format!(r#"{{"bomb":{wide}}}"#)).await;
        taken(&bench, &format!(r#"{{"bomb":{}}}"#, nested(12))).await;
    }
}

#[tokio::test]
async fn patterns_and_uniqueness_cost_no_time() {
    let near = format!("{}b", "a".repeat(100_000));
    for bench in benches() {
        let text = refused(&bench, &json!({ "word": near }).to_string()).await;
        assert!(text.contains("/word: expected a text that matches the pattern"), "{text}");
    }
    let [_, bench] = benches();
    refused(&bench, &json!({ "look": near }).to_string()).await;
    refused(&bench, &json!({ "looks": vec![format!("{}b", "a".repeat(40)); 1_000] }).to_string()).await;
    let numbers: Vec<Value> = (0..100_000).map(|n| json!({ "n": n, "m": [n] })).collect();
    taken(&bench, &json!({ "unique": numbers }).to_string()).await;
    let mut twice = numbers;
    twice.push(json!({ "m": [7], "n": 7 }));
    refused(&bench, &json!({ "unique": twice }).to_string()).await;
}

#[tokio::test]
async fn an_unknown_tool_is_named_cut() {
    let bench = Bench::new(TakeTool);
    for name in [String::new(), " ".to_owned(), "\u{0}".to_owned(), "é".repeat(1 << 19), "-".repeat(1 << 20) + "take"]
    {
        let outcome = bench.call(&name, "{}").await;
        assert_eq!(outcome.error().map(ToolError::kind), Some(ErrorKind::UnknownTool));
        assert!(outcome.text().contains("Available tools: take."), "{}", outcome.text());
        let written = serde_json::to_string(&outcome).expect("JSON");
        assert!(written.len() < 2_000, "{} bytes", written.len());
    }
    let text = bench.call("tak", "{}").await.text();
    assert!(text.contains("Did you mean `take`?"), "{text}");
}

/// Every call gets its outcome, under the id it came with; ids are the host's to pair.
#[tokio::test]
async fn odd_ids_come_back_as_they_were() {
    let executor = Executor::builder(Registry::builder().add(TakeTool).build().expect("one tool"))
        .rules(Ruleset::allow_all())
        .build()
        .expect("it can run");
    let session = Session::new("/");
    for id in [String::new(), "call_1".to_owned(), "call_1".to_owned(), "\u{0}\n".to_owned(), "x".repeat(1 << 20)] {
        let outcome = executor.call(&session, ToolCall::new(id.clone(), "take", "{}")).await;
        assert_eq!(outcome.call_id().as_str(), id);
        assert!(outcome.output().is_some());
    }
}

/// Found by the fuzz target `schema`.
#[test]
fn a_schema_without_end_is_refused_and_not_followed() {
    for part in [
        json!({ "$ref": "#/$defs/a" }),
        json!({ "allOf": [{ "$ref": "#/$defs/b" }] }),
        json!({ "anyOf": [{ "type": "string" }, { "not": { "$ref": "#/$defs/a" } }] }),
    ] {
        let schema = json!({
            "type": "object",
            "properties": { "a": { "$ref": "#/$defs/a" } },
            "$defs": { "a": part, "b": { "anyOf": [{ "$ref": "#/$defs/a" }] } },
        });
        let validator = Validator::new(schema);
        assert!(validator.verify().expect_err("it has no end").contains("without end"));
        assert!(validator.read(r#"{"a":1}"#).is_err());
        assert_eq!(validator.mistakes(&json!({ "a": 1 })).len(), 1);
    }
    let tree = json!({
        "type": "object",
        "properties": { "left": { "$ref": "#" }, "right": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] } },
    });
    Validator::new(tree).verify().expect("each step goes deeper");
}
