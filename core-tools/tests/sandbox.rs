//! What confined commands cannot do, tried by real ones under each backend that works here, and what they still can.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]
#![cfg(target_os = "linux")]

mod project;
mod sandboxed;

use std::{
    fs,
    io::{self, ErrorKind},
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::PermissionsExt,
            net::{SocketAddr, UnixListener},
            process::CommandExt,
        },
    },
    process::Command,
};

use core_tools::{
    sandbox::{Backend, PROTECTED, SandboxPolicy},
    workspace::Background,
};
use project::{Project, eventually, is_root, output, runs};
use sandboxed::{ATTEMPTS, attempts, backends, bash, confined, narrow, said};
use serde_json::{Value, json};

/// A project with a repository in it, and things beside it that are to stay as they are.
fn prepared(backend: Backend, policy: SandboxPolicy) -> Project {
    let project = confined(backend, policy);
    fs::write(project.outside("kept"), "kept\n").unwrap();
    fs::create_dir(project.outside("folder")).unwrap();
    for file in [".git/config", ".git/hooks/sample", "src/main.rs", "src/deep/er.rs", "notes"] {
        project.file(file, "mine\n");
    }
    project
}

/// Everything in a folder, with contents and modes.
fn all(folder: &std::path::Path) -> Vec<(String, u32, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let metadata = path.symlink_metadata().unwrap();
            let content =
                if metadata.is_file() { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
            found.push((path.display().to_string(), metadata.permissions().mode(), content));
            if metadata.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What is tried on files outside, each in a shell of its own, in the project. `$OUT` is the folder beside it.
const ON_FILES: [&str; 22] = [
    "echo x > $OUT/new",
    "echo x >> $OUT/kept",
    "echo x > $OUT/kept",
    "mkdir $OUT/directory",
    "mkfifo $OUT/pipe",
    "rm $OUT/kept",
    "rmdir $OUT/folder",
    "ln -s $OUT/kept src/link && echo x > src/link",
    "ln -s $OUT src/folder-link && echo x > src/folder-link/new",
    "ln -s $OUT/new src/dangling && echo x > src/dangling",
    "ln $OUT/kept src/hard && echo x > src/hard",
    "ln src/main.rs $OUT/hard",
    "mv src/main.rs $OUT/moved",
    "mv $OUT/kept src/moved",
    "mv -T src $OUT/folder",
    "mv $OUT/folder src/moved",
    "echo x > /proc/self/root/$OUT/new",
    "echo x > /proc/$HOST/root/$OUT/new",
    "echo x > /proc/$HOST/cwd/new",
    "cd $OUT && echo x > new",
    "$ATTEMPTS truncate $OUT/kept",
    "truncate -s 0 $OUT/kept",
];

/// The same on what is protected inside.
const ON_PROTECTED: [&str; 18] = [
    "echo x > .git/config",
    "echo x >> .git/config",
    "echo x > .git/hooks/post-checkout",
    "echo x > .git/new",
    "rm .git/config",
    "rm -rf .git",
    "mv .git moved",
    "mv .git src/moved",
    "rm -rf .git; mkdir .git && echo x > .git/config",
    "mkdir -p other && echo x > other/config && mv -T other .git",
    "mv src/main.rs .git/config",
    "ln -f src/main.rs .git/config",
    "ln .git/config src/hard && echo x > src/hard",
    "ln -s ../.git/config src/link && echo x > src/link",
    "ln -s ../.git src/git && echo x > src/git/config",
    "echo x > src/../.git/config",
    "echo x > /proc/self/cwd/.git/config",
    "$ATTEMPTS truncate .git/config",
];

async fn try_each(project: &Project, tries: &[&str], untouched: impl Fn() -> Vec<(String, u32, String)>) {
    let before = untouched();
    let attempts = attempts().map(|program| program.display().to_string()).unwrap_or_default();
    let (out, host) = (project.outside(""), std::process::id());
    let out = out.display().to_string();
    let variables = format!("OUT='{}' HOST={host} ATTEMPTS='{attempts}'", out.trim_end_matches('/'));
    for one in tries {
        let (said, code) = bash(project, &format!("{variables}; {one}")).await;
        assert_eq!(untouched(), before, "{one}: {said}");
        assert_ne!(code, Some(0), "{one}: {said}");
    }
}

#[tokio::test]
async fn nothing_outside_is_written() {
    for backend in backends().await {
        let project = prepared(backend, narrow());
        let (kept, folder) = (project.outside("kept"), project.outside("folder"));
        let outside = || {
            let mut found = all(&folder);
            let beside = fs::read_dir(project.outside("")).unwrap().flatten();
            let mut names: Vec<_> = beside.map(|entry| entry.file_name().display().to_string()).collect();
            names.sort();
            found.push((
                names.join(" "),
                fs::metadata(&kept).unwrap().permissions().mode(),
                fs::read_to_string(&kept).unwrap(),
            ));
            found
        };
        try_each(&project, &ON_FILES, outside).await;
    }
}

#[tokio::test]
async fn what_is_protected_inside_stays() {
    for backend in backends().await {
        let project = prepared(backend, narrow());
        try_each(&project, &ON_PROTECTED, || all(&project.path(".git"))).await;
        assert!(project.path(".git/config").is_file());
    }
}

#[tokio::test]
async fn what_is_protected_and_not_there_is_not_made() {
    for backend in backends().await {
        let project = confined(backend, narrow());
        project.file("src/x", "");
        for name in PROTECTED {
            for one in
                ["mkdir NAME", "echo x > NAME", "mkdir NAME; echo x > NAME/x", "ln -s src NAME", "mv -T src NAME"]
            {
                let (said, code) = bash(&project, &one.replace("NAME", name)).await;
                assert_ne!(code, Some(0), "{backend} {one}: {said}");
            }
        }
        // Nor does anything stay of what stood in for it.
        let left = || fs::read_dir(&project.root).unwrap().count();
        eventually("nothing is left but `src`", || left() == 1).await;
    }
}

#[tokio::test]
async fn a_repository_that_lies_elsewhere_is_protected_there() {
    for backend in backends().await {
        let project = confined(backend, narrow());
        project.file("main/.git/config", "mine\n");
        project.file("main/.git/worktrees/tree/commondir", "../..\n");
        project.file("main/src/x", "");
        let named = format!("gitdir: {}\n", project.path("main/.git/worktrees/tree").display());
        project.file(".git", &named);
        for one in ["echo x > main/.git/config", "echo x > main/.git/worktrees/tree/HEAD", "echo x > .git", "rm .git"] {
            let (said, code) = bash(&project, one).await;
            assert_ne!(code, Some(0), "{backend} {one}: {said}");
        }
        assert_eq!(fs::read_to_string(project.path("main/.git/config")).unwrap(), "mine\n");
        assert_eq!(fs::read_to_string(project.path(".git")).unwrap(), named);
        let (said, code) = bash(&project, "echo x > main/src/y").await;
        assert_eq!(code, Some(0), "{backend}: {said}");
    }
}

#[tokio::test]
async fn a_hard_link_that_was_there_before_is_no_way_out_of_the_project() {
    for backend in backends().await {
        let project = prepared(backend, narrow());
        fs::hard_link(project.outside("kept"), project.path("hard")).unwrap();
        fs::hard_link(project.outside("kept"), project.path("src/deep/hard")).unwrap();
        fs::hard_link(project.path(".git/config"), project.path("src/config")).unwrap();
        for one in [
            "echo x > hard",
            "echo x >> src/deep/hard",
            "echo x > src/config",
            "mv src/deep src/moved; echo x > src/moved/hard",
            "echo x > src/moved/hard",
        ] {
            let (said, code) = bash(&project, one).await;
            assert_ne!(code, Some(0), "{backend} {one}: {said}");
        }
        assert_eq!(fs::read_to_string(project.outside("kept")).unwrap(), "kept\n", "{backend}");
        assert_eq!(fs::read_to_string(project.path(".git/config")).unwrap(), "mine\n", "{backend}");
    }
}

#[tokio::test]
async fn read_only_writes_nothing() {
    for backend in backends().await {
        let project = prepared(backend, SandboxPolicy::read_only());
        let before = all(&project.root);
        for one in [
            "echo x > new",
            "echo x > src/main.rs",
            "rm notes",
            "mkdir src/new",
            "touch /tmp/core-tools-never",
            "chmod 777 notes",
            "touch -d 2001-01-01 notes",
            "exec 3<notes; chmod 777 /dev/fd/3",
        ] {
            let (said, code) = bash(&project, one).await;
            assert_ne!(code, Some(0), "{backend} {one}: {said}");
        }
        assert_eq!(all(&project.root), before);
        let (said, code) = bash(&project, "grep -E '^Cap(Eff|Prm):.0+$' /proc/self/status | wc -l").await;
        assert_eq!((&*said, code), ("2\n", Some(0)), "{backend}: root's rights are gone");
        let (said, code) = bash(&project, "cat notes > /dev/null && cat notes src/main.rs").await;
        assert_eq!((&*said, code), ("mine\nmine\n", Some(0)), "{backend}");
    }
}

/// Whether nobody has come.
fn nobody<T>(accepted: io::Result<T>) -> bool {
    accepted.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

#[tokio::test]
async fn nobody_outside_is_reached() {
    let Some(attempts) = attempts() else { return };
    for backend in backends().await {
        let project = prepared(backend, narrow());
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        let path = project.path("src/socket");
        let unix = UnixListener::bind(&path).unwrap();
        let name = format!("core-tools-{}-{backend}", std::process::id());
        let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        for listener in [&unix, &hidden] {
            listener.set_nonblocking(true).unwrap();
        }
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        let path = path.display().to_string();
        let tries = [
            format!("tcp {tcp_port}"),
            "raw".to_owned(),
            format!("unix {path}"),
            format!("unix @{name}"),
            format!("unix-datagram {path}"),
            format!("unix-datagram @{name}"),
            format!("unix-pair {path}"),
        ];
        for one in tries {
            let (said, code) = bash(&project, &format!("{} {one}", attempts.display())).await;
            assert_eq!(code, Some(1), "{backend} {one}: {said}");
        }
        // Where the network is one of its own, a datagram goes nowhere without an error.
        for one in [
            format!("{} udp {udp_port}", attempts.display()),
            format!("echo x > /dev/udp/127.0.0.1/{udp_port}"),
            format!("echo x > /dev/tcp/127.0.0.1/{tcp_port}"),
        ] {
            bash(&project, &one).await;
        }
        assert!(nobody(tcp.accept()) && nobody(unix.accept()) && nobody(hidden.accept()), "{backend}");
        assert!(nobody(udp.recv(&mut [0; 8])), "{backend}");
        if backend == Backend::Landlock {
            let (said, code) = bash(&project, &format!("{} listen 0", attempts.display())).await;
            assert_eq!(code, Some(1), "{said}");
        }
        let (said, code) = bash(&project, &format!("{} pair", attempts.display())).await;
        assert_eq!(code, Some(0), "{backend}: {said}");
    }
}

#[tokio::test]
async fn the_network_can_be_allowed() {
    let Some(attempts) = attempts() else { return };
    for backend in backends().await {
        let project = prepared(backend, narrow().network(true));
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        let (said, code) = bash(&project, &format!("{} tcp {port}", attempts.display())).await;
        assert_eq!(code, Some(0), "{backend}: {said}");
        tcp.accept().unwrap();
        // A daemon's socket is none of it.
        let path = project.path("src/socket");
        let _unix = UnixListener::bind(&path).unwrap();
        let (said, code) = bash(&project, &format!("{} unix {}", attempts.display(), path.display())).await;
        assert_eq!(code, Some(1), "{backend}: {said}");

        let project = prepared(backend, narrow().unix_sockets(true));
        let path = project.path("src/socket");
        let unix = UnixListener::bind(&path).unwrap();
        let (said, code) = bash(&project, &format!("{} unix {}", attempts.display(), path.display())).await;
        assert_eq!(code, Some(0), "{backend}: {said}");
        unix.accept().unwrap();
    }
}

#[tokio::test]
async fn other_processes_and_the_kernel_are_out_of_reach() {
    let Some(attempts) = attempts() else { return };
    let mut bystander = Command::new("sleep").arg("1000").spawn().unwrap();
    for backend in backends().await {
        let project = prepared(backend, narrow());
        project.file("src/program", "");
        let (host, other) = (std::process::id(), bystander.id());
        let kept = project.outside("kept");
        let mut tries = Vec::new();
        for pid in [host, other] {
            tries.extend(
                ["ptrace", "memory", "memory-file", "kill", "limit", "setns"].map(|what| format!("{what} {pid}")),
            );
        }
        tries.extend(["io_uring", "unshare", "clone", "remount", "bpf", "keys"].map(str::to_owned));
        tries.extend(["setting", "own-limit"].map(str::to_owned));
        tries.push(format!("flags {}", kept.display()));
        if cfg!(target_arch = "x86_64") {
            tries.push("io_uring-x32".to_owned());
        }
        tries.extend(["mount src", "device src/device", "setuid src/program"].map(str::to_owned));
        tries.push(format!("handle {}", kept.display()));
        for one in tries {
            let (said, code) = bash(&project, &format!("{} {one}", attempts.display())).await;
            assert_eq!(code, Some(1), "{backend} {one}: {said}");
        }
        let (said, code) = bash(&project, &format!("kill -9 {other} {host}")).await;
        assert_ne!(code, Some(0), "{backend}: {said}");
        assert!(bystander.try_wait().unwrap().is_none(), "{backend}");
        assert_eq!(fs::read_to_string(&kept).unwrap(), "kept\n");
    }
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[tokio::test]
async fn who_is_left_behind_is_confined_still_and_ends_with_the_rest() {
    for backend in backends().await {
        let rules = tool_core::permission::Ruleset::allow_all().deny("escalate", "*");
        let sandbox = core_tools::sandbox::Sandbox::new(narrow()).backend(backend);
        let project = Project::with(|bench| {
            bench.state(sandbox).state(Background::StopAll).with(|executor| executor.rules(rules))
        });
        project.file("src/x", "");
        // The process numbers are a namespace's own: the marks in their environments are not.
        let daemon = "(setsid sh -c 'while ! [ -e src/go ]; do sleep 0.02; done; echo x > ../escaped; echo tried > src/tried; exec sleep 1000' >/dev/null 2>&1 &)";
        let script = format!("{daemon}; touch src/go; while ! [ -e src/tried ]; do sleep 0.02; done");
        let mark = format!("MARK={}", project.root.display());
        let (said, code) = bash(&project, &format!("export {mark}; {script}")).await;
        assert_eq!(code, Some(0), "{backend}: {said}");
        assert!(!project.outside("escaped").exists(), "{backend}");
        let marked = || {
            let numbers = fs::read_dir("/proc").unwrap().flatten();
            let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
            let has = |pid: &i32| {
                let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
            };
            numbers.filter(|pid| has(pid) && runs(*pid)).count()
        };
        eventually("its end", || marked() == 0).await;
    }
}

#[tokio::test]
async fn work_in_the_project_goes_on_as_usual() {
    let works = [
        "git init -q src/repository && cd src/repository && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git status",
        "mkdir -p src/a/b src/c && echo x > src/a/b/file && mv src/a/b/file src/c/ && cat src/c/file",
        "ln -s main.rs src/symbolic && cat src/symbolic",
        "ln src/main.rs src/second && ls src/second",
        "cp -p /bin/true src/program && chmod 755 src/program && src/program",
        "printf '#!/bin/sh\\necho ran\\n' > src/script && chmod +x src/script && src/script",
        "mkfifo src/pipe && (echo x > src/pipe & cat src/pipe)",
        "touch -d 2001-01-01 src/main.rs && echo x > src/main.rs && truncate -s 0 src/main.rs",
        "rm -r src/deep && mkdir src/deep",
        "echo x > notes",
        "echo x > /dev/null; echo x | cat | tee /dev/null; head -c1 /dev/urandom > /dev/null",
        "id && ps && env > /dev/null && uname",
        "for i in 1 2 3 4; do (echo $i) & done; wait",
        "cat < <(echo x) > src/substituted",
        "echo x > /dev/stdout && echo x > /dev/stderr && echo x | tee /dev/fd/2",
        "cat <<< here > src/here",
        "seq 100000 | sort -rn | tail -1",
    ];
    for backend in backends().await {
        let project = prepared(backend, narrow());
        for one in works {
            let (said, code) = bash(&project, one).await;
            assert_eq!(code, Some(0), "{backend} {one}: {said}");
        }
        // New entries of the project itself are what Landlock cannot have beside a protected one.
        let (said, code) = bash(&project, "echo x > new && rm new").await;
        assert_eq!(code == Some(0), backend == Backend::Bubblewrap, "{backend}: {said}");
    }
}

#[tokio::test]
async fn without_protected_names_landlock_lets_new_entries_be_made() {
    for backend in backends().await {
        let project = confined(backend, narrow().protected(Vec::<String>::new()));
        let (said, code) =
            bash(&project, "echo x > new && mkdir -p .git/a && rm -r new .git && ! echo x > ../new").await;
        assert_eq!(code, Some(0), "{backend}: {said}");
    }
}

#[tokio::test]
async fn a_terminal_is_there_and_is_ones_own() {
    for backend in backends().await {
        let project = prepared(backend, narrow());
        let script = "test -t 0 && test -t 1 && echo seen > /dev/tty && stty size < /dev/tty && echo again > /dev/stdout && test -w $(tty); echo x > ../new; true";
        let outcome = project
            .call("exec_command", json!({ "cmd": script, "tty": true, "login": false, "yield_time_ms": 30_000 }))
            .await;
        let shown = said(&outcome);
        assert!(
            shown.contains("seen") && shown.contains("again") && shown.contains("24 80"),
            "{backend}: {}",
            outcome.text()
        );
        assert!(!project.outside("new").exists());
        if let Some(attempts) = attempts() {
            let typing = json!({ "cmd": format!("{} type", attempts.display()), "tty": true, "login": false });
            let outcome = project.call("exec_command", typing).await;
            assert!(said(&outcome).contains("Operation not permitted"), "{backend}: {}", outcome.text());
        }
        assert_eq!(outcome.metadata()["sandbox"]["backend"], backend.to_string(), "{}", outcome.text());
    }
}

#[tokio::test]
async fn temporary_files_can_be_written_unless_said() {
    for backend in backends().await {
        let base = tempfile::tempdir_in("/var/tmp").unwrap();
        let work = base.path().canonicalize().unwrap();
        let sandbox = |policy| core_tools::sandbox::Sandbox::new(policy).backend(backend);
        for (policy, writable) in [
            (SandboxPolicy::workspace_write(), true),
            (SandboxPolicy::workspace_write().slash_tmp(false).tmpdir(false), false),
        ] {
            let rules = tool_core::permission::Ruleset::allow_all().deny("escalate", "*");
            let (sandbox, work) = (sandbox(policy), work.clone());
            let project =
                Project::with(move |bench| bench.cwd(work).state(sandbox).with(|executor| executor.rules(rules)));
            let (said, code) = bash(&project, "file=$(mktemp -p /tmp) && echo x > $file && rm $file").await;
            assert_eq!(code == Some(0), writable, "{backend}: {said}");
        }
    }
}

#[tokio::test]
async fn sessions_are_confined_and_can_be_typed_into() {
    for backend in backends().await {
        let project = prepared(backend, narrow());
        let open = json!({ "cmd": "read line; echo \"$line\" > ../new; echo \"got $line\"", "tty": true, "login": false, "yield_time_ms": 250 });
        let outcome = project.call("exec_command", open).await;
        let session = outcome.metadata()["session_id"].as_i64().unwrap();
        let typed = json!({ "session_id": session, "chars": "hello\n", "yield_time_ms": 20_000 });
        let outcome = project.call("write_stdin", typed).await;
        assert!(output(&outcome).contains("got hello"), "{backend}: {}", outcome.text());
        assert!(!project.outside("new").exists(), "{backend}");
    }
}

#[tokio::test]
async fn a_confined_command_is_ended_like_any_other() {
    for backend in backends().await {
        let project = prepared(backend, narrow());
        let script = "echo so far; cat /proc/self/stat > /dev/null; sleep 1000";
        let outcome = project.call("bash", json!({ "command": script, "timeout": 500 })).await;
        assert!(output(&outcome).starts_with("so far\n"), "{backend}: {}", outcome.text());
        let outcome = project.call("bash", json!({ "command": "kill -TERM $$" })).await;
        let shown = (outcome.metadata()["exit"].as_i64(), outcome.metadata().get("signal").and_then(Value::as_i64));
        let wanted = if backend == Backend::Landlock { (None, Some(15)) } else { (Some(143), None) };
        assert_eq!(shown, wanted, "{backend}: {}", outcome.text());
    }
}

#[tokio::test]
async fn who_prints_on_in_the_background_does_not_hold_the_call() {
    for backend in backends().await {
        let project = confined(backend, narrow());
        project.file("src/x", "");
        let script = "setsid sh -c 'while :; do echo x; sleep 0.01; done' & echo end";
        let outcome = project.call("bash", json!({ "command": script, "timeout": 30_000 })).await;
        assert_eq!(outcome.metadata()["exit"], 0, "{backend}: {}", outcome.text());
    }
}

/// The rest of this file again as a user who is not root, where it is run by root.
#[tokio::test]
async fn all_of_it_holds_for_an_ordinary_user() {
    if !is_root() {
        println!("skipped: these tests are run by an ordinary user already");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut child = Command::new(&program);
    if let Some(attempts) = attempts() {
        let copy = folder.path().join("attempts");
        fs::copy(attempts, &copy).unwrap();
        child.env(ATTEMPTS, copy);
    }
    child.args(["--skip", "all_of_it_holds"]).env("HOME", "/").env_remove("TMPDIR").current_dir("/");
    let done = child.uid(65534).gid(65534).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

/// So that none of the refusals above is for another reason.
#[tokio::test]
async fn without_a_sandbox_all_of_it_can_be_done() {
    let Some(attempts) = attempts() else { return };
    let project = Project::new();
    let (tcp, path) = (TcpListener::bind("127.0.0.1:0").unwrap(), project.path("socket"));
    let _unix = UnixListener::bind(&path).unwrap();
    let port = tcp.local_addr().unwrap().port();
    fs::write(project.outside("kept"), "kept\n").unwrap();
    project.file("program", "");
    let mut bystander = Command::new("sleep").arg("1000").spawn().unwrap();
    let (other, path) = (bystander.id(), path.display());
    for one in [
        format!("tcp {port}"),
        format!("udp {port}"),
        "listen 0".to_owned(),
        format!("unix {path}"),
        format!("kill {other}"),
        format!("limit {other}"),
        "truncate ../kept".to_owned(),
        "setuid program".to_owned(),
        "own-limit".to_owned(),
        "flags program".to_owned(),
    ] {
        let (said, code) = bash(&project, &format!("{} {one}", attempts.display())).await;
        assert_eq!(code, Some(0), "{one}: {said}");
    }
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}
