//! Walks of a workspace: the local machine's own, and the one that every workspace has by what it lists and opens, come
//! upon the same entries.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test says what is wrong by panicking")]

mod plain;
mod project;

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::{self, Permissions},
    io::Read,
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use core_tools::{
    LocalWorkspace, Workspace,
    workspace::{Fault, FileKind, Found, MemoryWorkspace, Step, Visit, Visitor, Walk},
};
use plain::Plain;
use proptest::prelude::*;
use tokio::sync::Notify;

/// A path, what is there, how deep it is, and what is in it.
type Seen = (PathBuf, FileKind, usize, Option<Vec<u8>>);

/// Takes down all that a walk comes upon.
#[derive(Default)]
struct All {
    entries: Mutex<Vec<Seen>>,
    faults: Mutex<Vec<PathBuf>>,
    past: Option<&'static str>,
}

struct One<'a>(&'a All);

impl Visit for All {
    fn visitor(&self) -> Box<dyn Visitor + '_> {
        Box::new(One(self))
    }
}

impl Visitor for One<'_> {
    fn visit(&mut self, found: &Found<'_>) -> Step {
        let content = found.open().ok().map(|mut content| {
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes).unwrap();
            bytes
        });
        let entry = (found.path().to_owned(), found.kind(), found.depth(), content);
        self.0.entries.lock().unwrap().push(entry);
        let name = found.path().file_name().unwrap();
        if self.0.past.is_some_and(|past| name == past) { Step::Past } else { Step::On }
    }

    fn fault(&mut self, fault: Fault) {
        self.0.faults.lock().unwrap().push(fault.path.unwrap());
    }
}

type Entries = BTreeSet<(PathBuf, String, usize, Option<Vec<u8>>)>;

async fn all(workspace: Arc<dyn Workspace>, walk: Walk, past: Option<&'static str>) -> (Entries, BTreeSet<PathBuf>) {
    let all = Arc::new(All { past, ..All::default() });
    workspace.walk(walk, all.clone()).await.unwrap();
    let entries = std::mem::take(&mut *all.entries.lock().unwrap());
    let count = entries.len();
    let entries: Entries =
        entries.into_iter().map(|(path, kind, depth, bytes)| (path, kind.to_string(), depth, bytes)).collect();
    assert_eq!(entries.len(), count, "each is come upon once");
    let faults = std::mem::take(&mut *all.faults.lock().unwrap());
    (entries, faults.into_iter().collect())
}

/// What the two come upon, which has to be the same.
async fn both(walk: Walk, past: Option<&'static str>) -> (Entries, BTreeSet<PathBuf>) {
    let local = all(Arc::new(LocalWorkspace::default()), walk.clone(), past).await;
    let listed = all(Arc::new(Plain::default()), walk, past).await;
    assert_eq!(local, listed);
    local
}

fn names(entries: &Entries, root: &Path) -> Vec<String> {
    entries.iter().map(|(path, ..)| path.strip_prefix(root).unwrap().to_string_lossy().into_owned()).collect()
}

/// A random tree: names that ignore files speak of, ignore files that speak of them, links, and odd names.
#[derive(Debug, Clone)]
enum Item {
    File(Vec<u8>, u8),
    Folder(Vec<u8>, Vec<Item>),
    Link(Vec<u8>, String),
    Ignore(&'static str, Vec<String>),
    Repository(Option<String>),
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => prop::sample::select(vec!["a", "b", "c.txt", "d.log", ".hidden", "target", "x y", "ä"])
            .prop_map(|name| name.as_bytes().to_vec()),
        1 => Just(b"bad\xff".to_vec()),
    ]
}

fn rule() -> impl Strategy<Value = String> {
    let rules = vec![
        "a", "/a", "a/", "*.log", "!d.log", "target/", "**/b", "a/b", "/a/**", "!.hidden", ".*", "# note", "", "*",
        "!*/", "x y", "c.txt  ", "[", "ä", "b/*.txt", "!c.txt",
    ];
    prop::sample::select(rules).prop_map(str::to_owned)
}

