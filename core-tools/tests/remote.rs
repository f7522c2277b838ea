//! What is special about a machine that is reached by SSH: connections that are lost or refused, programs in their own
//! groups, names and words that a shell would take for something else, and the command line.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod machines;
mod project;
mod sshd;

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::PathBuf,
    process,
};

use core_tools::workspace::{Command, Exit, Running, SshError, SshWorkspace, Stop};
use futures_util::future::join_all;
use machines::{Machine, on, remote};
use project::{eventually, pid_in, runs};
use sshd::{HOST, Sshd};
use tokio::io::AsyncReadExt;

fn shell(machine: &Machine, script: &str) -> Command {
    Command::new("/bin/sh", ["-c", script], &machine.root)
}

async fn all_of(mut running: Running) -> (Vec<u8>, Vec<u8>, io::Result<Exit>) {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    running.output.read_to_end(&mut output).await.unwrap();
    if let Some(mut stream) = running.errors {
        stream.read_to_end(&mut errors).await.unwrap();
    }
    let exit = running.process.wait().await;
    running.process.release();
    (output, errors, exit)
}

fn ssh_error(error: &io::Error) -> &SshError {
    error.get_ref().and_then(|inner| inner.downcast_ref()).unwrap_or_else(|| panic!("another error: {error}"))
}

#[tokio::test]
async fn a_lost_connection_is_an_error_ends_what_ran_and_is_made_again() {
    let Some(mut machine) = remote().await else { return };
    let pid = machine.root.join("pid");
    let command = shell(&machine, "sleep 600 & echo $! >pid; wait");
    let mut running = machine.workspace.spawn(command).await.unwrap();
    let pid = pid_in(&pid).await;
    machine.sshd().cut();
    let lost = running.process.wait().await.unwrap_err();
    assert!(matches!(ssh_error(&lost), SshError::Lost { host, .. } if host == HOST), "{lost}");
    eventually("the end of what ran there", || !runs(pid)).await;
    // What is under way when it is noticed may still fail; then there is a new one.
    let root = machine.root.clone();
    let mut again = machine.workspace.stat(&root).await;
    if let Err(error) = &again {
        assert!(matches!(ssh_error(error), SshError::Lost { .. }), "{error}");
        again = machine.workspace.stat(&root).await;
    }
    again.unwrap();

    machine.sshd().stop();
    let mut error = machine.workspace.stat(&root).await.unwrap_err();
    if matches!(ssh_error(&error), SshError::Lost { .. }) {
        error = machine.workspace.stat(&root).await.unwrap_err();
    }
    assert!(matches!(ssh_error(&error), SshError::Connect { .. }), "{error}");
    assert!(error.to_string().contains(&format!("Make `ssh {HOST}` work")), "{error}");
}

#[tokio::test]
async fn hosts_and_users_that_are_not_known_are_refused() {
    let Some(sshd) = Sshd::start() else { return };
    sshd.replace("known_hosts", "");
    let error = sshd.builder().connect().await.unwrap_err();
    assert!(matches!(&error, SshError::Connect { said, .. } if said.contains("ost key")), "{error}");
    assert_eq!(fs::read_to_string(sshd.config().with_file_name("known_hosts")).unwrap(), "");

    let Some(sshd) = Sshd::start() else { return };
    sshd.replace("authorized_keys", "");
    let error = sshd.builder().connect().await.unwrap_err();
    assert!(matches!(&error, SshError::Connect { said, .. } if said.contains("Permission denied")), "{error}");
}

#[tokio::test]
async fn what_is_no_destination_starts_nothing() {
    for bad in ["", "-oProxyCommand=touch pwned", "two words", "a\nb"] {
        let error = SshWorkspace::connect(bad).await.unwrap_err();
        assert_eq!(error, SshError::Destination(bad.to_owned()));
    }
    let error = SshWorkspace::builder("host").program("/no/such/ssh").connect().await.unwrap_err();
    assert!(matches!(error, SshError::Client { .. }), "{error}");
}

