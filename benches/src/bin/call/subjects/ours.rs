//! `tool-core`: the public executor with one rule that allows, and nobody who watches.

use std::{hint::black_box, sync::Arc};

use tool_core::{permission::Ruleset, prelude::*};

use super::{Subject, repeat};
use crate::payload::{Address, Case, User, sum, written};

/// Add two numbers.
#[tool(read_only)]
async fn add(
    /// One number.
    a: i64,
    /// The other number.
    b: i64,
) -> String {
    sum(a, b)
}

/// Save a user.
#[tool]
async fn user(
    /// The user.
    user: User,
) -> String {
    written(&user)
}

/// Save a user given by parts.
#[tool]
async fn fields(
    /// The full name.
    name: String,
    /// In years.
    age: u32,
    /// Where they live.
    address: Address,
    /// What they are known for.
    tags: Vec<String>,
) -> String {
    written(&User { name, age, address, tags })
}

pub(super) fn subjects() -> Vec<Subject> {
    let any = Case::ALL.map(|case| subject("tool-core", case, Ruleset::allow_all()));
    let named = subject("tool-core, rule by name", Case::Add, Ruleset::new().allow("add", "*"));
    any.into_iter().chain([named]).collect()
}

fn subject(name: &'static str, case: Case, rules: Ruleset) -> Subject {
    let registry = Registry::linked().expect("the names differ");
    let executor = Arc::new(Executor::builder(registry).rules(rules).build().expect("the tools need nothing"));
    let session = Session::new("/");
    // A host has id and name from the provider's message already; it copies nothing to make a call.
    let tool: &'static str = case.to_string().leak();
    Subject::new(name, case, move |count| {
        let (executor, session) = (executor.clone(), session.clone());
        async move {
            repeat!(count, turn, {
                let call = ToolCall::new("call_1", tool, black_box(case.arguments(turn)));
                let outcome = executor.call(&session, call).await;
                outcome.into_text()
            })
        }
    })
}
