//! `find`: files and directories by what they are called (pi's tool).

use tool_core::{ToolContext, ToolError, ToolOutput, tool};

use crate::{
    search::{Report, Searched, Wording, bracketed, finish, leave_to_glob, search_names},
    workspace::{ActiveWorkspace, FileKind, Step, Walk},
};

/// How many entries are shown unless another number is asked for (pi), and at most.
const ENTRIES: u64 = 1000;
const MOST_ENTRIES: u64 = 100_000;

const WORDING: Wording = Wording {
    missing: |path| format!("Path not found: {path}"),
    no_directory: Some(|path| format!("Not a directory: {path}")),
};

/// Find files and directories by a glob.
///
/// A glob without `/` is held against names at any depth: `*.rs`. One with `/` is held against paths, at any depth too,
/// and its `*` does not go over a `/`: `src/**/*.spec.ts`. Without capitals it takes upper and lower case for the same.
/// Gives paths relative to the directory, in order, directories with a `/` at the end. Hidden files are found; what
/// ignore files such as .gitignore name, and `.git`, is not.
#[tool(asks = "glob", read_only, set("pi", "read_only"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn find(
    /// The glob, for example `*.ts`, `**/*.json` or `src/**/*.spec.ts`.
    pattern: String,
    /// The directory to search in; the working directory when it is left out.
    path: Option<String>,
    /// How many results to show at most.
    #[arg(default = ENTRIES)]
    limit: u64,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let leave = leave_to_glob(&pattern, path.as_deref());
    let searched = Searched::of(ctx, &workspace, path.as_deref(), leave, WORDING).await?;
    let glob = searched.name_glob(&pattern)?;
    let limit = limit.clamp(1, MOST_ENTRIES);
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let walk = Walk::new(&searched.place.real);
    let search = search_names(workspace.shared(), walk, most, move |found| (glob.has(found.path()), Step::On));
    let names = finish(ctx, search).await?;

    let mut report = Report::new(ctx.limits().bytes);
    let shown = names.paths.iter().take_while(|(path, kind)| {
        let slash = if *kind == FileKind::Directory { "/" } else { "" };
        report.line(&format!("{}{slash}", searched.below(path)))
    });
    let count = shown.count();
    let mut notes = Vec::new();
    // A higher limit is of no use where the room for the result is the end of it, or there is none.
    if count < names.paths.len() {
        notes.push(format!("{} limit reached after {count} results. Refine pattern, or give a path", report.size()));
    } else if names.more && limit < MOST_ENTRIES {
        let next = (limit * 2).min(MOST_ENTRIES);
        notes.push(format!("{limit} results limit reached. Use limit={next} for more, or refine pattern"));
    } else if names.more {
        notes.push(format!("{limit} results limit reached. Refine pattern, or give a path"));
    }
    let text = if count == 0 { "No files found matching pattern".to_owned() } else { report.finish() };
    let mut text = text + &bracketed(&notes);
    if let Some(faults) = names.faults.message() {
        text = format!("{text}\n\n{faults}");
    }
    let output = ToolOutput::text(text)
        .title(pattern)
        .with("count", count)
        .with("truncated", !notes.is_empty())
        .with("unreadable", names.faults.count);
    Ok(if names.more { output.with("resultLimitReached", limit) } else { output })
}
