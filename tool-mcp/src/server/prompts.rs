//! What a host gives people to begin with: prompts, by name.

use async_trait::async_trait;
use rmcp::model::{self, ContentBlock, Role};
use serde_json::{Map, Value};
use tool_core::{Attachment, tool::Icon};

use super::{
    client::McpClient,
    content, icon,
    resources::{HostError, ResourceContent},
};

/// Prompts of a host's own. A server may have several of these; each is asked in turn.
#[async_trait]
pub trait Prompts: Send + Sync + 'static {
    /// All there are.
    fn list(&self) -> Vec<Prompt>;

    /// The messages of one, with the arguments that a person gave; `None` where there is none of that name here. Whether
    /// the arguments that it requires are there has been looked at.
    ///
    /// # Errors
    /// When it cannot be made.
    async fn get(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        client: &McpClient,
    ) -> Result<Option<Vec<PromptMessage>>, HostError>;
}

/// A prompt, as it is listed.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt(pub(super) model::Prompt);

impl Prompt {
    /// A prompt of this name, and what it is for.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self(model::Prompt::new(name, Some(description), None))
    }

    /// A name for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self(self.0.with_title(title))
    }

    /// Pictures for people.
    #[must_use]
    pub fn icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        self.0.icons = icon::icons(icons);
        self
    }

    /// One more argument: a text.
    #[must_use]
    pub fn argument(mut self, name: impl Into<String>, description: impl Into<String>, required: bool) -> Self {
        let argument = model::PromptArgument::new(name).with_description(description).with_required(required);
        self.0.arguments.get_or_insert_default().push(argument);
        self
    }
}

/// One message of a prompt.
#[derive(Debug, Clone)]
pub struct PromptMessage(pub(super) model::PromptMessage);

impl PromptMessage {
    /// A text that the user says.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::of(Role::User, ContentBlock::text(text))
    }

    /// A text that the model is to have said.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::of(Role::Assistant, ContentBlock::text(text))
    }

    /// A picture, a sound or a file that the user shows.
    #[must_use]
    pub fn attachment(attachment: &Attachment) -> Self {
        Self::of(Role::User, content::block(attachment))
    }

    /// A resource that the user shows, with its contents.
    #[must_use]
    pub fn resource(resource: ResourceContent) -> Self {
        Self::of(Role::User, ContentBlock::resource(resource.0))
    }

    fn of(role: Role, content: ContentBlock) -> Self {
        Self(model::PromptMessage::new(role, content))
    }
}
