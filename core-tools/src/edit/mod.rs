//! `edit`: one text of a file replaced by another (opencode's tool; the names of pi's and older ones are taken too).
//!
//! Beyond opencode: an ambiguous text is always an error, which says where it stands; a text that was found by a lax
//! [strategy](matching::Strategy) says so, what takes its place is indented to fit, and lines that the old text and the
//! new one share stay as the file has them; bytes outside of what is replaced stay, whatever they are; what a session has
//! not seen is not overwritten; `replaceAll` counts; `$&` means nothing.

mod file;
mod fit;
pub mod matching;
mod merge;
mod places;
mod plan;

use std::fmt::Display;

use tool_core::{ToolContext, ToolError, ToolOutput, tool};

pub use self::plan::{Edit, Likeness, Plan, Problem};
pub(crate) use self::{
    file::{Refused, Replacement, Target, Unfit},
    places::{in_lines, not_utf8, why},
};
use crate::workspace::ActiveWorkspace;

/// Replace a text in a file.
///
/// `oldString` has to be the text as it stands in the file, with its indentation, without line numbers; read the file
/// first. It has to stand in one place only: give enough lines around what changes, or set `replaceAll` to replace it
/// everywhere. `newString` is taken literally. Line endings are kept as the file has them, and so is everything around.
/// An empty `oldString` makes a new file with `newString` in it. For several changes of one file use `multiedit`.
#[tool(rename_all = "camelCase", asks = "edit", destructive, set("opencode", "coding"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn edit(
    /// Path of the file: absolute, or relative to the working directory.
    #[arg(alias = "path", alias = "file_path")]
    file_path: String,
    /// The text to replace.
    #[arg(alias = "oldText", alias = "old_string", alias = "old_str")]
    old_string: String,
    /// The text to put in its place. Must differ from oldString.
    #[arg(alias = "newText", alias = "new_string", alias = "new_str")]
    new_string: String,
    /// Replace every occurrence of oldString.
    #[arg(default, alias = "replace_all")]
    replace_all: bool,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    if file_path.is_empty() {
        return Err(ToolError::failed("filePath is required: give the path of the file to edit."));
    }
    if old_string == new_string {
        return Err(ToolError::failed(
            "No changes to apply: oldString and newString are identical. Give the text as it is to become in newString.",
        ));
    }
    let target = Target::of(ctx, workspace, &file_path).await?;
    let path = target.path();
    let edited = if old_string.is_empty() {
        if target.exists().await? {
            return Err(ToolError::failed(format!(
                "oldString cannot be empty when editing an existing file. {path} exists: give the text to replace, or \
                 use `write` to replace all of it."
            )));
        }
        target.create(new_string).await
    } else {
        target.replace(vec![Replacement { old: old_string, new: new_string, all: replace_all }]).await
    };
    let edited = edited.map_err(|refused| worded(refused, &path))?;
    let mut text = String::from("Edit applied successfully.");
    if let (true, [(_, count)]) = (replace_all, edited.found.as_slice()) {
        text.push_str(&match count {
            1 => " 1 occurrence was replaced.".to_owned(),
            count => format!(" {count} occurrences were replaced."),
        });
    }
    Ok(edited.into_output(text, |_| "oldString".to_owned()))
}

fn worded(refused: Refused, path: &str) -> ToolError {
    match refused {
        Refused::Other(error) => error,
        Refused::File(Unfit::Missing) => {
            ToolError::failed(format!("File {path} not found. Check the path; an empty oldString makes a new file."))
        }
        Refused::File(Unfit::Directory) => ToolError::failed(format!("Path is a directory, not a file: {path}")),
        Refused::File(Unfit::Other(error)) => cannot(path, &error),
        Refused::File(Unfit::NotText(error)) => cannot(path, &error),
        Refused::Edits(problems) => {
            let told: Vec<_> = problems.iter().map(|(_, problem)| told(problem)).collect();
            ToolError::failed(told.join("\n"))
        }
    }
}

pub(crate) fn cannot(path: &str, error: &dyn Display) -> ToolError {
    ToolError::failed(format!("Cannot edit {path}: {error}. Nothing was changed."))
}

fn told(problem: &Problem) -> String {
    match problem {
        Problem::Empty => "oldString cannot be empty when editing an existing file.".to_owned(),
        Problem::Absent { likeness, gave_up } => format!(
            "Could not find oldString in the file. It has to be the text as it stands there, with its indentation, and \
             nothing was changed. {}{likeness}\nRead the file again, and give its own text.",
            why(*gave_up)
        ),
        Problem::Ambiguous { strategy, count, lines } => format!(
            "Found multiple matches for oldString. It stands in {count} places{}, {}. Give more of the lines around the \
             one that is meant, or set replaceAll to replace them all. Nothing was changed.",
            strategy.by(),
            in_lines(lines, *count)
        ),
        Problem::TooLarge { strategy, lines } => format!(
            "Refusing replacement because the matched span is much larger than oldString: the strategy `{strategy}` found \
             lines {}-{}. Read them, and give all of the text that is to be replaced. Nothing was changed.",
            lines.start,
            lines.end - 1
        ),
        Problem::NotUtf8 { line } => format!("{} Nothing was changed.", not_utf8(*line, "oldString")),
        Problem::Overlap { .. } | Problem::Unchanged => {
            "No changes to apply: with newString in the place of oldString \
             the file would be as it is (line endings are always kept). Nothing was changed."
                .to_owned()
        }
    }
}
