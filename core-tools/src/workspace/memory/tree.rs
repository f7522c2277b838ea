//! The files of a machine in memory, and the rules of their names.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    ffi::{OsStr, OsString},
    io,
    path::{Component, Path, PathBuf},
    time::{Duration, SystemTime},
};

use bytes::Bytes;

use super::OWNER;
use crate::workspace::{Existing, FileInfo, FileKind, Identity};

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;
const ROOT: u64 = 1;
/// The one device there is.
const DEVICE: u64 = 0;

/// All files, by number; names lead to numbers, so that a file can have several.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: HashMap<u64, Inode>,
    last: u64,
    clock: u64,
    pub(super) capacity: Option<u64>,
}

#[derive(Debug)]
struct Inode {
    node: Node,
    mode: u32,
    modified: u64,
    names: usize,
}

/// What something is.
#[derive(Debug)]
pub(super) enum Node {
    File(Bytes),
    Directory(BTreeMap<OsString, u64>),
    Link(PathBuf),
    Special(FileKind),
}

/// What its owner wants of a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Access {
    Read = 0o400,
    Write = 0o200,
    Enter = 0o100,
}

/// Where a path leads.
struct Found {
    /// With all links followed that were to be.
    real: PathBuf,
    /// What is there; an error when nothing is.
    id: io::Result<u64>,
}

impl Default for Tree {
    fn default() -> Self {
        let root = Inode { node: Node::Directory(BTreeMap::new()), mode: 0o755, modified: 0, names: 1 };
        Self { nodes: HashMap::from([(ROOT, root)]), last: ROOT, clock: 0, capacity: None }
    }
}

impl Tree {
    /// What is at a path; links are followed.
    pub(super) fn find(&self, path: &Path) -> io::Result<u64> {
        self.walk(path, true)?.id
    }

