//! A policy on one machine, with one working directory: real paths.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{
    linked::Links,
    policy::{SandboxMode, SandboxPolicy},
    protected::git_directories,
};
use crate::workspace::follow_links;

/// What may be written, and what of it not. All paths are real ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Directories that may be written, those that hold others first.
    pub(super) roots: Vec<PathBuf>,
    /// What lies in them and may not, whether it is there or not.
    pub(super) protected: Vec<PathBuf>,
    /// Directories between a root and what is protected in it: whoever moves one away can put another in its place.
    pub(super) held: Vec<PathBuf>,
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
        let projects: Vec<Named> = projects.filter_map(Named::of).collect();
        let shared = policy.slash_tmp.then_some(["/tmp", "/dev/shm"].map(PathBuf::from));
        let own = policy.tmpdir.then_some(tmpdir).flatten().map(PathBuf::from);
        let temporary = shared.into_iter().flatten().chain(own.filter(|own| own.is_absolute()));
        let temporary: Vec<Named> = temporary.filter_map(Named::of).collect();
        let named = || projects.iter().chain(&temporary);
        // A link that a command may have made, for the next one, says nothing.
        let is_misled = |one: &Named| one.links.iter().any(|link| named().any(|root| link.starts_with(&root.real)));
        scope.roots = named().filter(|one| !is_misled(one)).map(|one| one.real.clone()).collect();
        scope.roots.sort_by_key(|root| root.components().count());
        scope.roots.dedup();
        let mut projects: Vec<PathBuf> = projects.into_iter().map(|project| project.real).collect();
        projects.retain(|project| scope.has_in_a_root(project));
        projects.dedup();

        for project in &projects {
            for name in &policy.protected {
                let path = project.join(name);
                if name == ".git" {
                    scope.protected.extend(git_directories(&path));
                }
                scope.protected.push(path);
            }
        }
        scope.protected.retain(|path| scope.roots.iter().any(|root| path.starts_with(root) && path != root));
        scope.held = scope.held();
        let (linked, is_complete) = links.of(&projects, &scope.protected);
        let linked: Vec<PathBuf> = linked.cloned().collect();
        scope.protected.extend(linked);
        scope.has_unknown_links = !is_complete;
        scope.protected.sort();
        scope.protected.dedup();
        scope
    }

    fn held(&self) -> Vec<PathBuf> {
        let is_between = |path: &&Path| self.has_in_a_root(path) && !self.roots.iter().any(|root| root == path);
        let above = self.protected.iter().flat_map(|path| path.ancestors().skip(1));
        let mut held: Vec<_> = above.filter(is_between).map(Path::to_owned).collect();
        held.retain(|path| !self.protected.iter().any(|protected| path.starts_with(protected)));
        held.sort();
        held.dedup();
        held
    }

    /// Whether a real path is one of the roots, or lies in one.
    pub(super) fn has_in_a_root(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Whether commands may write at a real path, as far as the policy goes.
    pub(super) fn may_write(&self, path: &Path) -> bool {
        self.has_in_a_root(path) && !self.protected.iter().any(|protected| path.starts_with(protected))
    }

    /// The protected paths in a directory, however deep, that is not one of them.
    pub(super) fn protected_in<'s>(&'s self, folder: &'s Path) -> impl Iterator<Item = &'s Path> {
        self.protected.iter().map(PathBuf::as_path).filter(move |path| path.starts_with(folder))
    }
}

/// A directory by the name it was given.
struct Named {
    real: PathBuf,
    /// The links that were followed on the way to it.
    links: Vec<PathBuf>,
}

impl Named {
    /// `None` where it is none, or the root of all.
    fn of(path: PathBuf) -> Option<Self> {
        let mut links = Vec::new();
        let real = follow_links(&path, |link| links.push(link)).ok()?;
        (real.is_dir() && real.parent().is_some()).then_some(Self { real, links })
    }
}
