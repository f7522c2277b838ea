//! `apply_patch`: several files changed at once, all or none (codex's tool, which opencode has as well).
//!
//! In this order: what does the text say (`parse`), which files are these (`target`), may they be gone to
//! (`external_directory`), what becomes of them (`plan`: in memory, with all operations one after the other), may it be
//! (`edit`, once, with the diff), and then all of it is written or nothing. Where hunks belong is in `locate`, what they
//! change in `edit`, how a file's bytes come out of it in `update`.
//!
//! Beyond codex and opencode: diffs of other programs are taken as well; a failure in the middle puts back what was
//! there; a move keeps the mode, and one to the same file is a change of it; bytes that are not touched stay, in UTF-16
//! and in what is not UTF-8 too; an error shows the nearest place.

mod edit;
mod error;
pub mod locate;
pub mod parse;
pub mod patch;
mod plan;
mod report;
mod target;
mod text;
mod unified_diff;
pub mod update;

use std::{collections::HashSet, path::PathBuf, sync::Arc};

use tool_core::{ToolContext, ToolError, ToolOutput, permission::PermissionRequest, tool};

pub use self::text::PatchText;
use self::{
    patch::{Action, Patch},
    plan::{Plan, Targets},
    report::Report,
    target::Target,
};
use crate::workspace::{ActiveWorkspace, Project, Seen, Workspace, apply_all, ask_external};

/// Change files with a patch.
///
/// The patch names each file and shows what changes in it:
///
/// ```text
/// *** Begin Patch
/// *** Add File: src/new.py
/// +print("each line of a new file begins with +")
/// *** Update File: src/old.py
/// *** Move to: src/moved.py
/// @@ class Parser
/// @@     def read(self):
///      unchanged line
/// -line that goes
/// +line that comes
/// *** Delete File: src/gone.py
/// *** End Patch
/// ```
///
/// Show about three unchanged lines before and after each change, exactly as they are in the file; where these lines
/// stand in several places, name the class or function above them after `@@`. Several changes of one file stand in the
/// file's order, each under an `@@` line. `*** Move to:` and the `@@` headers may be left out; `*** End of File` after a
/// change says that it is at the end. Paths are relative to the working directory, or absolute. A unified diff, as `git
/// diff` prints it, is taken as well. All files are changed, or none.
#[tool(asks = "edit", destructive, set("codex", "opencode", "coding"), grammar(lark = include_str!("apply_patch.lark")))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn apply_patch(
    /// The whole patch, from `*** Begin Patch` to `*** End Patch`.
    #[arg(alias = "patchText", alias = "patch", alias = "command")]
    input: PatchText,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let patch = parse::parse(&input.0).map_err(|problem| {
        ToolError::failed(match problem {
            parse::ParseError::Nothing => problem.to_string(),
            problem => format!("apply_patch verification failed: {problem}"),
        })
    })?;
    let patch = Arc::new(patch);
    let project = Project::of(ctx, &*workspace).await;
    let targets = targets(ctx, &*workspace, &patch).await?;
    ask_outside(ctx, &*workspace, &project, &targets).await?;

    let guard =
        workspace.locks().lock(all(&targets).flat_map(|target| [target.name.clone(), target.place.real.clone()]));
    let Some(guard) = ctx.cancellation().run_until_cancelled(guard).await else { return Err(ToolError::Cancelled) };
    let mut plan = Plan::new(ctx, &*workspace, &project);
    let mut failures: Vec<(PathBuf, ToolError)> = Vec::new();
    for (number, targets) in targets.iter().enumerate() {
        let path = &targets.source.place.path;
        // What comes after a failure in one file says nothing.
        if failures.iter().all(|(failed, _)| failed != path)
            && let Err(failure) = plan.take(&patch, number, targets).await
        {
            failures.push((path.clone(), failure));
        }
    }
    if !failures.is_empty() {
        return Err(error::all(failures));
    }

    let report = Report::of(&project, &plan.done);
    let mut patterns: Vec<String> = all(&targets).flat_map(|target| target.place.patterns(&project)).collect();
    let mut seen = HashSet::new();
    patterns.retain(|pattern| seen.insert(pattern.clone()));
    let request = PermissionRequest::new("edit", patterns)
        .always(["*"])
        .with("filepath", report.names.join(", "))
        .with("diff", &*report.diff)
        .with("files", report.files.clone());
    ctx.ask(request).await?;

    for target in all(&targets) {
        target.place.is_unchanged(&*workspace).await?;
    }
    let changes = plan.changes();
    apply_all(&workspace, Seen::of(ctx), guard, changes).await.map_err(ToolError::from_error)?;
    Ok(report.output(&plan.done, &plan.warnings))
}

/// The files of all operations.
async fn targets(ctx: &ToolContext, workspace: &dyn Workspace, patch: &Patch) -> Result<Vec<Targets>, ToolError> {
    let mut targets: Vec<Targets> = Vec::with_capacity(patch.operations.len());
    let mut made: Vec<Target> = Vec::new();
    for operation in &patch.operations {
        let source = match &operation.action {
            Action::Add { .. } => Target::at(ctx, workspace, operation.path.first()).await?,
            Action::Delete { .. } | Action::Update(_) => Target::of(ctx, workspace, &operation.path, &made).await?,
        };
        let to = match &operation.action {
            Action::Update(update) => match &update.to {
                Some(to) => Some(Target::at(ctx, workspace, to.first()).await?),
                None => None,
            },
            Action::Add { .. } | Action::Delete { .. } => None,
        };
        made.extend(to.clone().or_else(|| matches!(operation.action, Action::Add { .. }).then(|| source.clone())));
        targets.push(Targets { source, to });
    }
    Ok(targets)
}

fn all(targets: &[Targets]) -> impl Iterator<Item = &Target> {
    targets.iter().flat_map(|targets| std::iter::once(&targets.source).chain(&targets.to))
}

/// Asks for each file outside, once for those of one directory.
async fn ask_outside(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    project: &Project,
    targets: &[Targets],
) -> Result<(), ToolError> {
    let mut asked = HashSet::new();
    for target in all(targets) {
        let place = &target.place;
        if asked.insert((place.path.parent(), place.real.parent())) || place.path.parent().is_none() {
            ask_external(ctx, workspace, project, place).await?;
        }
    }
    Ok(())
}
