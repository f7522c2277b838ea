//! One line of a recording.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::{
    call::CallId,
    event::millis,
    executor::Outcome,
    output::Metadata,
    permission::{Ask, Reply},
};

/// The version that this crate writes, and the only one it reads.
pub(super) const VERSION: u64 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum Line {
    Recording {
        version: u64,
    },
    Call {
        session: String,
        call_id: CallId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
        tool: String,
        arguments: String,
        #[serde(with = "millis")]
        at: SystemTime,
    },
    Ask {
        /// Of all lines that are written now; the first recordings had none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        call_id: CallId,
        tool: String,
        permission: String,
        patterns: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        always: Vec<String>,
        #[serde(default, skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
        reply: WrittenReply,
    },
    Outcome {
        session: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
        #[serde(with = "millis")]
        at: SystemTime,
        outcome: Box<Outcome>,
    },
    Lost {
        events: u64,
    },
    /// Of a later minor version.
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum WrittenReply {
    Once,
    Always,
    Reject {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
    },
    Unanswered {
        reason: String,
    },
}

impl From<Reply> for WrittenReply {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Once => Self::Once,
            Reply::Always => Self::Always,
            Reply::Reject { feedback } => Self::Reject { feedback },
            Reply::Unanswered { reason } => Self::Unanswered { reason },
        }
    }
}

impl From<WrittenReply> for Reply {
    fn from(reply: WrittenReply) -> Self {
        match reply {
            WrittenReply::Once => Self::Once,
            WrittenReply::Always => Self::Always,
            WrittenReply::Reject { feedback } => Self::Reject { feedback },
            WrittenReply::Unanswered { reason } => Self::Unanswered { reason },
        }
    }
}

impl Line {
    pub(super) fn ask(ask: &Ask, reply: Reply) -> Self {
        Self::Ask {
            session: Some(ask.session.to_string()),
            call_id: ask.call_id.clone(),
            tool: ask.tool.to_string(),
            permission: ask.request.permission.to_string(),
            patterns: ask.request.patterns.clone(),
            always: ask.request.always.clone(),
            metadata: ask.request.metadata.clone(),
            reply: reply.into(),
        }
    }
}
