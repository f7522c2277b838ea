//! `read`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    process::Command,
};

use project::{Project, error, is_root, output};
use serde_json::{Value, json};
use tool_core::{
    Outcome,
    permission::{Reply, Ruleset},
    truncate::SpillStore,
};

async fn read(project: &Project, path: &str) -> Outcome {
    project.call("read", json!({ "filePath": path })).await
}

/// What stands between `<content>` and the trailer.
fn content(outcome: &Outcome) -> &str {
    let text = output(outcome);
    let start = text.find("<content>\n").unwrap() + "<content>\n".len();
    let end = text[start..].find("\n\n(").unwrap();
    &text[start..start + end]
}

#[tokio::test]
async fn line_ends_byte_order_marks_and_bad_bytes() {
    let project = Project::new();
    for (bytes, expected) in [
        (&b"a\r\nb\r\n"[..], "1: a\n2: b"),
        (b"\xef\xbb\xbfa\n", "1: a"),
        (b"\xef\xbb\xbf", ""),
        (b"a\rb\n", "1: a\rb"),
        (b"a\xffb", "1: a\u{fffd}b"),
        (b"a\n\n", "1: a\n2: "),
        (b"no final newline", "1: no final newline"),
    ] {
        project.file("f.txt", bytes);
        assert_eq!(content(&read(&project, "f.txt").await), expected, "{bytes:?}");
    }
}

#[tokio::test]
async fn offsets_and_limits() {
    let project = Project::new();
    project.file("f.txt", "a\nb\nc\n");
    let at = async |offset: u64, limit: u64| {
        project.call("read", json!({ "filePath": "f.txt", "offset": offset, "limit": limit })).await
    };
    assert!(output(&at(2, 1).await).contains("\n2: b\n\n(Showing lines 2-2 of 3. Use offset=3 to continue.)\n"));
    assert!(output(&at(0, 9).await).contains("\n1: a\n2: b\n3: c\n\n(End of file - total 3 lines)\n"));
    assert_eq!(content(&at(1, 0).await), "");
    assert_eq!(error(&at(4, 1).await), "Offset 4 is out of range for this file (3 lines)");
    assert_eq!(
        error(&at(u64::MAX, u64::MAX).await),
        format!("Offset {} is out of range for this file (3 lines)", u64::MAX)
    );
    let nulls = project.call("read", json!({ "filePath": "f.txt", "offset": null, "limit": "2" })).await;
    assert_eq!(content(&nulls), "1: a\n2: b");
    let invalid = project.call("read", json!({ "filePath": "f.txt", "offset": -1 })).await;
    assert!(error(&invalid).contains("offset"));
}

#[tokio::test]
async fn facts_for_people() {
    let project = Project::new();
    let path = project.file("src/f.txt", "a\nb\nc\n");
    let outcome = project.call("read", json!({ "filePath": "src/f.txt", "offset": 2, "limit": 1 })).await;
    assert_eq!(outcome.status().unwrap().title(), "src/f.txt");
    assert_eq!(
        Value::from(outcome.metadata()),
        json!({
            "preview": "b", "truncated": true, "loaded": [],
            "display": {
                "type": "file", "path": path, "text": "b", "lineStart": 2, "lineEnd": 2, "totalLines": 3,
                "truncated": true,
            },
        })
    );
    // The total is known also where the byte limit ended the window.
    project.file("long.txt", format!("{}\n", "x".repeat(999)).repeat(200));
    let outcome = read(&project, "long.txt").await;
    assert_eq!(outcome.metadata()["display"]["totalLines"], 200);
    assert!(output(&outcome).contains("(Output capped at 50 KB. Showing lines 1-51. Use offset=52 to continue.)"));
}

#[tokio::test]
async fn titles_are_from_the_git_top_level() {
    let project = Project::with(|bench| bench.with(|executor| executor.rules(Ruleset::allow_all())));
    fs::create_dir(project.outside(".git")).unwrap();
    project.file("f.txt", "a");
    assert_eq!(read(&project, "f.txt").await.status().unwrap().title(), "work/f.txt");
}

