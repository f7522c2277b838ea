//! Asks the vendors' own SDKs, in their own languages, what they say of the JSON that this workspace writes.
//!
//! In: pinned npm or `PyPI` packages, a script of `tests/oracles/`, a JSON value. Out: the script's JSON answer. The
//! packages are installed once, by the first test that wants them, into `target/oracles/`; from then on nothing leaves
//! the machine. Where Node, Python or the registry is missing the test is skipped and says why; with
//! `CI_REQUIRE_ORACLES=1` it fails instead.
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
mod packages;
mod process;

use std::{
    env, fmt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde_json::Value;

pub use self::packages::{SCHEMA_NPM, SCHEMA_PYTHON, WIRE_PYTHON};

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
        Ok(Self { interpreter: "node".into(), modules: Some(folder.join("node_modules")) })
    }

    /// Python with `PyPI` packages, each as `name==version`, in a virtual environment. Only wheels: nothing is built.
    ///
    /// Equal lists share an installation, whatever test or process asks.
    ///
    /// # Errors
    /// Python 3 is missing, or the packages cannot be had.
    pub fn python(packages: &[&str]) -> Result<Self, Skipped> {
        let python = if cfg!(windows) { "python" } else { "python3" };
        process::exists(python)?;
        let folder = cache::installed("python", packages, |folder| {
            let mut venv = Command::new(python);
            venv.args(["-m", "venv"]).arg(folder);
            let mut pip = Command::new(venv_python(folder));
            pip.args(["-m", "pip", "install", "--only-binary=:all:", "--disable-pip-version-check"])
                .args(["--no-input", "--quiet", "--retries=1", "--timeout=30"])
                .args(packages);
            Ok(vec![venv, pip])
        })?;
        Ok(Self { interpreter: venv_python(&folder), modules: None })
    }

    /// Runs a script of `tests/oracles/` with `question` as JSON on its standard input, and reads its standard output
    /// as JSON.
    ///
    /// # Panics
    /// Where the script fails, takes more than two minutes or answers with something else than JSON: a broken script
    /// is a broken test.
    #[must_use]
    pub fn ask(&self, script: &str, question: &Value) -> Value {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
        let mut command = Command::new(&self.interpreter);
        command.arg(&path).env("PYTHONDONTWRITEBYTECODE", "1");
        if let Some(modules) = &self.modules {
            command.env("NODE_PATH", modules);
        }
        let answer = process::run(&mut command, question.to_string().as_bytes(), ASK_LIMIT)
            .unwrap_or_else(|error| panic!("{script}: {error}"));
        serde_json::from_slice(&answer)
            .unwrap_or_else(|error| panic!("{script}: {error}, in {}", String::from_utf8_lossy(&answer)))
    }
}

fn venv_python(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { r"Scripts\python.exe" } else { "bin/python" })
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
