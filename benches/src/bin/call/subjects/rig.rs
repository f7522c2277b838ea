//! `rig`: a typed tool behind its erased handler, which is how an agent's loop serves a call.

use std::{convert::Infallible, hint::black_box, sync::Arc};

use rig_core::{
    effect::{EffectKind, Outcome},
    serve::{ErasedHandler, adapters::ToolAdapter, serve_inline_with},
    tool::{PublishedContext, Tool, ToolContext},
};

use super::{Subject, repeat};
use crate::payload::{AddArgs, Case, UserArgs, sum, written};

struct Add;

impl Tool for Add {
    const NAME: &'static str = "add";
    type Args = AddArgs;
    type Output = String;
    type Error = Infallible;

    fn description(&self) -> String {
        "Add two numbers.".to_owned()
    }

    fn parameters(&self) -> serde_json::Value {
        schemars::schema_for!(AddArgs).into()
    }

    async fn call(&self, _: &mut ToolContext, args: AddArgs) -> Result<String, Infallible> {
        Ok(sum(args.a, args.b))
    }
}

struct SaveUser;

impl Tool for SaveUser {
    const NAME: &'static str = "user";
    type Args = UserArgs;
    type Output = String;
    type Error = Infallible;

    fn description(&self) -> String {
        "Save a user.".to_owned()
    }

    fn parameters(&self) -> serde_json::Value {
        schemars::schema_for!(UserArgs).into()
    }

    async fn call(&self, _: &mut ToolContext, args: UserArgs) -> Result<String, Infallible> {
        Ok(written(&args.user))
    }
}

pub(super) fn subjects() -> [Subject; 2] {
    let add = ErasedHandler::new(ToolAdapter::new(Add));
    let user = ErasedHandler::new(ToolAdapter::new(SaveUser));
    [(Case::Add, add), (Case::User, user)].map(|(case, handler)| {
        let tool = case.to_string();
        let handler = Arc::new(handler);
        Subject::new("rig-core 0.44.0", case, move |count| {
            let (handler, tool) = (handler.clone(), tool.clone());
            async move {
                repeat!(count, turn, {
                    let args = black_box(case.arguments(turn)).to_owned();
                    let scopes = vec![Arc::new(ToolContext::new()) as _, PublishedContext::new() as _];
                    let call = EffectKind::ToolCall { name: tool.clone(), args };
                    match serve_inline_with(&handler, call, scopes).await {
                        Ok(Outcome::ToolResult { result }) => result.output().render(),
                        _ => String::new(),
                    }
                })
            }
        })
    })
}
