//! The server that the official conformance suite judges. Its fixtures are annotated functions.
//!
//! ```sh
//! cargo run -p tool-mcp --example conformance_server    # says where it listens
//! npx @modelcontextprotocol/conformance server --url http://127.0.0.1:PORT/mcp --requirements 2026-07-28
//! ```

mod changes;
mod content;
mod dialogue;
mod input_required;
mod offers;

use std::{
    error::Error,
    sync::{Arc, OnceLock, atomic::AtomicBool},
};

use tokio::net::TcpListener;
use tool_core::{Executor, Registry, registry::LiveRegistry, tool::Icon};
use tool_mcp::server::{HttpOptions, McpServer};

use self::{
    changes::{Offer, json_schema_tool},
    offers::{Cities, Library, Shelf},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let tools = LiveRegistry::from(Registry::builder().linked().add(json_schema_tool()?).build()?);
    let has_more_prompts = Arc::new(AtomicBool::new(false));
    let server = Arc::new(OnceLock::new());
    let offer = Offer { tools: tools.clone(), has_more_prompts: has_more_prompts.clone(), server: server.clone() };

    let executor = Executor::builder(tools).state(offer).doom_loop(None);
    let built = McpServer::builder(executor)
        .name("conformance-server", env!("CARGO_PKG_VERSION"))
        .icons([Icon::new(format!("data:image/png;base64,{}", content::PIXEL))?.mime_type("image/png")])
        .website_url("https://example.com")
        .resources(Shelf)
        .prompts(Library { has_more: has_more_prompts })
        .completions(Cities)
        .build()?;
    let built = server.get_or_init(|| built);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}{}", listener.local_addr()?, HttpOptions::PATH);
    built.serve_http(listener, HttpOptions::new()).await?;
    Ok(())
}
