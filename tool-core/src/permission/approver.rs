//! Who is asked where the rules leave it open.

use async_trait::async_trait;

use super::Ask;

/// An answer (opencode's `once`, `always`, `reject`).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// This time.
    Once,
    /// From now on, in this session, for the request's `always` patterns; the session's other open questions that
    /// this covers pass with it. It never overrides a rule that denies.
    Always,
    /// No. The session's other open questions are rejected with it, unless
    /// [`ApprovalSettings::rejection_cascades`](super::ApprovalSettings::rejection_cascades) says otherwise; perhaps with a word to the model on what to do instead.
    Reject {
        /// What the model is told.
        feedback: Option<String>,
    },
    /// Nobody could be asked, or asking failed. It counts as a refusal of this one request.
    Unanswered {
        /// Why.
        reason: String,
    },
}

/// Answers what the rules leave open: a person, a policy service, a script in a test.
///
/// A tool that asks while it runs goes on running, alone if it is exclusive: an approver that makes calls of its own to
/// find its answer makes exclusive ones in another session.
///
/// Several questions of one session may be open at a time; who can only ask one after the other waits in between.
/// Whatever goes wrong is a refusal: an approver that panics, or takes longer than
/// [`ApprovalSettings::answer_within`](super::ApprovalSettings::answer_within), or whose service is out of reach
/// ([`Reply::Unanswered`]).
#[async_trait]
pub trait Approver: Send + Sync + 'static {
    /// Waits for an answer. The future is dropped when the question needs none any more: its call was cancelled, or the
    /// answer to another question of the session settled it.
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
