//! `llm-tool`: its registry, which reads text.

use std::{hint::black_box, sync::Arc};

use llm_tool::{ToolContext, ToolRegistry, llm_tool};

use super::{Subject, repeat};
use crate::payload::{Case, User, sum, written};

/// Add two numbers.
#[llm_tool]
async fn add(
    /// One number.
    a: i64,
    /// The other number.
    b: i64,
) -> String {
    sum(a, b)
}

/// Save a user.
#[llm_tool]
async fn save(
    /// The user.
    user: User,
) -> String {
    written(&user)
}

pub(super) fn subjects() -> [Subject; 2] {
    let registry = Arc::new(ToolRegistry::new().with_tool(Add).with_tool(Save));
    [(Case::Add, "add"), (Case::User, "save")].map(|(case, tool)| {
        let registry = registry.clone();
        Subject::new("llm-tool 0.10.5", case, move |count| {
            let registry = registry.clone();
            async move {
                repeat!(count, turn, {
                    let context = ToolContext::new();
                    let arguments = black_box(case.arguments(turn));
                    let answer = registry.dispatch_str(tool, arguments, &context).await.expect("it answers");
                    answer.content().to_string()
                })
            }
        })
    })
}
