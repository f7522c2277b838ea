//! What a host has clients read beside the tools: resources, by their addresses.

use std::error::Error;

use async_trait::async_trait;
use rmcp::model::{self, ErrorData};
use tool_core::tool::Icon;

use super::{client::McpClient, icon};

/// Why a host could not answer. Its text is told to the client.
pub type HostError = Box<dyn Error + Send + Sync>;

/// Resources of a host's own. A server may have several of these; each is asked in turn.
///
/// That something changed is told by [`McpServer::resources_changed`](super::McpServer::resources_changed) and
/// [`McpServer::resource_updated`](super::McpServer::resource_updated).
///
/// ```
/// use async_trait::async_trait;
/// use tool_mcp::server::{HostError, McpClient, Resource, ResourceContent, Resources};
///
/// struct Motd;
///
/// #[async_trait]
/// impl Resources for Motd {
///     async fn list(&self, _: &McpClient) -> Result<Vec<Resource>, HostError> {
///         Ok(vec![Resource::new("motd:///today", "motd").mime("text/plain")])
///     }
///
///     async fn read(&self, uri: &str, _: &McpClient) -> Result<Option<Vec<ResourceContent>>, HostError> {
///         Ok((uri == "motd:///today").then(|| vec![ResourceContent::text(uri, "text/plain", "Be kind.")]))
///     }
/// }
/// ```
#[async_trait]
pub trait Resources: Send + Sync + 'static {
    /// Those that are known by name.
    ///
    /// # Errors
    /// When they cannot be told.
    async fn list(&self, client: &McpClient) -> Result<Vec<Resource>, HostError>;

    /// The forms that other addresses have (RFC 6570).
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// The contents at an address; `None` where there is no such resource here.
    ///
    /// # Errors
    /// When it is here, and cannot be read.
    async fn read(&self, uri: &str, client: &McpClient) -> Result<Option<Vec<ResourceContent>>, HostError>;
}

/// A resource that is known by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource(pub(super) model::Resource);

impl Resource {
    /// A resource at this address, with a name for programs.
    #[must_use]
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self(model::Resource::new(uri, name))
    }

    /// A name for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self(self.0.with_title(title))
    }

    /// What it is, for people and models.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        Self(self.0.with_description(description))
    }

    /// Its media type.
    #[must_use]
    pub fn mime(self, mime: impl Into<String>) -> Self {
        Self(self.0.with_mime_type(mime))
    }

    /// Pictures for people.
    #[must_use]
    pub fn icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        self.0.icons = icon::icons(icons);
        self
    }

    /// How large it is, in bytes.
    #[must_use]
    pub fn size(self, bytes: u64) -> Self {
        Self(self.0.with_size(bytes))
    }
}

/// The form of many addresses.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceTemplate(pub(super) model::ResourceTemplate);

impl ResourceTemplate {
    /// Addresses of this form (RFC 6570, e.g. `db:///{table}`), with a name for programs.
    #[must_use]
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self(model::ResourceTemplate::new(uri_template, name))
    }

    /// A name for people.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self(self.0.with_title(title))
    }

    /// What is there, for people and models.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        Self(self.0.with_description(description))
    }

    /// The media type that all of them have.
    #[must_use]
    pub fn mime(self, mime: impl Into<String>) -> Self {
        Self(self.0.with_mime_type(mime))
    }

    /// Pictures for people.
    #[must_use]
    pub fn icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        self.0.icons = icon::icons(icons);
        self
    }
}

/// What is at an address.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceContent(pub(super) model::ResourceContents);

impl ResourceContent {
    /// Text.
    #[must_use]
    pub fn text(uri: impl Into<String>, mime: impl Into<String>, text: impl Into<String>) -> Self {
        Self(model::ResourceContents::text(text, uri).with_mime_type(mime))
    }

    /// Bytes, in base64 already.
    #[must_use]
    pub fn base64(uri: impl Into<String>, mime: impl Into<String>, data: impl Into<String>) -> Self {
        Self(model::ResourceContents::blob(data, uri).with_mime_type(mime))
    }
}

/// A host's failure as the protocol has it.
pub(super) fn failed(error: &HostError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
