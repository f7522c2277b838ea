//! A patch that comes as a command: `apply_patch <<'EOF' …`. Models write it that way, and codex takes it for a call of
//! the tool `apply_patch`, which the same executor has to have; a machine has no such program.

use std::{path::Path, time::Instant};

use serde_json::json;
use tool_core::{ToolContext, ToolError};

use crate::workspace::Place;

/// The tool that patches go to.
const TOOL: &str = "apply_patch";
/// What the program is called (codex-rs).
const NAMES: [&str; 2] = ["apply_patch", "applypatch"];
const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
/// Lines of a patch with a path behind them.
const HEADERS: [&str; 4] = ["*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "];

/// Whether that is the program.
pub(crate) fn is_program(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Applies a patch that is the program's argument, where there is a tool for it.
pub(crate) async fn apply_body(ctx: &ToolContext, place: &Place, body: &str) -> Option<Result<String, ToolError>> {
    ctx.executor().registry().get(TOOL)?;
    Some(call(ctx, &place.path, body.to_owned()).await)
}

/// Applies a patch where the command is nothing but that, and says what codex's program would print.
pub(crate) async fn apply(ctx: &ToolContext, place: &Place, script: &str) -> Option<Result<String, ToolError>> {
    ctx.executor().registry().get(TOOL)?;
    let body = script.trim();
    if body.starts_with(BEGIN) && body.ends_with(END) {
        return Some(Err(ToolError::failed(
            "apply_patch verification failed: patch detected without explicit call to apply_patch. Rerun as [\"apply_patch\", \"<patch>\"]",
        )));
    }
    let heredoc = Heredoc::of(script)?;
    let folder = match heredoc.folder {
        Some(folder) => place.path.join(folder),
        None => place.path.clone(),
    };
    Some(call(ctx, &folder, heredoc.body).await)
}

/// Calls the tool, with paths taken from this directory.
async fn call(ctx: &ToolContext, folder: &Path, patch: String) -> Result<String, ToolError> {
    let patch = if folder == ctx.cwd() { patch } else { moved(&patch, folder) };
    let start = Instant::now();
    let done = ctx.call_tool(TOOL, json!({ "input": patch }).to_string()).await.into_result()?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(format!("Exit code: 0\nWall time: {seconds:.1} seconds\nOutput:\n{}", done.into_output()))
}

/// The patch with its paths taken from this directory.
fn moved(patch: &str, folder: &Path) -> String {
    let mut moved = String::with_capacity(patch.len());
    for line in patch.split_inclusive('\n') {
        match HEADERS.iter().find_map(|header| Some((header, line.strip_prefix(header)?))) {
            Some((header, path)) => {
                moved.push_str(header);
                moved.push_str(&folder.join(path).to_string_lossy());
            }
            None => moved.push_str(line),
        }
    }
    moved
}

/// The parts of a command that is one program with a here-document, and perhaps a change of directory before.
#[derive(Debug, PartialEq, Eq)]
struct Heredoc<'s> {
    folder: Option<&'s str>,
    body: String,
}

impl<'s> Heredoc<'s> {
    /// What codex takes: `apply_patch <<DELIMITER` or `cd FOLDER && apply_patch <<DELIMITER`, and nothing else before or
    /// after. The delimiter may be quoted, and after `<<-` tabs before lines do not count.
    fn of(script: &'s str) -> Option<Self> {
        let (first, rest) = script.trim_start().split_once('\n')?;
        let (folder, call) = match first.strip_prefix("cd ") {
            Some(change) => {
                let (folder, call) = change.split_once("&&")?;
                (Some(word(folder.trim())?), call.trim_start())
            }
            None => (None, first),
        };
        let call = NAMES.iter().find_map(|name| call.strip_prefix(name))?;
        let redirection = call.trim().strip_prefix("<<")?;
        let (redirection, strips_tabs) = match redirection.strip_prefix('-') {
            Some(rest) => (rest, true),
            None => (redirection, false),
        };
        let delimiter = word(redirection.trim_start()).filter(|word| !word.is_empty())?;
        let mut body = String::with_capacity(rest.len());
        let mut lines = rest.split('\n');
        loop {
            let line = lines.next()?;
            let line = if strips_tabs { line.trim_start_matches('\t') } else { line };
            if line == delimiter {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        lines.all(|line| line.trim().is_empty()).then_some(Self { folder, body })
    }
}

/// A word that means itself, plain or in quotes.
fn word(text: &str) -> Option<&str> {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote) {
            let inner = inner.strip_suffix(quote)?;
            return (!inner.contains(['\'', '"', '$', '`', '\\'])).then_some(inner);
        }
    }
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+@%,:=".contains(c);
    text.chars().all(is_plain).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(script: &str) -> Option<(Option<&str>, String)> {
        Heredoc::of(script).map(|heredoc| (heredoc.folder, heredoc.body))
    }

    #[test]
    fn what_is_a_patch() {
        for opening in ["apply_patch <<'EOF'", "apply_patch <<EOF", "applypatch << \"EOF\"", "apply_patch<<EOF"] {
            assert_eq!(of(&format!("{opening}\n+a $b\nEOF\n")), Some((None, "+a $b\n".to_owned())), "{opening}");
        }
        assert_eq!(of("apply_patch <<-X\n\ta\n\tX"), Some((None, "a\n".to_owned())));
        assert_eq!(of("cd 'a b' && apply_patch <<X\na\nX"), Some((Some("a b"), "a\n".to_owned())));
    }

    #[test]
    fn what_is_not() {
        for script in [
            "apply_patch <<EOF\na\nEOF\necho x",
            "apply_patch <<EOF | cat\na\nEOF",
            "echo x; apply_patch <<EOF\na\nEOF",
            "cd -P a && apply_patch <<EOF\na\nEOF",
            "cd $HOME && apply_patch <<EOF\na\nEOF",
            "cd a; apply_patch <<EOF\na\nEOF",
            "apply_patch x <<EOF\na\nEOF",
            "apply_patch <<EOF\na",
            "apply_patch <<<EOF\na\nEOF",
        ] {
            assert_eq!(of(script), None, "{script}");
        }
    }

    #[test]
    fn paths_are_taken_from_the_directory() {
        let patch = "*** Update File: a\n@@\n-*** Add File: b\n*** Move to: /c\n";
        let expected = "*** Update File: /d/a\n@@\n-*** Add File: b\n*** Move to: /c\n";
        assert_eq!(moved(patch, Path::new("/d")), expected);
    }
}
