//! `grep`: lines by what is in them (opencode's tool, with pi's options).
//!
//! The search is `search`'s; `render` shows what it found in opencode's form.

mod render;

use tool_core::{ToolContext, ToolError, ToolOutput, permission::PermissionRequest, tool};

use crate::{
    search::{ContentSearch, Globs, Pattern, PatternOptions, Searched, Wording, finish, search_content},
    workspace::{ActiveWorkspace, FileKind},
};

/// How many matches are shown unless another number is asked for (opencode, pi), and at most.
const MATCHES: u64 = 100;
const MOST_MATCHES: u64 = 2000;
/// At most so many lines around a match are shown.
const MOST_CONTEXT: u64 = 100;

const WORDING: Wording = Wording { missing: |path| format!("Path not found: {path}"), no_directory: None };

/// Search the contents of files.
///
/// Takes a regular expression in Rust's syntax: `log.*Error`, `fn\s+\w+`; set `literal` to search for text as it stands.
/// Gives matching lines with their numbers, by file, the files written last first. Hidden files are searched; binary
/// files, what ignore files such as .gitignore name, and `.git`, are not. Narrow a search by `path` and `include`.
/// A match is within one line unless `multiline` is set. Of lines longer than 2000 characters the part around the match
/// is shown. Several searches can run at the same time.
#[tool(rename_all = "camelCase", asks = "grep", read_only, set("opencode", "pi", "coding", "read_only"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
#[expect(clippy::too_many_arguments, reason = "each is a parameter of the tool")]
pub async fn grep(
    /// The regular expression to search for.
    pattern: String,
    /// The file or directory to search in; the working directory when it is left out.
    path: Option<String>,
    /// Only files that match this glob, for example `*.js` or `src/**/*.{ts,tsx}`.
    #[arg(alias = "glob")]
    include: Option<String>,
    /// Take upper and lower case for the same.
    #[arg(default)]
    ignore_case: bool,
    /// Search for the pattern as plain text.
    #[arg(default)]
    literal: bool,
    /// How many lines to show before and after each match, up to 100.
    #[arg(default)]
    context: u64,
    /// Let a match go over several lines; `.` then matches line breaks too.
    #[arg(default)]
    multiline: bool,
    /// Give only the paths of files that have a match.
    #[arg(default)]
    files_only: bool,
    /// How many matches to show at most, up to 2000.
    #[arg(default = MATCHES)]
    limit: u64,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    if pattern.is_empty() {
        return Err(ToolError::failed("pattern is required: give the text or the regular expression to search for"));
    }
    let leave = PermissionRequest::new("grep", [pattern.clone()])
        .always(["*"])
        .with("pattern", &pattern)
        .with("path", path.as_deref())
        .with("include", include.as_deref());
    let searched = Searched::of(ctx, &workspace, path.as_deref(), |_, _| leave, WORDING).await?;
    let options = PatternOptions { ignore_case, literal, multiline };
    let include = include.filter(|glob| !glob.trim().is_empty());
    let globs = include.map(|glob| Globs::new(searched.folder(), &glob)).transpose().map_err(ToolError::from_error)?;
    let search = ContentSearch {
        pattern: Pattern::new(&pattern, options).map_err(ToolError::from_error)?,
        globs,
        context: within(context, 0, MOST_CONTEXT),
        limit: within(limit, 1, MOST_MATCHES),
        files_only,
    };
    let context = search.context;
    let found = finish(ctx, search_content(workspace.shared(), &searched.place.real, search)).await?;
    let is_file = searched.kind == FileKind::File;
    let rendered =
        render::Rendered::of(&found, |path| searched.shown(path), context, files_only, is_file, ctx.limits().bytes);
    Ok(ToolOutput::text(rendered.text)
        .title(pattern)
        .with("matches", rendered.count)
        .with("truncated", rendered.truncated)
        .with("unreadable", found.faults.count))
}

/// A number within bounds (pi: it is set to the nearest that is).
fn within(number: u64, least: u64, most: u64) -> usize {
    usize::try_from(number.clamp(least, most)).unwrap_or(usize::MAX)
}
