//! The fixture binary, run in a directory of its own.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use serde_json::Value;
use tempfile::TempDir;

/// A fresh directory to run the demo in.
pub(crate) struct Demo {
    directory: TempDir,
}

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Demo {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// The demo with these arguments, with a home of its own and no terminal.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(args)
            .current_dir(self.directory.path())
            .env("HOME", self.directory.path())
            .env("XDG_DATA_HOME", self.path("data"))
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).output().unwrap())
    }

    /// The same with something on standard input.
    pub(crate) fn run_with(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Run {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        // It may have ended without reading.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_ref());
        Run::of(child.wait_with_output().unwrap())
    }
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The one JSON value on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {:?} {:?}", self.stdout, self.stderr))
    }

    /// One JSON value a line.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A usage error: status 2, nothing on standard output, and these words on standard error.
    #[track_caller]
    pub(crate) fn is_usage_error(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{} {}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {:?}", self.stderr);
        }
    }
}

/// The keys of an object in their order.
#[track_caller]
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Where cargo put the example. `cargo test` builds it; a run with `--test` alone does not.
fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let profile = test.ancestors().nth(2).unwrap();
        let name = format!("demo{}", std::env::consts::EXE_SUFFIX);
        let binary = profile.join("examples").join(&name);
        // Where cargo keeps what it builds on the way elsewhere (`build.build-dir`), examples are not beside the test.
        let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from).filter(|_| !binary.exists());
        let binary = match target {
            Some(target) => target.join(profile.file_name().unwrap()).join("examples").join(name),
            None => binary,
        };
        assert!(binary.exists(), "build it first: cargo build -p tool-cli --example demo");
        binary
    })
}
