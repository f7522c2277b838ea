//! A walk of any workspace, by what it lists and opens.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use tokio::{io::AsyncReadExt, runtime::Handle, task::spawn_blocking};

use super::{
    Fault, Found, GIT, Source, Step, Stop, StopOnDrop, Visit, Visitor, Walk, is_repository_top,
    rules::{Rules, Texts},
};
use crate::workspace::{ByteStream, Entry, FileKind, Workspace};

/// As much of an ignore file is read.
const MAX_RULES: u64 = 1024 * 1024;

/// Goes through a tree, names in order, one entry at a time. A future that is dropped ends the walk.
pub(in crate::workspace) async fn walk<W: Workspace + ?Sized>(
    workspace: Arc<W>,
    walk: Walk,
    visit: Arc<dyn Visit>,
) -> io::Result<()> {
    let stop = Stop::default();
    let _guard = StopOnDrop(stop.clone());
    let handle = Handle::current();
    spawn_blocking(move || {
        let walker = Walker { machine: Machine { workspace: &*workspace, handle }, walk: &walk, stop: &stop };
        walker.run(&mut *visit.visitor());
    })
    .await
    .map_err(io::Error::other)
}

/// A workspace as a thread sees it that may wait.
struct Machine<'a, W: ?Sized> {
    workspace: &'a W,
    handle: Handle,
}

impl<W: Workspace + ?Sized> Machine<'_, W> {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.handle.block_on(async {
            let mut text = Vec::new();
            self.workspace.open(path).await.ok()?.take(MAX_RULES).read_to_end(&mut text).await.ok()?;
            Some(text)
        })
    }

    fn exists(&self, path: &Path) -> bool {
        self.handle.block_on(self.workspace.stat(path)).is_ok()
    }
}

struct Walker<'a, W: ?Sized> {
    machine: Machine<'a, W>,
    walk: &'a Walk,
    stop: &'a Stop,
}

/// A directory that is still to be gone into.
struct Open {
    path: PathBuf,
    depth: usize,
    rules: Option<Arc<Rules>>,
}

impl<W: Workspace + ?Sized> Walker<'_, W> {
    fn run(&self, visitor: &mut dyn Visitor) {
        let root = &self.walk.root;
        match self.machine.handle.block_on(self.machine.workspace.stat(root)) {
            Ok(info) if info.kind == FileKind::Directory => self.descend(visitor),
            Ok(info) => {
                self.visit(visitor, root, info.kind, 0);
            }
            Err(error) => visitor.fault(Fault { path: Some(root.clone()), error }),
        }
    }

    fn descend(&self, visitor: &mut dyn Visitor) {
        let root = &self.walk.root;
        let in_repository = self.walk.ignore_files
            && root.ancestors().any(|folder| is_repository_top(|name| self.machine.exists(&folder.join(name))));
        let above = self.walk.ignore_files.then(|| self.rules_above(root, in_repository)).flatten();
        let mut open = vec![Open { path: root.clone(), depth: 0, rules: above }];
        while let Some(Open { path, depth, rules }) = open.pop() {
            if self.walk.depth.is_some_and(|most| depth >= most) {
                continue;
            }
            let mut entries = match self.machine.handle.block_on(self.machine.workspace.list(&path)) {
                Ok(entries) => entries,
                Err(error) => {
                    visitor.fault(Fault { path: Some(path), error });
                    continue;
                }
            };
            entries.sort_by(|one, other| one.name.cmp(&other.name));
            let rules = self.rules_of(&path, &entries, in_repository, rules);
            let mut deeper = Vec::new();
            for entry in entries {
                if self.stop.is_set() {
                    return;
                }
                let path = path.join(&entry.name);
                let kind = if entry.is_link { FileKind::Link } else { entry.kind };
                let is_folder = kind == FileKind::Directory;
                let left_out = rules.as_ref().is_some_and(|rules| rules.leave_out(&path, is_folder));
                if left_out || self.walk.ignore_files && entry.name == GIT {
                    continue;
                }
                match self.visit(visitor, &path, kind, depth + 1) {
                    Step::On if is_folder => deeper.push(Open { path, depth: depth + 1, rules: rules.clone() }),
                    Step::On | Step::Past => {}
                    Step::Stop => return,
                }
            }
            open.extend(deeper.into_iter().rev());
        }
    }

    fn visit(&self, visitor: &mut dyn Visitor, path: &Path, kind: FileKind, depth: usize) -> Step {
        let source = Listed { machine: &self.machine, path };
        visitor.visit(&Found { path, kind, depth, source: &source, stop: self.stop })
    }

    /// The rules of the folders above the root.
    fn rules_above(&self, root: &Path, in_repository: bool) -> Option<Arc<Rules>> {
        let mut folders: Vec<&Path> = root.ancestors().skip(1).collect();
        folders.reverse();
        folders.into_iter().fold(None, |above, folder| {
            let texts = Texts {
                ignore: self.machine.read(&folder.join(".ignore")),
                git: self.machine.read(&folder.join(".gitignore")),
                exclude: self.machine.read(&folder.join(".git/info/exclude")),
            };
            let is_top = in_repository && is_repository_top(|name| self.machine.exists(&folder.join(name)));
            Some(Arc::new(Rules::new(folder, &texts, is_top, above)))
        })
    }

    /// The rules in a folder, those above with them.
    fn rules_of(
        &self,
        folder: &Path,
        entries: &[Entry],
        in_repository: bool,
        above: Option<Arc<Rules>>,
    ) -> Option<Arc<Rules>> {
        let has = |name: &str| entries.iter().any(|entry| entry.name == name);
        let read = |name: &str, path: &str| has(name).then(|| self.machine.read(&folder.join(path))).flatten();
        if !self.walk.ignore_files || ![".ignore", ".gitignore", GIT, ".jj"].into_iter().any(has) {
            return above;
        }
        let texts = Texts {
            ignore: read(".ignore", ".ignore"),
            git: read(".gitignore", ".gitignore"),
            exclude: read(GIT, ".git/info/exclude"),
        };
        Some(Arc::new(Rules::new(folder, &texts, in_repository && is_repository_top(has), above)))
    }
}

struct Listed<'a, W: ?Sized> {
    machine: &'a Machine<'a, W>,
    path: &'a Path,
}

impl<W: Workspace + ?Sized> Source for Listed<'_, W> {
    fn modified(&self) -> Option<SystemTime> {
        self.machine.handle.block_on(self.machine.workspace.stat(self.path)).ok()?.modified
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let stream = self.machine.handle.block_on(self.machine.workspace.open(self.path))?;
        Ok(Box::new(Waiting { stream, handle: self.machine.handle.clone() }))
    }
}

/// A stream for a thread that may wait.
struct Waiting {
    stream: ByteStream,
    handle: Handle,
}

impl Read for Waiting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.handle.block_on(self.stream.read(buffer))
    }
}
