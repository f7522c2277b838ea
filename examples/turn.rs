//! One turn of a model with several calls: what runs beside what, a hook that looks on, an observer that keeps the
//! state of every call, and a second turn that is cancelled.
//!
//! `cargo run --example turn`

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use tool_core::{
    event::{CallEvent, CallKey, CallState},
    executor::{Arguments, Before, Hook},
    permission::Ruleset,
    prelude::*,
};

/// Look something up. Takes a while.
#[tool(read_only)]
async fn look_up(
    /// What.
    what: String,
    /// Milliseconds it takes.
    #[arg(default = 50)]
    takes: u64,
) -> String {
    tokio::time::sleep(Duration::from_millis(takes)).await;
    format!("all about {what}")
}

/// Note something down.
#[tool(permission = "note", pattern = text)]
async fn note(
    /// What.
    text: String,
) -> String {
    format!("noted: {text}")
}

/// Refuses notes about secrets, whatever the rules say.
struct NoSecrets;

#[tool_core::async_trait]
impl Hook for NoSecrets {
    async fn before(&self, arguments: &Arguments, ctx: &ToolContext) -> Before {
        let is_secret = arguments["text"].as_str().is_some_and(|text| text.contains("secret"));
        if ctx.tool() == "note" && is_secret {
            return Before::Refuse { reason: "Secrets are not noted down. Leave them out.".to_owned() };
        }
        Before::Continue
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let states: Arc<Mutex<HashMap<CallKey, CallState>>> = Arc::default();
    let seen = states.clone();
    let executor = Executor::builder(Registry::linked()?)
        .rules(Ruleset::new().allow("note", "*"))
        .hook(NoSecrets)
        .observer(move |event: &CallEvent| CallState::follow(&mut seen.lock().expect("nobody panics"), event))
        .build()?;
    let session = Session::new("/");

    // The two look-ups share; the notes wait for them and run alone, in order.
    let calls = [
        ToolCall::new("1", "look_up", r#"{"what":"rust"}"#),
        ToolCall::new("2", "look_up", r#"{"what":"tools"}"#),
        ToolCall::new("3", "note", r#"{"text":"both are fine"}"#),
        ToolCall::new("4", "note", r#"{"text":"the secret is 42"}"#),
    ];
    for outcome in executor.call_all(&session, calls).await {
        println!("{}: {}", outcome.call_id(), outcome.text());
    }

    // Cancelled on the way: every call has an outcome all the same.
    let stop = CancellationToken::new();
    let turn = executor.turn(&session).until(stop.clone());
    let long = [
        ToolCall::new("5", "look_up", r#"{"what":"everything","takes":60000}"#),
        ToolCall::new("6", "note", r#"{"text":"never"}"#),
    ];
    let (outcomes, ()) = tokio::join!(turn.run(long), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        stop.cancel();
    });
    for outcome in outcomes {
        println!("{}: {}", outcome.call_id(), outcome.text());
    }

    executor.flush().await;
    let ended = states.lock().expect("nobody panics").values().filter(|state| state.outcome().is_some()).count();
    println!("{ended} calls have ended");
    Ok(())
}
