//! What a context and an executor may do that a tool has kept, or uses past its own call.

use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;
use tool_core::{
    ErrorKind, Outcome, async_trait,
    event::Change,
    executor::{Arguments, Before, Hook},
    permission::Ruleset,
    prelude::*,
    testing::Bench,
};

type Kept = Arc<Mutex<Vec<ToolContext>>>;

/// Keep the context.
#[tool(register = false)]
fn keep(kept: &Kept, ctx: &ToolContext) {
    kept.lock().expect("nobody panics").push(ctx.clone());
}

/// Do nothing.
#[tool(read_only, register = false)]
fn leaf() {}

/// Do nothing, alone.
#[tool(register = false)]
fn alone() {}

fn kind(outcome: &Outcome) -> Option<ErrorKind> {
    outcome.error().map(ToolError::kind)
}

#[tokio::test]
async fn a_context_that_outlives_its_call_does_nothing_and_says_why() {
    for observed in [true, false] {
        let kept = Kept::default();
        let registry = Registry::builder().add(KeepTool).add(LeafTool).build().expect("two tools");
        let executor = Executor::builder(registry).rules(Ruleset::allow_all()).state(kept.clone());
        let told = Arc::new(Mutex::new(Vec::new()));
        let record = told.clone();
        let executor = match observed {
            true => executor.inline_observer(move |event: &tool_core::event::CallEvent| {
                record.lock().unwrap().push(event.change.clone());
            }),
            false => executor,
        };
        let executor = executor.build().expect("nothing is missing");
        let session = Session::new("/");
        executor.call(&session, ToolCall::new("1", "keep", "{}")).await;
        let ctx = kept.lock().expect("nobody panics").pop().expect("it was kept");
        ctx.progress("still here");
        let asked = ctx.ask(PermissionRequest::new("anything", ["*"])).await;
        assert!(asked.is_err_and(|error| error.to_string().contains("`1` has ended")));
        let outcome = ctx.call_tool("leaf", "{}").await;
        assert!(kind(&outcome) == Some(ErrorKind::Failed) && outcome.text().contains("`1` has ended"), "{outcome:?}");
        assert!(!told.lock().unwrap().iter().any(|change| matches!(change, Change::Progress(_))));
        // A call of its own is none of the ended one's.
        let after = ctx.executor().call(ctx.session(), ToolCall::new("2", "keep", "{}")).await;
        assert!(after.output().is_some(), "{after:?}");
    }
}

/// Call past the context.
#[tool(read_only, register = false)]
async fn past(
    /// Which tool.
    tool: String,
    /// Whether in another session.
    elsewhere: bool,
    ctx: &ToolContext,
) -> String {
    let session = if elsewhere { Session::new("/") } else { ctx.session().clone() };
    ctx.executor().call(&session, ToolCall::new("past", tool, "{}")).await.into_text()
}

/// The same, alone.
#[tool(register = false)]
async fn past_alone(
    /// Which tool.
    tool: String,
    /// Whether in another session.
    elsewhere: bool,
    ctx: &ToolContext,
) -> String {
    past(tool, elsewhere, ctx).await
}

/// The same, in a call below one that is alone.
#[tool(register = false)]
async fn past_below(ctx: &ToolContext) -> String {
    ctx.call_tool("past", r#"{"tool":"leaf","elsewhere":false}"#).await.into_text()
}

#[tokio::test]
async fn a_call_past_the_context_in_its_own_session_is_refused() {
    let bench = Bench::builder().tool(PastTool).tool(PastAloneTool).tool(PastBelowTool).tool(LeafTool).tool(AloneTool);
    // With one at a time each of them would wait for the end of the call that makes it.
    let bench = bench.with(|executor| executor.max_parallel(1)).build();
    for caller in ["past", "past_alone"] {
        for (tool, elsewhere) in [("leaf", false), ("alone", false), ("leaf", true), ("alone", true)] {
            let outcome = bench.call(caller, &format!(r#"{{"tool":"{tool}","elsewhere":{elsewhere}}}"#)).await;
            let text = outcome.output().expect("the outer call completes");
            assert_eq!(text.contains("`ToolContext::call_tool`"), !elsewhere, "{caller} {tool} {elsewhere}: {text}");
        }
    }
    let below = bench.call("past_below", "{}").await;
    assert!(below.text().contains("`ToolContext::call_tool`"), "{}", below.text());
}

/// Wait at the door.
#[tool(read_only, register = false)]
async fn wait(door: &Arc<Semaphore>) {
    door.acquire().await.expect("the door stays").forget();
}

#[tokio::test]
async fn a_call_made_before_its_maker_runs_may_end_while_it_runs() {
    /// Calls a tool in the name of the call that it looks at, and does not wait for it.
    struct Ahead(Arc<Mutex<Option<tokio::task::JoinHandle<Outcome>>>>);
    #[async_trait]
    impl Hook for Ahead {
        async fn before(&self, _: &Arguments, ctx: &ToolContext) -> Before {
            if ctx.tool() == "last" {
                let ctx = ctx.clone();
                let made = tokio::spawn(async move { ctx.call_tool("wait", "{}").await });
                *self.0.lock().expect("nobody panics") = Some(made);
                tokio::task::yield_now().await;
            }
            Before::Continue
        }
    }
    /// Ends when the other call has.
    #[tool(read_only, register = false)]
    async fn last(door: &Arc<Semaphore>, made: &Arc<Mutex<Option<tokio::task::JoinHandle<Outcome>>>>) -> String {
        door.add_permits(1);
        let made = made.lock().expect("nobody panics").take().expect("it was made");
        format!("{:?}", made.await.map(|outcome| outcome.output().is_some()))
    }
    let (door, made) = (Arc::new(Semaphore::new(0)), Arc::default());
    let ahead = Ahead(Arc::clone(&made));
    let bench = Bench::builder().tool(WaitTool).tool(LastTool).tool(AloneTool).state(door).state(made);
    let bench = bench.with(|executor| executor.rules(Ruleset::allow_all()).hook(ahead)).build();
    assert_eq!(bench.call("last", "{}").await.output(), Some("Ok(true)"));
    // The line is as it should be: who is to run alone gets in.
    assert!(bench.call("alone", "{}").await.output().is_some());
}
