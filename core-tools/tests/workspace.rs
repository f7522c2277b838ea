//! Every workspace behaves as every other: one list of claims, held against the local machine and the one in memory.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test says what is wrong by panicking")]

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::ErrorKind,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
};

use core_tools::{
    LocalWorkspace, Workspace,
    workspace::{Existing, FileKind, MemoryWorkspace},
};
use tokio::io::AsyncReadExt;

/// A workspace, and a directory in it with:
/// `a.txt` ("0123456789"), `folder/b.txt` ("b"), `link` to `folder`, `dangling` to `nowhere/c`, `one` and `two` to each
/// other, `pipe`, a named pipe.
struct Stage {
    workspace: Box<dyn Workspace>,
    root: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

fn stages() -> [Stage; 2] {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    fs::write(root.join("a.txt"), "0123456789").unwrap();
    fs::create_dir(root.join("folder")).unwrap();
    fs::write(root.join("folder/b.txt"), "b").unwrap();
    for (name, target) in LINKS {
        symlink(target, root.join(name)).unwrap();
    }
    let pipe = std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap();
    assert!(pipe.success());
    let local = Stage { workspace: Box::new(LocalWorkspace::default()), root, _folder: Some(folder) };

    let root = PathBuf::from("/somewhere/work");
    let mut memory = MemoryWorkspace::new().file(root.join("a.txt"), "0123456789").file(root.join("folder/b.txt"), "b");
    for (name, target) in LINKS {
        memory = memory.symlink(root.join(name), target);
    }
    let memory = memory.special(root.join("pipe"), FileKind::Fifo);
    [local, Stage { workspace: Box::new(memory), root, _folder: None }]
}

const LINKS: [(&str, &str); 4] = [("link", "folder"), ("dangling", "nowhere/c"), ("one", "two"), ("two", "one")];

impl Stage {
    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    async fn text(&self, name: &str) -> String {
        String::from_utf8(self.workspace.read(&self.path(name), u64::MAX).await.unwrap()).unwrap()
    }

