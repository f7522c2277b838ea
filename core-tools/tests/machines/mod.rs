//! The machines that tools have to work on alike, each with an empty directory, and a session on each.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test says what is wrong by panicking")]

use std::{fs, path::PathBuf, sync::Arc};

use core_tools::{
    LocalWorkspace, Workspace,
    workspace::{Command, MemoryWorkspace, SshWorkspace},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tool_core::{Executor, Outcome, Registry, Session, ToolCall, permission::Ruleset, truncate::SpillStore};

use crate::sshd::Sshd;

/// A machine, and a session of all linked tools that works in its directory.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) root: PathBuf,
    /// Whether it runs programs.
    pub(crate) runs: bool,
    executor: Executor,
    pub(crate) session: Session,
    folder: TempDir,
    sshd: Option<Sshd>,
}

/// All there are: the first is the local one.
pub(crate) async fn machines() -> Vec<Machine> {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap().join("work");
    fs::create_dir(&root).unwrap();
    let mut machines = vec![Machine::new("local", Arc::new(LocalWorkspace::default()), root, folder, None)];
    let root = PathBuf::from("/somewhere/work");
    let memory = Arc::new(MemoryWorkspace::new().directory(&root));
    machines.push(Machine::new("memory", memory, root, tempfile::tempdir().unwrap(), None));
    machines.extend(remote().await);
    machines
}

/// The one that is reached by SSH, where there is an sshd.
pub(crate) async fn remote() -> Option<Machine> {
    let sshd = Sshd::start()?;
    let workspace = sshd.connect().await;
    Some(on(sshd, workspace))
}

/// The same, connected to in some way.
pub(crate) fn on(sshd: Sshd, workspace: SshWorkspace) -> Machine {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap().join("work");
    fs::create_dir(&root).unwrap();
    Machine::new("ssh", Arc::new(workspace), root, folder, Some(sshd))
}

impl Machine {
    fn new(
        name: &'static str,
        workspace: Arc<dyn Workspace>,
        root: PathBuf,
        folder: TempDir,
        sshd: Option<Sshd>,
    ) -> Self {
        let executor = Executor::builder(Registry::linked().unwrap())
            .state::<Arc<dyn Workspace>>(workspace.clone())
            .rules(Ruleset::allow_all())
            .spills(SpillStore::new(folder.path().join("kept")))
            .build()
            .unwrap();
        let session = Session::new(&root);
        let runs = name != "memory";
        Self { name, workspace, root, runs, executor, session, folder, sshd }
    }

    pub(crate) fn sshd(&mut self) -> &mut Sshd {
        self.sshd.as_mut().unwrap()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.executor.call(&self.session, ToolCall::new("call", tool.to_owned(), arguments.to_string())).await
    }

    /// What a call came to, with `ROOT` for the directory: the same on every machine.
    pub(crate) async fn told(&self, tool: &str, arguments: &Value) -> Value {
        let outcome = self.call(tool, arguments.clone()).await;
        let said = match outcome.status() {
            Ok(bounded) => {
                json!({ "output": bounded.output(), "title": bounded.title(), "metadata": outcome.metadata() })
            }
            // Each machine words an error of its own in its own way.
            Err(error) => json!({ "error": without_number(&error.to_string()) }),
        };
        let root = json!(self.root).to_string();
        let mut said: Value = serde_json::from_str(&said.to_string().replace(root.trim_matches('"'), "ROOT")).unwrap();
        if let Some(error) = said.get_mut("error") {
            *error = json!(error.to_string().to_lowercase());
        }
        said
    }

    pub(crate) async fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        self.workspace.make_dirs(path.parent().unwrap()).await.unwrap();
        self.workspace.create(&path, content.as_ref().to_vec().into(), None).await.unwrap();
    }

    pub(crate) async fn content(&self, name: &str) -> Vec<u8> {
        self.workspace.read(&self.root.join(name), u64::MAX).await.unwrap()
    }
}

/// Without ` (os error 2)` and its like.
fn without_number(text: &str) -> String {
    match text.split_once(" (os error ") {
        Some((before, after)) => match after.split_once(')') {
            Some((_, after)) => format!("{before}{}", without_number(after)),
            None => text.to_owned(),
        },
        None => text.to_owned(),
    }
}

impl Machine {
    /// Commands that cannot be started, and what the error names.
    pub(crate) fn hopeless(&self) -> [(Command, &'static str); 2] {
        [
            (Command::new("/no/such/program", [] as [&str; 0], &self.root), "/no/such/program"),
            (Command::new("/bin/sh", ["-c", "true"], self.root.join("nowhere")), "nowhere"),
        ]
    }
}
