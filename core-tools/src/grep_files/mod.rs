//! `grep_files`: files by what is in them (codex's tool).

use tool_core::{ToolContext, ToolError, ToolOutput, permission::PermissionRequest, tool};

use crate::{
    search::{ContentSearch, Globs, Pattern, PatternOptions, Report, Searched, Wording, finish, search_content},
    workspace::ActiveWorkspace,
};

/// How many files are shown unless another number is asked for, and at most (codex).
const FILES: u64 = 100;
const MOST_FILES: u64 = 2000;

const WORDING: Wording = Wording {
    missing: |path| format!("unable to access `{path}`: there is no such file or directory"),
    no_directory: None,
};

/// Find files that have a match for a regular expression.
///
/// Gives absolute paths, the files written last first. Hidden files are searched; binary files, what ignore files such as
/// .gitignore name, and `.git`, are not.
#[tool(asks = "grep", read_only, set = "codex", timeout = "30s")]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn grep_files(
    /// The regular expression to search for, in Rust's syntax.
    pattern: String,
    /// Only files that match this glob, for example `*.rs` or `*.{ts,tsx}`.
    include: Option<String>,
    /// The file or directory to search in; the working directory when it is left out.
    path: Option<String>,
    /// How many paths to give at most, up to 2000.
    #[arg(default = FILES)]
    limit: u64,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let pattern = pattern.trim();
    if pattern.is_empty() {
        return Err(ToolError::failed("pattern must not be empty"));
    }
    if limit == 0 {
        return Err(ToolError::failed("limit must be greater than zero"));
    }
    let leave = PermissionRequest::new("grep", [pattern])
        .always(["*"])
        .with("pattern", pattern)
        .with("path", path.as_deref())
        .with("include", include.as_deref());
    let searched = Searched::of(ctx, &workspace, path.as_deref(), |_, _| leave, WORDING).await?;
    let include = include.as_deref().map(str::trim).filter(|glob| !glob.is_empty());
    let search = ContentSearch {
        pattern: Pattern::new(pattern, PatternOptions::default()).map_err(ToolError::from_error)?,
        globs: include.map(|glob| Globs::new(searched.folder(), glob)).transpose().map_err(ToolError::from_error)?,
        context: 0,
        limit: usize::try_from(limit.min(MOST_FILES)).unwrap_or(usize::MAX),
        files_only: true,
    };
    let found = finish(ctx, search_content(workspace.shared(), &searched.place.real, search)).await?;

    let mut report = Report::new(ctx.limits().bytes);
    let count =
        found.files.iter().take_while(|file| report.line(&searched.shown(&file.path).to_string_lossy())).count();
    let truncated = found.more || count < found.files.len();
    let mut text = if count == 0 { "No matches found.".to_owned() } else { report.finish() };
    // codex leaves out that there are more, and what could not be read.
    if truncated {
        text.push_str(&format!(
            "\n\n(There are more files than these {count}. Use a narrower pattern, path or include.)"
        ));
    }
    if let Some(faults) = found.faults.message() {
        text = format!("{text}\n\n{faults}");
    }
    Ok(ToolOutput::text(text)
        .title(pattern)
        .with("count", count)
        .with("truncated", truncated)
        .with("unreadable", found.faults.count))
}
