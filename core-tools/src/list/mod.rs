//! `list`: the files below a directory, as a tree (opencode's tool, which it has dropped since; its form is kept).
//!
//! Not in any set but `all`: `read` lists a directory in the newer opencode.

mod tree;

use std::path::{Path, PathBuf};

use tool_core::{ToolContext, ToolError, ToolOutput, tool};

use crate::{
    search::{Report, Searched, Wording, finish, leave_to_list, search_names},
    workspace::{ActiveWorkspace, FileKind, Step, Walk},
};

/// How many files are shown (opencode).
const FILES: usize = 100;

/// Directories of what was made or fetched, left out also where no ignore file names them (from opencode's list, less what
/// is source in many projects: `bin`, `env`, `logs`, `tmp`).
const GENERATED: [&str; 14] = [
    "node_modules",
    "__pycache__",
    "dist",
    "build",
    "target",
    "vendor",
    "coverage",
    ".cache",
    ".idea",
    ".vscode",
    ".venv",
    "venv",
    ".zig-cache",
    "zig-out",
];

const WORDING: Wording = Wording {
    missing: |path| format!("Path not found: {path}"),
    no_directory: Some(|path| format!("Not a directory: {path}")),
};

/// List the files below a directory as a tree.
///
/// Shows up to 100 files. What ignore files such as .gitignore name is left out, and so are directories of generated
/// files, such as `node_modules`. Search by name or content instead when you know what you look for.
#[tool(asks = "list", read_only)]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn list(
    /// The directory to list; the working directory when it is left out.
    path: Option<String>,
    /// Globs of what to leave out.
    #[arg(default)]
    ignore: Vec<String>,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let leave = leave_to_list(path.as_deref());
    let searched = Searched::of(ctx, &workspace, path.as_deref(), leave, WORDING).await?;
    let mut globs = Vec::with_capacity(ignore.len());
    for glob in &ignore {
        globs.push(searched.globs(&*workspace, &format!("!{}", glob.trim_start_matches('!'))).await?);
    }
    let wanted = move |path: &Path, kind| match kind {
        FileKind::Directory if is_generated(path) || globs.iter().any(|glob| glob.shuts_out(path)) => {
            (false, Step::Past)
        }
        FileKind::Directory => (false, Step::On),
        _ => (globs.iter().all(|glob| glob.has(path)), Step::On),
    };
    let walk = Walk::new(&searched.place.real);
    let search = search_names(workspace.shared(), walk, FILES, move |found| wanted(found.path(), found.kind()));
    let names = finish(ctx, search).await?;

    let paths: Vec<PathBuf> = names.paths.iter().map(|(path, _)| PathBuf::from(searched.below(path))).collect();
    let mut report = Report::new(ctx.limits().bytes);
    let head = format!("{}/", searched.place.path.to_string_lossy().trim_end_matches('/'));
    let lines = std::iter::once(head).chain(tree::lines(&paths));
    let fits = lines.into_iter().all(|line| report.line(&line));
    let truncated = names.more || !fits;
    let mut text = report.finish();
    if truncated {
        text.push_str("\n\n(There are more files. List a directory below, or search by name.)");
    }
    if let Some(faults) = names.faults.message() {
        text = format!("{text}\n\n{faults}");
    }
    Ok(ToolOutput::text(text)
        .title(searched.title)
        .with("count", paths.len())
        .with("truncated", truncated)
        .with("unreadable", names.faults.count))
}

fn is_generated(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| GENERATED.iter().any(|generated| name == *generated))
}