#[tokio::test]
async fn directories() {
    let project = Project::new();
    for name in ["b", "A", "a", "_", "10", "9", ".x", "é", "f", "sub/x"] {
        project.file(&format!("d/{name}"), "");
    }
    let outcome = read(&project, "d").await;
    assert!(output(&outcome).contains("\n_\n.x\n10\n9\na\nA\nb\né\nf\nsub/\n\n(10 entries)\n"), "{}", outcome.text());
    let outcome = project.call("read", json!({ "filePath": "d", "offset": 2, "limit": 3 })).await;
    let expected = "<entries>\n.x\n10\n9\n\n(Showing 3 of 10 entries. Use 'offset' parameter to read beyond entry 5)\n";
    assert!(output(&outcome).contains(expected), "{}", outcome.text());
    assert_eq!(outcome.metadata()["truncated"], true);
    assert_eq!(outcome.metadata()["display"]["totalEntries"], 10);
    fs::create_dir(project.path("empty")).unwrap();
    assert!(output(&read(&project, "empty").await).contains("<entries>\n\n\n(0 entries)\n</entries>"));
}

#[tokio::test]
async fn utf_16_is_text_where_a_mark_says_so() {
    let project = Project::new();
    let text = "a\r\n\u{1f600} ä\nlast";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (mark, bytes) in [(&b"\xff\xfe"[..], &little), (b"\xfe\xff", &big)] {
        project.file("f.txt", [mark, bytes].concat());
        assert_eq!(content(&read(&project, "f.txt").await), "1: a\n2: \u{1f600} ä\n3: last");
        // A character that the end of the file cuts through, and one half of a pair.
        project.file("f.txt", [mark, &bytes[..7]].concat());
        assert_eq!(content(&read(&project, "f.txt").await), "1: a\n2: \u{fffd}");
    }
    project.file(
        "f.txt",
        [&b"\xff\xfe"[..], &"long line\n".repeat(60_000).encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()]
            .concat(),
    );
    let last = project.call("read", json!({ "filePath": "f.txt", "offset": 60_000 })).await;
    assert_eq!(content(&last), "60000: long line");
    project.file("utf32.txt", b"\xff\xfe\0\0a\0\0\0");
    assert!(error(&read(&project, "utf32.txt").await).starts_with("Cannot read binary file: "));
}

#[tokio::test]
async fn binary_names_are_refused() {
    let project = Project::new();
    project.file("a.ZIP", "text");
    symlink("a.ZIP", project.path("link.txt")).unwrap();
    assert!(error(&read(&project, "a.ZIP").await).starts_with("Cannot read binary file: "));
    assert!(error(&read(&project, "link.txt").await).starts_with("Cannot read binary file: "));
}

