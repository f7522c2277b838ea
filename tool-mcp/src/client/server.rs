//! One server: started, watched, started anew.

use std::{path::PathBuf, sync::Arc, time::Duration};

use serde_json::{Map, Value};
use tokio::{
    select,
    sync::{Notify, watch},
    time::{Instant, sleep, timeout},
};
use tool_core::{CancellationToken, ToolContext, ToolError, ToolOutput};

use super::{
    Environment, MAX_NOTES, ServerState, ServerStatus,
    config::ServerConfig,
    content,
    declared::Declared,
    failure::{Failure, Outlook},
    host::McpHost,
    session::{RequestError, Session},
    start::with_stderr,
    tail::Tail,
    words::chain,
};

/// How long a server that failed is left alone, at first; twice as long each time.
const BACK_OFF: Duration = Duration::from_millis(500);
/// As often in a row is a server started anew.
const MAX_RESTARTS: u32 = 5;
/// As long is the process of a connection that ended waited for, before the server is started anew.
const REMAINS: Duration = Duration::from_secs(10);
/// After so long a life, a server's failures are forgotten.
const HEALTHY: Duration = Duration::from_secs(60);
/// Tools that a server has changed are listed no more often than this.
const RELIST_EVERY: Duration = Duration::from_millis(200);

/// What all servers of a host have in common.
pub(super) struct Surrounded {
    pub(super) environment: Environment,
    pub(super) directory: PathBuf,
    pub(super) host: Arc<dyn McpHost>,
    #[cfg(feature = "http-client")]
    pub(super) credentials: Option<Arc<dyn super::credentials::CredentialStore>>,
    pub(super) stop: CancellationToken,
    /// What programs hear: whether they are to be killed at once. Each has a receiver as long as it is there.
    pub(super) programs: watch::Sender<bool>,
}

impl Surrounded {
    /// Waits until no program is left.
    pub(super) async fn no_program_is_left(&self) {
        let _ = timeout(REMAINS, self.programs.closed()).await;
    }
}

/// One server of a configuration.
pub(super) struct Server {
    pub(super) config: ServerConfig,
    pub(super) surrounded: Arc<Surrounded>,
    pub(super) view: watch::Sender<View>,
    /// Notified when it is to be started anew though it failed.
    again: Notify,
}

/// What is known of a server.
#[derive(Clone)]
pub(super) struct View {
    pub(super) state: ServerState,
    pub(super) session: Option<Arc<Session>>,
    /// Its tools, as it lists them.
    pub(super) declared: Arc<Vec<Declared>>,
    /// What of its list could not be read.
    pub(super) notes: Arc<Vec<String>>,
    /// Whether it has run since it was last started by somebody: then it is worth waiting for.
    pub(super) has_run: bool,
    /// When it is tried again.
    next_try: Option<Instant>,
    tail: Tail,
}

impl View {
    /// Whether the first start has come to an end.
    pub(super) fn is_settled(&self) -> bool {
        !matches!(self.state, ServerState::Starting)
    }

    /// Whether who wants something of it is to wait.
    fn is_awaited(&self) -> bool {
        match &self.session {
            Some(session) => session.is_closed(),
            None => match self.state {
                ServerState::Starting => true,
                ServerState::Restarting { .. } => self.has_run,
                _ => false,
            },
        }
    }

    /// The state as it is now.
    fn state(&self) -> ServerState {
        let mut state = self.state.clone();
        if let ServerState::Restarting { next_try, .. } = &mut state {
            let now = Instant::now();
            *next_try = self.next_try.map(|next| next.saturating_duration_since(now)).unwrap_or_default();
        }
        state
    }
}

impl Server {
    pub(super) fn new(config: ServerConfig, surrounded: Arc<Surrounded>) -> Arc<Self> {
        let state = match &config.withheld {
            _ if !config.enabled => ServerState::Disabled,
            Some(fault) => ServerState::Failed { reason: fault.to_string() },
            None => ServerState::Starting,
        };
        let view = View {
            state,
            session: None,
            declared: Arc::default(),
            notes: Arc::default(),
            has_run: false,
            next_try: None,
            tail: Tail::default(),
        };
        Arc::new(Self { config, surrounded, view: watch::Sender::new(view), again: Notify::new() })
    }

    pub(super) fn view(&self) -> View {
        self.view.borrow().clone()
    }

    pub(super) fn watch(&self) -> watch::Receiver<View> {
        self.view.subscribe()
    }

    pub(super) fn status(&self, tools: usize, more: Vec<String>) -> ServerStatus {
        let view = self.view();
        let mut notes: Vec<String> = view.notes.iter().cloned().chain(more).collect();
        notes.truncate(MAX_NOTES);
        ServerStatus {
            server: self.config.name.clone(),
            state: view.state(),
            tools,
            instructions: view.session.as_ref().and_then(|session| session.info.instructions.clone()),
            notes,
            stderr: view.tail.text(),
        }
    }

    /// Starts it anew, if it has failed.
    pub(super) fn restart(&self) {
        // A word that nobody waits for must not be kept for another time.
        if matches!(self.view.borrow().state, ServerState::Failed { .. }) {
            self.again.notify_one();
        }
    }

