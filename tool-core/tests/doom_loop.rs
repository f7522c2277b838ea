//! The third identical call in a row.

use tool_core::{
    ErrorKind,
    executor::{Arguments, Before, Hook},
    permission::{Reply, Ruleset},
    prelude::*,
    testing::Bench,
};

/// Look.
#[tool(read_only, register = false)]
fn look(
    /// Where.
    at: String,
    /// How far.
    far: Option<u32>,
) -> String {
    format!("{at} {}", far.unwrap_or_default())
}

/// Something else.
#[tool(read_only, register = false)]
fn other() {}

/// Wait for what goes on meanwhile.
#[tool(read_only, register = false)]
fn poll(ctx: &ToolContext) {
    ctx.expect_repetition();
}

fn bench(replies: Vec<Reply>, rules: Ruleset) -> Bench {
    let bench = Bench::builder().tool(LookTool).tool(OtherTool).tool(PollTool).replies(replies);
    bench.with(|executor| executor.rules(rules)).build()
}

async fn kinds(bench: &Bench, calls: &[(&str, &str)]) -> Vec<Option<ErrorKind>> {
    let mut kinds = Vec::new();
    for (tool, arguments) in calls {
        kinds.push(bench.call(tool, arguments).await.error().map(ToolError::kind));
    }
    kinds
}

