//! Tools whose questions stand in their answers, as 2026-07-28 has it. They are written like any other.

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_mcp::server::{ClientFeature, Elicited, McpClient, McpClientError, SamplingRequest};

/// A form with one text.
pub(crate) fn text_form(name: &str) -> Value {
    json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] })
}

/// A form with one yes or no.
fn yes_or_no() -> Value {
    json!({ "type": "object", "properties": { "ok": { "type": "boolean" } }, "required": ["ok"] })
}

/// A text of a filled-in form.
pub(crate) fn field(answer: &Elicited, name: &str) -> String {
    match answer {
        Elicited::Accepted(content) => content[name].as_str().unwrap_or_default().to_owned(),
        Elicited::Declined | Elicited::Cancelled => "nobody".to_owned(),
    }
}

/// Greet somebody by name.
#[tool(read_only)]
async fn test_input_required_result_elicitation(#[inject] client: McpClient) -> Result<String, McpClientError> {
    let answer = client.keyed("user_name").elicit("What is your name?", text_form("name")).await?;
    Ok(format!("Hello, {}!", field(&answer, "name")))
}

/// Have the client's model know a capital.
#[tool(read_only)]
async fn test_input_required_result_sampling(#[inject] client: McpClient) -> Result<String, McpClientError> {
    let question = SamplingRequest::new("What is the capital of France?", 100);
    Ok(client.keyed("capital_question").sample(question).await?.text)
}

/// Tell where the client works.
#[tool(read_only)]
async fn test_input_required_result_list_roots(#[inject] client: McpClient) -> Result<String, McpClientError> {
    let roots = client.keyed("client_roots").roots().await?;
    Ok(roots.iter().map(|root| root.uri.as_str()).collect::<Vec<_>>().join("\n"))
}

/// Go on where it was before it asked.
#[tool(read_only)]
async fn test_input_required_result_request_state(#[inject] client: McpClient) -> Result<&'static str, McpClientError> {
    client.keyed("confirm").elicit("Please confirm", yes_or_no()).await?;
    Ok("state-ok")
}

/// Ask three things at once.
#[tool(read_only)]
async fn test_input_required_result_multiple_inputs(#[inject] client: McpClient) -> Result<String, McpClientError> {
    let (name, greeting, roots) = (client.keyed("user_name"), client.keyed("greeting"), client.keyed("client_roots"));
    let (name, greeting, roots) = tokio::try_join!(
        name.elicit("What is your name?", text_form("name")),
        greeting.sample(SamplingRequest::new("Generate a greeting", 50)),
        roots.roots(),
    )?;
    Ok(format!("{} {} You work in {} places.", greeting.text, field(&name, "name"), roots.len()))
}

/// Ask one thing after the other.
#[tool(read_only)]
async fn test_input_required_result_multi_round(#[inject] client: McpClient) -> Result<String, McpClientError> {
    let name = client.keyed("step1").elicit("Step 1: What is your name?", text_form("name")).await?;
    let color = client.keyed("step2").elicit("Step 2: What is your favorite color?", text_form("color")).await?;
    Ok(format!("{} likes {}.", field(&name, "name"), field(&color, "color")))
}

/// Go on only with what the server itself has said.
#[tool(read_only)]
async fn test_input_required_result_tampered_state(
    #[inject] client: McpClient,
) -> Result<&'static str, McpClientError> {
    client.keyed("confirm").elicit("Please confirm", yes_or_no()).await?;
    Ok("The state is the server's own.")
}

/// Ask only for what the client can be asked.
#[tool(read_only)]
async fn test_input_required_result_capabilities(#[inject] client: McpClient) -> Result<String, McpClientError> {
    let mut known = Vec::new();
    if client.supports(ClientFeature::Sampling) {
        known.push(client.keyed("greeting").sample(SamplingRequest::new("Generate a greeting", 50)).await?.text);
    }
    if client.supports(ClientFeature::Form) {
        let name = client.keyed("user_name").elicit("What is your name?", text_form("name")).await?;
        known.push(field(&name, "name"));
    }
    Ok(known.join(", "))
}

/// Need what the client may not have.
#[tool(read_only)]
async fn test_missing_capability(#[inject] client: McpClient) -> Result<String, McpClientError> {
    Ok(client.sample(SamplingRequest::new("Anything", 10)).await?.text)
}

/// Ask while the answer is being streamed.
#[tool(read_only)]
async fn test_streaming_elicitation(#[inject] client: McpClient) -> Result<String, McpClientError> {
    let answer = client.elicit("What is your name?", text_form("name")).await?;
    Ok(format!("Hello, {}!", field(&answer, "name")))
}
