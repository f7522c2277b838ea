//! Pictures of the tools, the prompts, the resources, and of the server itself.

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tool_core::{
    prelude::*,
    tool::{Icon, IconSize, IconTheme},
};
use tool_mcp::server::{
    HostError, McpClient, McpServer, Prompt, PromptMessage, Prompts, Resource, ResourceContent, ResourceTemplate,
    Resources,
};

use crate::{tools::EchoTool, wire::Wire};

/// Draw a line.
#[tool(
    register = false,
    icon = "https://example.com/draw.png",
    icon(src = "data:image/svg+xml,%3Csvg/%3E", mime_type = "image/svg+xml", sizes("48x48", "any"), theme = "light")
)]
fn draw() {}

/// What a host offers beside the tools.
struct Desk;

fn picture() -> Icon {
    let icon = Icon::new("https://example.com/desk.png").expect("an https address");
    icon.mime_type("image/png").sizes([IconSize::pixels(16, 16)]).theme(IconTheme::Dark)
}

fn picture_as_json() -> Value {
    json!([{ "src": "https://example.com/desk.png", "mimeType": "image/png", "sizes": ["16x16"], "theme": "dark" }])
}

#[async_trait]
impl Resources for Desk {
    async fn list(&self, _: &McpClient) -> Result<Vec<Resource>, HostError> {
        Ok(vec![Resource::new("desk:///pen", "pen").icons([picture()]), Resource::new("desk:///rubber", "rubber")])
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new("desk:///{thing}", "thing").icons([picture()])]
    }

    async fn read(&self, _: &str, _: &McpClient) -> Result<Option<Vec<ResourceContent>>, HostError> {
        Ok(None)
    }
}

#[async_trait]
impl Prompts for Desk {
    fn list(&self) -> Vec<Prompt> {
        vec![Prompt::new("sketch", "Sketch it.").icons([picture()])]
    }

    async fn get(
        &self,
        _: &str,
        _: &Map<String, Value>,
        _: &McpClient,
    ) -> Result<Option<Vec<PromptMessage>>, HostError> {
        Ok(None)
    }
}

fn server() -> McpServer {
    let tools = Registry::builder().add(DrawTool).add(EchoTool).build().expect("names of their own");
    McpServer::builder(Executor::builder(tools))
        .name("desk", "1.0")
        .icons([picture()])
        .website_url("https://example.com")
        .resources(Desk)
        .prompts(Desk)
        .build()
        .expect("a server")
}

fn info_of_server() -> Value {
    json!({ "name": "desk", "version": "1.0", "icons": picture_as_json(), "websiteUrl": "https://example.com" })
}

/// The parameters of a request of 2026-07-28.
fn stateless() -> Value {
    json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "wire", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    } })
}

/// All lists, asked for with these parameters.
async fn holds_in_lists(wire: &mut Wire, params: &Value) {
    let listed = wire.request("tools/list", params.clone()).await;
    let tools = &listed["result"]["tools"];
    assert_eq!(tools[0]["name"], "draw", "{listed}");
    assert_eq!(
        tools[0]["icons"],
        json!([
            { "src": "https://example.com/draw.png" },
            {
                "src": "data:image/svg+xml,%3Csvg/%3E", "mimeType": "image/svg+xml", "sizes": ["48x48", "any"],
                "theme": "light",
            },
        ])
    );
    assert_eq!((&tools[1]["name"], tools[1].get("icons")), (&json!("echo"), None), "{listed}");
    for (method, list) in [
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let listed = wire.request(method, params.clone()).await;
        assert_eq!(listed["result"][list][0]["icons"], picture_as_json(), "{listed}");
    }
}

#[tokio::test]
async fn a_client_of_a_connection_is_told_of_icons() {
    let mut wire = Wire::raw(&server());
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "w", "version": "1" } });
    let answer = wire.request("initialize", params).await;
    assert_eq!(answer["result"]["serverInfo"], info_of_server(), "{answer}");
    wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    holds_in_lists(&mut wire, &json!({})).await;
    let listed = wire.request("resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"][1].get("icons"), None, "{listed}");
}

#[tokio::test]
async fn a_client_without_a_connection_is_told_of_icons() {
    let mut wire = Wire::raw(&server());
    let answer = wire.request("server/discover", stateless()).await;
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"], info_of_server(), "{answer}");
    holds_in_lists(&mut wire, &stateless()).await;
}
