//! The command line as a value that a host puts together and runs.

use std::{
    any::Any,
    cell::OnceCell,
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{ArgMatches, CommandFactory, FromArgMatches};
use tool_core::{Registry, executor::ExecutorBuilder, permission::Ruleset};
use tool_mcp::client::McpConnections;

use crate::{
    args::{Args, Command, with_examples},
    batch, call,
    failure::Failure,
    files::{self, Load, ToolFiles},
    host::{Configure, Setup},
    list,
    machine::{Machine, Reach},
    mcp,
    own_command::{self, OwnCommand, Running},
    permissions, print, schema,
};

/// The command line of one binary. [`main`](crate::main) is the one that needs nothing.
///
/// ```no_run
/// struct Database;
///
/// fn main() -> std::process::ExitCode {
///     tool_cli::Cli::new().version(env!("CARGO_PKG_VERSION")).state(Database).run()
/// }
/// ```
#[must_use = "a command line does nothing until it is run"]
#[derive(Default)]
pub struct Cli {
    registry: Option<Registry>,
    rules: Option<Ruleset>,
    configure: Vec<Configure>,
    version: Option<String>,
    files: Option<Load>,
    machine: Option<Reach>,
    commands: Vec<OwnCommand>,
}

impl Cli {
    /// All linked tools under the default rules: reading in the working directory is allowed, everything else asks.
    pub fn new() -> Self {
        Self::default()
    }

    /// These tools instead of all linked ones.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = Some(registry);
        self
    }

    /// These rules instead of the default ones; `--allow` and `--deny` still come after them.
    pub fn rules(mut self, rules: Ruleset) -> Self {
        self.rules = Some(rules);
        self
    }

    /// A value that tools take as `&T`.
    pub fn state<T: Any + Send + Sync>(self, value: T) -> Self {
        self.executor(|builder| builder.state(value))
    }

    /// Anything else about the executor: observers, limits, a clock. Its rules, approver and spill store are set by
    /// the command line afterwards, and its approval settings where `--approval` is given.
    pub fn executor(mut self, configure: impl FnOnce(ExecutorBuilder) -> ExecutorBuilder + 'static) -> Self {
        self.configure.push(Box::new(configure));
        self
    }

    /// Takes `--tools DIR`, which may be given several times, and hands the directories, as absolute paths, to this
    /// function. Nothing is ever read from a directory that was not named.
    pub fn tool_files<F, R>(mut self, load: F) -> Self
    where
        F: FnOnce(Vec<PathBuf>) -> R + 'static,
        R: Future<Output = ToolFiles> + 'static,
    {
        self.files = Some(Box::new(move |directories| Box::pin(load(directories))));
        self
    }

    /// Takes flags of the binary's own on commands that run calls, and hands them, with the directory of `--cwd`, to this
    /// function. What it gives is the machine that calls work on: `None` is this one. What it fails with is a usage error.
    ///
    /// ```no_run
    /// #[derive(clap::Args)]
    /// struct Where {
    ///     /// Work in this container instead.
    ///     #[arg(long)]
    ///     container: Option<String>,
    /// }
    /// struct Container(String);
    ///
    /// let cli = tool_cli::Cli::new().machine(async |flags: Where, cwd| {
    ///     let Some(name) = flags.container else { return Ok(None) };
    ///     let cwd = cwd.ok_or("--container needs --cwd")?;
    ///     Ok(Some(tool_cli::Machine::new(cwd).executor(|builder| builder.state(Container(name)))))
    /// });
    /// ```
    pub fn machine<A, F, R>(mut self, reach: F) -> Self
    where
        A: clap::Args + 'static,
        F: FnOnce(A, Option<PathBuf>) -> R + 'static,
        R: Future<Output = Result<Option<Machine>, String>> + 'static,
    {
        self.machine = Some(Reach::new(reach));
        self
    }

    /// Takes one more command, with arguments of its own, which this function carries out.
    ///
    /// ```no_run
    /// #[derive(clap::Args)]
    /// struct Check {
    ///     /// Say more.
    ///     #[arg(long)]
    ///     long: bool,
    /// }
    ///
    /// let cli = tool_cli::Cli::new().command("check", "Look whether all is well", async |check: Check| {
    ///     println!("{}", if check.long { "All is well." } else { "ok" });
    ///     std::process::ExitCode::SUCCESS
    /// });
    /// ```
    pub fn command<A, F, R>(mut self, name: &'static str, about: &'static str, run: F) -> Self
    where
        A: clap::Args + 'static,
        F: FnOnce(A) -> R + 'static,
        R: Future<Output = ExitCode> + 'static,
    {
        self.commands.push(OwnCommand::new(name, about, run));
        self
    }

    /// What `--version` says; without it, the version of this crate.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Runs what the process was started with, on a runtime of its own.
    ///
    /// The runtime has threads beside the calling one, so that signals and timers are heard while a plain `fn` works.
    #[must_use]
    pub fn run(self) -> ExitCode {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        match runtime {
            Ok(runtime) => {
                let code = runtime.block_on(self.run_async());
                // A cancelled blocking tool may be at work still; nobody waits for it.
                runtime.shutdown_background();
                code
            }
            Err(error) => Failure::Usage(format!("cannot start the runtime: {error}")).report(),
        }
    }

    /// The same inside a tokio runtime that the host has already, with time and I/O enabled.
    pub async fn run_async(mut self) -> ExitCode {
        let mut words: Vec<OsString> = std::env::args_os().collect();
        let name = binary_name(words.first());
        if words.is_empty() {
            words.push(name.clone().into());
        }
        let version = self.version.clone().unwrap_or_else(|| concat!(env!("CARGO_PKG_VERSION"), " (tool-cli)").into());
        let command = with_examples(Args::command(), &name).name(name.clone()).bin_name(name.clone()).version(version);
        let command = if self.files.is_some() { command } else { files::hide(command) };
        let command = match &self.machine {
            Some(machine) => machine.add_flags(command),
            None => command,
        };
        let command = self.commands.iter().fold(command, |command, own| own.add_to(command));
        let parsed = command.clone().try_get_matches_from(words).and_then(|found| {
            if let Some(run) = own_command::take(&mut self.commands, &found)? {
                return Ok(Parsed::Own(run));
            }
            Args::from_arg_matches(&found).map(|args| Parsed::Ours(Box::new((args, found))))
        });
        let done = match parsed {
            Ok(Parsed::Own(run)) => return run.await,
            Ok(Parsed::Ours(ours)) => {
                let (args, found) = *ours;
                self.dispatch(args, &found, name, command).await
            }
            Err(error) => {
                // Help and version are "errors" of status 0; a closed stream is no reason to panic.
                let _ = error.print();
                return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
            }
        };
        done.unwrap_or_else(|failure| failure.report())
    }

    async fn dispatch(
        self,
        mut args: Args,
        found: &ArgMatches,
        name: String,
        command: clap::Command,
    ) -> Result<ExitCode, Failure> {
        let (directories, configs) = match files::named(&args.command) {
            Some(named) => (named.directories.clone(), named.servers.clone()),
            None => (Vec::new(), Vec::new()),
        };
        // Only what runs calls has a directory to run them in.
        let cwd = match &args.command {
            Command::Call(args) => Some(args.run.cwd.clone()),
            Command::Batch(args) => Some(args.run.cwd.clone()),
            Command::Mcp(args) => Some(args.serve.run.cwd.clone()),
            Command::List(_) | Command::Schema(_) | Command::Completions { .. } => None,
        };
        if let Command::Mcp(args) = &mut args.command
            && let Some(action) = args.action.take()
        {
            return mcp::servers(action, &name).await;
        }
        let connected: OnceCell<McpConnections> = OnceCell::new();
        let cwd_here = cwd.clone().flatten();
        let setup = async || -> Result<Setup, Failure> {
            let registry = match self.registry {
                Some(registry) => registry,
                None => Registry::linked().map_err(|error| Failure::Usage(error.to_string()))?,
            };
            let registry = files::add(self.files, &directories, registry).await?;
            let rules = self.rules.unwrap_or_else(permissions::default_rules);
            let machine = match (self.machine, cwd, found.subcommand()) {
                (Some(machine), Some(cwd), Some((_, found))) => (machine.reach)(found, cwd).await?,
                _ => None,
            };
            // A directory of another machine is none for programs of this one.
            let here = cwd_here.as_deref().filter(|_| machine.is_none());
            let servers = mcp::connect(&configs, here, &name).await?;
            if let Some(servers) = &servers {
                let _ = connected.set(servers.clone());
            }
            let version = self.version.unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned());
            Ok(Setup {
                name: name.clone(),
                version,
                registry,
                servers,
                rules,
                configure: self.configure,
                machine,
                wanted: Vec::new(),
            })
        };
        let run = async {
            match args.command {
                Command::List(args) => list::list(&setup().await?.tools()?, &args).await,
                Command::Schema(args) => schema::schema(&setup().await?.tools()?, &args).await,
                Command::Call(args) => call::call(setup().await?, args).await,
                Command::Batch(args) => batch::batch(setup().await?, args).await,
                Command::Mcp(args) => mcp::serve(setup().await?, args.serve).await,
                Command::Completions { shell } => completions(shell, &name, command),
            }
        };
        let done = run.await;
        if let Some(servers) = connected.into_inner() {
            mcp::end(servers).await;
        }
        done
    }
}

/// What a command line says.
enum Parsed {
    Ours(Box<(Args, ArgMatches)>),
    Own(Running),
}

fn completions(shell: clap_complete::Shell, name: &str, mut command: clap::Command) -> Result<ExitCode, Failure> {
    // clap_complete panics when it cannot write, so it writes to memory.
    let mut script = Vec::new();
    // It takes the name for one word of the shell's.
    let name: String = name.chars().map(|c| if c.is_alphanumeric() || "._+-".contains(c) { c } else { '_' }).collect();
    command = command.name(name.clone()).bin_name(name.clone());
    clap_complete::generate(shell, &mut command, name, &mut script);
    print::stdout(|out| out.write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// The name the program was started by, as help texts show it.
fn binary_name(first: Option<&OsString>) -> String {
    let file = first.map(Path::new).and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let file = file.filter(|name| !name.is_empty()).unwrap_or_else(|| "tools".to_owned());
    match file.strip_suffix(std::env::consts::EXE_SUFFIX) {
        Some(bare) if !bare.is_empty() => bare.to_owned(),
        _ => file,
    }
}
