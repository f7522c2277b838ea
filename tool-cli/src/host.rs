//! Everything that running calls needs, put together from the host's setup and the flags.

use std::{
    env,
    path::{Component, Path, PathBuf, absolute},
    process::ExitCode,
    sync::Arc,
    time::{Duration, SystemTime},
};

use tool_core::{
    Executor, Outcome, Registry, Session, Tool, ToolCall,
    executor::{BuildError, ExecutorBuilder},
    permission::{ApprovalPolicy, Ruleset},
    registry::LiveRegistry,
    truncate::SpillStore,
};
use tool_mcp::client::McpConnections;

use crate::{
    approver::Answering, args::RunArgs, failure::Failure, interrupt, machine::Machine, permissions, progress::Display,
};

/// How long the end of the program waits for old spills to be deleted.
const SWEEP: Duration = Duration::from_millis(100);

/// A host's own say in the executor.
pub(crate) type Configure = Box<dyn FnOnce(ExecutorBuilder) -> ExecutorBuilder>;

/// Whether a tool is wanted.
pub(crate) type Wants = Box<dyn Fn(&dyn Tool) -> bool + Send + Sync>;

/// What a binary brings.
pub(crate) struct Setup {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The tools, but for those of MCP servers.
    pub(crate) registry: Registry,
    /// The MCP servers of `--mcp`.
    pub(crate) servers: Option<McpConnections>,
    pub(crate) rules: Ruleset,
    pub(crate) configure: Vec<Configure>,
    /// `None`: this one.
    pub(crate) machine: Option<Machine>,
    /// Which tools are wanted, by [`narrow`](Self::narrow).
    pub(crate) wanted: Vec<Wants>,
}

impl Setup {
    /// The tools as they are now, those of MCP servers included.
    ///
    /// # Errors
    /// When two have one name.
    pub(crate) fn tools(&self) -> Result<Registry, Failure> {
        match &self.servers {
            Some(servers) => servers.over(&self.registry).map_err(|error| Failure::Usage(error.to_string())),
            None => Ok(self.registry.clone()),
        }
    }

    /// Leaves out what is not wanted, now and later.
    pub(crate) fn narrow(&mut self, wants: impl Fn(&dyn Tool) -> bool + Send + Sync + 'static) {
        self.registry = self.registry.select(|tool| wants(&**tool.tool()));
        self.wanted.push(Box::new(wants));
    }
}

/// What all that run calls have in common, before it is said who is asked and who watches.
pub(crate) struct Ground {
    pub(crate) executor: ExecutorBuilder,
    pub(crate) cwd: PathBuf,
    pub(crate) spills: Option<SpillStore>,
}

impl Setup {
    /// Puts it together from the flags.
    ///
    /// # Errors
    /// When a flag names no directory, or rules that cannot be read.
    pub(crate) fn ground(self, args: &RunArgs) -> Result<Ground, Failure> {
        let home = env::home_dir();
        let remote = self.machine.as_ref().and_then(|machine| Some((machine.cwd()?, machine.home_directory())));
        let (cwd, home_there) = match remote {
            Some((cwd, home)) => (cwd.to_owned(), home.map(Path::to_owned)),
            None => (working_directory(args.cwd.as_deref())?, home.clone()),
        };
        // They change as those of MCP servers do.
        let tools = LiveRegistry::from(self.registry);
        if let Some(servers) = self.servers {
            let wanted = self.wanted;
            servers.attach_where(&tools, move |tool| wanted.iter().all(|wants| wants(tool)));
        }
        let mut executor = self.configure.into_iter().fold(Executor::builder(tools), |builder, more| more(builder));
        if let Some(machine) = self.machine {
            executor = machine.configure(executor);
        }
        executor = executor.rules(permissions::rules(self.rules, args, home_there.as_deref())?);
        if let Some(approval) = args.approval {
            executor = executor.approvals(ApprovalPolicy::from(approval));
        }
        if let Some(limit) = args.timeout {
            executor = executor.timeout(limit);
        }
        let spills = spill_parent(args, &self.name, home)?.map(SpillStore::new);
        Ok(Ground { executor, cwd, spills })
    }
}

