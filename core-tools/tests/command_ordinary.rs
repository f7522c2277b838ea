//! What nobody is asked about: ordinary commands where a few things are denied.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod project;

use project::Project;
use serde_json::json;
use tool_core::permission::Ruleset;

#[tokio::test]
async fn ordinary_commands_pass_unasked() {
    let mut rules = Ruleset::new();
    for name in [
        "git", "cargo", "tail", "echo", "cat", "ls", "npm run", "wc", "grep", "find", "sed", "true", "test", "mkdir",
        "cp", "sort", "printf",
    ] {
        rules = rules.allow("bash", format!("{name} *"));
    }
    let project = Project::with(|bench| {
        bench.with(|executor| executor.rules(rules.deny("bash", "rm *").deny("bash", "git push *")))
    });
    project.file("src/a.rs", "a\n");
    project.file("README.md", "b\n");
    let mut wrong = Vec::new();
    for command in [
        "git status && cargo --version 2>&1 | tail -5",
        "git   status",
        "git log --oneline -5 || true",
        "git commit -m 'fix; rm x' --dry-run",
        "echo \"rm victim\"",
        "echo 'a; rm b' | cat",
        "echo a#b # rm x",
        "cat src/a.rs README.md | wc -l",
        "cd src && cat ../README.md",
        "cd src; ls; cat ../README.md",
        "(cd src && ls) && cat README.md",
        "mkdir -p deep/er && cd deep/er && cat ../../README.md",
        "for f in src/*.rs README.md; do wc -l \"$f\"; done",
        "for f in src/*.rs; do echo $f; cat $f; done",
        "x=README.md; cat \"$x\"",
        "echo $HOME $(git status) `ls`",
        "cat <<'E' > out.txt\nrm victim $x\nE",
        "cat <<E > out.txt\nrm $HOME\nE",
        "set -euo pipefail; git status || true",
        "RUST_LOG=debug cargo --version",
        "timeout 60 cargo --version",
        "time git status",
        "nice -n 5 ls",
        "env LC_ALL=C sort README.md",
        "bash -c 'git status; ls'",
        "eval 'echo a'",
        "find . -name '*.rs' | xargs wc -l",
        "find . -name '*.rs' -exec wc -l {} +",
        "grep -rn 'foo' src || true",
        "sed -n '1,5p' README.md",
        "sed -i.bak 's/e/f/g' src/a.rs",
        "if [ -f README.md ]; then cat README.md; else echo none; fi",
        "[[ -f README.md ]] && echo yes",
        "test -f README.md && echo yes",
        "mkdir -p src/{x,y} && ls src",
        "cp README.md src/b.md 2>/dev/null",
        "echo a >/dev/null 2>&1",
        "printf '%s\\n' a b | sort | tail -1",
        "n=$(git log --oneline | wc -l); echo \"$n\"",
        "git diff HEAD~1 -- src || true",
        "ls *.md",
        "echo $((1 + 2))",
        "case x in x) echo y;; esac",
    ] {
        let outcome = project.call("bash", json!({ "command": command, "timeout": 20000 })).await;
        if let Some(error) = outcome.error() {
            wrong.push(format!("{command}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
