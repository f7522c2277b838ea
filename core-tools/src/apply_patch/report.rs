//! What is said of a patch that was applied: to the model as codex does, to programs as opencode does.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use tool_core::ToolOutput;

use super::plan::{Done, Kind};
use crate::workspace::Project;

/// The files of a patch and their diffs, for who is asked and for the result.
pub(super) struct Report {
    /// For each operation what opencode tells of it, and where its hunks were.
    pub(super) files: Vec<Value>,
    /// All diffs, one after the other.
    pub(super) diff: String,
    /// The names of the files, from the worktree.
    pub(super) names: Vec<String>,
    additions: usize,
    deletions: usize,
}

impl Report {
    pub(super) fn of(project: &Project, done: &[Done]) -> Self {
        let mut report = Self { files: Vec::new(), diff: String::new(), names: Vec::new(), additions: 0, deletions: 0 };
        for done in done {
            report.diff.push_str(&done.diff.patch);
            report.additions += done.diff.additions;
            report.deletions += done.diff.deletions;
            let name = project.relative(&done.source.place.path);
            if !report.names.contains(&name) {
                report.names.push(name);
            }
            report.files.push(file(project, done));
        }
        report
    }

    /// The result. What a model should know beside the names of the files comes after them.
    pub(super) fn output(self, done: &[Done], warnings: &[String]) -> ToolOutput {
        let summary = summary(done);
        let title = summary.trim_end().to_owned();
        let mut text = summary;
        for note in done.iter().flat_map(ambiguities).chain(warnings.iter().cloned()) {
            let _ = write!(text, "\n{note}\n");
        }
        ToolOutput::text(text)
            .title(title)
            .with("diff", self.diff)
            .with("files", self.files)
            .with("additions", self.additions)
            .with("deletions", self.deletions)
            .with("diagnostics", json!({}))
    }
}

/// codex's words: what was added, then what was changed, then what was deleted, with the names as the patch has them.
fn summary(done: &[Done]) -> String {
    let mut text = "Success. Updated the following files:\n".to_owned();
    for letter in ['A', 'M', 'D'] {
        for done in done.iter().filter(|done| self::letter(done.kind) == letter) {
            let name = done.to.as_ref().unwrap_or(&done.source);
            let _ = writeln!(text, "{letter} {}", name.written);
        }
    }
    text
}

fn letter(kind: Kind) -> char {
    match kind {
        Kind::Added | Kind::Copied => 'A',
        Kind::Updated | Kind::Moved => 'M',
        Kind::Deleted => 'D',
    }
}

/// Hunks that fit several places, of which the first was taken: codex says nothing of it.
fn ambiguities(done: &Done) -> impl Iterator<Item = String> {
    let several = done.located.iter().enumerate().filter(|(_, located)| located.places > 1);
    several.map(|(number, located)| {
        format!(
            "Note: hunk {} of {} fits {} places; the first, at line {}, was changed. If another was meant, change it back, \
             and give more context or an @@ header.",
            number + 1,
            done.source.written,
            located.places,
            located.at + 1
        )
    })
}

fn file(project: &Project, done: &Done) -> Value {
    let kind = match done.kind {
        Kind::Added => "add",
        Kind::Updated => "update",
        Kind::Deleted => "delete",
        Kind::Moved => "move",
        Kind::Copied => "copy",
    };
    let path = &done.source.place.path;
    let mut file = Map::new();
    let mut put = |key: &str, value: Value| file.insert(key.to_owned(), value);
    put("filePath", json!(path.to_string_lossy()));
    put("relativePath", json!(project.relative(done.to.as_ref().map_or(path, |to| &to.place.path))));
    put("type", json!(kind));
    put("patch", json!(done.diff.patch));
    put("additions", json!(done.diff.additions));
    put("deletions", json!(done.diff.deletions));
    if let Some(to) = &done.to {
        put("movePath", json!(to.place.path.to_string_lossy()));
    }
    if !done.located.is_empty() {
        let hunks = done.located.iter();
        let hunks = hunks.map(|located| json!({ "line": located.at + 1, "match": located.pass.name() }));
        put("hunks", hunks.collect());
    }
    Value::Object(file)
}