/// What is to be said of tools that cannot run.
pub(crate) fn unusable(error: &BuildError) -> Failure {
    Failure::Usage(format!("{error}\na command line gets state by `tool_cli::Cli::new().state(…).run()`"))
}

/// Deletes old spills beside what else is done.
pub(crate) fn sweep(spills: SpillStore) -> tokio::task::JoinHandle<()> {
    tokio::task::spawn_blocking(move || {
        let _ = spills.sweep(SystemTime::now());
    })
}

/// An executor and its one session.
pub(crate) struct Host {
    executor: Executor,
    session: Session,
    sweep: Option<tokio::task::JoinHandle<()>>,
    second: Arc<interrupt::Second>,
    servers: Option<McpConnections>,
}

impl Host {
    /// `stdin_is_taken` where standard input holds calls rather than a person's answers.
    ///
    /// # Errors
    /// When a flag names no directory, or a tool cannot run.
    pub(crate) fn new(setup: Setup, args: &RunArgs, stdin_is_taken: bool) -> Result<Self, Failure> {
        let servers = setup.servers.clone();
        let Ground { executor, cwd, spills } = setup.ground(args)?;
        let display = Arc::new(Display::new(args.verbose));
        let observer = display.clone();
        let mut executor = executor
            .approver(Answering::new(args, stdin_is_taken, display))
            .inline_observer(move |event: &_| observer.observe(event));
        if let Some(spills) = &spills {
            executor = executor.spills(spills.clone());
        }
        let executor = executor.build().map_err(|error| unusable(&error))?;
        let (session, sweep) = (Session::new(cwd), spills.map(sweep));
        Ok(Self { executor, session, sweep, second: Arc::default(), servers })
    }

    /// The tools.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        self.executor.registry()
    }

    /// The session that all calls are in.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// From now on, Ctrl-C cancels.
    pub(crate) fn listen(&self) {
        interrupt::watch(self.session.cancellation().clone(), self.second.clone(), self.servers.clone());
    }

    /// Runs one call. A second Ctrl-C drops it, and gives the status to end with.
    pub(crate) async fn call(&self, call: ToolCall) -> Result<Outcome, ExitCode> {
        self.second.unless(self.executor.call(&self.session, call)).await
    }

    /// Gives what runs beside the calls a moment to end.
    pub(crate) async fn close(self) {
        if let Some(sweep) = self.sweep {
            let _ = tokio::time::timeout(SWEEP, sweep).await;
        }
    }
}

/// The directory of `--cwd`, absolute. Only a path with `..` in it is resolved through links, for tools compare paths
/// as text.
pub(crate) fn working_directory(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let fault = |path: &Path, why: &dyn std::fmt::Display| {
        Failure::Usage(format!("--cwd must be a directory, and `{}` is not one: {why}", path.display()))
    };
    let Some(given) = given else {
        return env::current_dir().map_err(|error| {
            Failure::Usage(format!("the current directory cannot be used ({error}); name another with --cwd"))
        });
    };
    let mut path = absolute(given).map_err(|error| fault(given, &error))?;
    if path.components().any(|part| part == Component::ParentDir) {
        path = path.canonicalize().map_err(|error| fault(given, &error))?;
    }
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(path),
        Ok(_) => Err(fault(given, &"it is a file")),
        Err(error) => Err(fault(given, &error)),
    }
}

/// `--output-dir`, or the program's own folder.
fn spill_parent(args: &RunArgs, name: &str, home: Option<PathBuf>) -> Result<Option<PathBuf>, Failure> {
    if let Some(given) = &args.output_dir {
        let path = absolute(given).map_err(|error| Failure::Usage(format!("--output-dir cannot be used: {error}")))?;
        return Ok(Some(path));
    }
    Ok(data_folder(name, home))
}

/// A program's own folder among the user's data, where there is such a place.
pub(crate) fn data_folder(name: &str, home: Option<PathBuf>) -> Option<PathBuf> {
    let data = env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = data.or_else(|| home.filter(|home| home.is_absolute()).map(|home| home.join(".local").join("share")));
    data.map(|data| data.join(name))
}
