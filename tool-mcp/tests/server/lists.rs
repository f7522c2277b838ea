//! What clients are told there is.

use std::time::Instant;

use serde_json::{Value, json};
use tool_core::{prelude::*, registry::RegistryBuilder, tool::FnTool, truncate::SpillStore};
use tool_mcp::server::McpServer;

use crate::{
    tools::{EchoTool, Seen, builder, server},
    wire::Wire,
};

fn many(count: usize) -> Registry {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string", "description": "Where." } } });
    let tool = |number: usize| {
        FnTool::raw(format!("tool_{number:05}"), "One of many.", schema.clone(), |_, _| async { "done" })
            .expect("a tool")
    };
    (0..count).map(tool).fold(Registry::builder(), RegistryBuilder::add).build().expect("names of their own")
}

fn names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().expect("a list");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn a_long_list_comes_in_pages_that_leave_nothing_out() {
    let server = McpServer::builder(Executor::builder(many(2_500))).build().expect("a server");
    let mut wire = Wire::connect(&server, json!({})).await;
    let (mut all, mut cursor) = (Vec::new(), None);
    loop {
        let params = cursor.map_or_else(|| json!({}), |cursor: Value| json!({ "cursor": cursor }));
        let page = wire.request("tools/list", params).await;
        let listed = names(&page);
        assert!(listed.len() <= 1_000);
        all.extend(listed);
        match page["result"].get("nextCursor") {
            Some(next) => cursor = Some(next.clone()),
            None => break,
        }
    }
    let wanted: Vec<String> = (0..2_500).map(|number| format!("tool_{number:05}")).collect();
    assert_eq!(all, wanted);
}

#[tokio::test]
async fn a_thousand_tools_are_listed_fast() {
    let server = McpServer::builder(Executor::builder(many(1_000))).build().expect("a server");
    let mut wire = Wire::connect(&server, json!({})).await;
    wire.request("tools/list", json!({})).await;
    let start = Instant::now();
    assert_eq!(names(&wire.request("tools/list", json!({})).await).len(), 1_000);
    // An unoptimised build on a busy machine; the benches hold it against 20 ms.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[tokio::test]
async fn what_a_tool_is_stands_in_its_declaration() {
    let mut wire = Wire::connect(&server(&Seen::default()), json!({})).await;
    let listed = wire.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let echo = tools.iter().find(|tool| tool["name"] == "echo").expect("it is listed");
    assert_eq!(echo["annotations"]["readOnlyHint"], true, "{echo}");
    assert_eq!(echo["inputSchema"]["required"], json!(["text"]), "{echo}");
}

#[tokio::test]
async fn a_client_hears_that_the_tools_are_others() {
    let server = server(&Seen::default());
    let mut wire = Wire::connect(&server, json!({})).await;
    // Once it has been answered, it is known to listen.
    wire.request("ping", json!({})).await;
    server.executor().tools().update(|tools| tools.rename("echo", "repeat")).expect("a free name");
    wire.next("notifications/tools/list_changed").await;
    let listed = names(&wire.request("tools/list", json!({})).await);
    assert!(listed.contains(&"repeat".to_owned()) && !listed.contains(&"echo".to_owned()), "{listed:?}");
    server.executor().tools().add(EchoTool).expect("a free name");
    wire.next("notifications/tools/list_changed").await;
}

#[tokio::test]
async fn outputs_that_never_change_cannot_be_subscribed_to() {
    let folder = tempfile::tempdir().expect("a directory");
    let server = builder(&Seen::default()).spills(SpillStore::new(folder.path())).build().expect("a server");
    let mut wire = Wire::raw(&server);
    let info = json!({ "name": "wire", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    let begun = wire.request("initialize", params).await;
    let resources = &begun["result"]["capabilities"]["resources"];
    assert!(resources.is_object() && resources.get("subscribe").is_none(), "{begun}");
    wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let refused = wire.request(method, json!({ "uri": "spill:///1" })).await;
        assert_eq!(refused["error"]["code"], -32601, "{refused}");
    }
}
