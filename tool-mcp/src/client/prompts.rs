//! Prompts of servers, for hosts that offer them to people: slash commands, mostly.

use rmcp::model::{ClientRequest, GetPromptRequest, GetPromptRequestParams, ServerResult};
use serde_json::{Map, Value};

use super::{
    McpConnections,
    call::MAX_ROUNDS,
    listing::Kind,
    session::{RequestError, Session},
};

/// A prompt that a server offers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Prompt {
    /// The server.
    pub server: String,
    /// The server's name for it.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// What it takes.
    pub arguments: Vec<PromptArgument>,
}

/// What a prompt takes. Values are texts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether it has to be given.
    pub required: bool,
}

/// What a prompt becomes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptMessages {
    /// What it is for.
    pub description: Option<String>,
    /// The messages as the protocol has them: `{"role": "user" | "assistant", "content": {…}}`.
    pub messages: Vec<Value>,
}

/// Why a server was not asked, or did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the MCP server `{server}` {why}")]
pub struct ServerError {
    /// The server.
    pub server: String,
    why: String,
}

impl McpConnections {
    /// The prompts of all servers that have some. A server that does not list its prompts is among the errors.
    pub async fn prompts(&self) -> (Vec<Prompt>, Vec<ServerError>) {
        let servers = self.servers().iter().filter(|server| server.config.enabled);
        let lists = servers.map(|server| async move {
            let name = &server.config.name;
            let error = |why| ServerError { server: name.clone(), why };
            let session = server.session().await.map_err(|why| error(format!("is {why}")))?;
            if session.info.capabilities.prompts.is_none() {
                return Ok(Vec::new());
            }
            let listed = session.list(Kind::Prompts, server.config.tool_timeout).await;
            let listed = listed.map_err(|why| error(format!("did not list its prompts: {why}")))?;
            Ok(listed.iter().filter_map(|item| Prompt::read(name, item)).collect())
        });
        let (mut prompts, mut errors) = (Vec::new(), Vec::new());
        for listed in futures_util::future::join_all(lists).await {
            match listed {
                Ok(listed) => prompts.extend::<Vec<_>>(listed),
                Err(error) => errors.push(error),
            }
        }
        (prompts, errors)
    }

    /// A prompt with its arguments put in.
    ///
    /// # Errors
    /// When there is no such server, or it does not give the prompt.
    pub async fn prompt(
        &self,
        server: &str,
        name: &str,
        arguments: impl IntoIterator<Item = (String, String)>,
    ) -> Result<PromptMessages, ServerError> {
        let error = |why| ServerError { server: server.to_owned(), why };
        let found = self.servers().iter().find(|known| known.config.name == server);
        let found = found.ok_or_else(|| error("is not in the configuration".to_owned()))?;
        let session = found.session().await.map_err(|why| error(format!("is {why}")))?;
        let arguments = arguments.into_iter().map(|(name, value)| (name, Value::from(value))).collect();
        let prompt = session.prompt(name, arguments, found.config.tool_timeout).await;
        prompt.map_err(|why| error(format!("did not give the prompt `{name}`: {why}")))
    }
}

impl Prompt {
    /// Of an item in a list; what has no name is none.
    fn read(server: &str, item: &Value) -> Option<Self> {
        let text = |value: &Value, member: &str| value.get(member).and_then(Value::as_str).map(str::to_owned);
        let arguments = item.get("arguments").and_then(Value::as_array).into_iter().flatten();
        let argument = |item: &Value| {
            Some(PromptArgument {
                name: text(item, "name")?,
                description: text(item, "description"),
                required: item.get("required").and_then(Value::as_bool).unwrap_or(false),
            })
        };
        Some(Self {
            server: server.to_owned(),
            name: text(item, "name")?,
            title: text(item, "title"),
            description: text(item, "description"),
            arguments: arguments.filter_map(argument).collect(),
        })
    }
}

impl Session {
    async fn prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        limit: std::time::Duration,
    ) -> Result<PromptMessages, RequestError> {
        let mut params = GetPromptRequestParams::new(name).with_arguments(arguments);
        for _ in 0..MAX_ROUNDS {
            match self.request(ClientRequest::GetPromptRequest(GetPromptRequest::new(params.clone())), limit).await? {
                ServerResult::GetPromptResult(result) => {
                    let messages = result.messages.into_iter().map(serde_json::to_value).collect::<Result<_, _>>();
                    let messages = messages.map_err(|_| RequestError::Unexpected)?;
                    return Ok(PromptMessages { description: result.description, messages });
                }
                ServerResult::InputRequiredResult(wanted) => {
                    (params.input_responses, params.request_state) = self.provide(wanted).await?;
                }
                _ => return Err(RequestError::Unexpected),
            }
        }
        Err(RequestError::Unexpected)
    }
}
