//! `ls`: what is in a directory (pi's tool).

use icu_collator::{CollatorBorrowed, options::CollatorOptions};
use tool_core::{ToolContext, ToolError, ToolOutput, tool};

use crate::{
    search::{Report, Searched, Wording, bracketed, leave_to_list},
    workspace::{ActiveWorkspace, Entry, FileKind, is_staged},
};

/// How many entries are shown unless another number is asked for (pi).
const ENTRIES: u64 = 500;

const WORDING: Wording = Wording {
    missing: |path| format!("Path not found: {path}"),
    no_directory: Some(|path| format!("Not a directory: {path}")),
};

/// List what is in a directory.
///
/// Gives the names in alphabetical order, directories with a `/` at the end, hidden and ignored ones too.
#[tool(asks = "list", read_only, set("pi", "read_only"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn ls(
    /// The directory to list; the working directory when it is left out.
    path: Option<String>,
    /// How many entries to show at most.
    #[arg(default = ENTRIES)]
    limit: u64,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let leave = leave_to_list(path.as_deref());
    let searched = Searched::of(ctx, &workspace, path.as_deref(), leave, WORDING).await?;
    let entries = workspace.list(&searched.place.real).await.map_err(|error| {
        ToolError::failed(format!("Cannot read directory: {}: {error}", searched.place.path.display()))
    })?;
    let names = sorted(entries).map_err(ToolError::failed)?;
    let limit = limit.max(1);
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut report = Report::new(ctx.limits().bytes);
    let count = names.iter().take(wanted).take_while(|name| report.line(name)).count();
    let mut notes = Vec::new();
    if count == wanted && count < names.len() {
        notes.push(format!("{limit} entries limit reached. Use limit={} for more", limit.saturating_mul(2)));
    } else if count < names.len() {
        notes.push(format!(
            "{} limit reached after {count} of {} entries. Search by name, with a glob, for others",
            report.size(),
            names.len()
        ));
    }
    let text = if names.is_empty() { "(empty directory)".to_owned() } else { report.finish() };
    Ok(ToolOutput::text(text + &bracketed(&notes))
        .title(searched.title)
        .with("count", count)
        .with("truncated", !notes.is_empty()))
}

/// The names as they are shown, in the order of JavaScript's `localeCompare` of their small letters (pi). Unlike in pi, a
/// link that leads to nothing is shown.
fn sorted(entries: Vec<Entry>) -> Result<Vec<String>, String> {
    let order = CollatorBorrowed::try_new(Default::default(), CollatorOptions::default())
        .map_err(|error| format!("the order of names cannot be had: {error}"))?;
    let shown = entries.into_iter().filter(|entry| !is_staged(&entry.name));
    let mut names: Vec<(String, Entry)> = shown.map(|entry| (entry.shown().to_lowercase(), entry)).collect();
    names.sort_by(|(one, a), (other, b)| order.compare(one, other).then_with(|| a.name.cmp(&b.name)));
    let shown = |(_, entry): (_, Entry)| {
        if entry.kind == FileKind::Directory { entry.shown() + "/" } else { entry.shown() }
    };
    Ok(names.into_iter().map(shown).collect())
}
