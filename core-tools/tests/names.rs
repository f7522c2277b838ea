//! `glob`, `find`, `ls` and `list`, beyond the recorded cases.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use std::{
    ffi::OsStr,
    fs::{self, File},
    os::unix::{ffi::OsStrExt, fs::symlink},
    time::{Duration, SystemTime},
};

use project::{Project, error, output};
use serde_json::{Value, json};
use tool_core::{
    Outcome,
    permission::{Reply, Ruleset},
    truncate::Limits,
};

fn shown(project: &Project, outcome: &Outcome) -> Vec<String> {
    output(outcome).replace(&format!("{}/", project.root.display()), "").lines().map(str::to_owned).collect()
}

async fn glob(project: &Project, pattern: &str) -> Vec<String> {
    shown(project, &project.call("glob", json!({ "pattern": pattern })).await)
}

async fn find(project: &Project, pattern: &str) -> Vec<String> {
    shown(project, &project.call("find", json!({ "pattern": pattern })).await)
}

/// Files of one time, in the order of their paths, where the time is not what is tested.
fn files(project: &Project, names: &[&str]) {
    for name in names {
        let path = project.file(name, "");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
}

#[tokio::test]
async fn a_glob_means_what_it_means_to_ripgrep() {
    let project = Project::new();
    files(&project, &["a.rs", "b.ts", "src/c.rs", "src/deep/d.rs", "src/deep/e.md", "test/src/f.rs"]);
    for (pattern, expected) in [
        ("*.rs", &["a.rs", "src/c.rs", "src/deep/d.rs", "test/src/f.rs"][..]),
        ("**/*.rs", &["a.rs", "src/c.rs", "src/deep/d.rs", "test/src/f.rs"]),
        ("/*.rs", &["a.rs"]),
        ("src/*.rs", &["src/c.rs"]),
        ("./src/*.rs", &["src/c.rs"]),
        ("src/**", &["src/c.rs", "src/deep/d.rs", "src/deep/e.md"]),
        ("*.{ts,md}", &["b.ts", "src/deep/e.md"]),
        ("!*.rs", &["b.ts", "src/deep/e.md"]),
        ("[ab].*", &["a.rs", "b.ts"]),
        ("nothing", &["No files found"]),
    ] {
        assert_eq!(glob(&project, pattern).await, expected, "{pattern}");
    }
    let whole = format!("{}/src/*.rs", project.root.display());
    assert_eq!(glob(&project, &whole).await, ["src/c.rs"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_paths_are_shown_and_a_limit_that_is_met_cuts_nothing() {
    let project = Project::new();
    let mut names: Vec<String> = (0..100).map(|number| format!("{}/{number:03}.txt", number % 7)).collect();
    names.iter().for_each(|name| drop(project.file(name, "")));
    names.sort();
    let outcome = project.call("glob", json!({ "pattern": "*.txt" })).await;
    assert_eq!(shown(&project, &outcome), names);
    assert_eq!(Value::from(outcome.metadata()), json!({ "count": 100, "truncated": false, "unreadable": 0 }));
    // Before, among and after the others, and in folders of their own.
    for name in ["0/000.a.txt", "3/z.txt", "a/b/c.txt", "z.txt"] {
        project.file(name, "");
        names.push(name.to_owned());
    }
    names.sort();
    let outcome = project.call("glob", json!({ "pattern": "*.txt" })).await;
    assert_eq!(shown(&project, &outcome)[..100], names[..100]);
    assert_eq!(outcome.metadata()["truncated"], true);
}

#[tokio::test]
async fn hidden_files_are_found_and_ignored_ones_are_not() {
    let project = Project::new();
    files(&project, &[".env", ".github/ci.yml", "target/a", "node_modules/b", "keep/b", ".git/HEAD", "sub/.git"]);
    project.file(".gitignore", "target/\n");
    project.file(".ignore", "node_modules\n");
    let mut all = glob(&project, "*").await;
    all.sort();
    assert_eq!(all, [".env", ".github/ci.yml", ".gitignore", ".ignore", "keep/b"]);
    // A glob that names what is ignored does not bring it back.
    assert_eq!(glob(&project, "target/*").await, ["No files found"]);
    assert_eq!(glob(&project, ".git/*").await, ["No files found"]);
    // What is searched by its own name is searched.
    let outcome = project.call("glob", json!({ "pattern": "*", "path": "target" })).await;
    assert_eq!(shown(&project, &outcome), ["target/a"]);
    let found = [".env", ".github/", ".github/ci.yml", ".gitignore", ".ignore", "keep/", "keep/b", "sub/"];
    assert_eq!(find(&project, "*").await, found);
}

#[tokio::test]
async fn find_reads_globs_as_pi_does() {
    let project = Project::new();
    files(&project, &["README.md", "readme.txt", "src/a/x.ts", "src/b.ts", "pkg/src/c.ts"]);
    symlink("src", project.path("link.ts")).unwrap();
    for (pattern, expected) in [
        ("*.ts", &["link.ts", "pkg/src/c.ts", "src/a/x.ts", "src/b.ts"][..]),
        ("src", &["pkg/src/", "src/"]),
        ("readme*", &["README.md", "readme.txt"]),
        ("README*", &["README.md"]),
        ("src/*.ts", &["pkg/src/c.ts", "src/b.ts"]),
        ("**/a/*", &["src/a/x.ts"]),
        ("src/**", &["pkg/src/c.ts", "src/a/", "src/a/x.ts", "src/b.ts"]),
        ("none", &["No files found matching pattern"]),
    ] {
        assert_eq!(find(&project, pattern).await, expected, "{pattern}");
    }
    let outcome = project.call("find", json!({ "pattern": "*.ts", "limit": 2 })).await;
    let notice = "[2 results limit reached. Use limit=4 for more, or refine pattern]";
    assert_eq!(output(&outcome), format!("link.ts\npkg/src/c.ts\n\n{notice}"));
    assert_eq!(outcome.metadata()["resultLimitReached"], 2);
    let outcome = project.call("find", json!({ "pattern": "*.ts", "limit": 4 })).await;
    assert_eq!(outcome.metadata().get("resultLimitReached"), None);
}

#[tokio::test]
async fn ls_shows_one_directory() {
    let project = Project::new();
    files(&project, &["b.txt", "A.txt", ".hidden", "dir/inner", "ignored"]);
    project.file(".gitignore", "ignored");
    symlink("dir", project.path("link")).unwrap();
    symlink("nowhere", project.path("dangling")).unwrap();
    let outcome = project.call("ls", json!({})).await;
    assert_eq!(output(&outcome), ".gitignore\n.hidden\nA.txt\nb.txt\ndangling\ndir/\nignored\nlink/");
    let outcome = project.call("ls", json!({ "path": "", "limit": 2 })).await;
    assert_eq!(output(&outcome), ".gitignore\n.hidden\n\n[2 entries limit reached. Use limit=4 for more]");
    assert_eq!(Value::from(outcome.metadata()), json!({ "count": 2, "truncated": true }));
    fs::create_dir(project.path("empty")).unwrap();
    assert_eq!(output(&project.call("ls", json!({ "path": "empty" })).await), "(empty directory)");
    let message = error(&project.call("ls", json!({ "path": "b.txt" })).await);
    assert_eq!(message, format!("Not a directory: {}", project.path("b.txt").display()));
    let message = error(&project.call("ls", json!({ "path": "di" })).await);
    let path = project.path("di");
    assert_eq!(message, format!("Path not found: {0}\n\nDid you mean one of these?\n{0}r", path.display()));
}

#[tokio::test]
async fn list_shows_a_tree() {
    let project = Project::new();
    files(&project, &["z.txt", "src/a.rs", "src/deep/b.rs", "src/bin/c.rs", "node_modules/x", "docs/d.md"]);
    let outcome = project.call("list", json!({ "ignore": ["docs/", "*.txt"] })).await;
    let root = project.root.display();
    assert_eq!(output(&outcome), format!("{root}/\n  src/\n    bin/\n      c.rs\n    deep/\n      b.rs\n    a.rs"));
    assert_eq!(outcome.metadata()["count"], 3);
    for number in 0..101 {
        project.file(&format!("many/{number}"), "");
    }
    let outcome = project.call("list", json!({ "path": "many" })).await;
    assert!(output(&outcome).ends_with("\n\n(There are more files. List a directory below, or search by name.)"));
    assert_eq!(
        (outcome.metadata()["count"].clone(), outcome.metadata()["truncated"].clone()),
        (json!(100), json!(true))
    );
}

#[tokio::test]
async fn names_that_are_not_utf_8_are_shown() {
    let project = Project::new();
    fs::write(project.root.join(OsStr::from_bytes(b"bad\xff.txt")), "hit\n").unwrap();
    assert_eq!(glob(&project, "*.txt").await, ["bad\u{fffd}.txt"]);
    assert_eq!(find(&project, "*.txt").await, ["bad\u{fffd}.txt"]);
    let found = project.call("grep", json!({ "pattern": "hit" })).await;
    assert!(output(&found).contains("/bad\u{fffd}.txt:\n  Line 1: hit"));
}

#[tokio::test]
async fn a_name_that_is_not_utf_8_is_found_again_by_what_was_shown() {
    let project = Project::new();
    fs::write(project.root.join(OsStr::from_bytes(b"bad\xff.txt")), "hit\n").unwrap();
    let read = async || project.call("read", json!({ "filePath": "bad\u{fffd}.txt" })).await;
    assert!(output(&read().await).contains("1: hit"));
    // Where two are shown alike, none of them is taken.
    fs::write(project.root.join(OsStr::from_bytes(b"bad\xfe.txt")), "other\n").unwrap();
    assert!(error(&read().await).contains("not found"));
}

#[tokio::test]
async fn globs_from_elsewhere() {
    let project = Project::new();
    files(&project, &["src/a.rs", "src/deep/b.rs", "lib/src/c.rs", "etc/d.rs"]);
    fs::create_dir(project.outside("real")).unwrap();
    fs::write(project.outside("real").join("x.rs"), "").unwrap();
    symlink(project.outside("real"), project.path("link")).unwrap();
    let root = project.root.display();
    for (pattern, expected) in [
        ("src/", &["lib/src/c.rs", "src/a.rs", "src/deep/b.rs"][..]),
        ("/src/", &["src/a.rs", "src/deep/b.rs"]),
        ("lib/src/", &["lib/src/c.rs"]),
        ("././src/*", &["src/a.rs"]),
        // There is such a place on the machine, and in the folder too.
        ("/etc/*.rs", &["etc/d.rs"]),
        (&format!("{root}/src/*"), &["src/a.rs"]),
        (&format!("{root}/src/"), &["src/a.rs", "src/deep/b.rs"]),
    ] {
        assert_eq!(glob(&project, pattern).await, expected, "{pattern}");
    }
    for (pattern, expected) in [
        ("src/", &["lib/src/c.rs", "src/a.rs", "src/deep/", "src/deep/b.rs"][..]),
        (&format!("{root}/src/*.rs"), &["src/a.rs"]),
        (&format!("{root}/**/*.rs"), &["etc/d.rs", "lib/src/c.rs", "src/a.rs", "src/deep/b.rs"]),
    ] {
        assert_eq!(find(&project, pattern).await, expected, "{pattern}");
    }
    // By the path that the model knows, and by that of where it leads.
    for place in [project.path("link"), project.outside("real")] {
        for (tool, shown) in [("glob", "link/x.rs"), ("find", "x.rs")] {
            let pattern = format!("{}/*.rs", place.display());
            let outcome = project.call(tool, json!({ "pattern": pattern, "path": "link" })).await;
            assert_eq!(self::shown(&project, &outcome), [shown], "{tool} {pattern}");
        }
    }
    for pattern in ["../*.rs", "src/../../*.rs", "~/x/*.rs", "/usr/**/*.rs", "!../x"] {
        let message = error(&project.call("glob", json!({ "pattern": pattern })).await);
        assert!(message.contains("leads out of the directory") && message.contains("`path`"), "{pattern}: {message}");
    }
    for pattern in ["../*.rs", "~/*.rs", "/usr/**/*.rs"] {
        let message = error(&project.call("find", json!({ "pattern": pattern })).await);
        assert!(message.contains("leads out of the directory"), "{pattern}: {message}");
    }
}

#[tokio::test]
async fn a_limit_that_is_of_no_use_is_not_offered() {
    let project = Project::with(|bench| {
        bench.with(|executor| executor.rules(Ruleset::allow_all()).limits(Limits { bytes: 8192, ..Limits::default() }))
    });
    (0..200).for_each(|number| drop(project.file(&format!("{number:099}"), "")));
    for (tool, arguments) in [("find", json!({ "pattern": "*", "limit": 199 })), ("ls", json!({ "limit": 199 }))] {
        let outcome = project.call(tool, arguments).await;
        let note = output(&outcome).lines().last().unwrap();
        assert!(note.starts_with("[8.0KB limit reached after 71 ") && !note.contains("Use limit"), "{tool}: {note}");
    }
}

#[tokio::test]
async fn a_name_may_begin_with_a_space() {
    let project = Project::new();
    project.file(" spaced /f", "");
    assert_eq!(output(&project.call("ls", json!({ "path": " spaced " })).await), "f");
}

#[tokio::test]
async fn mistakes_are_told() {
    let project = Project::new();
    project.file("f.rs", "");
    for (tool, arguments, parts) in [
        ("glob", json!({ "pattern": "*", "path": "f.rs" }), &["glob path must be a directory: "][..]),
        ("glob", json!({ "pattern": "*", "path": "/dev/null" }), &["glob path must be a directory: "]),
        (
            "glob",
            json!({ "pattern": "*", "path": "f" }),
            &["there is no directory", "Did you mean one of these?", "f.rs"],
        ),
        ("glob", json!({ "pattern": "{a" }), &["invalid glob `{a`", "for example"]),
        ("glob", json!({ "pattern": "" }), &["invalid glob ``: it is empty"]),
        ("glob", json!({ "pattern": "x".repeat(5000) }), &["5000 bytes"]),
        ("find", json!({ "pattern": "[z" }), &["invalid glob `[z`"]),
        ("find", json!({ "pattern": "*", "path": "nope" }), &["Path not found: "]),
        ("list", json!({ "ignore": ["{"] }), &["invalid glob"]),
    ] {
        let message = error(&project.call(tool, arguments.clone()).await);
        for part in parts {
            assert!(message.contains(part), "{tool} {arguments}: {message}");
        }
    }
}

#[tokio::test]
async fn leave_is_asked_by_the_familys_names() {
    for (tool, arguments, permission, pattern) in [
        ("glob", json!({ "pattern": "*.rs" }), "glob", "*.rs"),
        ("find", json!({ "pattern": "*.rs" }), "glob", "*.rs"),
        ("ls", json!({ "path": "sub" }), "list", "sub"),
        ("list", json!({ "path": "sub" }), "list", "sub"),
    ] {
        let project = Project::asking([Reply::Once]);
        project.file("sub/f.rs", "");
        output(&project.call(tool, arguments.clone()).await);
        let asks = project.bench.asks();
        let asked = (&*asks[0].request.permission, asks[0].request.patterns.clone(), asks.len());
        assert_eq!(asked, (permission, vec![pattern.to_owned()], 1), "{tool}");
        // Outside, nothing is asked before whether the place may be gone to.
        let project = Project::asking([Reply::Reject { feedback: None }]);
        let mut outside = arguments.clone();
        outside["path"] = json!("..");
        assert!(project.call(tool, outside).await.error().is_some(), "{tool}");
        let asked: Vec<String> = project.bench.asks().iter().map(|ask| ask.request.permission.to_string()).collect();
        assert_eq!(asked, ["external_directory"], "{tool}");
    }
}
