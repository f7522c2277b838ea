//! What hooks are told of calls that fail, and hooks that fail before they have a future.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
};

use tool_core::{
    ErrorKind, Outcome, async_trait,
    executor::{Arguments, Before, Hook},
    permission::Ruleset,
    prelude::*,
    testing::Bench,
    tool::ToolResult,
};

/// Panic.
#[tool(read_only, register = false)]
fn fall() -> String {
    panic!("fell")
}

/// Do as told.
#[tool(read_only, register = false)]
fn work(
    /// Whether to fail.
    fail: bool,
) -> Result<String, String> {
    if fail { Err("no".to_owned()) } else { Ok("done".to_owned()) }
}

/// Promise a number from 1 to 3.
#[tool(read_only, register = false)]
fn number(
    /// Which.
    n: u32,
) -> Json<Small> {
    Json(Small { n })
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Small {
    #[schemars(range(min = 1, max = 3))]
    n: u32,
}

/// Wait for ever.
#[tool(read_only, register = false)]
async fn forever() {
    std::future::pending::<()>().await;
}

/// Takes down the errors that it is told of.
#[derive(Clone, Default)]
struct Errors {
    told: Arc<Mutex<Vec<ErrorKind>>>,
    /// What it makes of an output.
    after: Option<&'static str>,
}

#[async_trait]
impl Hook for Errors {
    async fn after(&self, mut output: ToolOutput, _: &ToolContext) -> ToolResult {
        if let Some(after) = self.after {
            output.structured = Some(Box::new(after.into()));
        }
        Ok(output)
    }

    async fn error(&self, error: ToolError, _: &ToolContext) -> ToolResult {
        self.told.lock().expect("nobody panics").push(error.kind());
        Err(error)
    }
}

fn bench(hook: impl Hook) -> Bench {
    let bench = Bench::builder().tool(FallTool).tool(WorkTool).tool(NumberTool).tool(ForeverTool);
    bench.with(|executor| executor.rules(Ruleset::new().deny("number", "*")).hook(hook)).build()
}

fn kind(outcome: &Outcome) -> Option<ErrorKind> {
    outcome.error().map(ToolError::kind)
}

#[tokio::test]
async fn every_error_is_told_once() {
    for (tool, arguments, expected) in [
        ("fall", "{}", ErrorKind::Panicked),
        ("nowhere", "{}", ErrorKind::UnknownTool),
        ("work", r#"{"fail":true}"#, ErrorKind::Failed),
        ("work", r#"{"fail":"maybe"}"#, ErrorKind::InvalidArguments),
        ("number", r#"{"n":1}"#, ErrorKind::Denied),
    ] {
        let errors = Errors::default();
        let outcome = bench(errors.clone()).call(tool, arguments).await;
        assert_eq!(kind(&outcome), Some(expected));
        assert_eq!(*errors.told.lock().expect("nobody panics"), [expected], "{tool} {arguments}");
    }
    let errors = Errors::default();
    let bench = bench(errors.clone());
    assert_eq!(bench.call("work", r#"{"fail":false}"#).await.output(), Some("done"));
    let forever = bench.call("forever", "{}");
    let (cancelled, ()) = tokio::join!(forever, async { bench.session().cancellation().cancel() });
    assert_eq!(kind(&cancelled), Some(ErrorKind::Cancelled));
    assert!(errors.told.lock().expect("nobody panics").is_empty(), "a cancelled call has not failed");
}

#[tokio::test]
async fn an_output_that_breaks_its_schema_is_an_error_whoever_made_it() {
    for (n, after) in [(9, None), (2, Some("no number"))] {
        let errors = Errors { after, ..Errors::default() };
        let bench = Bench::builder().tool(NumberTool);
        let hook = errors.clone();
        let bench = bench.with(|executor| executor.rules(Ruleset::allow_all()).hook(hook)).build();
        let outcome = bench.call("number", &format!(r#"{{"n":{n}}}"#)).await;
        assert_eq!(kind(&outcome), Some(ErrorKind::Failed), "{n}");
        assert_eq!(*errors.told.lock().expect("nobody panics"), [ErrorKind::Failed], "{n}");
    }
}

#[tokio::test]
async fn a_call_with_another_ones_id_is_told_too() {
    let errors = Errors::default();
    let bench = bench(errors.clone());
    let twice = ["1", "1"].map(|id| ToolCall::new(id, "work", r#"{"fail":false}"#));
    let outcomes = bench.executor().call_all(bench.session(), twice).await;
    assert_eq!(outcomes.iter().map(kind).collect::<Vec<_>>(), [None, Some(ErrorKind::InvalidArguments)]);
    assert_eq!(*errors.told.lock().expect("nobody panics"), [ErrorKind::InvalidArguments]);
}

#[tokio::test]
async fn an_error_can_be_answered_for_a_tool_that_there_is_not() {
    struct Elsewhere;
    #[async_trait]
    impl Hook for Elsewhere {
        async fn error(&self, error: ToolError, ctx: &ToolContext) -> ToolResult {
            match error {
                ToolError::UnknownTool(unknown) => Ok(ToolOutput::text(format!("{} as {}", unknown.name, ctx.tool()))),
                error => Err(error),
            }
        }
    }
    let bench = bench(Elsewhere);
    for (name, answer) in [("web.search", "web.search as web_search"), ("", " as _"), ("7", "7 as _7")] {
        let outcome = bench.call(name, "{}").await;
        assert_eq!((outcome.output(), outcome.tool()), (Some(answer), name));
    }
}

type BoxFuture<'f, T> = Pin<Box<dyn Future<Output = T> + Send + 'f>>;

/// Written without the attribute, and panics before it has made a future.
struct Sudden {
    after: bool,
}

impl Hook for Sudden {
    fn before<'a, 'b, 'c, 'f>(&'a self, _: &'b Arguments, _: &'c ToolContext) -> BoxFuture<'f, Before>
    where
        'a: 'f,
        'b: 'f,
        'c: 'f,
    {
        assert!(self.after, "the hook's own fault");
        Box::pin(std::future::ready(Before::Continue))
    }

    fn after<'a, 'b, 'f>(&'a self, _: ToolOutput, _: &'b ToolContext) -> BoxFuture<'f, ToolResult>
    where
        'a: 'f,
        'b: 'f,
    {
        panic!("the hook's own fault")
    }

    fn error<'a, 'b, 'f>(&'a self, _: ToolError, _: &'b ToolContext) -> BoxFuture<'f, ToolResult>
    where
        'a: 'f,
        'b: 'f,
    {
        panic!("the hook's own fault")
    }
}

#[tokio::test]
async fn a_hook_that_panics_before_it_has_a_future_is_a_refusal() {
    let outcome = bench(Sudden { after: false }).call("work", r#"{"fail":false}"#).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::Denied));
    let outcome = bench(Sudden { after: true }).call("work", r#"{"fail":false}"#).await;
    assert_eq!(kind(&outcome), Some(ErrorKind::Failed));
    assert!(outcome.text().contains("The tool ran"), "{}", outcome.text());
    let outcome = bench(Sudden { after: true }).call("work", r#"{"fail":true}"#).await;
    assert_eq!(outcome.text(), "no");
}

#[tokio::test]
async fn what_a_hook_answers_for_an_error_is_no_tools_output() {
    struct Answers;
    #[async_trait]
    impl Hook for Answers {
        async fn error(&self, _: ToolError, _: &ToolContext) -> ToolResult {
            Ok(ToolOutput::text("answered"))
        }
    }
    struct Marks;
    #[async_trait]
    impl Hook for Marks {
        async fn after(&self, mut output: ToolOutput, _: &ToolContext) -> ToolResult {
            output.output.push_str(", seen");
            Ok(output)
        }
    }
    let bench = Bench::builder().tool(WorkTool).with(|executor| executor.hook(Answers).hook(Marks)).build();
    assert_eq!(bench.call("nowhere", "{}").await.output(), Some("answered"));
    assert_eq!(bench.call("work", r#"{"fail":true}"#).await.output(), Some("answered"));
    assert_eq!(bench.call("work", r#"{"fail":false}"#).await.output(), Some("done, seen"));
}