    pub(super) fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(self.walk(path, true)?.real)
    }

    /// Goes along a path, as far as it exists.
    fn walk(&self, path: &Path, follow_last: bool) -> io::Result<Found> {
        let mut todo = parts(path);
        let mut real = PathBuf::from("/");
        // The directories on the way, for `..`.
        let mut way = vec![Ok(ROOT)];
        let mut links = 0;
        while let Some(part) = todo.pop_front() {
            if part == ".." {
                real.pop();
                if way.len() > 1 {
                    way.pop();
                }
                continue;
            }
            let here = match way.last() {
                Some(Ok(here)) => self.step(*here, &part)?,
                _ => Err(io::ErrorKind::NotFound),
            };
            match here {
                Ok(id) if (follow_last || !todo.is_empty()) && matches!(self.nodes[&id].node, Node::Link(_)) => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err(io::Error::other("too many links, perhaps in a circle"));
                    }
                    let Node::Link(target) = &self.nodes[&id].node else { continue };
                    if target.is_absolute() {
                        real = PathBuf::from("/");
                        way.truncate(1);
                    }
                    for part in parts(target).into_iter().rev() {
                        todo.push_front(part);
                    }
                }
                here => {
                    real.push(&part);
                    way.push(here);
                }
            }
        }
        let id = way.pop().unwrap_or(Ok(ROOT)).map_err(io::Error::from);
        Ok(Found { real, id })
    }

    /// One name further. The outer error is one of leave, the inner one says that nothing is there.
    fn step(&self, folder: u64, name: &OsStr) -> io::Result<Result<u64, io::ErrorKind>> {
        let Node::Directory(entries) = &self.nodes[&folder].node else {
            return Ok(Err(io::ErrorKind::NotADirectory));
        };
        self.check(folder, Access::Enter)?;
        Ok(entries.get(name).copied().ok_or(io::ErrorKind::NotFound))
    }

    /// The directory a path is in, and its last name.
    fn parent<'p>(&self, path: &'p Path) -> io::Result<(u64, &'p OsStr)> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let folder = self.find(folder)?;
        self.entries(folder)?;
        Ok((folder, name))
    }

    pub(super) fn check(&self, id: u64, access: Access) -> io::Result<()> {
        let granted = self.nodes[&id].mode & access as u32 != 0;
        if granted { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    pub(super) fn info(&self, id: u64) -> FileInfo {
        let inode = &self.nodes[&id];
        let (kind, len) = match &inode.node {
            Node::File(content) => (FileKind::File, content.len() as u64),
            Node::Directory(_) => (FileKind::Directory, 0),
            Node::Link(_) => (FileKind::Other, 0),
            Node::Special(kind) => (*kind, 0),
        };
        let modified = SystemTime::UNIX_EPOCH + Duration::from_millis(inode.modified);
        let identity = Identity { device: DEVICE, file: id };
        FileInfo::new(kind, len, Some(modified)).mode(inode.mode).owner(OWNER).identity(identity)
    }

    pub(super) fn content(&self, id: u64) -> io::Result<&Bytes> {
        match &self.nodes[&id].node {
            Node::File(content) => Ok(content),
            Node::Directory(_) => Err(io::ErrorKind::IsADirectory.into()),
            Node::Special(kind) => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind}"))),
            Node::Link(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    pub(super) fn is_link(&self, id: u64) -> bool {
        matches!(self.nodes[&id].node, Node::Link(_))
    }

    pub(super) fn entries(&self, id: u64) -> io::Result<&BTreeMap<OsString, u64>> {
        match &self.nodes[&id].node {
            Node::Directory(entries) => Ok(entries),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Makes something where nothing is.
    pub(super) fn make(&mut self, path: &Path, node: Node) -> io::Result<u64> {
        self.last += 1;
        let id = self.last;
        let mode = if matches!(node, Node::Directory(_)) { 0o755 } else { 0o644 };
        let modified = self.tick();
        self.nodes.insert(id, Inode { node, mode, modified, names: 0 });
        let named = self.give_name(path, id);
        if named.is_err() {
            self.nodes.remove(&id);
        }
        named.map(|()| id)
    }

    /// Makes something whatever is there, and the directories it is in.
    pub(super) fn put(&mut self, path: &Path, node: Node) {
        let mut folders: Vec<&Path> = path.ancestors().skip(1).collect();
        folders.reverse();
        for folder in folders {
            if self.find(folder).is_err() {
                let _ = self.make(folder, Node::Directory(BTreeMap::new()));
            }
        }
        let _ = self.remove(path, false);
        let _ = self.make(path, node);
    }

    pub(super) fn give_name(&mut self, path: &Path, id: u64) -> io::Result<()> {
        let (folder, name) = self.parent(path)?;
        self.check(folder, Access::Write)?;
        if self.entries(folder)?.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.edit(folder, |entries| entries.insert(name.to_owned(), id));
        if let Some(inode) = self.nodes.get_mut(&id) {
            inode.names += 1;
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, path: &Path, directory: bool) -> io::Result<()> {
        let id = self.walk(path, false)?.id?;
        let (folder, name) = self.parent(path)?;
        self.check(folder, Access::Write)?;
        match &self.nodes[&id].node {
            Node::Directory(entries) if directory && !entries.is_empty() => {
                return Err(io::ErrorKind::DirectoryNotEmpty.into());
            }
            Node::Directory(_) if !directory => return Err(io::ErrorKind::IsADirectory.into()),
            Node::Directory(_) => {}
            _ if directory => return Err(io::ErrorKind::NotADirectory.into()),
            _ => {}
        }
        self.edit(folder, |entries| entries.remove(name));
        if let Some(inode) = self.nodes.get_mut(&id) {
            inode.names -= 1;
            if inode.names == 0 {
                self.nodes.remove(&id);
            }
        }
        Ok(())
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
        let id = self.walk(from, false)?.id?;
        let (old_folder, old_name) = self.parent(from)?;
        let (new_folder, _) = self.parent(to)?;
        self.check(old_folder, Access::Write)?;
        self.check(new_folder, Access::Write)?;
        match self.walk(to, false)?.id {
            Ok(_) if existing == Existing::Refuse => return Err(io::ErrorKind::AlreadyExists.into()),
            Ok(other) if other == id => return Ok(()),
            Ok(_) => self.remove(to, false)?,
            Err(_) => {}
        }
        self.edit(old_folder, |entries| entries.remove(old_name));
        if let Some(inode) = self.nodes.get_mut(&id) {
            inode.names -= 1;
        }
        self.give_name(to, id)
    }

    /// Fails where there is no room for so many bytes more.
    pub(super) fn reserve(&self, bytes: u64) -> io::Result<()> {
        let Some(capacity) = self.capacity else { return Ok(()) };
        let used: u64 = self.nodes.keys().map(|id| self.info(*id).len).sum();
        if used + bytes > capacity { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    pub(super) fn fill(&mut self, id: u64, content: Bytes) {
        let modified = self.tick();
        if let Some(inode) = self.nodes.get_mut(&id) {
            inode.node = Node::File(content);
            inode.modified = modified;
        }
    }

    pub(super) fn set_mode(&mut self, id: u64, mode: u32) {
        if let Some(inode) = self.nodes.get_mut(&id) {
            inode.mode = mode;
        }
    }

    fn edit<T>(&mut self, folder: u64, edit: impl FnOnce(&mut BTreeMap<OsString, u64>) -> T) {
        let modified = self.tick();
        if let Some(Inode { node: Node::Directory(entries), modified: time, .. }) = self.nodes.get_mut(&folder) {
            edit(entries);
            *time = modified;
        }
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_owned())
        .collect()
}
