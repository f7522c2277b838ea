//! The `tracing` span of a call, as a subscriber sees it.

use std::{
    collections::BTreeMap,
    fmt::Debug,
    sync::{Arc, Mutex},
};

use tool_core::{
    executor::{NestingLimits, Telemetry},
    permission::Ruleset,
    prelude::*,
    testing::Bench,
};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    layer::{Context, Layer, SubscriberExt},
    registry::LookupSpan,
};

type Fields = BTreeMap<String, String>;

/// An event with the span it came in.
type Told = (Option<u64>, Fields);

/// Every span with its fields, and every event.
#[derive(Clone, Default)]
struct Seen {
    spans: Arc<Mutex<BTreeMap<u64, Fields>>>,
    events: Arc<Mutex<Vec<Told>>>,
}

struct Into<'f>(&'f mut Fields);

impl Visit for Into<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Seen {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let mut fields = Fields::from([("name".to_owned(), attributes.metadata().name().to_owned())]);
        attributes.record(&mut Into(&mut fields));
        self.spans.lock().expect("nobody panics").insert(id.into_u64(), fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut spans = self.spans.lock().expect("nobody panics");
        values.record(&mut Into(spans.entry(id.into_u64()).or_default()));
    }

    fn on_event(&self, event: &tracing::Event<'_>, ctx: Context<'_, S>) {
        let mut fields = Fields::new();
        event.record(&mut Into(&mut fields));
        let span = ctx.event_span(event).map(|span| span.id().into_u64());
        self.events.lock().expect("nobody panics").push((span, fields));
    }
}

/// Say something at length.
#[tool(read_only, register = false)]
async fn talk(
    /// How many lines.
    lines: usize,
    /// What.
    what: String,
) -> Result<String, String> {
    tokio::task::yield_now().await;
    tracing::info!("talking");
    if lines == 0 { Err("nothing to say".to_owned()) } else { Ok(format!("{what}\n").repeat(lines)) }
}

/// Panic.
#[tool(read_only, register = false)]
fn fall() -> String {
    panic!("fell")
}

/// Wait for ever.
#[tool(read_only, register = false)]
async fn forever() {
    std::future::pending::<()>().await;
}

/// Talk through another.
#[tool(read_only, register = false)]
async fn relay(ctx: &ToolContext) -> String {
    ctx.call_tool("talk", r#"{"lines":1,"what":"hi"}"#).await.into_text()
}

/// The spans of one call, in order, and the events.
async fn spans(telemetry: Telemetry, tool: &str, arguments: &str) -> (Vec<Fields>, Vec<Told>) {
    let seen = Seen::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(seen.clone()));
    let bench = Bench::builder().tool(TalkTool).tool(FallTool).tool(RelayTool);
    let bench = bench.with(move |executor| executor.rules(Ruleset::allow_all()).telemetry(telemetry)).build();
    bench.call(tool, arguments).await;
    let spans = seen.spans.lock().expect("nobody panics").values().cloned().collect();
    let events = seen.events.lock().expect("nobody panics").clone();
    (spans, events)
}