fn items() -> impl Strategy<Value = Vec<Item>> {
    let leaf = prop_oneof![
        4 => (name(), any::<u8>()).prop_map(|(name, byte)| Item::File(name, byte)),
        1 => (name(), prop::sample::select(vec!["..", ".", "a", "/nowhere", "target"]))
            .prop_map(|(name, target)| Item::Link(name, target.to_owned())),
        2 => (prop::sample::select(vec![".gitignore", ".ignore", ".rgignore"]), prop::collection::vec(rule(), 0..4))
            .prop_map(|(name, rules)| Item::Ignore(name, rules)),
        1 => prop::option::of(rule()).prop_map(Item::Repository),
    ];
    let item = leaf.prop_recursive(4, 40, 6, |inner| {
        (name(), prop::collection::vec(inner, 0..6)).prop_map(|(name, items)| Item::Folder(name, items))
    });
    prop::collection::vec(item, 0..8)
}

/// What cannot be made, since its name is taken, is left out.
fn lay_out(folder: &Path, items: &[Item]) {
    let at = |name: &[u8]| folder.join(OsStr::from_bytes(name));
    for item in items {
        match item {
            Item::File(name, byte) => drop(fs::write(at(name), [*byte])),
            Item::Folder(name, items) => {
                if fs::create_dir(at(name)).is_ok() {
                    lay_out(&at(name), items);
                }
            }
            Item::Link(name, target) => drop(symlink(target, at(name))),
            Item::Ignore(name, rules) => drop(fs::write(folder.join(name), rules.join("\n"))),
            Item::Repository(exclude) => {
                fs::create_dir_all(folder.join(".git/info")).unwrap();
                if let Some(rule) = exclude {
                    fs::write(folder.join(".git/info/exclude"), rule).unwrap();
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn both_walks_come_upon_the_same(items in items(), in_repository: bool, ignore_files: bool, depth in prop::option::of(1usize..4)) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap().join("top/root");
        fs::create_dir_all(&root).unwrap();
        fs::write(root.join("../.gitignore"), "*.log\n/root/b\n").unwrap();
        if in_repository {
            fs::create_dir(root.join("../.git")).unwrap();
        }
        lay_out(&root, &items);
        let mut walk = Walk::new(&root);
        walk.depth = depth;
        walk.ignore_files = ignore_files;
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (entries, faults) = runtime.block_on(both(walk, None));
        prop_assert!(faults.is_empty());
        if ignore_files {
            prop_assert!(entries.iter().all(|(path, ..)| path.file_name() != Some(OsStr::new(".git"))));
        }
    }
}

#[tokio::test]
async fn links_are_come_upon_and_not_followed() {
    let project = project::Project::new();
    project.file("d/f", "f");
    symlink("..", project.path("d/up")).unwrap();
    symlink("d", project.path("l")).unwrap();
    symlink("l", project.path("loop")).unwrap();
    let (entries, faults) = both(Walk::new(&project.root), None).await;
    assert_eq!(names(&entries, &project.root), ["d", "d/f", "d/up", "l", "loop"]);
    assert!(faults.is_empty());
}

#[tokio::test]
async fn a_repository_has_its_own_ignore_files_and_those_of_no_other() {
    let project = project::Project::new();
    project.file(".gitignore", "f\n");
    project.file("inner/.git/HEAD", "");
    project.file("inner/f", "");
    project.file("inner/sub/f", "");
    project.file("plain/f", "");
    // A walk from within does not see the rules beyond the top of the repository either.
    for root in ["inner", "inner/sub"] {
        let (entries, _) = both(Walk::new(project.path(root)), None).await;
        assert!(names(&entries, &project.path(root)).contains(&"f".to_owned()), "{root}");
    }
    project.file(".git/HEAD", "");
    let (entries, _) = both(Walk::new(&project.root), None).await;
    assert_eq!(names(&entries, &project.root), [".gitignore", "inner", "inner/f", "inner/sub", "inner/sub/f", "plain"]);
    let (entries, _) = both(Walk::new(&project.root), Some("inner")).await;
    assert_eq!(names(&entries, &project.root), [".gitignore", "inner", "plain"]);
}

#[tokio::test]
async fn an_unreadable_directory_is_told_and_passed() {
    let project = project::Project::new();
    project.file("closed/f", "");
    project.file("open/f", "");
    fs::set_permissions(project.path("closed"), Permissions::from_mode(0o000)).unwrap();
    let (entries, faults) = both(Walk::new(&project.root), None).await;
    fs::set_permissions(project.path("closed"), Permissions::from_mode(0o755)).unwrap();
    if !project::is_root() {
        assert_eq!(names(&entries, &project.root), ["closed", "open", "open/f"]);
        assert_eq!(faults, BTreeSet::from([project.path("closed")]));
    }
    let (entries, faults) = both(Walk::new(project.path("nowhere")), None).await;
    assert!(entries.is_empty());
    assert_eq!(faults, BTreeSet::from([project.path("nowhere")]));
}

#[tokio::test]
async fn a_root_that_is_a_file_is_visited() {
    let project = project::Project::new();
    let path = project.file("f", "text");
    project.file(".gitignore", "f");
    let (entries, _) = both(Walk::new(&path), None).await;
    assert_eq!(entries, BTreeSet::from([(path, "a regular file".to_owned(), 0, Some(b"text".to_vec()))]));
}

#[tokio::test]
async fn a_workspace_in_memory_is_walked_by_its_ignore_files() {
    let workspace = MemoryWorkspace::new()
        .file("/project/.gitignore", "*.log\n")
        .file("/project/a.log", "")
        .file("/project/src/b.rs", "b")
        .file("/project/.git/HEAD", "")
        .symlink("/project/link", "/project/src")
        .special("/project/pipe", FileKind::Fifo);
    let (entries, faults) = all(Arc::new(workspace), Walk::new("/project"), None).await;
    assert_eq!(names(&entries, Path::new("/project")), [".gitignore", "link", "pipe", "src", "src/b.rs"]);
    assert!(faults.is_empty());
}

/// Counts, and holds the walk at each entry until the gate is open.
#[derive(Default)]
struct Counting {
    count: AtomicUsize,
    come: Notify,
    gate: (Mutex<bool>, Condvar),
}

struct Counter<'a>(&'a Counting);

impl Visit for Counting {
    fn visitor(&self) -> Box<dyn Visitor + '_> {
        Box::new(Counter(self))
    }
}

impl Visitor for Counter<'_> {
    fn visit(&mut self, _: &Found<'_>) -> Step {
        self.0.count.fetch_add(1, Ordering::Relaxed);
        self.0.come.notify_one();
        let (is_open, opened) = &self.0.gate;
        drop(opened.wait_while(is_open.lock().unwrap(), |is_open| !*is_open).unwrap());
        Step::On
    }

    fn fault(&mut self, _: Fault) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_that_is_dropped_ends() {
    let project = project::Project::new();
    for folder in 0..40 {
        for file in 0..100 {
            project.file(&format!("{folder}/{file}"), "");
        }
    }
    for workspace in [Arc::new(LocalWorkspace::default()) as Arc<dyn Workspace>, Arc::new(Plain::default())] {
        let counting = Arc::new(Counting::default());
        tokio::select! {
            () = counting.come.notified() => {}
            walked = workspace.walk(Walk::new(&project.root), counting.clone()) => walked.unwrap(),
        }
        *counting.gate.0.lock().unwrap() = true;
        counting.gate.1.notify_all();
        // Its threads hold the visitors' maker until they end.
        project::eventually("the end of the walk", || Arc::strong_count(&counting) == 1).await;
        // One for each thread that had come upon something already.
        assert!(counting.count.load(Ordering::Relaxed) < 100);
    }
}
