//! Edits made in a file, from its path to its new content: what `edit` and `multiedit` share.
//!
//! In this order: where is it, may it be gone to (`external_directory`), what is there and is it what the session knows,
//! what does it become, may it become this (`edit`, with the diff), write. The file is locked from the look at it to the
//! end, also while somebody is asked.

use std::io;

use serde_json::json;
use tokio::task::spawn_blocking;
use tool_core::{ToolContext, ToolError, ToolOutput, permission::PermissionRequest};

use super::{
    matching::Strategy,
    plan::{Edit, Plan, Problem},
};
use crate::{
    text_file::{Diff, NotText, TextFile, apply},
    workspace::{
        ActiveWorkspace, Before, Change, FileGuard, FileKind, Original, OriginalError, Place, Project, Seen, apply_all,
        ask_external,
    },
};

/// Shorter files are worked on where the call runs: no other thread would be quicker.
const MAX_INLINE: usize = 32 * 1024;

/// A replacement as a model asks for it.
#[derive(Debug, Clone)]
pub(crate) struct Replacement {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) all: bool,
}

/// A file that is to be edited, locked.
pub(crate) struct Target<'a> {
    ctx: &'a ToolContext,
    workspace: ActiveWorkspace,
    project: Project,
    place: Place,
    guard: FileGuard,
}

/// What became of it.
#[derive(Debug)]
pub(crate) struct Edited {
    /// For each replacement how it was found, and in how many places.
    pub(crate) found: Vec<(Strategy, usize)>,
    /// The result as opencode shapes it, with this in front of what is still to be said.
    output: ToolOutput,
    warning: Option<String>,
}

/// Why nothing was changed.
#[derive(Debug)]
pub(crate) enum Refused {
    /// No such file, or nothing that can be edited.
    File(Unfit),
    /// What is wrong with the replacements, with their numbers.
    Edits(Vec<(usize, Problem)>),
    /// Anything else; already worded.
    Other(ToolError),
}

/// What stands in the file's place.
#[derive(Debug)]
pub(crate) enum Unfit {
    Missing,
    Directory,
    Other(OriginalError),
    NotText(NotText),
}

impl From<ToolError> for Refused {
    fn from(error: ToolError) -> Self {
        Self::Other(error)
    }
}

impl<'a> Target<'a> {
    /// Finds a file and locks it; asks first where it is outside the project.
    pub(crate) async fn of(ctx: &'a ToolContext, workspace: ActiveWorkspace, path: &str) -> Result<Self, ToolError> {
        let project = Project::of(ctx, &*workspace).await;
        let place = Place::of(ctx, &*workspace, path).await?;
        ask_external(ctx, &*workspace, &project, &place).await?;
        let guard = workspace.locks().lock([place.real.clone()]).await;
        Ok(Self { ctx, workspace, project, place, guard })
    }

    /// The path, absolute.
    pub(crate) fn path(&self) -> String {
        self.place.path.to_string_lossy().into_owned()
    }

    /// Whether there is anything.
    pub(crate) async fn exists(&self) -> Result<bool, ToolError> {
        match self.workspace.stat(&self.place.real).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(ToolError::failed(format!("Cannot look at {}: {error}", self.path()))),
        }
    }

    /// Makes the file, with the directories it is in.
    pub(crate) async fn create(self, content: String) -> Result<Edited, Refused> {
        let diff = Diff::of(&self.path(), b"", content.as_bytes());
        self.finish(content.into_bytes(), Before::Absent, diff, Vec::new(), None).await
    }

    /// Makes the replacements, all or none.
    pub(crate) async fn replace(self, replacements: Vec<Replacement>) -> Result<Edited, Refused> {
        let original = match Original::read(&*self.workspace, &self.place.real, Original::MAX_BYTES).await {
            Ok(Some(original)) => original,
            Ok(None) => return Err(Refused::File(Unfit::Missing)),
            Err(OriginalError::Kind(FileKind::Directory)) => return Err(Refused::File(Unfit::Directory)),
            Err(error) => return Err(Refused::File(Unfit::Other(error))),
        };
        let Original { info, bytes } = original;
        let warning = Seen::check(self.ctx, &self.place.real, &self.place.path, &info, Some(&bytes))?;
        let path = self.path();
        let work = move || rewrite(&path, bytes, &replacements);
        let rewritten = if info.len <= MAX_INLINE as u64 {
            work()
        } else {
            spawn_blocking(work).await.map_err(|error| ToolError::failed(format!("the edit was given up: {error}")))?
        };
        let Rewritten { content, diff, found } = rewritten?;
        self.finish(content, Before::File(info), diff, found, warning).await
    }

    async fn finish(
        self,
        content: Vec<u8>,
        before: Before,
        diff: Diff,
        found: Vec<(Strategy, usize)>,
        warning: Option<String>,
    ) -> Result<Edited, Refused> {
        let path = self.path();
        let Self { ctx, workspace, project, place, guard } = self;
        let request = PermissionRequest::new("edit", place.patterns(&project)).always(["*"]);
        ctx.ask(request.with("filepath", &*path).with("diff", &*diff.patch)).await?;
        place.is_unchanged(&*workspace).await?;
        let change = Change::write(&place.real, content, before);
        apply_all(&workspace, Seen::of(ctx), guard, vec![change]).await.map_err(ToolError::from_error)?;

        let filediff = json!({
            "file": path, "patch": diff.patch, "additions": diff.additions, "deletions": diff.deletions,
        });
        let output = ToolOutput::default()
            .title(project.relative(&place.path))
            .with("filepath", path)
            .with("diff", diff.patch)
            .with("filediff", filediff)
            .with("diagnostics", json!({}))
            .with("firstChangedLine", diff.first_changed);
        Ok(Edited { found, output, warning })
    }
}

impl Edited {
    /// The result, with what is to be said of it. `name` gives the replacement of a number its name.
    pub(crate) fn into_output(self, mut text: String, name: impl Fn(usize) -> String) -> ToolOutput {
        let Self { found, mut output, warning } = self;
        for (number, (strategy, _)) in
            found.iter().enumerate().filter(|(_, (strategy, _))| *strategy != Strategy::Exact)
        {
            let name = name(number);
            text.push_str(&format!(
                "\n\n{name} is not in the file as it was given. What was replaced was found by the strategy \
                 `{strategy}`: {}. Check the result.",
                strategy.note()
            ));
        }
        if let Some(warning) = warning {
            text.push_str("\n\n");
            text.push_str(&warning);
        }
        output.output = text;
        let strategies: Vec<_> = found.iter().map(|(strategy, _)| strategy.to_string()).collect();
        let count: usize = found.iter().map(|(_, count)| count).sum();
        output.with("replacements", count).with("strategies", strategies)
    }
}

struct Rewritten {
    content: Vec<u8>,
    diff: Diff,
    found: Vec<(Strategy, usize)>,
}

fn rewrite(path: &str, bytes: Vec<u8>, replacements: &[Replacement]) -> Result<Rewritten, Refused> {
    let file = TextFile::decode(bytes).map_err(|error| Refused::File(Unfit::NotText(error)))?;
    let edits: Vec<Edit<'_>> =
        replacements.iter().map(|Replacement { old, new, all }| Edit { old, new, all: *all }).collect();
    let Plan { splices, found } = Plan::of(file.bytes(), &edits).map_err(Refused::Edits)?;
    let diff = Diff::of_splices(path, file.bytes(), &splices);
    let content = file.encode(apply(file.bytes(), &splices));
    Ok(Rewritten { content, diff, found })
}