#[tokio::test]
async fn a_machine_for_files_alone_says_so_of_commands() {
    let Some(sshd) = Sshd::with("ForceCommand internal-sftp") else { return };
    let workspace = sshd.connect().await;
    let machine = on(sshd, workspace);
    machine.put("a", "a").await;
    assert_eq!(machine.content("a").await, b"a");
    let error = machine.workspace.spawn(shell(&machine, "true")).await.err().unwrap();
    assert!(matches!(ssh_error(&error), SshError::Start { .. }), "{error}");

    let Some(sshd) = Sshd::with("ForceCommand echo Welcome to this machine") else { return };
    let error = sshd.builder().connect().await.unwrap_err();
    assert!(matches!(&error, SshError::Protocol { why, .. } if why.contains("Welcome")), "{error}");
}

#[tokio::test]
async fn more_commands_run_at_once_than_one_connection_takes() {
    let Some(machine) = remote().await else { return };
    let wait = "until [ -e go ]; do sleep 0.05; done; echo done";
    let started = join_all((0..12).map(|_| machine.workspace.spawn(shell(&machine, wait)))).await;
    let started: Vec<Running> = started.into_iter().map(Result::unwrap).collect();
    // Files are not held up by them.
    machine.put("go", "").await;
    for (output, _, exit) in join_all(started.into_iter().map(all_of)).await {
        assert_eq!((output, exit.unwrap()), (b"done\n".to_vec(), Exit::new(Some(0), None)));
    }
}

