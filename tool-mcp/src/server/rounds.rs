//! Work that waits for its client to make its request again with the answers that it needs (2026-07-28).
//!
//! The work goes on in this process meanwhile: a tool that asked something is in the middle of what it does, and must not
//! be begun anew. So a request's state is nothing but a name for it that nobody guesses.

use std::{
    collections::HashMap,
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};

use rmcp::model::{ErrorData, InputRequiredResult, InputResponses, JsonObject};
use tokio::{sync::mpsc, task::AbortHandle, time::Instant};
use uuid::Uuid;

use super::{answer::Answer, exchange::Exchange, question::Questions};

/// How long work waits for answers.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// How many requests' work may wait at once. Beyond it, the one that has waited longest is given up.
const MOST: usize = 1_000;

/// What a client wants; it wants the same when it comes again.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Target {
    Tool { name: String, arguments: Option<JsonObject> },
    Prompt { name: String, arguments: Option<JsonObject> },
    Resource { uri: String },
}

impl Target {
    /// The request's method.
    pub(super) fn method(&self) -> &'static str {
        match self {
            Self::Tool { .. } => "tools/call",
            Self::Prompt { .. } => "prompts/get",
            Self::Resource { .. } => "resources/read",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Tool { name, .. } | Self::Prompt { name, .. }) = self else { return f.write_str(self.method()) };
        write!(f, "{} {name}", self.method())
    }
}

/// What a client brings when it comes again.
pub(super) struct Again {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

pub(super) type Work = Pin<Box<dyn Future<Output = Result<Answer, ErrorData>> + Send>>;

/// What came of letting work go on.
pub(super) enum Step {
    Done(Result<Answer, ErrorData>),
    /// It has put questions.
    Asked,
}

/// Lets work go on until it is done, or has put questions.
pub(super) async fn step(work: &mut Work, questions: &Questions) -> Step {
    poll_fn(|task| {
        questions.watch(task.waker());
        match work.as_mut().poll(task) {
            Poll::Ready(done) => Poll::Ready(Step::Done(done)),
            // All that it asked at once is put at once.
            Poll::Pending if questions.has_news() => Poll::Ready(Step::Asked),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// All work that waits.
#[derive(Default)]
pub(super) struct Rounds(Arc<Mutex<HashMap<String, Waiting>>>);

/// Work between two requests. Dropped, it ends.
pub(super) struct Waiting {
    target: Arc<Target>,
    pub(super) exchange: Arc<Exchange>,
    pub(super) steps: mpsc::UnboundedReceiver<Step>,
    since: Instant,
    patience: Option<AbortHandle>,
}

impl Waiting {
    /// Has the work go on by itself.
    pub(super) fn new(target: Arc<Target>, exchange: Arc<Exchange>, mut work: Work) -> Self {
        let (sender, steps) = mpsc::unbounded_channel();
        let asking = exchange.clone();
        tokio::spawn(async move {
            let Some(questions) = asking.questions() else { return };
            loop {
                let step = step(&mut work, questions).await;
                let is_done = matches!(step, Step::Done(_));
                if sender.send(step).is_err() || is_done {
                    return;
                }
            }
        });
        Self { target, exchange, steps, since: Instant::now(), patience: None }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.exchange.turn().cancel();
        if let Some(patience) = &self.patience {
            patience.abort();
        }
    }
}

impl Rounds {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts work aside until its questions are answered. `None` where it has none open.
    pub(super) fn put(&self, mut waiting: Waiting) -> Option<InputRequiredResult> {
        let questions = waiting.exchange.questions()?.open()?;
        waiting.exchange.detach();
        let state = Uuid::new_v4().simple().to_string();
        let (rounds, name) = (Arc::downgrade(&self.0), state.clone());
        let patience = tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            if let Some(rounds) = rounds.upgrade() {
                rounds.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
            }
        });
        waiting.patience = Some(patience.abort_handle());
        waiting.since = Instant::now();
        let mut all = self.lock();
        if all.len() >= MOST {
            let oldest = all.iter().min_by_key(|(_, waiting)| waiting.since).map(|(name, _)| name.clone());
            oldest.and_then(|name| all.remove(&name));
        }
        all.insert(state.clone(), waiting);
        Some(InputRequiredResult::new(Some(questions), Some(state)))
    }

    /// Takes up work again, with what the client answers. `attach` ties it to the new request, before it goes on.
    ///
    /// # Errors
    /// When the state names no work that waits, or that of another request; when an answer is none to its question.
    pub(super) fn take(
        &self,
        state: &str,
        target: &Target,
        responses: Option<InputResponses>,
        attach: impl FnOnce(&Exchange),
    ) -> Result<Waiting, ErrorData> {
        let mut all = self.lock();
        let waiting = all.get_mut(state).filter(|waiting| *waiting.target == *target).ok_or_else(|| {
            let message = "requestState: expected what this server gave for this very request, not longer than 15 \
                           minutes ago; make the request anew, without it";
            ErrorData::invalid_params(message, None)
        })?;
        attach(&waiting.exchange);
        if let (Some(responses), Some(questions)) = (responses, waiting.exchange.questions())
            && let Err(why) = questions.answer(responses)
        {
            waiting.exchange.detach();
            return Err(ErrorData::invalid_params(why, None));
        }
        if let Some(patience) = waiting.patience.take() {
            patience.abort();
        }
        all.remove(state).ok_or_else(|| ErrorData::internal_error("the work is gone", None))
    }
}
