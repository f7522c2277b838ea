//! All the calls of one turn of a model.

use std::{collections::VecDeque, pin::pin, time::Duration};

use tokio::{
    task::{Id, JoinError, JoinSet},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{Executor, Outcome, admission::Origin};
use crate::{
    call::ToolCall,
    context::{Host, Session, ToolContext},
};

/// How long a cancelled turn waits for its calls: a little more than a cancelled call has to hand over what it has, and
/// the hooks have to look at it.
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
}

/// What one turn's calls have in common, those that their tools make among them.
#[derive(Clone)]
pub(crate) struct Order {
    /// Whether each call waits for the one before it, whatever its tool allows.
    pub(super) sequential: bool,
    /// How many run at once at most.
    pub(super) most: usize,
    /// A message of the user's, before which calls are left out that have not started.
    pub(super) steering: Option<CancellationToken>,
}

impl Order {
    /// The executor's own.
    pub(super) fn of(host: &Host) -> Self {
        Self { sequential: false, most: host.max_parallel, steering: None }
    }
}

impl<'e> Turn<'e> {
    fn new(executor: &'e Executor, session: &Session) -> Self {
        let order = Order::of(&executor.host);
        Self { executor, session: session.clone(), cancellation: None, order }
    }

    /// Cancelled when `token` is, as well as with the session. Every call then ends within 250 ms, those that wait for
    /// an answer or their turn too, and also while nobody asks for the [`next`](Running::next) outcome.
    pub fn until(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// One call after the other, in their order (pi's `toolExecution: "sequential"`); those that a tool makes at once too.
    pub fn sequential(mut self) -> Self {
        self.order.sequential = true;
        self
    }

    /// At most so many at once, calls that tools make among them; the executor's own limit unless set. A call does not
    /// count while it waits for one that its tool has made.
    pub fn max_parallel(mut self, calls: usize) -> Self {
        self.order.most = calls;
        self
    }

    /// When `message` is cancelled, calls that have not started are left out, with an error that says that the user has
    /// sent a message; those that run go on, without the calls that their tools would make from then on. Without it a
    /// message waits for the end of the turn (pi has had both).
    pub fn skip_on(mut self, message: CancellationToken) -> Self {
        self.order.steering = Some(message);
        self
    }

    /// Runs the calls. The outcomes are in the order of the calls.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn run(self, calls: impl IntoIterator<Item = ToolCall>) -> Vec<Outcome> {
        let mut running = self.start(calls);
        let mut outcomes: Vec<Option<Outcome>> = Vec::new();
        outcomes.resize_with(running.calls.len(), || None);
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
        let Self { executor, session, cancellation, order } = self;
        // The session's end is the turn's as well, whatever the turn's token comes from.
        let turn = session.cancellation().child_token();
        let admit = |call| executor.admit(&session, call, Origin::model(Some(turn.clone()), order.clone()));
        // All take their places before any runs.
        let admitted: Vec<_> = calls.into_iter().map(admit).collect();
        let mut tasks = JoinSet::new();
        let mut calls = Vec::with_capacity(admitted.len());
        for (index, call) in admitted.into_iter().enumerate() {
            let (executor, ctx) = (executor.clone(), call.ctx.clone());
            let (turn, outer) = (turn.clone(), cancellation.clone());
            // Each listens for itself: a host may do other things between two outcomes.
            let task = tasks.spawn(async move {
                let run = executor.run(call);
                let outcome = match outer {
                    None => run.await,
                    Some(outer) => until(&outer, &turn, run).await,
                };
                (index, outcome)
            });
            calls.push(Some((task.id(), ctx)));
        }
        let left = calls.len();
        Running { tasks, calls, left, ended: VecDeque::new(), turn, outer: cancellation, deadline: None }
    }
}

/// Runs a call to its end, and passes a cancellation from outside on to what it listens to.
pub(super) async fn until(
    outer: &CancellationToken,
    own: &CancellationToken,
    run: impl Future<Output = Outcome>,
) -> Outcome {
    let mut run = pin!(run);
    match outer.run_until_cancelled(&mut run).await {
        Some(outcome) => outcome,
        None => {
            own.cancel();
            run.await
        }
    }
}

/// The calls of a turn while they run. Dropping it stops them.
pub struct Running {
    tasks: JoinSet<(usize, Outcome)>,
    /// Those that have not ended.
    calls: Vec<Option<(Id, ToolContext)>>,
    /// How many these are.
    left: usize,
    /// Outcomes that nobody has taken yet.
    ended: VecDeque<(usize, Outcome)>,
    turn: CancellationToken,
    outer: Option<CancellationToken>,
    deadline: Option<Instant>,
}

impl Running {
    /// The next call that has ended, with its place among the calls; `None` when all have.
    pub async fn next(&mut self) -> Option<(usize, Outcome)> {
        loop {
            if let Some(ended) = self.ended.pop_front() {
                return Some(ended);
            }
            if self.left == 0 {
                return None;
            }
            match self.wait().await {
                Some(task) => self.take(task),
                None => self.give_up().await,
            }
        }
    }

    /// Takes the outcome of a task. One that came to no end of its own costs its own call alone.
    fn take(&mut self, task: Result<(usize, Outcome), JoinError>) {
        let is_lost = |fault: &JoinError| {
            let of_task = |call: &Option<(Id, _)>| call.as_ref().is_some_and(|(id, _)| *id == fault.id());
            let index = self.calls.iter().position(of_task)?;
            let (_, ctx) = self.calls[index].as_ref()?;
            Some((index, Executor::lose(ctx)))
        };
        if let Some((index, outcome)) = task.map_or_else(|fault| is_lost(&fault), Some) {
            self.calls[index] = None;
            self.left -= 1;
            self.ended.push_back((index, outcome));
        }
    }

    /// The next that ends by itself; `None` when the turn was cancelled and its time is over.
    async fn wait(&mut self) -> Option<Result<(usize, Outcome), JoinError>> {
        let deadline = match self.deadline {
            Some(deadline) => deadline,
            None => {
                let ended = self.turn.run_until_cancelled(self.tasks.join_next());
                let ended = match &self.outer {
                    Some(outer) => outer.run_until_cancelled(ended).await.flatten(),
                    None => ended.await,
                };
                if let Some(ended) = ended {
                    return ended;
                }
                self.turn.cancel();
                *self.deadline.insert(Instant::now() + GRACE)
            }
        };
        tokio::time::timeout_at(deadline, self.tasks.join_next()).await.ok().flatten()
    }

    /// Answers for those calls that have not ended, and lets go of what they run.
    async fn give_up(&mut self) {
        // A thread that was busy until now may have left no time to calls that need little.
        tokio::task::yield_now().await;
        while let Some(task) = self.tasks.try_join_next() {
            self.take(task);
        }
        self.tasks.abort_all();
        self.left = 0;
        for (index, call) in self.calls.iter_mut().enumerate() {
            if let Some((_, ctx)) = call.take() {
                self.ended.push_back((index, Executor::abandon(&ctx)));
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
    /// outcome a call, in the order of the calls. A call whose id another one of them has is not run, and ends in
    /// [`ToolError::RepeatedId`](crate::ToolError::RepeatedId).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn call_all(&self, session: &Session, calls: impl IntoIterator<Item = ToolCall>) -> Vec<Outcome> {
        self.turn(session).run(calls).await
    }
}
