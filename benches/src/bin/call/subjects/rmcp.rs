//! `rmcp`: the router of its server, without a transport between.

use std::{hint::black_box, sync::Arc};

use rmcp::{
    RoleServer, ServerHandler,
    handler::server::{router::tool::ToolRouter, tool::ToolCallContext, wrapper::Parameters},
    model::{CallToolRequestParams, CallToolResponse, ContentBlock, NumberOrString},
    service::{RequestContext, serve_directly},
    tool, tool_router,
};
use tokio::runtime::Runtime;

use super::{Subject, repeat};
use crate::payload::{AddArgs, Case, UserArgs, sum, written};

#[derive(Clone)]
struct Server;

impl ServerHandler for Server {}

#[tool_router]
impl Server {
    /// Add two numbers.
    #[tool]
    async fn add(&self, Parameters(args): Parameters<AddArgs>) -> String {
        sum(args.a, args.b)
    }

    /// Save a user.
    #[tool]
    async fn user(&self, Parameters(args): Parameters<UserArgs>) -> String {
        written(&args.user)
    }
}

pub(super) fn subjects(runtime: &Runtime) -> [Subject; 2] {
    let router: Arc<ToolRouter<Server>> = Arc::new(Server::tool_router());
    // A request needs a peer, which only a running service has; nothing ever goes through it.
    let peer = runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(64);
        let running = serve_directly::<RoleServer, _, _, _, _>(Server, ours, None);
        let peer = running.peer().clone();
        std::mem::forget((running, theirs));
        peer
    });
    [Case::Add, Case::User].map(|case| {
        let (router, peer, tool) = (router.clone(), peer.clone(), case.to_string());
        Subject::new("rmcp 3.9.0", case, move |count| {
            let (router, peer, tool) = (router.clone(), peer.clone(), tool.clone());
            async move {
                repeat!(count, turn, {
                    let arguments = serde_json::from_str(black_box(case.arguments(turn))).expect("JSON");
                    let params = CallToolRequestParams::new(tool.clone()).with_arguments(arguments);
                    let request = RequestContext::new(NumberOrString::Number(1), peer.clone());
                    let answer = router.call(ToolCallContext::new(&Server, params, request)).await.expect("it answers");
                    text(answer)
                })
            }
        })
    })
}

fn text(answer: CallToolResponse) -> String {
    match answer {
        CallToolResponse::Complete(result) => match result.content.into_iter().next() {
            Some(ContentBlock::Text(text)) => text.text,
            _ => String::new(),
        },
        _ => String::new(),
    }
}