const SAME: (&str, &str) = ("look", r#"{"at":"x","far":1}"#);
const DENIED: Option<ErrorKind> = Some(ErrorKind::Denied);

#[tokio::test]
async fn the_third_and_each_after_it_is_asked_about() {
    let bench = bench(vec![Reply::Once, Reply::Reject { feedback: Some("look elsewhere".to_owned()) }], Ruleset::new());
    assert_eq!(kinds(&bench, &[SAME; 4]).await, [None, None, None, DENIED]);
    let asks = bench.asks();
    assert_eq!(asks.len(), 2);
    let request = &asks[0].request;
    assert_eq!((&*request.permission, &request.patterns[..]), ("doom_loop", &["look".to_owned()][..]));
    assert_eq!(request.metadata["input"]["at"], "x");
    let refused = bench.call(SAME.0, SAME.1).await.text();
    assert!(refused.contains("5. time in a row"), "{refused}");
}

#[tokio::test]
async fn blanks_and_the_order_of_members_make_no_other_call() {
    let bench = bench(vec![], Ruleset::new());
    let calls = [SAME, ("look", "{ \"far\": 1, \"at\": \"x\" }"), ("LOOK", r#"{"at":"x","far":1}"#)];
    assert_eq!(kinds(&bench, &calls).await, [None, None, DENIED]);
}

#[tokio::test]
async fn escapes_and_what_is_mended_make_no_other_call() {
    for alike in [
        r#"{"\u0061t":"\u0078","far":1}"#,
        r#"{"at":"x","far":1,}"#,
        "```json\n{\"far\":1,\"at\":\"x\"}\n```",
        r#""{\"at\":\"x\",\"far\":1}""#,
    ] {
        let bench = bench(vec![], Ruleset::new());
        assert_eq!(kinds(&bench, &[SAME, ("look", alike), SAME]).await, [None, None, DENIED], "{alike}");
    }
    for other in [r#"{"\u0062t":"x","far":1}"#, r#"{"at":"\\x","far":1}"#, r#"{"at":"x,","far":1}"#] {
        let bench = bench(vec![], Ruleset::new());
        assert_eq!(kinds(&bench, &[SAME, SAME, ("look", other), SAME]).await[3], None, "{other}");
    }
}

#[tokio::test]
async fn calls_that_are_refused_before_they_are_looked_at_count() {
    struct NotThere;
    #[tool_core::async_trait]
    impl Hook for NotThere {
        async fn before(&self, arguments: &Arguments, _: &ToolContext) -> Before {
            match arguments["at"] == "y" {
                true => Before::Refuse { reason: "not there".to_owned() },
                false => Before::Continue,
            }
        }
    }
    let long = format!(r#"{{"at":"{}"}}"#, "x".repeat(100));
    let refused = [("nowhere", "{}"), ("look", &*long), ("look", r#"{"at":"y"}"#)];
    for between in refused {
        let bench = Bench::builder().tool(LookTool);
        let bench = bench.with(|executor| executor.max_argument_bytes(50).hook(NotThere)).build();
        let kinds = kinds(&bench, &[SAME, SAME, between, SAME]).await;
        assert!(kinds[2].is_some() && kinds[3].is_none(), "{between:?}: {kinds:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_a_turn_are_counted_in_their_order() {
    for _ in 0..20 {
        let bench = bench(vec![], Ruleset::new());
        let turn = ["1", "2", "3"].map(|id| ToolCall::new(id, SAME.0, SAME.1));
        let outcomes = bench.executor().call_all(bench.session(), turn).await;
        let kinds: Vec<_> = outcomes.iter().map(|outcome| outcome.error().map(ToolError::kind)).collect();
        assert_eq!(kinds, [None, None, DENIED]);
    }
}

#[tokio::test]
async fn who_is_asked_sees_the_call_that_asks() {
    let bench = Bench::builder().tool(LookTool).replies([Reply::Once, Reply::Once]);
    let bench = bench.with(|executor| executor.doom_loop(1)).build();
    let turn = ["a", "b"].map(|at| ToolCall::new(at, "look", format!(r#"{{"at":"{at}"}}"#)));
    bench.executor().call_all(bench.session(), turn).await;
    let asks = bench.asks();
    assert_eq!(asks.len(), 2);
    for ask in asks {
        assert_eq!(ask.request.metadata["input"]["at"], ask.call_id.as_str());
    }
}

#[tokio::test]
async fn another_call_between_begins_anew() {
    let bench = bench(vec![], Ruleset::new());
    let farther = ("look", r#"{"at":"x","far":2}"#);
    let swapped = ("look", r#"{"at":"1","far":10}"#);
    let calls = [SAME, SAME, farther, SAME, SAME, ("other", "{}"), SAME, swapped, ("look", r#"{"at":"10","far":1}"#)];
    assert_eq!(kinds(&bench, &calls).await, [None; 9]);
}

#[tokio::test]
async fn a_mistake_made_over_and_over_counts() {
    let long = format!(r#"{{"at":"{}"}}"#, "x".repeat(500));
    for (tool, arguments, mistake) in [
        ("look", r#"{"where":"x"}"#, ErrorKind::InvalidArguments),
        ("look", "[", ErrorKind::InvalidArguments),
        ("look", &*long, ErrorKind::InvalidArguments),
        ("nowhere", "{}", ErrorKind::UnknownTool),
    ] {
        let bench = Bench::builder().tool(LookTool).replies([Reply::Once, Reply::Reject { feedback: None }]);
        let bench = bench.with(|executor| executor.max_argument_bytes(400)).build();
        let mistake = Some(mistake);
        // Allowed, it is told once more; refused, that is what is told.
        let expected = [mistake, mistake, mistake, DENIED];
        assert_eq!(kinds(&bench, &[(tool, arguments); 4]).await, expected, "{tool} {arguments}");
        let input = bench.asks()[0].request.metadata["input"].to_string();
        assert!(input.len() <= 400 && (arguments.len() > 400 || input.contains(&arguments[1..])), "{input}");
    }
}

#[tokio::test]
async fn rules_and_always_settle_it_for_a_tool() {
    let bench = bench(vec![Reply::Always], Ruleset::new());
    assert_eq!(kinds(&bench, &[SAME; 6]).await, [None; 6]);
    assert_eq!(bench.asks().len(), 1);
    let allowed = self::bench(vec![], Ruleset::new().allow("doom_loop", "look"));
    assert_eq!(kinds(&allowed, &[SAME; 6]).await, [None; 6]);
    let denied = self::bench(vec![Reply::Once], Ruleset::new().deny("doom_loop", "*"));
    assert_eq!(kinds(&denied, &[SAME; 3]).await, [None, None, DENIED]);
    assert!(denied.asks().is_empty());
}

#[tokio::test]
async fn it_can_be_set_and_turned_off() {
    let bench = |identical: Option<u32>| {
        Bench::builder().tool(LookTool).with(move |executor| executor.doom_loop(identical)).build()
    };
    assert_eq!(kinds(&bench(None), &[SAME; 9]).await, [None; 9]);
    assert_eq!(kinds(&bench(Some(2)), &[SAME; 2]).await, [None, DENIED]);
}

#[tokio::test]
async fn sessions_are_counted_apart() {
    let bench = bench(vec![], Ruleset::new());
    assert_eq!(kinds(&bench, &[SAME; 2]).await, [None; 2]);
    let session = Session::new("/");
    let call = ToolCall::new("1", SAME.0, SAME.1);
    assert!(bench.executor().call(&session, call).await.output().is_some());
}

#[tokio::test]
async fn what_waits_may_be_said_over_and_over() {
    let bench = bench(vec![], Ruleset::new());
    assert_eq!(kinds(&bench, &[("poll", "{}"); 5]).await, [None; 5]);
    // What comes beside it counts as it did.
    assert_eq!(kinds(&bench, &[SAME, SAME, SAME]).await, [None, None, DENIED]);
}
