//! A host with nobody in front of it: it takes the defaults of every form, and its model says the same to everything.

use std::path::PathBuf;

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_mcp::client::host::{Abilities, Elicitation, ElicitationAnswer, McpHost};

use crate::arguments::arguments;

/// The suite's person and model.
pub(crate) struct Host;

#[async_trait]
impl McpHost for Host {
    fn abilities(&self) -> Abilities {
        Abilities { roots: true, forms: true, sampling: true, ..Abilities::default() }
    }

    fn roots(&self, _: &str) -> Vec<PathBuf> {
        vec![std::env::temp_dir()]
    }

    async fn elicit(&self, _: &str, asked: Elicitation) -> ElicitationAnswer {
        let mut content = asked.defaults();
        if let (Elicitation::Form { schema, .. }, Value::Object(content)) = (&asked, &mut content)
            && let Value::Object(required) = arguments(schema)
        {
            content.extend(required);
        }
        ElicitationAnswer::Accepted(content)
    }

    async fn sample(&self, _: &str, _: Value) -> Result<Value, String> {
        let content = json!({ "type": "text", "text": "Paris, I should think." });
        Ok(json!({ "role": "assistant", "content": content, "model": "nobody", "stopReason": "endTurn" }))
    }
}
