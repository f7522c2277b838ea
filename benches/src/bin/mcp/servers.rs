//! The servers that are measured, each in a process of its own: ours, and a bare one on `rmcp` with the same tool.

use std::{convert::Infallible, error::Error, sync::Arc};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rmcp::{
    RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ServerCapabilities,
        ServerConfig,
    },
    service::RequestContext,
    transport::{
        IntoTransport, StreamableHttpServerConfig, StreamableHttpService,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde_json::json;
use tokio::{net::TcpListener, runtime::Runtime};
use tool_core::{prelude::*, registry::RegistryBuilder, tool::FnTool};
use tool_mcp::server::{HttpOptions, McpServer};

/// Say it back.
#[tool(read_only)]
fn echo(
    /** What. */
    text: String,
) -> String {
    text
}

/// The same without anything around it.
#[derive(Clone)]
struct Bare;

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request.arguments.as_ref().and_then(|all| all.get("text")?.as_str()).unwrap_or_default();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn ours(registry: RegistryBuilder) -> McpServer {
    let registry = registry.build().expect("tools");
    McpServer::builder(Executor::builder(registry)).build().expect("a server")
}

/// A registry of a thousand tools.
fn many() -> RegistryBuilder {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string", "description": "Where." } } });
    let tool = |number: usize| {
        FnTool::raw(format!("tool_{number:04}"), "One of many.", schema.clone(), |_, _| async { "done" })
            .expect("a tool")
    };
    (0..1_000).map(tool).fold(Registry::builder(), RegistryBuilder::add)
}

/// Serves on standard input and output, or says on the latter at which port it listens.
pub(super) fn serve(which: &str) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    match which {
        "ours" => runtime.block_on(ours(Registry::builder().add(EchoTool)).serve_stdio()).expect("a client"),
        "many" => runtime.block_on(ours(many()).serve_stdio()).expect("a client"),
        "bare" => runtime.block_on(async { bare(rmcp::transport::stdio()).await }),
        // Made within the runtime.
        "bare-pipes" => runtime.block_on(async { bare(rmcp::transport::stdio_pipes()).await }),
        "ours-http" => serve_http(&runtime, |listener| async {
            let server = ours(Registry::builder().add(EchoTool));
            server.serve_http(listener, HttpOptions::new()).await.expect("clients");
        }),
        _ => serve_http(&runtime, bare_http),
    }
}

fn serve_http<F: Future<Output = ()>>(runtime: &Runtime, serve: impl FnOnce(TcpListener) -> F) {
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        println!("{}", listener.local_addr().expect("an address"));
        serve(listener).await;
    });
}

async fn bare<T, E, A>(transport: T)
where
    T: IntoTransport<RoleServer, E, A>,
    E: Error + Send + Sync + 'static,
{
    let running = Bare.serve(transport).await.expect("a client");
    running.waiting().await.expect("it ends well");
}

/// As `rmcp`'s own examples serve, without what stands in between there.
async fn bare_http(listener: TcpListener) {
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    let endpoint = StreamableHttpService::new(|| Ok(Bare), Arc::new(LocalSessionManager::default()), config);
    loop {
        let (stream, _) = listener.accept().await.expect("a client");
        stream.set_nodelay(true).expect("a socket");
        let endpoint = endpoint.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let endpoint = endpoint.clone();
                async move { Ok::<_, Infallible>(endpoint.handle(request).await) }
            });
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
