//! The programs by which others check and serve MCP.

use std::{fs, net::TcpListener, path::Path, process::Command, time::Duration};

use crate::{MCP_NPM, Oracle, Report, Serving, Skipped, finish};

/// How long a whole run of the conformance suite may take. It takes seconds; each scenario has 30 of its own.
const SUITE_LIMIT: Duration = Duration::from_secs(300);
/// How often another port is tried, where somebody else has taken the one that was free.
const TRIES: usize = 5;

/// The programs of [`MCP_NPM`], ready to run.
#[derive(Debug, Clone)]
pub struct McpPrograms(Oracle);

impl McpPrograms {
    /// Installs them unless they already are.
    ///
    /// # Errors
    /// Node, npm or Python is missing, or the packages cannot be had.
    pub fn installed() -> Result<Self, Skipped> {
        Oracle::npm_on_node_22(&MCP_NPM).map(Self)
    }

    /// The Inspector's command line; what follows are its arguments. Exit status 0: all is well; 5: the tool failed or
    /// there is none; 6, with `--strict`: a schema that not all clients can use. `home` is where it would keep what a
    /// user signed in to, so that the user's own is neither used nor changed.
    #[must_use]
    pub fn inspector(&self, home: &Path) -> Command {
        let mut command = self.0.program("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
        command.arg("--cli").env("HOME", home).env("USERPROFILE", home);
        command
    }

    /// Runs the conformance suite: `server --url …` or `client --command …`, and what to run. It reports into `folder`,
    /// which must not hold another run's.
    ///
    /// # Panics
    /// Where it does not come to an end, or reports nothing.
    #[must_use]
    pub fn conformance(&self, folder: &Path, arguments: &[&str]) -> Report {
        let mut command = self.0.program("@modelcontextprotocol/conformance/dist/index.js");
        fs::create_dir_all(folder).expect("a place for reports");
        let finished = finish(command.args(arguments).arg("-o").arg(folder).current_dir(folder), SUITE_LIMIT);
        let printed = finished.stdout + &finished.stderr;
        let report = Report::read(folder, finished.code, printed);
        assert!(!report.scenarios.is_empty(), "{arguments:?} reported nothing: {}", report.printed);
        report
    }

    /// A command that runs a script of `tests/oracles/` on the same Node.
    #[must_use]
    pub fn script(&self, script: &str) -> Command {
        self.0.script(script)
    }

    /// A server with one of everything, on its standard input and output.
    #[must_use]
    pub fn everything(&self) -> Command {
        let mut command = self.0.program("@modelcontextprotocol/server-everything/dist/index.js");
        command.arg("stdio");
        command
    }

    /// The same by streamable HTTP, and its address.
    ///
    /// # Panics
    /// Where it does not start.
    #[must_use]
    pub fn everything_by_http(&self) -> (Serving, String) {
        let mut said = String::new();
        for _ in 0..TRIES {
            let port = free_port();
            let mut command = self.0.program("@modelcontextprotocol/server-everything/dist/index.js");
            command.arg("streamableHttp").env("PORT", port.to_string());
            match Serving::try_start(&mut command, "listening") {
                Ok(serving) => return (serving, format!("http://127.0.0.1:{port}/mcp")),
                Err(other) => said = other,
            }
        }
        panic!("server-everything does not listen: {said}");
    }

    /// A server of one folder's files, on its standard input and output.
    #[must_use]
    pub fn filesystem(&self, folder: &Path) -> Command {
        let mut command = self.0.program("@modelcontextprotocol/server-filesystem/dist/index.js");
        command.arg(folder);
        command
    }
}

/// A port that nobody listens on: for programs that cannot choose one themselves and tell it.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("a bound address").port()
}
