//! What is asked before a script runs: for the places outside the project, for files that rules protect, for its commands.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use tokio::task::spawn_blocking;
use tool_core::{
    ToolContext, ToolError,
    permission::{PermissionRequest, Reading, RequestKind},
};

use super::{
    analysis::{Analysis, Harm, Step, When, analyse},
    effect::Access,
    word::Word,
};
use crate::workspace::{FileKind, Place, Project, Workspace, ask_external, outside};

/// In as many directories the shell may be, as far as it is followed.
const MOST_DIRECTORIES: usize = 8;

/// The longest script that is read at once: a matter of a millisecond.
const MOST_INLINE: usize = 4 * 1024;

/// As many different files are looked up.
const MOST_FILES: usize = 500;

/// Asks whether a script may run, in this order:
///
/// 1. `external_directory` for the directory that it runs in;
/// 2. nothing, but what rules on `edit` deny is refused: the files that redirections and known commands write;
/// 3. `external_directory`, once, for all that they read and write outside the project, links followed;
/// 4. `bash`, once, with a pattern for every command (opencode's permission and metadata; `cd` is no command in it).
///
/// What cannot be read before it runs is asked about wherever a rule may deny or ask it. A command on codex's list of safe
/// ones is [`RequestKind::Harmless`], one on its list of dangerous ones [`RequestKind::Dangerous`].
///
/// # Errors
/// When leave is not given.
pub async fn ask_command(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    project: &Project,
    script: &str,
    workdir: &Place,
) -> Result<(), ToolError> {
    let analysis = ask_files(ctx, workspace, project, script, workdir).await?;
    let request = use_request("bash", &analysis, None);
    if request.patterns.is_empty() {
        return Ok(());
    }
    let workdir = project.relative(&workdir.path);
    ctx.ask(request.with("command", script).with("workdir", workdir)).await
}

/// Asks for the files of a script: all that [`ask_command`] asks but for its commands, which come out.
///
/// # Errors
/// When leave is not given.
pub(crate) async fn ask_files(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    project: &Project,
    script: &str,
    workdir: &Place,
) -> Result<Analysis, ToolError> {
    ask_external(ctx, workspace, project, workdir).await?;
    let analysis = read(script).await;
    let none = || Vec::<String>::new();

    let mut edits = PermissionRequest::new("edit", none()).with("command", script);
    let mut outer = PermissionRequest::new("external_directory", none()).kind(RequestKind::Boundary);
    let mut folders = Vec::new();
    let mut seen = HashSet::new();
    let mut asked = HashSet::new();
    let mut paths = Paths { ctx, workspace, start: &workdir.path, known: HashMap::new() };
    for file in &analysis.files {
        if is_no_file(&file.word) {
            continue;
        }
        let found = if seen.len() < MOST_FILES { paths.of(&file.word, &file.steps).await } else { vec![None] };
        for path in found {
            let Some(path) = path else {
                if asked.insert((file.word.source.clone(), file.access.writes())) {
                    let unknown = || [Reading::anything()];
                    if file.access.writes() {
                        edits = edits.pattern(&file.word.source, RequestKind::Implied, unknown(), true);
                    }
                    outer = outer.pattern(&file.word.source, RequestKind::Boundary, unknown(), true);
                }
                continue;
            };
            if !seen.insert((path.clone(), file.access)) {
                continue;
            }
            for place in paths.places(path).await {
                if file.access.writes() {
                    let is_folder = file.access == Access::WriteBelow && paths.is_folder(&place.real).await;
                    for pattern in place.patterns(project) {
                        let below = is_folder.then(|| below(&pattern));
                        edits = edits.pattern(pattern, RequestKind::Implied, [], false);
                        if let Some((pattern, reading)) = below {
                            edits = edits.pattern(pattern, RequestKind::Implied, [reading], true);
                        }
                    }
                }
                if let Some(outside) = outside(ctx, workspace, project, &place).await {
                    let new = outside.patterns.into_iter().filter(|pattern| asked.insert((pattern.clone(), false)));
                    outer.patterns.extend(new);
                    folders.push(outside.folder.to_string_lossy().into_owned());
                }
            }
        }
    }
    if !edits.patterns.is_empty() {
        ctx.ask(edits).await?;
    }
    if !outer.patterns.is_empty() {
        let is_plain = |pattern: &&String| !pattern.trim_end_matches("/*").contains(['*', '?']);
        let always = outer.patterns.iter().filter(is_plain).filter(|pattern| pattern.ends_with("/*"));
        let always = always.cloned().collect::<Vec<_>>();
        folders.dedup();
        let patterns = outer.patterns.clone();
        let outer =
            outer.always(always).with("command", script).with("directories", folders).with("patterns", patterns);
        ctx.ask(outer).await?;
    }

    Ok(analysis)
}

