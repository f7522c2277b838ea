//! Validation and conversion for a tool with arguments of every kind: both paths agree.
#![no_main]
#![allow(dead_code, reason = "fields are read by `Debug` alone")]

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::runtime::{Builder, Runtime};
use tool_core::{prelude::*, registry::IntoTool, testing::Bench};
use tool_fuzz::{REPORT, value};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Tagged {
    Add { left: i64, right: i64 },
    Neg { left: Box<Tagged> },
    None,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(i32),
    Flag(bool),
    List(Vec<Untagged>),
    Text(String),
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Open {
    a: Option<u8>,
    #[serde(default)]
    b: Vec<f64>,
}

/// Takes one of everything.
#[tool(register = false)]
fn take(
    #[arg(range(-10..=10))] a: Option<i64>,
    #[arg(alias = "c")] b: Option<Open>,
    kind: Option<Tagged>,
    left: Option<Untagged>,
    #[arg(rename = "a/b")] map: Option<BTreeMap<String, i8>>,
    #[arg(rename = "~", length(..=3))] list: Option<Vec<String>>,
    any: Option<Value>,
    more: &State,
) -> String {
    let read = format!("{a:?} {b:?} {kind:?} {left:?} {map:?} {list:?} {any:?}");
    *more.0.lock().unwrap_or_else(PoisonError::into_inner) = read;
    String::new()
}

/// What was read last.
#[derive(Default, Clone)]
struct State(Arc<Mutex<String>>);

/// One for all inputs: to make one costs more than a call.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_all().build().expect("a runtime"));

static BENCH: LazyLock<(Mutex<Bench>, State)> = LazyLock::new(|| {
    let state = State::default();
    let bench = Bench::builder().tool(TakeTool).state(state.clone());
    (Mutex::new(bench.with(|executor| executor.rules(Ruleset::allow_all())).build()), state)
});

#[derive(Debug)]
struct Arguments(Map<String, Value>);

impl<'a> Arbitrary<'a> for Arguments {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let names = ["a", "b", "c", "kind", "left", "a/b", "~", "any", "other"];
        let mut members = Map::new();
        for _ in 0..u.int_in_range(1..=3)? {
            members.insert(names[u.int_in_range(0..=8)?].to_owned(), value(u, 4)?);
        }
        Ok(Self(members))
    }
}

fuzz_target!(|arguments: Arguments| {
    let (bench, state) = &*BENCH;
    let bench = bench.lock().unwrap_or_else(PoisonError::into_inner);
    let run = |text: &str| {
        let outcome = RUNTIME.block_on(bench.call("take", text));
        let read = std::mem::take(&mut *state.0.lock().unwrap_or_else(PoisonError::into_inner));
        (outcome, read)
    };
    let text = Value::from(arguments.0.clone()).to_string();
    let (outcome, read) = run(&text);
    // Encoded twice, the same arguments take the slow path.
    let (slow, read_slowly) = run(&Value::from(text.clone()).to_string());
    assert_eq!(read, read_slowly, "{text}");
    assert_eq!(outcome.output().is_some(), slow.output().is_some(), "{text}: {}", slow.text());
    if let Some(ToolError::InvalidArguments(invalid)) = outcome.error() {
        assert_eq!(outcome.text().len(), slow.text().len());
        assert!(outcome.text().len() <= REPORT);
        assert!(!invalid.report.mistakes().is_empty());
        let schema = &TakeTool.into_tool().spec().input_schema.clone();
        let received = Value::from(arguments.0);
        for mistake in invalid.report.mistakes() {
            // What is missing has a parent that is there, unless the parent was converted.
            let parent = mistake.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
            let top = mistake.pointer.split('/').nth(1).unwrap_or_default().replace("~1", "/").replace("~0", "~");
            let is_known = schema["properties"].get(&top).is_some() || received.get(&top).is_some();
            assert!(mistake.pointer.is_empty() || is_known, "{mistake} in {received}");
            assert!(
                parent.is_empty() || received.pointer(parent).is_some() || has_converted(&received, parent),
                "{mistake} in {received}"
            );
        }
    } else {
        assert!(outcome.output().is_some(), "{}", outcome.text());
    }
});

/// Whether something above the place may have been converted: a text that held a value, one value for a list, an alias.
fn has_converted(received: &Value, at: &str) -> bool {
    let mut above = at;
    while let Some((parent, _)) = above.rsplit_once('/') {
        above = parent;
        if let Some(found) = received.pointer(above).filter(|_| !above.is_empty()) {
            return found.is_string() || !found.is_array();
        }
    }
    true
}