#[tokio::test]
async fn special_files_do_not_hang() {
    let project = Project::new();
    assert!(Command::new("mkfifo").arg(project.path("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(project.path("socket")).unwrap();
    for (path, kind) in [("pipe", "a named pipe (FIFO)"), ("socket", "a socket"), ("/dev/zero", "a device")] {
        let message = error(&read(&project, path).await);
        assert!(message.contains(&format!("it is {kind}")), "{message}");
    }
}

#[tokio::test]
async fn what_is_not_there() {
    let project = Project::new();
    for name in ["readme.md", "README", "readme.txt", "readme.rst", "other"] {
        project.file(name, "");
    }
    let root = project.root.display();
    assert_eq!(
        error(&read(&project, "README.M").await),
        format!("File not found: {root}/README.M\n\nDid you mean one of these?\n{root}/README\n{root}/readme.md")
    );
    assert_eq!(error(&read(&project, "zzz").await), format!("File not found: {root}/zzz"));
    assert_eq!(
        error(&read(&project, "other/x").await),
        format!("File not found: {root}/other/x\n\n{root}/other is no directory.")
    );
    symlink("circle", project.path("circle")).unwrap();
    assert!(error(&read(&project, "circle").await).starts_with("Cannot reach "));
}

#[tokio::test]
async fn what_may_have_been_meant() {
    let project = Project::new();
    for name in ["config.rs", "src/main.rs", "src/deep/lib.rs", "a"] {
        project.file(name, "x\n");
    }
    symlink("nowhere", project.path("dangling")).unwrap();
    let told = async |path: &str| {
        let text = error(&read(&project, path).await).clone();
        text.split_once("\n\n").map_or(String::new(), |(_, told)| told.replace(&*project.root.to_string_lossy(), "."))
    };
    for (path, meant) in [
        ("confg.rs", "./config.rs"),
        ("conifg.rs", "./config.rs"),
        ("CONFIG", "./config.rs"),
        ("config.rs.bak", "./config.rs"),
        ("src/mian.rs", "./src/main.rs"),
        ("scr/main.rs", "./src/main.rs"),
        ("src/depe/lib.rs", "./src/deep/lib.rs"),
    ] {
        assert_eq!(told(path).await, format!("Did you mean one of these?\n{meant}"), "{path}");
    }
    assert_eq!(told("banana").await, "", "one letter is in everything");
    assert_eq!(told("scr/other.rs").await, "", "nor is it in the folder that may have been meant");
    assert_eq!(
        told("dangling").await,
        "./dangling is there, but cannot be followed: it is a link to something that does not exist."
    );
    assert_eq!(told("config.rs/more").await, "./config.rs is no directory.");
}

#[tokio::test]
async fn paths_as_models_write_them() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("f.txt"), "at home").unwrap();
    let workspace = core_tools::LocalWorkspace::with_home(home.path());
    let project = Project::with(|bench| {
        bench
            .state::<std::sync::Arc<dyn core_tools::Workspace>>(std::sync::Arc::new(workspace))
            .with(|executor| executor.rules(Ruleset::allow_all()))
    });
    assert_eq!(content(&read(&project, "~/f.txt").await), "1: at home");
    let path = project.file("a b.txt", "here");
    for given in
        [format!("file://{}/a%20b.txt", project.root.display()), "./x/../a b.txt".into(), path.display().to_string()]
    {
        assert_eq!(content(&read(&project, &given).await), "1: here", "{given}");
    }
    assert!(error(&read(&project, "file://elsewhere/x").await).contains("file:///absolute/path"));
    assert!(error(&read(&project, "a\0b").await).contains("NUL"));
}

#[tokio::test]
async fn unreadable_files() {
    let project = Project::new();
    let path = project.file("secret", "x");
    fs::set_permissions(path, Permissions::from_mode(0o000)).unwrap();
    if !is_root() {
        assert!(error(&read(&project, "secret").await).starts_with("Cannot read "));
    }
}

#[tokio::test]
async fn leave_is_asked() {
    let project = Project::asking([Reply::Always]);
    project.file("src/.env", "A=1");
    project.file("src/b", "B");
    output(&read(&project, "src/.env").await);
    output(&read(&project, "src/b").await);
    let asks = project.bench.asks();
    assert_eq!(asks.len(), 1);
    let request = &asks[0].request;
    assert_eq!(
        (&*request.permission, &request.patterns[..], &request.always[..]),
        ("read", &["src/.env".to_owned()][..], &["*".to_owned()][..])
    );
}

#[tokio::test]
async fn outside_is_asked_first_also_through_links() {
    let project = Project::asking([Reply::Once, Reply::Once, Reply::Once, Reply::Once, Reply::Once]);
    let folder = project.outside("other");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("secret.env"), "S").unwrap();
    let pattern = format!("{}/*", folder.display());

    output(&read(&project, folder.join("secret.env").to_str().unwrap()).await);
    let asks = project.bench.asks();
    assert_eq!(asks[0].request.permission, "external_directory");
    assert_eq!(asks[0].request.patterns, [pattern.as_str()]);
    assert_eq!(asks[0].request.always, [pattern.as_str()]);
    assert_eq!(asks[0].request.metadata["filepath"], json!(folder.join("secret.env")));
    assert_eq!(asks[0].request.metadata["parentDir"], json!(folder));
    assert_eq!(asks[1].request.permission, "read");

    symlink(folder.join("secret.env"), project.path("notes.txt")).unwrap();
    output(&read(&project, "notes.txt").await);
    let asks = project.bench.asks();
    assert_eq!(asks[2].request.patterns, [pattern.as_str()]);
    assert_eq!(asks[3].request.patterns, ["notes.txt".to_owned(), folder.join("secret.env").display().to_string()]);

    // Through a linked folder, to what does not exist; refused when the replies run out.
    symlink(&folder, project.path("linked")).unwrap();
    read(&project, "linked/none").await;
    assert_eq!(project.bench.asks()[4].request.patterns, [pattern]);
}