    async fn names(&self) -> Vec<OsString> {
        let entries = self.workspace.list(&self.root).await.unwrap();
        let mut names: Vec<OsString> = entries.into_iter().map(|entry| entry.name).collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn what_is_at_a_path() {
    for stage in stages() {
        let at = &*stage.workspace;
        let info = at.stat(&stage.path("a.txt")).await.unwrap();
        assert_eq!((info.kind, info.len), (FileKind::File, 10));
        assert_eq!(at.stat(&stage.path("link")).await.unwrap().kind, FileKind::Directory);
        assert_eq!(at.stat(&stage.path("pipe")).await.unwrap().kind, FileKind::Fifo);
        let through = at.stat(&stage.path("link/b.txt")).await.unwrap();
        assert_eq!(through.identity, at.stat(&stage.path("folder/b.txt")).await.unwrap().identity);
        assert_eq!(at.stat(&stage.path("none")).await.unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(at.stat(&stage.path("dangling")).await.unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(at.stat(&stage.path("a.txt/x")).await.unwrap_err().kind(), ErrorKind::NotADirectory);
        assert!(at.stat(&stage.path("one")).await.is_err());
    }
}

#[tokio::test]
async fn where_a_path_leads() {
    for stage in stages() {
        let real = |name| {
            let path = stage.path(name);
            let workspace = &stage.workspace;
            async move { workspace.real_path(&path).await }
        };
        assert_eq!(real("link/b.txt").await.unwrap(), stage.path("folder/b.txt"));
        assert_eq!(real("link/../a.txt").await.unwrap(), stage.path("a.txt"));
        assert_eq!(real("dangling").await.unwrap(), stage.path("nowhere/c"));
        assert_eq!(real("no/such").await.unwrap(), stage.path("no/such"));
        assert!(real("one").await.is_err());
    }
}

#[tokio::test]
async fn listing() {
    for stage in stages() {
        let mut entries = stage.workspace.list(&stage.path("link")).await.unwrap();
        let entry = entries.pop().unwrap();
        assert_eq!((entry.name.as_os_str(), entry.kind), (OsStr::new("b.txt"), FileKind::File));
        let kinds = stage.workspace.list(&stage.root).await.unwrap();
        let kind = |name: &str| kinds.iter().find(|entry| entry.name == name).unwrap().kind;
        assert_eq!(kind("link"), FileKind::Directory);
        assert_eq!(kind("dangling"), FileKind::Other);
        assert_eq!(kind("one"), FileKind::Other);
        let not = stage.workspace.list(&stage.path("a.txt")).await.unwrap_err();
        assert_eq!(not.kind(), ErrorKind::NotADirectory);
    }
}

#[tokio::test]
async fn reading() {
    for stage in stages() {
        let at = &*stage.workspace;
        assert_eq!(at.read(&stage.path("a.txt"), 4).await.unwrap(), b"0123");
        for (offset, rest) in [(0, "0123456789"), (7, "789"), (10, ""), (u64::from(u32::MAX), "")] {
            let mut text = String::new();
            at.open_at(&stage.path("a.txt"), offset).await.unwrap().read_to_string(&mut text).await.unwrap();
            assert_eq!(text, rest);
        }
        assert_eq!(at.read(&stage.path("folder"), 4).await.unwrap_err().kind(), ErrorKind::IsADirectory);
        let pipe = at.open(&stage.path("pipe")).await.err().unwrap();
        assert!(pipe.to_string().contains("a named pipe"), "{pipe}");
    }
}

#[tokio::test]
async fn making_and_naming() {
    for stage in stages() {
        let (at, path) = (&*stage.workspace, |name: &str| stage.path(name));
        at.create(&path("new"), "new".into(), None).await.unwrap();
        assert_eq!(at.create(&path("new"), "x".into(), None).await.unwrap_err().kind(), ErrorKind::AlreadyExists);
        // A link that leads nowhere has its name as well.
        assert_eq!(at.create(&path("dangling"), "x".into(), None).await.unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(at.create(&path("no/such"), "x".into(), None).await.unwrap_err().kind(), ErrorKind::NotFound);

        let refused = at.rename(&path("new"), &path("a.txt"), Existing::Refuse).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert_eq!(stage.text("a.txt").await, "0123456789");
        at.rename(&path("new"), &path("a.txt"), Existing::Replace).await.unwrap();
        assert_eq!(stage.text("a.txt").await, "new");
        at.rename(&path("a.txt"), &path("folder/moved"), Existing::Refuse).await.unwrap();
        assert_eq!(
            at.rename(&path("a.txt"), &path("x"), Existing::Refuse).await.unwrap_err().kind(),
            ErrorKind::NotFound
        );

        at.link(&path("folder/moved"), &path("second")).await.unwrap();
        at.overwrite(&path("second"), "shared".into()).await.unwrap();
        assert_eq!(stage.text("folder/moved").await, "shared");
        at.remove(&path("folder/moved")).await.unwrap();
        assert_eq!(stage.text("second").await, "shared");

        // A link is removed itself.
        at.remove(&path("link")).await.unwrap();
        assert_eq!(stage.text("folder/b.txt").await, "b");
        assert!(at.remove(&path("folder")).await.is_err());
        assert_eq!(at.remove(&path("none")).await.unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(stage.names().await, ["dangling", "folder", "one", "pipe", "second", "two"]);
    }
}

#[tokio::test]
async fn directories() {
    for stage in stages() {
        let (at, path) = (&*stage.workspace, |name: &str| stage.path(name));
        assert_eq!(at.make_dirs(&path("link/x/y")).await.unwrap(), [path("link/x"), path("link/x/y")]);
        assert_eq!(at.make_dirs(&path("folder/x/y")).await.unwrap(), [] as [PathBuf; 0]);
        assert!(at.make_dirs(&path("a.txt/x/y")).await.is_err());
        assert!(at.make_dirs(&path("a.txt")).await.is_err());
        assert_eq!(at.remove_dir(&path("folder/x")).await.unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
        at.remove_dir(&path("folder/x/y")).await.unwrap();
        at.remove_dir(&path("folder/x")).await.unwrap();
        assert!(at.remove_dir(&path("a.txt")).await.is_err());
    }
}

#[tokio::test]
async fn modes_and_times() {
    for stage in stages() {
        let (at, path) = (&*stage.workspace, |name: &str| stage.path(name));
        let old = at.stat(&path("a.txt")).await.unwrap();
        at.set_mode(&path("a.txt"), 0o4751).await.unwrap();
        at.create(&path("like"), "x".into(), Some(&path("a.txt"))).await.unwrap();
        let like = at.stat(&path("like")).await.unwrap();
        // Not the right to run as somebody else.
        assert_eq!((like.mode, like.owner), (Some(0o751), old.owner));
        assert_eq!(like.kind, FileKind::File);
        assert_ne!(like.identity, old.identity);

        let before = at.stat(&path("folder/b.txt")).await.unwrap();
        at.overwrite(&path("folder/b.txt"), "longer".into()).await.unwrap();
        let after = at.stat(&path("folder/b.txt")).await.unwrap();
        assert_eq!(before.identity, after.identity);
        assert!(!after.is_same_content(&before));
        assert!(after.modified >= before.modified);
    }
}

#[tokio::test]
async fn what_may_be_written() {
    for stage in stages() {
        let (at, path) = (&*stage.workspace, |name: &str| stage.path(name));
        at.check_writable(&path("a.txt")).await.unwrap();
        assert_eq!(at.check_writable(&path("folder")).await.unwrap_err().kind(), ErrorKind::IsADirectory);
        assert!(at.check_writable(&path("pipe")).await.unwrap_err().to_string().contains("a named pipe"));
        assert!(at.overwrite(&path("pipe"), "x".into()).await.is_err());
        assert_eq!(at.overwrite(&path("none"), "x".into()).await.unwrap_err().kind(), ErrorKind::NotFound);
        // Root may do all of what follows.
        if stage._folder.is_some() && rustix::process::geteuid().is_root() {
            continue;
        }
        at.set_mode(&path("a.txt"), 0o444).await.unwrap();
        at.set_mode(&path("folder"), 0o555).await.unwrap();
        assert_eq!(at.check_writable(&path("a.txt")).await.unwrap_err().kind(), ErrorKind::PermissionDenied);
        let denied = at.create(&path("folder/new"), "x".into(), None).await.unwrap_err();
        assert_eq!(denied.kind(), ErrorKind::PermissionDenied);
        assert_eq!(at.remove(&path("folder/b.txt")).await.unwrap_err().kind(), ErrorKind::PermissionDenied);
        at.set_mode(&path("a.txt"), 0).await.unwrap();
        assert_eq!(at.read(&path("a.txt"), 1).await.unwrap_err().kind(), ErrorKind::PermissionDenied);
        at.set_mode(&path("folder"), 0o755).await.unwrap();
    }
}

#[tokio::test]
async fn names_that_are_not_utf_8() {
    for stage in stages() {
        let name = OsStr::from_bytes(b"\xff\xfe name");
        if stage.workspace.create(&stage.path(name), "x".into(), None).await.is_err() {
            // Some file systems have none.
            continue;
        }
        assert!(stage.names().await.contains(&name.to_owned()));
        assert_eq!(stage.workspace.read(&stage.path(name), 9).await.unwrap(), b"x");
    }
}

#[tokio::test]
async fn views_of_the_kernel_are_not_written() {
    let local = LocalWorkspace::default();
    for path in ["/proc/self/comm", "/proc/self/oom_score_adj"] {
        if Path::new(path).exists() {
            let before = fs::read(path).unwrap();
            assert!(local.check_writable(path.as_ref()).await.unwrap_err().to_string().contains("kernel"));
            assert!(local.overwrite(path.as_ref(), "5".into()).await.is_err());
            assert_eq!(fs::read(path).unwrap(), before);
        }
    }
    assert!(local.check_writable("/dev/null".as_ref()).await.unwrap_err().to_string().contains("a device"));
}
