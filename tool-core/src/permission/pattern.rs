//! From arguments to patterns: the texts that rules are held against.

use std::path::{Path, is_separator};

use crate::context::ToolContext;

/// A path as rules know it: from the working directory where it is in it, else absolute; `.` and `..` settled in the
/// text (opencode compares from its worktree in the same way). The working directory itself is `.`.
///
/// For a tool that asks in its body. Links are not followed: one that must not be led out of a directory looks where
/// its path leads, and asks for that as well.
///
/// ```
/// use tool_core::permission::path_pattern;
/// # let ctx = &tool_core::testing::Bench::builder().cwd("/project").build().context("t");
/// assert_eq!(path_pattern("src/./a/../main.rs", ctx), "src/main.rs");
/// assert_eq!(path_pattern("/project/src", ctx), "src");
/// assert_eq!(path_pattern("src/../../etc/passwd", ctx), "/etc/passwd");
/// ```
#[must_use]
pub fn path_pattern(path: impl AsRef<Path>, ctx: &ToolContext) -> String {
    let path = ctx.resolve(path);
    match path.strip_prefix(ctx.cwd()) {
        Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Ok(inside) => inside.to_string_lossy().into_owned(),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}

/// What a tool has declared the argument to be that gives its patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatternKind {
    /// A path: rules are held against the settled form alone.
    Path,
    /// Any text, which may be a path all the same.
    Text,
}

impl PatternKind {
    /// The patterns that one text gives.
    ///
    /// A text is compared as it is written. Where it would mean another place as a path (a part of it is `.` or `..`, or
    /// it begins with the working directory), it is asked for as that path as well: `src/../../etc/passwd` is not let
    /// pass by a rule for `src/*`, nor `./secret/key` past one against `secret/*`.
    pub(crate) fn patterns(self, text: &str, ctx: &ToolContext) -> Vec<String> {
        match self {
            Self::Path => vec![path_pattern(text, ctx)],
            Self::Text => {
                let is_dotted = || text.split(is_separator).any(|part| part == "." || part == "..");
                let settled = (is_dotted() || Path::new(text).starts_with(ctx.cwd())).then(|| path_pattern(text, ctx));
                let written = text.to_owned();
                match settled.filter(|settled| *settled != written) {
                    Some(settled) => vec![written, settled],
                    None => vec![written],
                }
            }
        }
    }
}