#[tokio::test]
async fn links_inside_are_not_outside_and_do_not_hide_a_name() {
    let project = Project::with(|bench| {
        bench.with(|executor| executor.rules(Ruleset::new().allow("read", "*").deny("read", "*.env")))
    });
    project.file(".env", "S");
    symlink(".env", project.path("notes.txt")).unwrap();
    assert!(error(&read(&project, "notes.txt").await).contains("denied by a rule"));
    project.file("real/f.txt", "F");
    symlink("real", project.path("linked")).unwrap();
    assert_eq!(content(&read(&project, "linked/f.txt").await), "1: F");
}

#[tokio::test]
async fn spills_are_never_outside() {
    let spills = tempfile::tempdir().unwrap();
    let store = SpillStore::new(spills.path());
    let spilled = store.write("whole").unwrap().path;
    let project =
        Project::with(|bench| bench.with(|executor| executor.spills(store).rules(Ruleset::new().allow("read", "*"))));
    assert_eq!(content(&read(&project, spilled.to_str().unwrap()).await), "1: whole");
}

#[tokio::test]
async fn instructions_are_told_once() {
    let project = Project::new();
    project.file("AGENTS.md", "of the root: the host tells these");
    project.file("a/AGENTS.md", "outer");
    project.file("a/b/CLAUDE.md", "inner");
    project.file("a/b/CONTEXT.md", "not the first");
    project.file("a/b/f.txt", "F");
    let [inner, outer] = ["a/b/CLAUDE.md", "a/AGENTS.md"].map(|name| project.path(name).display().to_string());
    let outcome = read(&project, "a/b/f.txt").await;
    let expected = format!(
        "</content>\n\n<system-reminder>\nInstructions from: {inner}\ninner\n\nInstructions from: {outer}\nouter\n</system-reminder>"
    );
    assert!(output(&outcome).ends_with(&expected), "{}", outcome.text());
    assert_eq!(outcome.metadata()["loaded"], json!([inner, outer]));
    let again = read(&project, "a/b/f.txt").await;
    assert!(output(&again).ends_with("</content>"));
    assert_eq!(again.metadata()["loaded"], json!([]));
}

#[tokio::test]
async fn instructions_are_not_told_of_themselves_nor_from_outside() {
    let project = Project::new();
    project.file("a/AGENTS.md", "mine");
    assert!(output(&read(&project, "a/AGENTS.md").await).ends_with("</content>"));
    fs::write(project.outside("secret"), "S").unwrap();
    project.file("b/f.txt", "F");
    symlink(project.outside("secret"), project.path("b/AGENTS.md")).unwrap();
    assert!(output(&read(&project, "b/f.txt").await).ends_with("</content>"));
}

#[tokio::test]
async fn instructions_are_not_told_against_a_rule() {
    let rules = Ruleset::allow_all().deny("read", "*.env").deny("read", "closed/AGENTS.md");
    let project = Project::with(|bench| bench.with(|executor| executor.rules(rules)));
    project.file(".env", "SECRET=1\n");
    for folder in ["linked", "closed", "open"] {
        project.file(&format!("{folder}/f.txt"), "x\n");
    }
    symlink("../.env", project.path("linked/AGENTS.md")).unwrap();
    project.file("closed/AGENTS.md", "Closed.");
    project.file("open/AGENTS.md", "Open.");
    for (folder, is_told) in [("linked", false), ("closed", false), ("open", true)] {
        let outcome = read(&project, &format!("{folder}/f.txt")).await;
        assert_eq!(output(&outcome).contains("system-reminder"), is_told, "{folder}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_beside_each_other() {
    let project = Project::new();
    for number in 0..20 {
        project.file(&format!("{number}.txt"), format!("text {number}"));
    }
    let names: Vec<String> = (0..20).map(|number| format!("{number}.txt")).collect();
    let calls = names.iter().map(|name| read(&project, name));
    for (number, outcome) in futures_util::future::join_all(calls).await.iter().enumerate() {
        assert_eq!(content(outcome), format!("1: text {number}"));
    }
}

#[tokio::test]
async fn a_long_scan_can_be_cancelled() {
    let project = Project::new();
    let path = project.file("long.txt", "x".repeat(5000));
    let file = fs::File::options().write(true).open(path).unwrap();
    if file.set_len(1 << 40).is_err() {
        return; // This disk takes no file of 1 TB, not even an empty one.
    }
    let cancel = async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        project.bench.session().cancellation().cancel();
    };
    let (outcome, ()) = tokio::join!(read(&project, "long.txt"), cancel);
    assert_eq!(outcome.error().unwrap().kind(), tool_core::error::ErrorKind::Cancelled);
}