    /// Starts it, and starts it anew when it fails, until it is to stop.
    pub(super) async fn run(self: Arc<Self>) {
        if !self.config.enabled || self.config.withheld.is_some() {
            return;
        }
        let mut restarts = 0;
        // What is left of a connection that ended: its process, which is told to end, then killed.
        let mut remains = CancellationToken::new();
        remains.cancel();
        loop {
            let tail = Tail::default();
            self.view.send_modify(|view| {
                view.tail = tail.clone();
                view.next_try = None;
            });
            let failure = select! {
                started = self.start(tail) => match started {
                    Ok(session) => {
                        let since = Instant::now();
                        self.serve(&session).await;
                        if self.surrounded.stop.is_cancelled() {
                            let _ = timeout(REMAINS, session.close()).await;
                            break;
                        }
                        if since.elapsed() >= HEALTHY {
                            restarts = 0;
                        }
                        remains = session.heard.ended.clone();
                        Failure::passing(with_stderr("its connection ended", &session.tail).await)
                    }
                    Err(failure) => failure,
                },
                () = self.surrounded.stop.cancelled() => break,
            };
            restarts += 1;
            let may_pass = match failure.outlook {
                Outlook::Lasting => false,
                Outlook::Doubtful => self.view.borrow().has_run,
                Outlook::Passing => true,
            };
            let reason = failure.reason;
            if !may_pass || restarts > MAX_RESTARTS {
                self.view.send_modify(|view| {
                    view.state = ServerState::Failed { reason };
                    view.session = None;
                    view.declared = Arc::default();
                });
                select! {
                    () = self.again.notified() => {}
                    () = self.surrounded.stop.cancelled() => break,
                }
                restarts = 0;
                self.view.send_modify(|view| {
                    view.state = ServerState::Starting;
                    view.has_run = false;
                });
                continue;
            }
            let back_off = BACK_OFF * 2_u32.pow(restarts - 1);
            self.view.send_modify(|view| {
                view.state = ServerState::Restarting { reason, next_try: back_off };
                view.session = None;
                view.next_try = Some(Instant::now() + back_off);
            });
            let pause = async { tokio::join!(sleep(back_off), timeout(REMAINS, remains.cancelled())) };
            select! {
                _ = pause => {}
                () = self.surrounded.stop.cancelled() => break,
            }
        }
        let _ = timeout(REMAINS, remains.cancelled()).await;
        self.view.send_modify(|view| {
            view.state = ServerState::Stopped;
            view.session = None;
            view.declared = Arc::default();
        });
    }

    /// Keeps the list of its tools up to date until the connection ends, or is to end.
    async fn serve(&self, session: &Arc<Session>) {
        let listening = session.clone().listen();
        tokio::pin!(listening);
        loop {
            select! {
                () = session.heard.closing.cancelled() => return,
                () = self.surrounded.stop.cancelled() => return,
                never = &mut listening => match never {},
                () = session.heard.tools_changed.notified() => {}
            }
            select! {
                () = self.relist(session) => {}
                () = self.surrounded.stop.cancelled() => return,
            }
        }
    }

    /// Lists its tools again, and rests a while.
    async fn relist(&self, session: &Session) {
        match self.declared(session).await {
            Ok(declared) => self.view.send_if_modified(|view| {
                let is_new = *view.declared != declared.tools || *view.notes != declared.notes;
                declared.put(view);
                is_new
            }),
            Err(error) => self.view.send_if_modified(|view| {
                view.notes = Arc::new(vec![format!("its changed tools could not be listed: {}", chain(&error))]);
                true
            }),
        };
        sleep(RELIST_EVERY).await;
    }

    /// The connection, once there is one.
    ///
    /// # Errors
    /// Why there is none, and will not be.
    pub(super) async fn session(&self) -> Result<Arc<Session>, String> {
        let mut watched = self.watch();
        let view = watched.wait_for(|view| !view.is_awaited()).await.map_err(|_| "it is gone".to_owned())?;
        view.session.clone().ok_or_else(|| view.state().to_string())
    }

    /// Calls one of its tools, by the server's name for it.
    pub(super) async fn call(&self, tool: &str, arguments: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let name = &self.config.name;
        let session = self
            .session()
            .await
            .map_err(|why| ToolError::failed(format!("The tool was not called: its MCP server `{name}` is {why}.")))?;
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        match session.call_tool(tool, arguments, self.config.tool_timeout, ctx).await {
            Ok(result) => content::output(name, result),
            Err(RequestError::TimedOut(after)) => Err(ToolError::TimedOut { tool: ctx.tool().clone(), after }),
            Err(RequestError::Refused(error)) => {
                Err(ToolError::failed(format!("The MCP server `{name}` answered with an error: {}", error.message)))
            }
            Err(RequestError::Closed) => Err(ToolError::failed(format!(
                "The MCP server `{name}` ended while the tool ran. Whether the tool did what it does is not known; see \
                 before calling it again."
            ))),
            Err(error @ (RequestError::Unsent(_) | RequestError::Unexpected)) => {
                Err(ToolError::failed(format!("The call failed between here and the MCP server `{name}`: {error}.")))
            }
        }
    }
}
