//! What arguments a tool takes, and what a model is told of those it does not.

#![allow(dead_code, reason = "fields are read by `Debug` alone")]

use serde::Deserialize;
use serde_json::json;
use tool_core::{error::ErrorKind, prelude::*, testing::Bench};

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Item {
    item_name: String,
    #[schemars(range(min = 1))]
    count: u32,
}

/// Search the catalogue.
#[tool(register = false, rename_all = "camelCase")]
fn search(
    /// What to look for.
    query: String,
    #[arg(default = 10, range(1..=100))] max_results: u32,
    #[arg(alias = "sort_by", pattern("^(name|date)$"))] order: Option<String>,
    #[arg(length(..=3))] tags: Option<Vec<String>>,
    shape: Option<Shape>,
    items: Option<Vec<Item>>,
    exact: Option<bool>,
) -> String {
    json!([query, max_results, order, tags, format!("{shape:?}"), format!("{items:?}"), exact]).to_string()
}

/// Takes a type that checks itself.
#[tool(register = false)]
fn addresses(one: std::net::Ipv4Addr, #[schemars(with = "String")] other: std::net::Ipv4Addr) -> String {
    format!("{one} {other}")
}

/// Takes two, of which one's name begins the other's.
#[tool(register = false)]
fn prefix(#[schemars(with = "String")] a: std::net::Ipv4Addr, ab: u8) -> String {
    format!("{a} {ab}")
}

/// Takes a map.
#[tool(register = false)]
fn weigh(weights: std::collections::BTreeMap<String, f32>) -> String {
    format!("{weights:?}")
}

/// Takes what comes.
#[tool(register = false, unknown = "ignore")]
fn lax(a: i64) -> String {
    a.to_string()
}

