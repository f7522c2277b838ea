//! Conversions lose nothing, take no long time, and leave alone what fits.

#![allow(dead_code, reason = "fields are read by `Debug` alone")]

use serde::Deserialize;
use tool_core::{error::ErrorKind, prelude::*, testing::Bench};

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Expression {
    Add { left: Box<Expression>, right: Box<Expression> },
    Sub { left: Box<Expression>, right: Box<Expression> },
    Number { value: i64 },
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Nested {
    List(Vec<Nested>),
    Wrapped { inner: Box<Nested> },
    Text(String),
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Person {
    #[serde(alias = "fullName")]
    name: String,
    /// Kept to the letter.
    exact: Option<serde_json::Value>,
}

/// Takes odd things.
#[tool(register = false)]
#[expect(clippy::too_many_arguments, reason = "one of each")]
fn odd(
    expression: Option<Expression>,
    nested: Option<Nested>,
    person: Option<Person>,
    wide: Option<u128>,
    #[arg(default = Some(5))] limit: Option<u32>,
    n: Option<i64>,
    #[schemars(with = "u8")] small: Option<i64>,
    text: Option<String>,
) -> String {
    format!("{expression:?} {nested:?} {person:?} {wide:?} {limit:?} {n:?} {small:?} {text:?}")
}

#[tokio::test]
async fn what_a_model_nests_does_not_make_its_reading_take_long() {
    let bench = Bench::new(OddTool);
    let deep = (0..30).fold(r#"{"op":"number","value":"x"}"#.to_owned(), |inner, _| {
        format!(r#"{{"op":"add","left":{inner},"right":{{"op":"number","value":"1"}}}}"#)
    });
    let started = std::time::Instant::now();
    let outcome = bench.call("odd", &format!(r#"{{"expression":{deep}}}"#)).await;
    assert_eq!(outcome.error().map(ToolError::kind), Some(ErrorKind::InvalidArguments));
    let untagged = (0..12).fold("5.5".to_owned(), |inner, _| format!(r#"{{"inner":[{inner}]}}"#));
    bench.call("odd", &format!(r#"{{"nested":{untagged}}}"#)).await;
    // It took more than a minute once; this only tells seconds from that.
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}

#[tokio::test]
async fn one_conversion_leaves_the_other_arguments_to_the_letter() {
    let bench = Bench::new(OddTool);
    for (arguments, told) in [
        (r#"{"limit":null,"n":"1"}"#, "None None None None None Some(1) None None"),
        (
            r#"{"wide":340282366920938463463374607431768211455,"n":"1"}"#,
            "Some(340282366920938463463374607431768211455)",
        ),
        (r#"{"person":{"fullName":"Ada"},"n":"1"}"#, r#"name: "Ada""#),
        (r#"{"person":{"name":"Ada","exact":1.10},"n":"1"}"#, "exact: Some(Number(1.1))"),
        (r#"{"small":"7"}"#, "Some(7)"),
    ] {
        let outcome = bench.call("odd", arguments).await;
        assert!(outcome.output().is_some_and(|output| output.contains(told)), "{arguments}: {}", outcome.text());
    }
}

#[tokio::test]
async fn what_would_lose_digits_is_refused() {
    let bench = Bench::new(OddTool);
    for arguments in [
        r#"{"text":1.10}"#,
        r#"{"text":1e2}"#,
        r#"{"text":12345678901234567890123}"#,
        r#"{"n":9007199254740993.0}"#,
        r#"{"n":"3.00000000000000001"}"#,
        r#"{"n":"1e2"}"#,
        r#"{"small":300}"#,
        r#"{"person":{"name":"a","name":"b"},"n":"1"}"#,
        "{\"text\":\"a\nb\",\"text\":\"b\"}",
    ] {
        let outcome = bench.call("odd", arguments).await;
        assert_eq!(
            outcome.error().map(ToolError::kind),
            Some(ErrorKind::InvalidArguments),
            "{arguments}: {}",
            outcome.text()
        );
    }
}

#[tokio::test]
async fn a_backslash_before_a_raw_line_break_stays_one() {
    let bench = Bench::new(OddTool);
    let outcome = bench.call("odd", "{\"text\":\"echo a \\\n  b\"}").await;
    assert!(outcome.text().contains(r#"Some("echo a \\\n  b")"#), "{}", outcome.text());
}

#[tokio::test]
async fn half_a_character_is_replaced() {
    let bench = Bench::new(OddTool);
    for (text, told) in [
        (r"\ud800x", "\u{fffd}x"),
        (r"\ude00", "\u{fffd}"),
        (r"\ud83d\ude00\ud83d", "\u{1f600}\u{fffd}"),
        (r"\\ud800 \ud800", "\\ud800 \u{fffd}"),
    ] {
        let outcome = bench.call("odd", &format!(r#"{{"text":"{text}"}}"#)).await;
        assert!(outcome.text().contains(&format!("Some({told:?})")), "{text}: {}", outcome.text());
    }
}
