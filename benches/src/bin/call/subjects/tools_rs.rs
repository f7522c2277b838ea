//! `tools-rs`: its collection, which takes a parsed value and gives one back.

use std::{hint::black_box, sync::Arc};

use serde_json::Value;
use tools_rs::{FunctionCall, collect_tools, tool};

use super::{Subject, repeat};
use crate::payload::{Case, User, sum, written};

#[tool]
/// Add two numbers.
async fn add(a: i64, b: i64) -> String {
    sum(a, b)
}

#[tool]
/// Save a user.
async fn user(user: User) -> String {
    written(&user)
}

pub(super) fn subjects() -> [Subject; 2] {
    let tools = Arc::new(collect_tools());
    [Case::Add, Case::User].map(|case| {
        let (tools, tool) = (tools.clone(), case.to_string());
        Subject::new("tools-rs 0.3.3", case, move |count| {
            let (tools, tool) = (tools.clone(), tool.clone());
            async move {
                repeat!(count, turn, {
                    let arguments = serde_json::from_str(black_box(case.arguments(turn))).expect("JSON");
                    let answer = tools.call(FunctionCall::new(tool.clone(), arguments)).await.expect("it answers");
                    match answer.result {
                        Value::String(text) => text,
                        other => other.to_string(),
                    }
                })
            }
        })
    })
}
