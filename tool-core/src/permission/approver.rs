//! Who is asked where the rules leave it open.

use async_trait::async_trait;

use super::Ask;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// This time.
    Once,
    /// From now on, in this session, for the request's `always` patterns.
    Always,
    /// No; perhaps with a word to the model on what to do instead.
    Reject {
        /// What the model is told.
        feedback: Option<String>,
    },
    /// Nobody could be asked.
    Unanswered {
        /// Why.
        reason: String,
    },
}

/// Answers what the rules leave open: a person, a policy service, a script in a test.
#[async_trait]
pub trait Approver: Send + Sync + 'static {
    /// Waits for an answer. The call can be cancelled meanwhile; the future is dropped then.
    async fn approve(&self, ask: &Ask) -> Reply;
}

#[async_trait]
impl Approver for std::sync::Arc<dyn Approver> {
    async fn approve(&self, ask: &Ask) -> Reply {
        (**self).approve(ask).await
    }
}

/// Says no to everything: the default, for hosts where nobody can be asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAll;

#[async_trait]
impl Approver for DenyAll {
    async fn approve(&self, _: &Ask) -> Reply {
        Reply::Unanswered { reason: "this host has no approver".to_owned() }
    }
}

/// Says yes to everything, once each: `--yes`.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

#[async_trait]
impl Approver for AllowAll {
    async fn approve(&self, _: &Ask) -> Reply {
        Reply::Once
    }
}
