//! Ways out of the project by links: reading and writing through each is judged by where it leads.

mod project;

use std::{fs, os::unix::fs::symlink};

use project::{Project, error};
use serde_json::json;
use tool_core::permission::Ruleset;

/// Everything is allowed but to leave the project.
fn fenced() -> Project {
    let rules = Ruleset::new().allow("*", "*").deny("external_directory", "*");
    Project::with(|bench| bench.with(|executor| executor.rules(rules)))
}

#[tokio::test]
async fn no_link_leads_out() {
    let project = fenced();
    let outside = project.outside("folder");
    fs::create_dir_all(outside.join("deep")).unwrap();
    for file in ["secret", "deep/secret"] {
        fs::write(outside.join(file), "SECRET").unwrap();
    }
    project.file("inside/file", "mine");
    symlink(outside.join("secret"), project.path("file")).unwrap();
    symlink(&outside, project.path("folder")).unwrap();
    symlink("folder", project.path("link_to_link")).unwrap();
    symlink("../../folder/secret", project.path("inside/relative")).unwrap();
    symlink(outside.join("deep"), project.path("deep")).unwrap();
    symlink(outside.join("made"), project.path("dangling")).unwrap();
    symlink("a_circle", project.path("circle")).unwrap();
    symlink("circle", project.path("a_circle")).unwrap();

    let absolute = outside.join("secret").display().to_string();
    let address = format!("file://{absolute}");
    let behind = project.path("inside/../folder/secret").display().to_string();
    for path in [
        "file",
        "folder/secret",
        "link_to_link/secret",
        "inside/relative",
        "deep/secret",
        "dangling",
        "folder/made",
        "folder/new/made",
        "circle",
        "circle/x",
        "../folder/secret",
        "inside/../../folder/secret",
        "folder/../../folder/secret",
        &absolute,
        &address,
        &behind,
    ] {
        let read = project.call("read", json!({ "filePath": path })).await;
        assert!(!error(&read).contains("SECRET"), "{path}");
        let write = project.call("write", json!({ "filePath": path, "content": "gone" })).await;
        error(&write);
    }
    for file in ["secret", "deep/secret"] {
        assert_eq!(fs::read_to_string(outside.join(file)).unwrap(), "SECRET");
    }
    assert!(!outside.join("made").exists() && !outside.join("new").exists());
    assert!(project.call("read", json!({ "filePath": "inside/file" })).await.output().is_some());
}

#[tokio::test]
async fn two_dots_behind_a_link_stay_where_the_text_says() {
    let project = fenced();
    let outside = project.outside("folder");
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("secret"), "SECRET").unwrap();
    symlink(outside.join("deep"), project.path("deep")).unwrap();
    // The kernel would go to `folder/secret`; what is judged and what is opened are both `secret` in the project.
    let path = json!({ "filePath": "deep/../secret", "content": "mine" });
    assert!(project.call("write", path).await.output().is_some());
    assert_eq!(fs::read_to_string(project.path("secret")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "SECRET");
}