#[tokio::test]
async fn words_input_and_environment_come_as_they_are() {
    let Some(machine) = remote().await else { return };
    let all: Vec<u8> = (1..=255).collect();
    let folder = machine.root.join(OsStr::from_bytes(b"it's $(a) \xff\n"));
    machine.workspace.make_dirs(&folder).await.unwrap();
    let words = [OsString::new(), "$(touch pwned)".into(), "'; touch pwned; '".into(), OsString::from_vec(all.clone())];
    let mut arguments: Vec<OsString> =
        ["-c", "pwd; printf '%s|' \"$@\" \"$WEIRD\"; echo e >&2; cat", "sh"].map(Into::into).into();
    arguments.extend(words.iter().cloned());
    let input: Vec<u8> = (0..300_000_u32).map(|number| number.to_le_bytes()[number as usize % 3]).collect();
    let weird = OsString::from_vec(all.clone());
    let command = Command::new("/bin/sh", arguments, &folder).env("WEIRD", &weird).input(input.clone()).errors_apart();
    let (output, errors, exit) = all_of(machine.workspace.spawn(command).await.unwrap()).await;
    let mut expected = [folder.as_os_str().as_bytes(), b"\n"].concat();
    for word in words.iter().chain([&weird]) {
        expected.extend_from_slice(word.as_bytes());
        expected.push(b'|');
    }
    expected.extend_from_slice(&input);
    assert!(output == expected, "{:?}", String::from_utf8_lossy(&output[..output.len().min(900)]));
    assert_eq!((errors.as_slice(), exit.unwrap()), (b"e\n".as_slice(), Exit::new(Some(0), None)));
    assert!(machine.workspace.list(&folder).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_command_is_no_login_shell() {
    let Some(machine) = remote().await else { return };
    let command = Command::new("/bin/bash", ["-c", "echo $SHLVL"], &machine.root);
    let (level, _, _) = all_of(machine.workspace.spawn(command).await.unwrap()).await;
    // In the first shell, bash would read its profile once more, and its noise be taken for the command's.
    let level: u32 = String::from_utf8(level).unwrap().trim().parse().unwrap();
    assert!(level >= 2, "{level}");
}

#[tokio::test]
async fn what_cannot_start_is_an_error_that_says_why() {
    let Some(machine) = remote().await else { return };
    for (command, what) in machine.hopeless() {
        let error = machine.workspace.spawn(command).await.err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[tokio::test]
async fn a_group_is_stopped_dropped_or_let_go() {
    let Some(machine) = remote().await else { return };
    let start = async |script: &str| {
        let _ = fs::remove_file(machine.root.join("pid"));
        let running = machine.workspace.spawn(shell(&machine, script)).await.unwrap();
        (running, pid_in(&machine.root.join("pid")).await)
    };
    let (mut running, pid) = start("trap 'exit 7' TERM; sleep 600 & echo $! >pid; wait").await;
    running.process.stop(Stop::Terminate);
    assert_eq!(running.process.wait().await.unwrap(), Exit::new(Some(7), None));
    eventually("the end of the group", || !runs(pid)).await;

    let (running, pid) = start("trap '' TERM; sleep 600 & echo $! >pid; wait").await;
    drop(running);
    eventually("the end of the group", || !runs(pid)).await;

    let (mut running, pid) = start("sleep 600 >/dev/null 2>&1 & echo $! >pid").await;
    assert_eq!(running.process.wait().await.unwrap(), Exit::new(Some(0), None));
    assert!(running.process.has_company());
    let mut output = Vec::new();
    running.output.read_to_end(&mut output).await.unwrap();
    running.process.release();
    // Once the supervisor is gone, nothing there can end it.
    assert_eq!(all_of(machine.workspace.spawn(shell(&machine, "echo next")).await.unwrap()).await.0, b"next\n");
    assert!(runs(pid));
    project::kill(pid);
}

#[tokio::test]
async fn large_files_come_and_go_whole() {
    let Some(machine) = remote().await else { return };
    let content: Vec<u8> = (0..5_000_000_u32).map(|number| number.to_le_bytes()[number as usize % 3]).collect();
    machine.put("large", &content).await;
    assert!(fs::read(machine.root.join("large")).unwrap() == content);
    assert!(machine.content("large").await == content);
    let mut end = Vec::new();
    let path = machine.root.join("large");
    machine.workspace.open_at(&path, 4_900_001).await.unwrap().read_to_end(&mut end).await.unwrap();
    assert!(end == content[4_900_001..]);
    // Files of the kernel say that they are empty.
    let status = machine.workspace.read("/proc/self/status".as_ref(), u64::MAX).await.unwrap();
    assert!(status.starts_with(b"Name:"));
    let refused = machine.workspace.check_writable("/proc/self/comm".as_ref()).await.unwrap_err();
    assert!(refused.to_string().contains("kernel"), "{refused}");
}

#[tokio::test]
async fn paths_that_no_disk_has_end_no_session() {
    let Some(machine) = remote().await else { return };
    for bad in [PathBuf::from("/a\0b"), PathBuf::from(format!("/{}", "x/".repeat(200_000)))] {
        assert!(machine.workspace.stat(&bad).await.is_err());
        assert!(machine.workspace.real_path(&bad).await.is_err());
        assert!(machine.workspace.list(&bad).await.is_err());
    }
    machine.workspace.stat(&machine.root).await.unwrap();
}

#[tokio::test]
async fn the_command_line_works_there() {
    let Some(sshd) = Sshd::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let call = |tool: &str, arguments: &str, more: &[&OsStr]| {
        let mut command = process::Command::new(env!("CARGO_BIN_EXE_core-tools"));
        command.args(["call", tool, arguments, "--yes", "--ssh", HOST, "--ssh-config"]).arg(sshd.config()).args(more);
        command.current_dir("/").stdin(process::Stdio::null());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let there = [OsStr::new("--cwd"), root.as_os_str()];
    let (code, _, errors) = call("write", r#"{"filePath": "a.txt", "content": "there\n"}"#, &there);
    assert_eq!(code, Some(0), "{errors}");
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "there\n");
    let (_, output, errors) = call("bash", r#"{"command": "pwd; echo ${SSH_CONNECTION:+over ssh}"}"#, &there);
    assert_eq!(output.trim_end(), format!("{}\nover ssh", root.display()), "{errors}");
    let (code, _, errors) = call("bash", r#"{"command": "pwd"}"#, &["--cwd", "/no/such"].map(OsStr::new));
    assert_eq!(code, Some(2));
    assert!(errors.contains(HOST) && errors.contains("/no/such"), "{errors}");
}

#[tokio::test]
async fn an_output_that_is_kept_here_is_not_said_to_be_there() {
    let Some(machine) = remote().await else { return };
    let outcome = machine.call("bash", serde_json::json!({ "command": "seq 100000" })).await;
    let metadata = outcome.metadata();
    let path = metadata["outputPath"].as_str().unwrap();
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 100_000);
    assert!(outcome.text().contains("on their own machine and not on this one"), "{}", outcome.text());
}
