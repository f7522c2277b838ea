//! Questions of permission, put to the person at the client.

use std::{fmt::Write, sync::Arc};

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_core::permission::{Approver, Ask, Reply};

use super::{
    client::{ClientFeature, Elicited, McpClient},
    exchange::Exchanges,
};

/// How much of a question is shown, in characters.
const LONGEST: usize = 8_000;

/// Asks the client's person where the client can be asked, and who stands in for them where it cannot.
pub(super) struct ClientApprover {
    pub(super) exchanges: Exchanges,
    /// Whether the client is asked at all.
    pub(super) asks: bool,
    pub(super) otherwise: Arc<dyn Approver>,
}

#[async_trait]
impl Approver for ClientApprover {
    async fn approve(&self, ask: &Ask) -> Reply {
        let client = self.exchanges.of(&ask.call_id).map(McpClient::new);
        let asked = client.filter(|client| self.asks && client.supports(ClientFeature::Form));
        let Some(client) = asked else { return self.otherwise.approve(ask).await };
        match client.elicit(question(ask), form()).await {
            Ok(Elicited::Accepted(answer)) => read(&answer),
            Ok(Elicited::Declined) => Reply::Reject { feedback: None },
            Ok(Elicited::Cancelled) => {
                Reply::Unanswered { reason: "the question was put away without an answer".to_owned() }
            }
            Err(error) => Reply::Unanswered { reason: error.to_string() },
        }
    }
}

/// Where nobody can be asked, and nobody stands in: says how to allow it.
pub(super) struct NobodyToAsk;

#[async_trait]
impl Approver for NobodyToAsk {
    async fn approve(&self, ask: &Ask) -> Reply {
        let permission = &ask.request.permission;
        let reason = format!(
            "this client shows no questions of a server's (elicitation); whoever runs the server can allow `{permission}` \
             in its rules"
        );
        Reply::Unanswered { reason }
    }
}

fn form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "title": "Decision",
                "description": "Whether the tool may do it.",
                "enum": ["once", "always", "reject"],
                "enumNames": ["Allow this once", "Allow for the rest of the session", "Reject"],
            },
            "feedback": {
                "type": "string",
                "title": "Feedback",
                "description": "What to do instead, where it is rejected. The model reads it.",
            },
        },
        "required": ["decision"],
    })
}

/// What a filled-in form means. What is no choice of its allows nothing.
fn read(answer: &Value) -> Reply {
    let feedback = answer["feedback"].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    match answer["decision"].as_str() {
        Some("once") => Reply::Once,
        Some("always") => Reply::Always,
        Some("reject") => Reply::Reject { feedback },
        _ => Reply::Unanswered { reason: "the client's answer names no decision".to_owned() },
    }
}

/// What is asked, with what would happen.
fn question(ask: &Ask) -> String {
    let request = &ask.request;
    let mut out = format!("`{}` asks for the permission `{}`", ask.tool, shown(&request.permission));
    for pattern in &request.patterns {
        let _ = write!(out, "\n  {}", indented(pattern));
    }
    for (key, value) in &request.metadata {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = match text.contains('\n') {
            true => write!(out, "\n{}:\n  {}", shown(key), indented(&text)),
            false => write!(out, "\n{}: {}", shown(key), shown(&text)),
        };
    }
    let always = &request.always;
    if !always.is_empty() && *always != request.patterns {
        let _ = write!(out, "\n\nFor the rest of the session would be allowed: {}", indented(&always.join(", ")));
    }
    match out.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}\n… more is not shown", &out[..at]),
        None => out,
    }
}

/// A model's text of several lines, none of which can be taken for one of the question's own.
fn indented(text: &str) -> String {
    shown(text).replace('\n', "\n  ")
}

/// A model's text without what would move about on a screen.
fn shown(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain = |c: char| matches!(c, '\n' | '\t') || !(c.is_control() || turns(c));
    text.chars().map(|c| if plain(c) { c } else { '\u{fffd}' }).collect()
}
