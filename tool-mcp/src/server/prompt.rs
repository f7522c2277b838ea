//! `prompts/get` and `prompts/list`.

use std::sync::Arc;

use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt};

use super::{client::McpClient, exchange::Exchange, resources::failed, shared::Shared};

pub(super) async fn get(
    shared: &Shared,
    exchange: &Arc<Exchange>,
    name: &str,
    arguments: Option<&JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let known = list(shared);
    let Some(prompt) = known.iter().find(|prompt| prompt.name == name) else {
        let names: Vec<&str> = known.iter().map(|prompt| prompt.name.as_str()).collect();
        let message = format!("there is no prompt named `{name}`; the prompts are: {}", names.join(", "));
        return Err(ErrorData::invalid_params(message, None));
    };
    let none = JsonObject::new();
    let arguments = arguments.unwrap_or(&none);
    let wanted = prompt.arguments.iter().flatten().filter(|argument| argument.required == Some(true));
    let missing: Vec<&str> =
        wanted.map(|argument| argument.name.as_str()).filter(|name| !arguments.contains_key(*name)).collect();
    if !missing.is_empty() {
        let message = format!("the prompt `{name}` needs the arguments: {}", missing.join(", "));
        return Err(ErrorData::invalid_params(message, None));
    }
    let client = McpClient::new(exchange.clone());
    for prompts in &shared.prompts {
        if let Some(messages) = prompts.get(name, arguments, &client).await.map_err(|error| failed(&error))? {
            let mut result = GetPromptResult::new(messages.into_iter().map(|message| message.0).collect());
            result.description.clone_from(&prompt.description);
            return Ok(result);
        }
    }
    Err(ErrorData::internal_error(format!("the prompt `{name}` is listed, and nobody makes it"), None))
}

/// All there are, by name.
pub(super) fn list(shared: &Shared) -> Vec<Prompt> {
    let mut all: Vec<Prompt> =
        shared.prompts.iter().flat_map(|prompts| prompts.list()).map(|prompt| prompt.0).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}
