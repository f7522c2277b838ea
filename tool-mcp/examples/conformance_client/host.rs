//! A host with nobody in front of it: it takes the defaults of every form, and its model says the same to everything.

use std::path::PathBuf;

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_mcp::client::host::{Abilities, Elicitation, ElicitationAnswer, McpHost, OAuthClient};

use crate::{arguments::arguments, visit::visit};

/// Where the suite sends people back to; nobody listens there.
const REDIRECT_URI: &str = "http://localhost:3000/callback";
/// What the suite takes as the address of a client's metadata.
const METADATA_URL: &str = "https://conformance-test.local/client-metadata.json";

/// The suite's person and model, and what an authorization server knows the client by.
pub(crate) struct Host {
    pub(crate) id: Option<String>,
    pub(crate) secret: Option<String>,
}

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

    fn oauth_client(&self, _: &str) -> Option<OAuthClient> {
        let mut client = OAuthClient::new("conformance-client", REDIRECT_URI);
        client.id.clone_from(&self.id);
        client.secret.clone_from(&self.secret);
        client.metadata_url = Some(METADATA_URL.to_owned());
        Some(client)
    }

    async fn sign_in(&self, _: &str, address: &str) -> Result<String, String> {
        visit(address).await.map_err(|error| error.to_string())
    }
}
