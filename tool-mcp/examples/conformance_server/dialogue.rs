//! Tools that ask the client by requests of their own, as servers could up to 2025-11-25.

use serde_json::json;
use tool_core::prelude::*;
use tool_mcp::server::{Elicited, McpClient, McpClientError, SamplingRequest};

/// Have the client's model answer.
#[tool(read_only)]
async fn test_sampling(
    /// What the model is asked.
    prompt: String,
    #[inject] client: McpClient,
) -> Result<String, McpClientError> {
    let answer = client.sample(SamplingRequest::new(prompt, 100)).await?;
    Ok(format!("LLM response: {}", answer.text))
}

/// Have a person say who they are.
#[tool(read_only)]
async fn test_elicitation(
    /// What the person is told.
    message: String,
    #[inject] client: McpClient,
) -> Result<String, McpClientError> {
    let form = json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    });
    Ok(format!("User response: {}", said(&client.elicit(message, form).await?)))
}

/// Ask with a default for each kind of field.
#[tool(read_only)]
async fn test_elicitation_sep1034_defaults(#[inject] client: McpClient) -> Result<String, McpClientError> {
    let form = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
    });
    Ok(format!("Elicitation completed: {}", said(&client.elicit("All of it has defaults.", form).await?)))
}

/// Ask with each kind of choice.
#[tool(read_only)]
async fn test_elicitation_sep1330_enums(#[inject] client: McpClient) -> Result<String, McpClientError> {
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    let form = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": {
                "type": "array",
                "items": { "type": "string", "enum": ["option1", "option2", "option3"] },
            },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
    });
    Ok(format!("Elicitation completed: {}", said(&client.elicit("Choose.", form).await?)))
}

/// In the suite's words.
fn said(answer: &Elicited) -> String {
    match answer {
        Elicited::Accepted(content) => format!("action=accept, content={content}"),
        Elicited::Declined => "action=decline".to_owned(),
        Elicited::Cancelled => "action=cancel".to_owned(),
    }
}