#[tokio::test]
async fn arguments_are_taken_as_they_are() {
    let bench = Bench::new(SearchTool);
    let call = |arguments: &'static str| bench.call("search", arguments);
    assert_eq!(call(r#"{"query":"x"}"#).await.output(), Some(r#"["x",10,null,null,"None","None",null]"#));
    let all = r#" { "exact" : true , "order":"name","query":"\u00e9\n\"" ,"maxResults":100,"tags":[],"shape":{"kind":"circle","radius":2},"items":[{"itemName":"a","count":1}]} "#;
    assert_eq!(
        call(all).await.output(),
        Some(
            r#"["é\n\"",100,"name",[],"Some(Circle { radius: 2.0 })","Some([Item { item_name: \"a\", count: 1 }])",true]"#
        )
    );
    assert_eq!(
        call(r#"{"query":"x","sort_by":"date"}"#).await.output(),
        Some(r#"["x",10,"date",null,"None","None",null]"#)
    );
    assert_eq!(call(r#"{"qu\u0065ry":"x"}"#).await.output(), Some(r#"["x",10,null,null,"None","None",null]"#));
}

#[tokio::test]
async fn what_means_the_same_is_converted() {
    let bench = Bench::new(SearchTool);
    for (arguments, output) in [
        (r#"{"query":5,"maxResults":"7","exact":"TRUE"}"#, r#"["5",7,null,null,"None","None",true]"#),
        (r#"{"query":"x","maxResults":7.0}"#, r#"["x",7,null,null,"None","None",null]"#),
        (r#"{"query":"x","maxResults":" 7 ","tags":"one"}"#, r#"["x",7,null,["one"],"None","None",null]"#),
        (r#"{"query":"x","tags":"[\"a\",\"b\"]"}"#, r#"["x",10,null,["a","b"],"None","None",null]"#),
        (r#"{"query":"x","maxResults":null,"order":null}"#, r#"["x",10,null,null,"None","None",null]"#),
        (
            r#"{"query":"x","items":{"itemName":"a","count":"2"}}"#,
            r#"["x",10,null,null,"None","Some([Item { item_name: \"a\", count: 2 }])",null]"#,
        ),
        (
            r#"{"query":"x","shape":"{\"kind\":\"square\",\"side\":\"3\"}"}"#,
            r#"["x",10,null,null,"Some(Square { side: 3.0 })","None",null]"#,
        ),
        (r#""{\"query\":\"x\"}""#, r#"["x",10,null,null,"None","None",null]"#),
        ("{\"query\":\"two\nlines\"}", r#"["two\nlines",10,null,null,"None","None",null]"#),
    ] {
        let outcome = bench.call("search", arguments).await;
        assert_eq!(outcome.output(), Some(output), "{arguments}: {}", outcome.text());
    }
}

#[tokio::test]
async fn the_values_of_a_map_are_converted_too() {
    let bench = Bench::new(WeighTool);
    assert_eq!(bench.call("weigh", r#"{"weights":{"a":"1.5","b":2}}"#).await.output(), Some(r#"{"a": 1.5, "b": 2.0}"#));
}

#[tokio::test]
async fn what_would_lose_something_is_not_converted() {
    let bench = Bench::new(SearchTool);
    for arguments in [
        r#"{"query":"x","maxResults":"3.7"}"#,
        r#"{"query":"x","maxResults":3.7}"#,
        r#"{"query":"x","maxResults":""}"#,
        r#"{"query":"x","maxResults":"0x10"}"#,
        r#"{"query":"x","exact":1}"#,
        r#"{"query":"x","exact":"yes"}"#,
        r#"{"query":null}"#,
        r#"{"query":["x"]}"#,
    ] {
        let outcome = bench.call("search", arguments).await;
        assert_eq!(outcome.error().map(ToolError::kind), Some(ErrorKind::InvalidArguments), "{arguments}");
    }
}

async fn mistakes(bench: &Bench, tool: &str, arguments: &str) -> Vec<String> {
    let outcome = bench.call(tool, arguments).await;
    match outcome.error() {
        Some(ToolError::InvalidArguments(invalid)) => {
            invalid.report.mistakes().iter().map(ToString::to_string).collect()
        }
        _ => panic!("{arguments} was taken: {}", outcome.text()),
    }
}

#[tokio::test]
async fn every_mistake_is_reported_with_its_place_and_a_remedy() {
    let bench = Bench::new(SearchTool);
    let mut found = mistakes(
        &bench,
        "search",
        r#"{"qurey":"x","maxResults":0,"order":"size","tags":["a","b","c","d"],"exact":"perhaps",
            "shape":{"kind":"blob"},"items":[{"itemName":"a","count":0},{"item_name":"b","count":"many"}]}"#,
    )
    .await;
    found.sort();
    assert_eq!(
        found,
        [
            "/exact: expected true or false, got the string \"perhaps\"",
            "/items/0/count: expected an integer from 1 to 4294967295, got 0",
            "/items/1/count: expected an integer from 1 to 4294967295, got the string \"many\"",
            "/items/1/itemName: missing; expected a string",
            "/items/1/item_name: unknown argument; did you mean `itemName`?",
            "/maxResults: expected an integer from 1 to 100, got 0",
            "/order: expected a text that matches the pattern ^(name|date)$, got the string \"size\"",
            "/query: missing; expected a string (What to look for.)",
            "/qurey: unknown argument; did you mean `query`?",
            "/shape/kind: expected one of \"circle\", \"square\", got the string \"blob\"",
            "/tags: expected an array of at most 3 items, each a string, got 4 items",
        ]
    );
}

#[tokio::test]
async fn one_alternative_is_explained() {
    let bench = Bench::new(SearchTool);
    assert_eq!(
        mistakes(&bench, "search", r#"{"query":"x","shape":{"kind":"circle","radius":"big"}}"#).await,
        ["/shape/radius: expected a number, got the string \"big\""]
    );
    assert_eq!(
        mistakes(&bench, "search", r#"{"query":"x","shape":5}"#).await,
        ["/shape: expected an object with kind, radius or an object with kind, side, got 5"]
    );
}

#[tokio::test]
async fn the_report_can_be_acted_on_alone() {
    let bench = Bench::new(SearchTool);
    let outcome = bench.call("search", r#"{"maxResults":1000}"#).await;
    assert_eq!(
        outcome.text(),
        "The search tool was called with invalid arguments:\n\
         - /maxResults: expected an integer from 1 to 100, got 1000\n\
         - /query: missing; expected a string (What to look for.)\n\
         Received: {\"maxResults\":1000}\n\
         Correct all of these and call `search` again."
    );
    assert_eq!(outcome.metadata()["mistakes"][0]["pointer"], "/maxResults");
}

#[tokio::test]
async fn what_serde_alone_knows_is_reported_too() {
    let bench = Bench::new(AddressesTool);
    assert_eq!(
        bench.call("addresses", r#"{"one":"127.0.0.1","other":"10.0.0.1"}"#).await.output(),
        Some("127.0.0.1 10.0.0.1")
    );
    assert_eq!(
        mistakes(&bench, "addresses", r#"{"one":"127.0.0.1","other":"nowhere"}"#).await,
        ["/other: invalid IPv4 address syntax"]
    );
}

#[tokio::test]
async fn a_name_that_begins_another_hides_nothing() {
    let bench = Bench::new(PrefixTool);
    let mut found = mistakes(&bench, "prefix", r#"{"a":"nowhere","ab":"x"}"#).await;
    found.sort();
    assert_eq!(
        found,
        ["/a: invalid IPv4 address syntax", "/ab: expected an integer from 0 to 255, got the string \"x\""]
    );
}

#[tokio::test]
async fn text_that_is_no_object_is_explained() {
    let bench = Bench::new(SearchTool);
    for (arguments, told) in [
        (r#"{"query": "x", "#, "the text ends too early"),
        (r#"{"query": 'x'}"#, "not valid JSON"),
        ("[1]", "expected a JSON object of arguments, got an array"),
        ("5", "expected a JSON object of arguments, got a number"),
        (r#""text""#, "expected a JSON object of arguments, got a string"),
        (r#"{"query":"x"} trailing"#, "not valid JSON"),
    ] {
        let found = mistakes(&bench, "search", arguments).await;
        assert!(found[0].contains(told), "{arguments}: {found:?}");
    }
    let deep = format!("{}{}", r#"{"query":"#, "[".repeat(100_000));
    assert!(mistakes(&bench, "search", &deep).await[0].contains("not valid JSON"));
}

#[tokio::test]
async fn nothing_is_the_same_as_no_arguments() {
    for arguments in ["", "  ", "null", "{}"] {
        assert_eq!(mistakes(&Bench::new(SearchTool), "search", arguments).await.len(), 1, "{arguments:?}");
    }
}

#[tokio::test]
async fn an_argument_given_twice_is_a_mistake() {
    let bench = Bench::new(SearchTool);
    assert_eq!(mistakes(&bench, "search", r#"{"query":"a","query":"b"}"#).await, ["/query: given twice; give it once"]);
    assert_eq!(
        mistakes(&bench, "search", r#"{"query":"a","order":"name","sort_by":"date"}"#).await,
        ["/order: given as `sort_by` too; give only `order`"]
    );
}

#[tokio::test]
async fn unknown_arguments_can_be_ignored() {
    let bench = Bench::new(LaxTool);
    for arguments in [r#"{"a":1,"b":{"c":[2]}}"#, r#"{"b":2,"a":"1"}"#] {
        assert_eq!(bench.call("lax", arguments).await.output(), Some("1"), "{arguments}");
    }
}

#[tokio::test]
async fn arguments_are_limited_in_size() {
    let bench = Bench::builder().tool(SearchTool).with(|executor| executor.max_argument_bytes(100)).build();
    let found = mistakes(&bench, "search", &format!(r#"{{"query":"{}"}}"#, "x".repeat(100))).await;
    assert!(found[0].contains("at most 100 bytes of arguments, got 112"), "{found:?}");
}

#[tokio::test]
async fn a_report_stays_readable() {
    let bench = Bench::new(SearchTool);
    let unknown: Vec<String> = (0..5_000).map(|n| format!(r#""key{n}{}":1"#, "x".repeat(300))).collect();
    let outcome = bench.call("search", &format!("{{{}}}", unknown.join(","))).await;
    assert!(outcome.text().len() < 40_000, "{}", outcome.text().len());
    assert!(outcome.text().contains("more\nReceived:"), "{}", outcome.text());
}

/// An exclusive range.
#[tool(register = false)]
fn dice(#[arg(range(1..7))] eyes: u8) -> String {
    eyes.to_string()
}

#[tokio::test]
async fn an_exclusive_bound_is_told_as_one() {
    let bench = Bench::new(DiceTool);
    assert_eq!(
        mistakes(&bench, "dice", r#"{"eyes":7}"#).await,
        ["/eyes: expected an integer at least 1 and less than 7, got 7"]
    );
}
