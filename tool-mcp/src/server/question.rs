//! Questions that wait for the client to make its request again (2026-07-28's "input required").
#![expect(deprecated, reason = "sampling and roots are deprecated from 2026-07-28 on, and served all the same")]

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use futures_util::task::AtomicWaker;
use rmcp::model::{CreateMessageResult, ElicitResult, InputRequest, InputRequests, InputResponses, ListRootsResult};
use serde_json::Value;
use tokio::sync::oneshot;

use super::client::McpClientError;

/// The open questions of one request.
#[derive(Default)]
pub(super) struct Questions {
    state: Mutex<State>,
    /// Who polls the work that asks.
    owner: AtomicWaker,
}

#[derive(Default)]
struct State {
    asked: u64,
    open: BTreeMap<String, Question>,
    /// Answers that came before their questions.
    early: InputResponses,
    /// Whether some have not been put to the client.
    is_news: bool,
}

struct Question {
    request: InputRequest,
    answer: oneshot::Sender<Value>,
}

impl Questions {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps answers that came with the request itself: a client that knows a tool need not wait to be asked.
    pub(super) fn expect(&self, responses: InputResponses) {
        self.lock().early = responses;
    }

    /// Puts a question, by this key or one of its own, and waits for its answer.
    pub(super) async fn ask(&self, key: Option<&str>, request: InputRequest) -> Result<Value, McpClientError> {
        let (sender, receiver) = oneshot::channel();
        let key = {
            let mut state = self.lock();
            state.asked += 1;
            let own = || format!("{}_{}", kind(&request), state.asked);
            let key = key.filter(|key| !state.open.contains_key(*key)).map_or_else(own, str::to_owned);
            // One that is none to this question is as good as none.
            if let Some(answer) = state.early.remove(&key).filter(|answer| check(&request, answer).is_ok()) {
                return Ok(answer);
            }
            state.open.insert(key.clone(), Question { request, answer: sender });
            state.is_news = true;
            key
        };
        // Who asks may be another task than the one that is polled for the work.
        self.owner.wake();
        let _asked = Asked { questions: self, key };
        receiver.await.map_err(|_| McpClientError::Gone)
    }

    /// Notes who is to be woken when a question is put.
    pub(super) fn watch(&self, waker: &Waker) {
        self.owner.register(waker);
    }

    /// Whether questions were put since it was last asked.
    pub(super) fn has_news(&self) -> bool {
        let mut state = self.lock();
        std::mem::take(&mut state.is_news) && !state.open.is_empty()
    }

    /// The questions that are open; `None` where there is none.
    pub(super) fn open(&self) -> Option<InputRequests> {
        let state = self.lock();
        let open = state.open.iter().map(|(key, question)| (key.clone(), question.request.clone()));
        (!state.open.is_empty()).then(|| open.collect())
    }

    /// Hands answers to those who asked. What answers no question is left out; of those that are no answers to theirs,
    /// the first is told, and none is handed on.
    pub(super) fn answer(&self, responses: InputResponses) -> Result<(), String> {
        let mut state = self.lock();
        for (key, answer) in &responses {
            if let Some(question) = state.open.get(key) {
                check(&question.request, answer).map_err(|why| format!("inputResponses.{key}: {why}"))?;
            }
        }
        for (key, answer) in responses {
            if let Some(question) = state.open.remove(&key) {
                let _ = question.answer.send(answer);
            }
        }
        Ok(())
    }
}

/// A question that waits. It is taken back when this is dropped.
struct Asked<'q> {
    questions: &'q Questions,
    key: String,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.questions.lock().open.remove(&self.key);
    }
}

fn kind(request: &InputRequest) -> &'static str {
    match request {
        InputRequest::CreateMessage(_) => "sampling",
        InputRequest::Elicitation(_) => "elicitation",
        InputRequest::ListRoots(_) => "roots",
        _ => "question",
    }
}

/// Whether an answer is one to this kind of question.
fn check(request: &InputRequest, answer: &Value) -> Result<(), String> {
    use serde::Deserialize as _;
    match request {
        InputRequest::CreateMessage(_) => CreateMessageResult::deserialize(answer).map(drop),
        InputRequest::Elicitation(_) => ElicitResult::deserialize(answer).map(drop),
        InputRequest::ListRoots(_) => ListRootsResult::deserialize(answer).map(drop),
        _ => return Ok(()),
    }
    .map_err(|error| error.to_string())
}
