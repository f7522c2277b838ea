//! What is offered beside the tools: resources, prompts, and proposals for their arguments.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tool_core::prelude::*;
use tool_mcp::server::{
    Completion, CompletionRequest, Completions, HostError, McpClient, Prompt, PromptMessage, Prompts, Resource,
    ResourceContent, ResourceTemplate, Resources,
};

use crate::{
    content::PIXEL,
    input_required::{field, text_form},
};

/// Where the text is.
const TEXT: &str = "test://static-text";
/// Where the picture is.
const BINARY: &str = "test://static-binary";
/// What can be watched.
const WATCHED: &str = "test://watched-resource";

/// The suite's resources.
pub(crate) struct Shelf;

#[async_trait]
impl Resources for Shelf {
    async fn list(&self, _: &McpClient) -> Result<Vec<Resource>, HostError> {
        Ok(vec![
            Resource::new(TEXT, "static-text").description("A text that never changes.").mime("text/plain"),
            Resource::new(BINARY, "static-binary").description("A picture that never changes.").mime("image/png"),
            Resource::new(WATCHED, "watched-resource").description("A text to be watched.").mime("text/plain"),
        ])
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = ResourceTemplate::new("test://template/{id}/data", "template");
        vec![template.description("Data by its id.").mime("application/json")]
    }

    async fn read(&self, uri: &str, _: &McpClient) -> Result<Option<Vec<ResourceContent>>, HostError> {
        let text = |text: &str| ResourceContent::text(uri, "text/plain", text);
        let content = match uri {
            TEXT => text("This is the content of the static text resource."),
            BINARY => ResourceContent::base64(uri, "image/png", PIXEL),
            WATCHED => text("This is the content of the watched resource."),
            _ => {
                let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
                let Some(id) = id else { return Ok(None) };
                let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                ResourceContent::text(uri, "application/json", data.to_string())
            }
        };
        Ok(Some(vec![content]))
    }
}

/// The suite's prompts. One of them comes and goes.
pub(crate) struct Library {
    pub(crate) has_more: Arc<AtomicBool>,
}

#[async_trait]
impl Prompts for Library {
    fn list(&self) -> Vec<Prompt> {
        let mut prompts = vec![
            Prompt::new("test_simple_prompt", "A prompt without arguments."),
            Prompt::new("test_prompt_with_arguments", "A prompt with arguments.")
                .argument("arg1", "First test argument", true)
                .argument("arg2", "Second test argument", true),
            Prompt::new("test_prompt_with_embedded_resource", "A prompt that shows a resource.").argument(
                "resourceUri",
                "URI of the resource to embed",
                true,
            ),
            Prompt::new("test_prompt_with_image", "A prompt that shows a picture."),
            Prompt::new("test_input_required_result_prompt", "A prompt that asks first."),
        ];
        if self.has_more.load(Ordering::Relaxed) {
            prompts.push(Prompt::new("test_another_prompt", "A prompt that comes and goes."));
        }
        prompts
    }

    async fn get(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        client: &McpClient,
    ) -> Result<Option<Vec<PromptMessage>>, HostError> {
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        Ok(Some(match name {
            "test_simple_prompt" => vec![PromptMessage::user("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => {
                let (first, second) = (argument("arg1"), argument("arg2"));
                vec![PromptMessage::user(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
            }
            "test_prompt_with_embedded_resource" => {
                let text = "Embedded resource content for testing.";
                let resource = ResourceContent::text(argument("resourceUri"), "text/plain", text);
                let please = PromptMessage::user("Please process the embedded resource above.");
                vec![PromptMessage::resource(resource), please]
            }
            "test_prompt_with_image" => {
                let image = PromptMessage::attachment(&Attachment::base64("image/png", PIXEL));
                vec![image, PromptMessage::user("Please analyze the image above.")]
            }
            "test_input_required_result_prompt" => {
                let asked = client.keyed("user_context");
                let answer = asked.elicit("What context should the prompt use?", text_form("context")).await?;
                vec![PromptMessage::user(format!("Use this context: {}", field(&answer, "context")))]
            }
            "test_another_prompt" if self.has_more.load(Ordering::Relaxed) => {
                vec![PromptMessage::user("This prompt comes and goes.")]
            }
            _ => return Ok(None),
        }))
    }
}

/// Cities, as an answer to anything.
pub(crate) struct Cities;

#[async_trait]
impl Completions for Cities {
    async fn complete(&self, request: &CompletionRequest) -> Result<Completion, HostError> {
        Ok(Completion::new(["paris", "park", "party"].into_iter().filter(|word| word.starts_with(&request.value))))
    }
}
