//! Argument text that is no JSON: what is mended, what is on record of it, and what is refused.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::{call::Repair, error::ErrorKind, prelude::*, testing::Bench, tool::FnTool};

/// Say it again.
#[tool(register = false)]
fn echo(text: String, count: Option<u8>, list: Option<Vec<i64>>) -> String {
    json!([text, count, list]).to_string()
}

/// A tool with the same parameters whose arguments stay JSON.
fn raw() -> FnTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string" },
            "count": { "type": "integer", "minimum": 0, "maximum": 255 },
            "list": { "type": "array", "items": { "type": "integer" } },
        },
        "required": ["text"],
        "additionalProperties": false,
    });
    let answer = |arguments: Value, _| async move {
        json!([arguments["text"], arguments["count"], arguments["list"]]).to_string()
    };
    FnTool::raw("echo", "Say it again.", schema, answer).expect("the name is one")
}

/// Both kinds of tool: they must agree.
fn benches() -> [Bench; 2] {
    [Bench::new(EchoTool), Bench::new(raw())]
}

#[tokio::test]
async fn what_can_mean_one_thing_is_mended_and_on_record() {
    for (arguments, output, repairs) in [
        (r#"{"text":"x"}"#, json!(["x", null, null]), json!(null)),
        ("\u{feff}{\"text\":\"x\"}", json!(["x", null, null]), json!(["byte_order_mark"])),
        ("```json\n{\"text\":\"x\"}\n```", json!(["x", null, null]), json!(["code_fence"])),
        ("\n``` {\"text\":\"a ``` b\"} ```\n", json!(["a ``` b", null, null]), json!(["code_fence"])),
        (r#"{"text":"x","list":[1,2,],}"#, json!(["x", null, [1, 2]]), json!(["trailing_comma"])),
        ("{\"text\":\"x\" , \n }", json!(["x", null, null]), json!(["trailing_comma"])),
        ("{\"text\":\"one\ntwo\t\u{1}\"}", json!(["one\ntwo\t\u{1}", null, null]), json!(["control_characters"])),
        (r#"{"text":"^\d+\.\w$"}"#, json!([r"^\d+\.\w$", null, null]), json!(["invalid_escapes"])),
        (r#"{"text":"a \"b\" \\ \d"}"#, json!([r#"a "b" \ \d"#, null, null]), json!(["invalid_escapes"])),
        (r#"{"text":"\ud83d!"}"#, json!(["\u{fffd}!", null, null]), json!(["lone_surrogates"])),
        (r#"{"text":"\ud83d\ude00"}"#, json!(["\u{1F600}", null, null]), json!(null)),
        (r#""{\"text\":\"x\"}""#, json!(["x", null, null]), json!(["double_encoding"])),
        (
            "\u{feff}```json\n{\"text\":\"a\nb\",}\n```",
            json!(["a\nb", null, null]),
            json!(["byte_order_mark", "code_fence", "control_characters", "trailing_comma"]),
        ),
        (r#""{\"text\":\"x\",}""#, json!(["x", null, null]), json!(["double_encoding", "trailing_comma"])),
    ] {
        for bench in benches() {
            let outcome = bench.call("echo", arguments).await;
            assert_eq!(outcome.output(), Some(&*output.to_string()), "{arguments}: {}", outcome.text());
            assert_eq!(outcome.metadata().get("repairs"), (!repairs.is_null()).then_some(&repairs), "{arguments}");
        }
    }
}

#[tokio::test]
async fn what_would_be_a_guess_is_refused_with_the_remedy() {
    for (arguments, told) in [
        (r#"{"text":"x"#, "the text ends too early, perhaps it was cut off"),
        (r#"{"text":"x","list":[1,2"#, "the text ends too early"),
        ("```json\n{\"text\":\"x\"}", "not valid JSON"),
        ("{'text':'x'}", "stand in double quotes"),
        (r#"{"text": 'x'}"#, "stand in double quotes"),
        (r#"{"text":"x","count":NaN}"#, "JSON has no such number"),
        (r#"{"text":"x","count":-Infinity}"#, "JSON has no such number"),
        (r#"{"text":"x","count":None}"#, "write null, or leave the argument out"),
        (r#"{"text":True}"#, "write true or false"),
        (r#"{"text":"x"} // done"#, "JSON has no comments"),
        (r#"Here you are: {"text":"x"}"#, "not valid JSON"),
        (r#"{"text":"x"}{"text":"y"}"#, "not valid JSON"),
        (r#"{"text":"x",,}"#, "not valid JSON"),
        (r#"{"text":"x","list":[,]}"#, "not valid JSON"),
        (r#"{,}"#, "not valid JSON"),
        // The one escape may be meant to the letter as the other is.
        (r#"{"text":"C:\new\dir"}"#, "not valid JSON"),
        (r#"{"text":"it\'s"}"#, "not valid JSON"),
        (r#"{"text":"x","count":1e400}"#, "number out of range"),
        (r#""\"{}\"""#, "expected a JSON object of arguments, got a string"),
        ("```\n[1]\n```", "not valid JSON"),
        ("``````", "not valid JSON"),
    ] {
        for bench in benches() {
            let outcome = bench.call("echo", arguments).await;
            assert_eq!(outcome.error().map(ToolError::kind), Some(ErrorKind::InvalidArguments), "{arguments}");
            assert!(outcome.text().contains(told), "{arguments}: {}", outcome.text());
        }
    }
}

#[tokio::test]
async fn a_fault_is_shown_where_it_is() {
    let bench = Bench::new(EchoTool);
    let text = bench.call("echo", "{\n  \"text\": \"x\",\n  \"count\": nope\n}").await.text();
    assert!(text.contains("at line 3 column 13, after `"), "{text}");
    assert!(text.contains("\"count\": no`"), "{text}");
}

#[tokio::test]
async fn conversions_are_on_record_by_place() {
    for bench in benches() {
        let outcome = bench.call("echo", r#"{"text":"x","count":"5","list":[1,"2",3.0]}"#).await;
        assert_eq!(outcome.output(), Some(r#"["x",5,[1,2,3]]"#), "{}", outcome.text());
        assert_eq!(outcome.metadata()["coerced"], json!(["/count", "/list/1", "/list/2"]));
        let outcome = bench.call("echo", r#"{"text":"x","count":5}"#).await;
        assert_eq!(outcome.metadata().get("coerced"), None);
    }
}

#[tokio::test]
async fn repairs_are_on_record_where_the_arguments_do_not_fit_either() {
    for bench in benches() {
        let outcome = bench.call("echo", r#"{"count":5,}"#).await;
        assert_eq!(outcome.metadata()["repairs"], json!(["trailing_comma"]), "{}", outcome.text());
        assert_eq!(outcome.metadata()["mistakes"][0]["pointer"], "/text");
    }
}

#[test]
fn a_repair_reads_back() {
    let written = serde_json::to_value(Repair::InvalidEscapes).expect("a name");
    assert_eq!(serde_json::from_value::<Repair>(written).expect("the same name"), Repair::InvalidEscapes);
}

/// Arguments that fit.
fn arguments() -> impl Strategy<Value = Value> {
    let text = "[a-z \\\\\"\\n\\t{}\\[\\],:`é😀]{0,12}";
    (text, proptest::option::of(any::<u8>()), proptest::collection::vec(any::<i64>(), 0..4))
        .prop_map(|(text, count, list)| json!({ "text": text, "count": count.unwrap_or(7), "list": list }))
}

/// Ways to write a value that are mended.
fn spoilt(value: &Value, way: u8) -> String {
    let text = value.to_string();
    match way {
        0 => format!("\u{feff}{text}"),
        1 => format!("```json\n{text}\n```"),
        2 => Value::from(text).to_string(),
        3 => format!("{},}}", &text[..text.len() - 1]),
        4 => text.replace("\\n", "\n").replace("\\t", "\t"),
        _ => text,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_mended_means_what_it_meant(value in arguments(), way in 0_u8..6) {
        // Not where a backslash stands before what is spoilt: then it is another text.
        prop_assume!(way != 4 || !value["text"].as_str().is_some_and(|text| text.contains('\\')));
        let outcome = tool_core::testing::block_on(async {
            Bench::new(EchoTool).call("echo", &spoilt(&value, way)).await
        });
        let expected = json!([value["text"], value["count"], value["list"]]).to_string();
        prop_assert_eq!(outcome.output(), Some(&*expected), "{}", outcome.text());
    }
}
