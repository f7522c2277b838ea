//! What a host does around tools, and what becomes of a hook that fails.

use std::{sync::Mutex, time::Duration};

use tool_core::{
    ErrorKind, Outcome, async_trait,
    executor::{Arguments, Before, Hook},
    permission::Ruleset,
    prelude::*,
    testing::Bench,
    tool::{Audience, ToolResult, ToolSpec},
};

/// Say hello.
#[tool(permission = "speak", pattern = name, register = false)]
fn hello(
    /// Whom to.
    #[arg(length(1..=10))]
    name: String,
) -> Result<String, String> {
    if name == "nobody" { Err("nobody is there".to_owned()) } else { Ok(format!("Hello, {name}!")) }
}

/// Answers each call from a list of what to do before it.
struct Scripted(Mutex<Vec<Before>>);

#[async_trait]
impl Hook for Scripted {
    async fn before(&self, _: &Arguments, _: &ToolContext) -> Before {
        self.0.lock().expect("nobody panics").pop().unwrap_or(Before::Continue)
    }
}

/// Adds its mark wherever it can.
struct Mark(&'static str);

#[async_trait]
impl Hook for Mark {
    fn definition(&self, spec: &mut ToolSpec, _: &Audience) {
        spec.description = format!("{}{}", spec.description, self.0).into();
    }

    async fn before(&self, arguments: &Arguments, _: &ToolContext) -> Before {
        let name = arguments["name"].as_str().unwrap_or_default();
        Before::Change(serde_json::json!({ "name": format!("{name}{}", self.0) }))
    }

    async fn after(&self, mut output: ToolOutput, _: &ToolContext) -> ToolResult {
        output.output.push_str(self.0);
        Ok(output)
    }

    async fn error(&self, error: ToolError, _: &ToolContext) -> ToolResult {
        Err(ToolError::failed(format!("{error}{}", self.0)))
    }
}

async fn call(hook: impl Hook, name: &str) -> Outcome {
    let bench = Bench::builder().tool(HelloTool);
    let bench = bench.with(|executor| executor.rules(Ruleset::allow_all()).hook(hook)).build();
    bench.call("hello", &serde_json::json!({ "name": name }).to_string()).await
}

fn before(what: Before) -> Scripted {
    Scripted(Mutex::new(vec![what]))
}

fn kind(outcome: &Outcome) -> Option<ErrorKind> {
    outcome.error().map(ToolError::kind)
}

#[tokio::test]
async fn hooks_run_in_order_and_see_what_the_one_before_made() {
    let bench = Bench::builder().tool(HelloTool);
    let bench = bench.with(|executor| executor.rules(Ruleset::allow_all()).hook(Mark("1")).hook(Mark("2"))).build();
    assert_eq!(bench.call("hello", r#"{"name":"A"}"#).await.output(), Some("Hello, A12!12"));
    assert_eq!(bench.executor().specs(bench.session(), &Audience::new()).await[0].description, "Say hello.12");
    let failed = bench.call("hello", r#"{"nme":"A"}"#).await;
    assert!(failed.text().ends_with("12"), "{failed:?}");
    // The tool's own word is kept, and the hooks' behind it.
    let hooked = call(Mark("."), "nobody").await;
    assert_eq!(hooked.output(), Some("Hello, nobody.!."));
}

#[tokio::test]
async fn changed_arguments_are_validated_and_judged_anew() {
    let outcome = call(before(Before::Change(serde_json::json!({ "name": "far too long for it" }))), "A").await;
    assert_eq!(kind(&outcome), Some(ErrorKind::Failed));
    assert!(outcome.text().contains("hook") && outcome.text().contains("name"), "{}", outcome.text());

    let bench = Bench::builder().tool(HelloTool).with(|executor| {
        let hook = before(Before::Change(serde_json::json!({ "name": "B" })));
        executor.rules(Ruleset::new().allow("speak", "A").deny("speak", "B")).hook(hook)
    });
    assert_eq!(kind(&bench.build().call("hello", r#"{"name":"A"}"#).await), Some(ErrorKind::Denied));
}

#[tokio::test]
async fn a_hook_answers_refuses_or_aborts() {
    let outcome = call(before(Before::Answer(ToolOutput::text("from memory"))), "A").await;
    assert_eq!(outcome.output(), Some("from memory"));
    let outcome = call(before(Before::Refuse { reason: "Not today.".to_owned() }), "A").await;
    assert_eq!(kind(&outcome), Some(ErrorKind::Denied));
    assert!(outcome.text().contains("Not today."));
    let outcome = call(before(Before::Abort { reason: "Stop.".to_owned() }), "A").await;
    assert_eq!(kind(&outcome), Some(ErrorKind::Fatal));
}

#[tokio::test]
async fn an_answer_is_cut_to_size() {
    let outcome = call(before(Before::Answer(ToolOutput::text("line\n".repeat(3_000)))), "A").await;
    assert_eq!(outcome.metadata()["truncated"], true);
}

struct Faulty {
    hangs: bool,
    after: bool,
}

impl Faulty {
    async fn fail(&self) {
        if self.hangs {
            std::future::pending::<()>().await;
        }
        panic!("the hook's own fault");
    }
}

#[async_trait]
impl Hook for Faulty {
    async fn before(&self, _: &Arguments, _: &ToolContext) -> Before {
        if !self.after {
            self.fail().await;
        }
        Before::Continue
    }

    async fn after(&self, output: ToolOutput, _: &ToolContext) -> ToolResult {
        self.fail().await;
        Ok(output)
    }

    async fn error(&self, error: ToolError, _: &ToolContext) -> ToolResult {
        self.fail().await;
        Err(error)
    }
}

async fn faulty(hook: Faulty, name: &str) -> Outcome {
    let bench = Bench::builder()
        .tool(HelloTool)
        .with(|executor| executor.rules(Ruleset::allow_all()).hook(hook).hook_timeout(Duration::from_millis(10)));
    bench.build().call("hello", &serde_json::json!({ "name": name }).to_string()).await
}

#[tokio::test]
async fn a_hook_that_fails_or_hangs_is_a_refusal() {
    for hangs in [false, true] {
        let outcome = faulty(Faulty { hangs, after: false }, "A").await;
        assert_eq!(kind(&outcome), Some(ErrorKind::Denied));
        assert!(outcome.text().contains(if hangs { "too long" } else { "failed" }), "{}", outcome.text());

        let outcome = faulty(Faulty { hangs, after: true }, "A").await;
        assert_eq!(kind(&outcome), Some(ErrorKind::Failed));
        assert!(outcome.text().contains("The tool ran"), "{}", outcome.text());

        let outcome = faulty(Faulty { hangs, after: true }, "nobody").await;
        assert_eq!((kind(&outcome), outcome.text().as_str()), (Some(ErrorKind::Failed), "nobody is there"));
    }
}

#[tokio::test]
async fn a_hook_that_waits_ends_with_the_call() {
    let bench = Bench::builder().tool(HelloTool).with(|executor| executor.hook(Faulty { hangs: true, after: false }));
    let bench = bench.build();
    let (outcome, ()) = tokio::join!(bench.call("hello", r#"{"name":"A"}"#), async {
        tokio::task::yield_now().await;
        bench.session().cancellation().cancel();
    });
    assert_eq!(kind(&outcome), Some(ErrorKind::Cancelled));
}

/// Mends what failed.
struct Mend;

#[async_trait]
impl Hook for Mend {
    async fn error(&self, error: ToolError, _: &ToolContext) -> ToolResult {
        Ok(ToolOutput::text(format!("instead of: {error}")))
    }

    async fn after(&self, _: ToolOutput, _: &ToolContext) -> ToolResult {
        Err(ToolError::failed("this output may not leave"))
    }
}

#[tokio::test]
async fn an_error_can_be_answered_and_an_output_refused() {
    assert_eq!(call(Mend, "nobody").await.output(), Some("instead of: nobody is there"));
    assert_eq!(call(Mend, "A").await.text(), "this output may not leave");
}

#[tokio::test]
async fn a_definition_that_panics_changes_nothing() {
    struct Panics;
    impl Hook for Panics {
        fn definition(&self, spec: &mut ToolSpec, _: &Audience) {
            spec.description = "half".into();
            panic!("the hook's own fault");
        }
    }
    let bench = Bench::builder().tool(HelloTool).with(|executor| executor.hook(Panics)).build();
    assert_eq!(bench.executor().specs(bench.session(), &Audience::new()).await[0].description, "Say hello.");
}

/// Give a number.
#[tool(read_only, register = false)]
fn number() -> Json<u32> {
    Json(1)
}

#[tokio::test]
async fn an_answer_is_held_to_the_tools_output_schema() {
    let hook = before(Before::Answer(ToolOutput::text("not json")));
    let bench = Bench::builder().tool(NumberTool).with(|executor| executor.hook(hook)).build();
    assert_eq!(kind(&bench.call("number", "{}").await), Some(ErrorKind::Failed));
}

/// Move something.
#[tool(rename_all = "camelCase", read_only, register = false)]
fn shift(
    /// What.
    #[arg(alias = "thing")]
    what_it_is: String,
    /// How far.
    by: i64,
) -> String {
    format!("{what_it_is} by {by}")
}

/// Takes down what it sees, and changes it if told to.
struct Watch {
    seen: std::sync::Arc<Mutex<Vec<Arguments>>>,
    change: Option<Arguments>,
}

#[async_trait]
impl Hook for Watch {
    async fn before(&self, arguments: &Arguments, _: &ToolContext) -> Before {
        self.seen.lock().expect("nobody panics").push(arguments.clone());
        self.change.clone().map_or(Before::Continue, Before::Change)
    }
}

#[tokio::test]
async fn hooks_see_the_arguments_as_the_tool_takes_them() {
    let schema = serde_json::json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let raw = tool_core::tool::FnTool::raw("raw", "Raw.", schema, |value, _| async move { value.to_string() });
    let seen = std::sync::Arc::<Mutex<Vec<Arguments>>>::default();
    let watch = Watch { seen: seen.clone(), change: None };
    let bench = Bench::builder().tool(ShiftTool).tool(raw.expect("the schema is one"));
    let bench = bench.with(|executor| executor.hook(watch)).build();
    let shifted = bench.call("shift", r#"{"thing":"box","by":"3"}"#).await;
    assert_eq!(shifted.output(), Some("box by 3"));
    bench.call("shift", r#"{"whatItIs":"box","by":4}"#).await;
    assert_eq!(bench.call("raw", r#"{"n":"5","more":[1]}"#).await.output(), Some(r#"{"n":5,"more":[1]}"#));
    let expected = [
        serde_json::json!({ "whatItIs": "box", "by": 3 }),
        serde_json::json!({ "whatItIs": "box", "by": 4 }),
        serde_json::json!({ "n": 5, "more": [1] }),
    ];
    assert_eq!(*seen.lock().expect("nobody panics"), expected);
}

#[tokio::test]
async fn the_next_hook_sees_a_change_as_it_was_validated() {
    let seen = std::sync::Arc::<Mutex<Vec<Arguments>>>::default();
    let change = Watch { seen: seen.clone(), change: Some(serde_json::json!({ "thing": "jar", "by": "7" })) };
    let watch = Watch { seen: seen.clone(), change: None };
    let bench = Bench::builder().tool(ShiftTool).with(|executor| executor.hook(change).hook(watch)).build();
    assert_eq!(bench.call("shift", r#"{"thing":"box","by":3}"#).await.output(), Some("jar by 7"));
    assert_eq!(seen.lock().expect("nobody panics")[1], serde_json::json!({ "whatItIs": "jar", "by": 7 }));
    // What does not fit ends there: no hook after it is shown what the tool would refuse.
    let seen = std::sync::Arc::<Mutex<Vec<Arguments>>>::default();
    let change = Watch { seen: seen.clone(), change: Some(serde_json::json!({ "by": "far" })) };
    let watch = Watch { seen: seen.clone(), change: None };
    let bench = Bench::builder().tool(ShiftTool).with(|executor| executor.hook(change).hook(watch)).build();
    assert_eq!(kind(&bench.call("shift", r#"{"thing":"box","by":3}"#).await), Some(ErrorKind::Failed));
    assert_eq!(seen.lock().expect("nobody panics").len(), 1);
}
