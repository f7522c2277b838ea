//! Hooks after a call that is cancelled: they see what goes out, or nothing does.

use std::sync::Arc;

use tokio::sync::Notify;
use tool_core::{ErrorKind, Outcome, async_trait, executor::Hook, prelude::*, testing::Bench, tool::ToolResult};

/// Hand over what there is when told to stop.
#[tool(read_only, register = false)]
async fn obey(begun: &Arc<Notify>, ctx: &ToolContext) -> String {
    begun.notify_one();
    ctx.cancellation().cancelled().await;
    "a secret".to_owned()
}

/// Tell a secret.
#[tool(read_only, register = false)]
fn tell() -> String {
    "a secret".to_owned()
}

/// Fail.
#[tool(read_only, register = false)]
fn fail() -> Result<String, String> {
    Err("the disk is full".to_owned())
}

/// Takes secrets out, and words errors anew.
struct Redact {
    /// Told when it begins.
    begun: Arc<Notify>,
    hangs: bool,
}

impl Redact {
    async fn think(&self, ctx: &ToolContext) {
        self.begun.notify_one();
        ctx.session().cancellation().cancelled().await;
        tokio::task::yield_now().await;
        if self.hangs {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl Hook for Redact {
    async fn after(&self, mut output: ToolOutput, ctx: &ToolContext) -> ToolResult {
        self.think(ctx).await;
        output.output = output.output.replace("secret", "***");
        Ok(output)
    }

    async fn error(&self, error: ToolError, ctx: &ToolContext) -> ToolResult {
        self.think(ctx).await;
        Err(ToolError::failed(format!("{error}, says a hook")))
    }
}

/// A call that is cancelled when it, or a hook after it, has begun.
async fn cancelled(tool: &str, hangs: bool) -> Outcome {
    let begun = Arc::new(Notify::new());
    let hooks = [false, hangs].map(|hangs| Redact { begun: begun.clone(), hangs });
    let bench = Bench::builder().tool(ObeyTool).tool(TellTool).tool(FailTool).state(begun.clone());
    let bench =
        bench.with(|executor| hooks.into_iter().fold(executor, tool_core::executor::ExecutorBuilder::hook)).build();
    let cancel = async {
        begun.notified().await;
        bench.session().cancellation().cancel();
    };
    tokio::join!(bench.call(tool, "{}"), cancel).0
}

#[tokio::test]
async fn hooks_have_a_little_time_for_what_a_cancelled_call_gives() {
    for tool in ["obey", "tell"] {
        assert_eq!(cancelled(tool, false).await.output(), Some("a ***"), "{tool}");
    }
    assert_eq!(cancelled("fail", false).await.text(), "the disk is full, says a hook, says a hook");
}

#[tokio::test]
async fn an_output_that_a_hook_has_no_time_for_is_withheld() {
    for tool in ["obey", "tell"] {
        let outcome = cancelled(tool, true).await;
        assert_eq!(outcome.error().map(ToolError::kind), Some(ErrorKind::Cancelled), "{tool}: {outcome:?}");
    }
}

#[tokio::test]
async fn an_error_that_a_hook_has_no_time_for_is_the_one_before() {
    assert_eq!(cancelled("fail", true).await.text(), "the disk is full, says a hook");
}

#[tokio::test]
async fn what_a_cancelled_tool_hands_over_goes_past_hooks_that_do_nothing() {
    struct Nothing;
    impl Hook for Nothing {}
    let begun = Arc::new(Notify::new());
    let bench = Bench::builder().tool(ObeyTool).state(begun.clone()).with(|executor| executor.hook(Nothing)).build();
    let cancel = async {
        begun.notified().await;
        bench.session().cancellation().cancel();
    };
    assert_eq!(tokio::join!(bench.call("obey", "{}"), cancel).0.output(), Some("a secret"));
}
