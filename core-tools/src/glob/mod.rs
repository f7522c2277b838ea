//! `glob`: files by what they are called (opencode's tool).
//!
//! opencode's order changes from run to run. Here it is that of paths: none of the files that are not shown has to be
//! looked at, nor a folder that comes after all that are shown.

use std::path::Path;

use tool_core::{ToolContext, ToolError, ToolOutput, tool};

use crate::{
    search::{Report, Searched, Wording, finish, leave_to_glob, search_names},
    workspace::{ActiveWorkspace, FileKind, Step, Walk},
};

/// How many files are shown (opencode).
const FILES: usize = 100;

const WORDING: Wording = Wording {
    // opencode's words for it, which it takes from the program it runs.
    missing: |path| format!("ripgrep execution failed: there is no directory {path}"),
    no_directory: Some(|path| format!("glob path must be a directory: {path}")),
};

/// Find files by name.
///
/// Takes a glob: `*.rs` finds such files at any depth, `src/**/*.ts` those below src, `/*.md` those in the directory
/// itself, `*.{js,ts}` both kinds, `!*.min.js` all others. Gives up to 100 absolute paths, in order.
/// Hidden files are found; what ignore files such as .gitignore name, and `.git`, is not. Use it when you know what a
/// file is called, and a search of contents when you know what is in it. Several searches can run at the same time.
#[tool(asks = "glob", read_only, set("opencode", "coding", "read_only"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn glob(
    /// The glob that paths have to match.
    pattern: String,
    /// The directory to search in; the working directory when it is left out.
    path: Option<String>,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let leave = leave_to_glob(&pattern, path.as_deref());
    let searched = Searched::of(ctx, &workspace, path.as_deref(), leave, WORDING).await?;
    let globs = searched.globs(&*workspace, &pattern).await?;
    let wanted = move |path: &Path, kind| match kind {
        FileKind::Directory if globs.shuts_out(path) => (false, Step::Past),
        kind => (kind == FileKind::File && globs.has(path), Step::On),
    };
    let walk = Walk::new(&searched.place.real);
    let search = search_names(workspace.shared(), walk, FILES, move |found| wanted(found.path(), found.kind()));
    let names = finish(ctx, search).await?;

    let mut report = Report::new(ctx.limits().bytes);
    let shown = names.paths.iter().take_while(|(path, _)| report.line(&searched.shown(path).to_string_lossy()));
    let count = shown.count();
    let truncated = names.more || count < names.paths.len();
    let mut text = if count == 0 { "No files found".to_owned() } else { report.finish() };
    if truncated {
        text.push_str(&format!(
            "\n\n(Results are truncated: showing first {count} results. Consider using a more specific path or pattern.)"
        ));
    }
    if let Some(faults) = names.faults.message() {
        text = format!("{text}\n\n{faults}");
    }
    Ok(ToolOutput::text(text)
        .title(searched.title)
        .with("count", count)
        .with("truncated", truncated)
        .with("unreadable", names.faults.count))
}
