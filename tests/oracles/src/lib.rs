//! Asks the vendors' own SDKs, in their own languages, what they say of the JSON that this workspace writes, and runs
//! the programs by which others check and serve MCP.
//!
//! In: pinned npm or `PyPI` packages; a script of `tests/oracles/` and a JSON value, or a program of a package. Out: the
//! script's JSON answer, or what the program did. The packages are installed once, by the first test that wants them,
//! into `target/oracles/`; from then on nothing leaves the machine. Where Node, Python or the registry is missing the
//! test is skipped and says why; with `CI_REQUIRE_ORACLES=1` it fails instead.
//!
//! ```no_run
//! use tool_oracles::Oracle;
//!
//! let oracle = match Oracle::npm(&["openai@6.49.0"]) {
//!     Ok(oracle) => oracle,
//!     Err(skipped) => return skipped.report(),
//! };
//! let verdicts = oracle.ask("schema.cjs", &serde_json::json!({ "empty": { "type": "object" } }));
//! ```

mod cache;
mod conformance;
mod mcp;
mod node;
mod packages;
mod process;
mod python;
mod serving;

use std::{
    env, fmt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde_json::Value;

pub use self::{
    conformance::{Report, Tally},
    mcp::McpPrograms,
    packages::{MCP_NPM, MCP_PYTHON, SCHEMA_NPM, SCHEMA_PYTHON, WIRE_PYTHON},
    process::{Finished, finish},
    serving::Serving,
};

/// How long one script may take. They take a second or two; this is for a machine under load.
const ASK_LIMIT: Duration = Duration::from_secs(120);

/// An interpreter with the wanted packages at hand.
#[derive(Debug, Clone)]
pub struct Oracle {
    interpreter: PathBuf,
    /// Where `require` looks; Python's packages are found through its virtual environment.
    modules: Option<PathBuf>,
}

impl Oracle {
    /// Node with npm packages, each as `name@version`. Their install scripts are not run.
    ///
    /// Equal lists share an installation, whatever test or process asks.
    ///
    /// # Errors
    /// Node or npm is missing, or the packages cannot be had.
    pub fn npm(packages: &[&str]) -> Result<Self, Skipped> {
        process::exists("node")?;
        Self::npm_on("node".into(), packages)
    }

    /// The same with Node 22 or newer, which the programs of [`MCP_NPM`] need: the machine's own, or, where that is
    /// older, one that comes from `PyPI` like any other package.
    ///
    /// # Errors
    /// Node, npm or Python is missing, or the packages cannot be had.
    pub fn npm_on_node_22(packages: &[&str]) -> Result<Self, Skipped> {
        Self::npm_on(node::recent()?, packages)
    }

    fn npm_on(interpreter: PathBuf, packages: &[&str]) -> Result<Self, Skipped> {
        let folder = cache::installed("npm", packages, |folder| {
            // A manifest of its own: npm would otherwise look for one in the folders above.
            std::fs::write(folder.join("package.json"), r#"{ "private": true }"#)?;
            let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
            npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"])
                .args(["--fetch-retries=1", "--fetch-timeout=30000", "--prefix"])
                .arg(folder)
                .args(packages)
                .current_dir(folder);
            Ok(vec![npm])
        })?;
        Ok(Self { interpreter, modules: Some(folder.join("node_modules")) })
    }

    /// Python with `PyPI` packages, each as `name==version`, in a virtual environment. Only wheels: nothing is built.
    ///
    /// Equal lists share an installation, whatever test or process asks.
    ///
    /// # Errors
    /// Python 3 is missing, or the packages cannot be had.
    pub fn python(packages: &[&str]) -> Result<Self, Skipped> {
        process::exists(python::PYTHON)?;
        let folder = cache::installed("python", packages, |folder| python::commands(folder, packages))?;
        Ok(Self { interpreter: python::interpreter(&folder), modules: None })
    }

    /// A command that runs a script of `tests/oracles/`, with the packages at hand.
    #[must_use]
    pub fn script(&self, script: &str) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script)).env("PYTHONDONTWRITEBYTECODE", "1");
        if let Some(modules) = &self.modules {
            command.env("NODE_PATH", modules);
        }
        command
    }

    /// A command that runs a program of an installed npm package, `PACKAGE/FILE`.
    ///
    /// # Panics
    /// Where the package holds no such file, or this is Python's.
    #[must_use]
    pub fn program(&self, path: &str) -> Command {
        let modules = self.modules.as_ref().expect("only npm packages bring programs of their own");
        let program = modules.join(path);
        assert!(program.exists(), "no {path} among the installed packages");
        let mut command = Command::new(&self.interpreter);
        command.arg(program);
        command
    }

    /// Runs a script of `tests/oracles/` with `question` as JSON on its standard input, and reads its standard output
    /// as JSON.
    ///
    /// # Panics
    /// Where the script fails, takes more than two minutes or answers with something else than JSON: a broken script
    /// is a broken test.
    #[must_use]
    pub fn ask(&self, script: &str, question: &Value) -> Value {
        let answer = process::run(&mut self.script(script), question.to_string().as_bytes(), ASK_LIMIT)
            .unwrap_or_else(|error| panic!("{script}: {error}"));
        serde_json::from_slice(&answer)
            .unwrap_or_else(|error| panic!("{script}: {error}, in {}", String::from_utf8_lossy(&answer)))
    }
}

/// Why an oracle cannot be asked on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped(String);

impl Skipped {
    /// Ends a test without a verdict: prints `skipped: why`.
    ///
    /// # Panics
    /// With `CI_REQUIRE_ORACLES=1` in the environment, as `.ci/run` sets it.
    pub fn report(self) {
        assert!(env::var_os("CI_REQUIRE_ORACLES").is_none_or(|wanted| wanted != "1"), "{self}");
        println!("{self}");
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "skipped: {}", self.0)
    }
}