#[tokio::test]
async fn a_call_is_one_span_with_the_conventions_names() {
    let (spans, events) = spans(Telemetry::default(), "talk", r#"{"lines":2,"what":"secret"}"#).await;
    let [span] = spans.as_slice() else { panic!("{spans:?}") };
    let expected = [
        ("name", "execute_tool"),
        ("otel.name", "execute_tool talk"),
        ("otel.kind", "internal"),
        ("otel.status_code", "OK"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.conversation.id", "session"),
        ("gen_ai.tool.name", "talk"),
        ("gen_ai.tool.call.id", "call_1"),
        ("gen_ai.tool.type", "function"),
        ("gen_ai.tool.description", "Say something at length."),
        ("gen_ai.tool.call.result", "secret\nsecret\n"),
    ];
    for (key, value) in expected {
        assert_eq!(span.get(key).map(String::as_str), Some(value), "{key}");
    }
    assert_eq!(span.get("gen_ai.tool.call.arguments"), None);
    assert_eq!(span.get("error.type"), None);
    let (within, _) = events.iter().find(|(_, fields)| fields["message"] == "talking").expect("the tool's own event");
    assert!(within.is_some(), "what a tool logs is within its call's span");
}

#[tokio::test]
async fn values_are_told_as_asked_for() {
    let telemetry = Telemetry::default().arguments(true).result(false);
    let (spans, _) = spans(telemetry, "talk", r#"{"lines":2,"what":"secret"}"#).await;
    assert_eq!(spans[0]["gen_ai.tool.call.arguments"], r#"{"lines":2,"what":"secret"}"#);
    assert_eq!(spans[0].get("gen_ai.tool.call.result"), None);
}

#[tokio::test]
async fn a_preview_has_at_most_64_lines_and_2_kib() {
    let (many, _) = spans(Telemetry::default(), "talk", r#"{"lines":1000,"what":"a"}"#).await;
    assert_eq!(many[0]["gen_ai.tool.call.result"].lines().count(), 64);
    let long = format!(r#"{{"lines":1,"what":"{}"}}"#, "ä".repeat(3_000));
    let (long, _) = spans(Telemetry::default(), "talk", &long).await;
    assert_eq!(long[0]["gen_ai.tool.call.result"].len(), 2_048);
}

#[tokio::test]
async fn errors_have_a_class_and_a_panic_is_told_to_the_host_alone() {
    for (tool, arguments, class) in [
        ("talk", r#"{"lines":0,"what":"x"}"#, "tool_error"),
        ("talk", r#"{"lines":"many"}"#, "invalid_arguments"),
        ("fall", "{}", "panic"),
    ] {
        let (spans, events) = spans(Telemetry::default(), tool, arguments).await;
        assert_eq!(spans[0]["error.type"], class);
        assert_eq!(spans[0]["otel.status_code"], "ERROR");
        assert_eq!(events.iter().any(|(_, fields)| fields.get("panic").is_some_and(|p| p == "fell")), class == "panic");
    }
}

#[tokio::test]
async fn a_nested_call_has_a_span_of_its_own() {
    let (spans, _) = spans(Telemetry::default(), "relay", "{}").await;
    let ids: Vec<_> = spans.iter().map(|span| span["gen_ai.tool.call.id"].as_str()).collect();
    assert_eq!(ids, ["call_1", "call_1/1"]);
}

#[tokio::test]
async fn calls_that_run_no_tool_have_spans_too() {
    let seen = Seen::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(seen.clone()));
    let none = NestingLimits { depth: 0, calls: 0 };
    let bench = Bench::builder().tool(TalkTool).tool(RelayTool).with(move |executor| executor.nesting(none)).build();
    bench.call("relay", "{}").await;
    bench.call("no where", "{}").await;
    let spans: Vec<_> = seen.spans.lock().expect("nobody panics").values().cloned().collect();
    let told: Vec<_> =
        spans.iter().map(|span| (span["gen_ai.tool.call.id"].as_str(), span.get("error.type"))).collect();
    let (refused, unknown) = ("tool_error".to_owned(), "unknown_tool".to_owned());
    assert_eq!(told, [("call_1", None), ("call_1/1", Some(&refused)), ("call_2", Some(&unknown))]);
}

#[tokio::test]
async fn a_call_that_is_dropped_is_told_as_cancelled() {
    let seen = Seen::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(seen.clone()));
    let bench = Bench::new(ForeverTool);
    let mut call = Box::pin(bench.call("forever", "{}"));
    assert!(futures_util::poll!(&mut call).is_pending());
    drop(call);
    let spans: Vec<_> = seen.spans.lock().expect("nobody panics").values().cloned().collect();
    assert_eq!([&*spans[0]["otel.status_code"], &*spans[0]["error.type"]], ["ERROR", "cancelled"]);
}
