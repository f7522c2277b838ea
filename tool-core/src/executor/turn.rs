//! All the calls of one turn of a model.

use std::time::Duration;

use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{Executor, Outcome};
use crate::{
    call::ToolCall,
    context::{Host, Session, ToolContext},
};

/// How long a cancelled turn waits for its calls: a little more than a cancelled call has to hand over what it has.
const GRACE: Duration = Duration::from_millis(230);

/// How the calls of one turn are run; begun by [`Executor::turn`].
///
/// ```
/// use tool_core::{prelude::*, testing::Bench};
///
/// /// Look at something.
/// #[tool(read_only)]
/// fn look(/** At what. */ at: String) -> String {
///     format!("{at} is there")
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let bench = Bench::new(LookTool);
/// let calls = ["a", "b"].map(|at| ToolCall::new(at, "look", format!(r#"{{"at":"{at}"}}"#)));
/// let outcomes = bench.executor().turn(bench.session()).max_parallel(1).run(calls).await;
/// assert_eq!(outcomes[1].output(), Some("b is there"));
/// # }
/// ```
#[must_use]
pub struct Turn<'e> {
    executor: &'e Executor,
    session: Session,
    cancellation: Option<CancellationToken>,
    order: Order,
    steering: Option<CancellationToken>,
}

/// What one turn's calls have in common.
#[derive(Clone, Copy)]
pub(super) struct Order {
    /// Whether each call waits for the one before it, whatever its tool allows.
    pub(super) sequential: bool,
    /// How many run at once at most.
    pub(super) most: usize,
}

impl Order {
    /// The executor's own.
    pub(super) fn of(host: &Host) -> Self {
        Self { sequential: false, most: host.max_parallel }
    }
}

impl<'e> Turn<'e> {
    fn new(executor: &'e Executor, session: &Session) -> Self {
        let order = Order::of(&executor.host);
        Self { executor, session: session.clone(), cancellation: None, order, steering: None }
    }

    /// Cancelled when `token` is, as well as with the session. Every call then ends within 250 ms, those that wait for
    /// an answer or their turn too.
    pub fn until(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// One call after the other, in their order (pi's `toolExecution: "sequential"`).
    pub fn sequential(mut self) -> Self {
        self.order.sequential = true;
        self
    }

    /// At most so many at once; the executor's own limit unless set.
    pub fn max_parallel(mut self, calls: usize) -> Self {
        self.order.most = calls;
        self
    }

    /// When `message` is cancelled, calls that have not started are left out, with an error that says that the user has
    /// sent a message; those that run go on. Without it a message waits for the end of the turn (pi has had both).
    pub fn skip_on(mut self, message: CancellationToken) -> Self {
        self.steering = Some(message);
        self
    }

    /// Runs the calls. The outcomes are in the order of the calls.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn run(self, calls: impl IntoIterator<Item = ToolCall>) -> Vec<Outcome> {
        let mut running = self.start(calls);
        let mut outcomes: Vec<Option<Outcome>> = Vec::new();
        outcomes.resize_with(running.contexts.len(), || None);
        while let Some((index, outcome)) = running.next().await {
            outcomes[index] = Some(outcome);
        }
        outcomes.into_iter().flatten().collect()
    }

    /// Starts the calls, for a host that wants each outcome as it comes.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start(self, calls: impl IntoIterator<Item = ToolCall>) -> Running {
        let Self { executor, session, cancellation, order, steering } = self;
        // The session's end is the turn's as well, whatever the turn's token comes from.
        let turn = session.cancellation().child_token();
        let mut tasks = JoinSet::new();
        let mut contexts = Vec::new();
        let mut refused = Vec::new();
        // All take their places before any runs.
        let admitted: Vec<_> =
            calls.into_iter().map(|call| executor.admit(&session, call, Some(turn.clone()), None, order)).collect();
        for (index, admitted) in admitted.into_iter().enumerate() {
            match admitted {
                Ok(admitted) => {
                    contexts.push(Some(admitted.ctx.clone()));
                    let (executor, steering) = (executor.clone(), steering.clone());
                    tasks.spawn(async move { (index, executor.run(admitted, steering).await) });
                }
                Err(outcome) => {
                    contexts.push(None);
                    refused.push((index, *outcome));
                }
            }
        }
        refused.reverse();
        Running { tasks, contexts, refused, turn, outer: cancellation, deadline: None }
    }
}

/// The calls of a turn while they run. Dropping it stops them.
pub struct Running {
    tasks: JoinSet<(usize, Outcome)>,
    /// Of the calls that have not ended.
    contexts: Vec<Option<ToolContext>>,
    /// Outcomes of calls that never ran, the last first.
    refused: Vec<(usize, Outcome)>,
    turn: CancellationToken,
    outer: Option<CancellationToken>,
    deadline: Option<Instant>,
}

impl Running {
    /// The next call that has ended, with its place among the calls; `None` when all have.
    pub async fn next(&mut self) -> Option<(usize, Outcome)> {
        loop {
            if let Some(refused) = self.refused.pop() {
                return Some(refused);
            }
            if self.contexts.iter().all(Option::is_none) {
                return None;
            }
            match self.wait().await {
                Some((index, outcome)) => {
                    self.contexts[index] = None;
                    return Some((index, outcome));
                }
                None => self.give_up(),
            }
        }
    }

    /// The next that ends by itself; `None` when the turn was cancelled and its time is over.
    async fn wait(&mut self) -> Option<(usize, Outcome)> {
        let deadline = match self.deadline {
            Some(deadline) => deadline,
            None => {
                let ended = self.turn.run_until_cancelled(self.tasks.join_next());
                let ended = match &self.outer {
                    Some(outer) => outer.run_until_cancelled(ended).await.flatten(),
                    None => ended.await,
                };
                if let Some(ended) = ended {
                    return ended.and_then(Result::ok);
                }
                self.turn.cancel();
                *self.deadline.insert(Instant::now() + GRACE)
            }
        };
        tokio::time::timeout_at(deadline, self.tasks.join_next()).await.ok().flatten().and_then(Result::ok)
    }

    /// Answers for those calls that have not ended, and lets go of what they run.
    fn give_up(&mut self) {
        self.tasks.abort_all();
        for (index, ctx) in self.contexts.iter_mut().enumerate().rev() {
            if let Some(ctx) = ctx.take() {
                self.refused.push((index, Executor::abandon(&ctx)));
            }
        }
    }
}

impl Executor {
    /// Begins a turn: all the calls of one message of a model. For the settings that are not the executor's own.
    pub fn turn(&self, session: &Session) -> Turn<'_> {
        Turn::new(self, session)
    }

    /// Runs all the calls of one turn: parallel ones beside one another, the others alone, in their order. There is one
    /// outcome a call, in the order of the calls.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn call_all(&self, session: &Session, calls: impl IntoIterator<Item = ToolCall>) -> Vec<Outcome> {
        self.turn(session).run(calls).await
    }
}
