//! A policy on one machine, with one working directory: real paths.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use super::{
    linked::Links,
    policy::{SandboxMode, SandboxPolicy},
    protected::git_directories,
};

/// What may be written, and what of it not. All paths are real ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Directories that may be written, those that hold others first.
    pub(super) roots: Vec<PathBuf>,
    /// What lies in them and may not, whether it is there or not.
    pub(super) protected: Vec<PathBuf>,
    pub(super) network: bool,
    pub(super) unix_sockets: bool,
    /// Whether files with names outside were too many, or too hard to find, to be all among the protected.
    pub(super) has_unknown_links: bool,
}

impl Scope {
    /// What a policy comes to. `tmpdir` is what commands find in `$TMPDIR`. Looks at the disk.
    pub(super) fn of(policy: &SandboxPolicy, cwd: &Path, tmpdir: Option<&OsStr>, links: &mut Links) -> Self {
        let mut scope = Self { network: policy.network, unix_sockets: policy.unix_sockets, ..Self::default() };
        if policy.mode == SandboxMode::ReadOnly {
            return scope;
        }
        let projects = [cwd.to_owned()].into_iter().chain(policy.roots.iter().cloned());
        let mut projects: Vec<PathBuf> = projects.filter_map(directory).collect();
        projects.dedup();
        let shared = policy.slash_tmp.then_some(["/tmp", "/dev/shm"].map(PathBuf::from));
        let own = policy.tmpdir.then_some(tmpdir).flatten().map(PathBuf::from);
        let temporary = shared.into_iter().flatten().chain(own.filter(|own| own.is_absolute()));
        scope.roots = projects.iter().cloned().chain(temporary.filter_map(directory)).collect();
        scope.roots.sort_by_key(|root| root.components().count());
        scope.roots.dedup();

        for project in &projects {
            for name in &policy.protected {
                let path = project.join(name);
                if name == ".git" {
                    scope.protected.extend(git_directories(&path));
                }
                scope.protected.push(path);
            }
        }
        let (linked, is_complete) = links.of(&projects, &scope.protected);
        let linked: Vec<PathBuf> = linked.cloned().collect();
        scope.protected.extend(linked);
        scope.has_unknown_links = !is_complete;
        scope.protected.retain(|path| scope.roots.iter().any(|root| path.starts_with(root) && path != root));
        scope.protected.sort();
        scope.protected.dedup();
        scope
    }

    /// Whether commands may write at a real path, as far as the policy goes.
    pub(super) fn may_write(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
            && !self.protected.iter().any(|protected| path.starts_with(protected))
    }

    /// The protected paths in a directory, however deep, that is not one of them.
    pub(super) fn protected_in<'s>(&'s self, folder: &'s Path) -> impl Iterator<Item = &'s Path> {
        self.protected.iter().map(PathBuf::as_path).filter(move |path| path.starts_with(folder))
    }
}

/// The real path of a directory, where it is one other than the root of all.
fn directory(path: PathBuf) -> Option<PathBuf> {
    let real = fs::canonicalize(path).ok()?;
    (real.is_dir() && real.parent().is_some()).then_some(real)
}