/// A request for the commands of a script: one pattern each. All are of one kind, or each of its own.
pub(crate) fn use_request(
    permission: &'static str,
    analysis: &Analysis,
    kind: Option<RequestKind>,
) -> PermissionRequest {
    let mut request = PermissionRequest::new(permission, Vec::<String>::new());
    let mut always: Vec<&String> = Vec::new();
    for command in &analysis.commands {
        let own = match command.harm {
            Harm::None => RequestKind::Harmless,
            Harm::Unknown => RequestKind::Use,
            Harm::Danger => RequestKind::Dangerous,
        };
        let (kind, readings) = (kind.unwrap_or(own), command.readings.iter().cloned());
        request = request.pattern(&command.text, kind, readings, command.once);
        always.extend(command.always.as_ref().filter(|one| !always.contains(one)));
    }
    request.always(always)
}

/// Reads a script; one that may take longer, where it holds nobody up.
async fn read(script: &str) -> Analysis {
    if script.len() > MOST_INLINE {
        let script = script.to_owned();
        // It does not panic; if it did, nobody would know what the script does.
        return spawn_blocking(move || analyse(&script)).await.unwrap_or_else(|_| analyse("\0"));
    }
    analyse(script)
}

/// Anything in a directory: a rule for some of it may be meant.
fn below(folder: &str) -> (String, Reading) {
    let inside = if folder.is_empty() { String::new() } else { format!("{}/", folder.trim_end_matches('/')) };
    (format!("{inside}*"), Reading::known(inside).then_anything())
}

/// Streams and devices that keep nothing, and what a shell makes for a substitution.
fn is_no_file(word: &Word) -> bool {
    match word.text() {
        Some(text) => {
            let kept = ["null", "stdin", "stdout", "stderr", "tty", "zero", "full", "random", "urandom"];
            text.is_empty()
                || text.strip_prefix("/dev/").is_some_and(|name| kept.contains(&name) || name.starts_with("fd/"))
        }
        None => word.source.starts_with(['<', '>']),
    }
}

/// Where the words of a script lead.
struct Paths<'a> {
    ctx: &'a ToolContext,
    workspace: &'a dyn Workspace,
    start: &'a Path,
    /// The directories that a shell may be in after these steps.
    known: HashMap<String, Vec<Option<PathBuf>>>,
}

impl Paths<'_> {
    /// The paths that a word may name; `None` among them where that is not known.
    async fn of(&mut self, word: &Word, steps: &[Step]) -> Vec<Option<PathBuf>> {
        let mut found = Vec::new();
        for folder in self.folders(steps).await {
            let path = join(folder.as_deref(), word, self.workspace.home().as_deref());
            if !found.contains(&path) {
                found.push(path);
            }
        }
        found
    }

    async fn is_folder(&self, path: &Path) -> bool {
        self.workspace.stat(path).await.is_ok_and(|info| info.kind == FileKind::Directory)
    }

    async fn folders(&mut self, steps: &[Step]) -> Vec<Option<PathBuf>> {
        use std::fmt::Write as _;

        let mut folders = vec![Some(self.start.to_owned())];
        let mut key = String::new();
        for step in steps {
            let _ = write!(key, "{:?}{}\0", step.when, step.to.source);
            if let Some(known) = self.known.get(&key) {
                folders.clone_from(known);
                continue;
            }
            let mut next: Vec<Option<PathBuf>> = Vec::new();
            for folder in folders {
                let to = join(folder.as_deref(), &step.to, self.workspace.home().as_deref());
                let is_there = match (&to, step.when) {
                    (_, When::Surely) => true,
                    (Some(to), When::IfThere) => self.is_folder(to).await,
                    _ => false,
                };
                for one in [Some(to), (!is_there).then_some(folder)].into_iter().flatten() {
                    if !next.contains(&one) {
                        next.push(one);
                    }
                }
            }
            if next.len() > MOST_DIRECTORIES {
                next.truncate(MOST_DIRECTORIES);
                next.push(None);
            }
            folders = next;
            self.known.insert(key.clone(), folders.clone());
        }
        folders
    }

    /// Where a path leads: as the kernel goes, links first and `..` after, and as `cd` does, `..` in the text.
    async fn places(&self, path: PathBuf) -> Vec<Place> {
        let settled = self.ctx.resolve(&path);
        let mut places: Vec<Place> = Vec::new();
        let mut ways = vec![path];
        if ways[0] != settled {
            ways.push(settled.clone());
        }
        for way in ways {
            let real = self.workspace.real_path(&way).await.unwrap_or_else(|_| self.ctx.resolve(&way));
            let place = Place { path: settled.clone(), real };
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }
}

/// The path that a word names in a folder: of a wildcard, the folder that it is looked for in.
fn join(folder: Option<&Path>, word: &Word, home: Option<&Path>) -> Option<PathBuf> {
    let text = match word.text() {
        Some(text) => text,
        None if word.is_glob
            && !word.source.contains("..")
            && !["{/", ",/", "{~"].iter().any(|s| word.source.contains(s)) =>
        {
            let start = word.reading.start();
            start.rfind('/').map_or(".", |at| &start[..=at])
        }
        None => return None,
    };
    if word.has_tilde {
        let below = text.strip_prefix('~')?;
        return if below.is_empty() || below.starts_with('/') {
            Some(home?.join(below.trim_start_matches('/')))
        } else {
            None
        };
    }
    let text = Path::new(text);
    if text.is_absolute() { Some(text.to_owned()) } else { folder.map(|folder| folder.join(text)) }
}
