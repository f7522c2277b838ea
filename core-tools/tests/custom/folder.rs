//! A directory of tools that are files, and calls of them.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use core_tools::{
    LocalWorkspace,
    custom::{Loaded, load},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tool_core::{
    Outcome,
    permission::Ruleset,
    testing::{Bench, BenchBuilder},
    truncate::SpillStore,
};

/// A directory of tools.
pub(crate) struct Folder {
    pub(crate) temp: TempDir,
    pub(crate) root: PathBuf,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        Self { temp, root }
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// A tool `t` that runs this in a shell.
    pub(crate) fn script(script: &str) -> Self {
        Self::with(json!({ "command": script }))
    }

    pub(crate) fn with(manifest: Value) -> Self {
        let folder = Self::new();
        let mut whole = json!({ "description": "A test.", "inputSchema": { "type": "object" } });
        whole.as_object_mut().unwrap().extend(manifest.as_object().unwrap().clone());
        folder.file("t.json", whole.to_string());
        folder
    }

    pub(crate) async fn load(&self, directories: &[&str]) -> Loaded {
        let directories: Vec<PathBuf> = directories.iter().map(|name| self.root.join(name)).collect();
        load(&LocalWorkspace::default(), &directories).await
    }

    pub(crate) async fn bench(&self, step: impl FnOnce(BenchBuilder) -> BenchBuilder) -> Bench {
        let loaded = self.load(&["."]).await;
        assert_eq!(loaded.faults, []);
        let bench = loaded.tools.into_iter().fold(Bench::builder(), |bench, custom| bench.tool(custom.tool));
        let spills = SpillStore::new(&self.root);
        step(bench.cwd(&self.root).with(|executor| executor.spills(spills))).build()
    }

    pub(crate) async fn call(&self, arguments: Value) -> Outcome {
        let bench = self.bench(|bench| bench.with(|executor| executor.rules(Ruleset::allow_all()))).await;
        bench.call("t", &arguments.to_string()).await
    }
}

/// One member of an outcome's metadata.
pub(crate) fn metadata(outcome: &Outcome, key: &str) -> Value {
    outcome.status().as_ref().unwrap().metadata().get(key).cloned().unwrap_or_default()
}
