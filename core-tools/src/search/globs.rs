//! Which paths a glob means.

use std::path::{Component, Path};

use globset::{GlobBuilder, GlobMatcher};
use ignore::overrides::{Override, OverrideBuilder};
use tool_core::ToolError;

/// A glob that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid glob `{glob}`: {why}. Write for example `*.rs` (at any depth), `src/**/*.ts`, `*.{{js,ts}}` or `!*.min.js`; \
     put a character that is meant as it stands in brackets, as in `[[]`"
)]
pub(crate) struct BadGlob {
    glob: String,
    why: String,
}

impl BadGlob {
    fn new(glob: &str, why: impl Into<String>) -> Self {
        Self { glob: glob.chars().take(200).collect(), why: why.into() }
    }

    /// It names a place that is not searched.
    pub(super) fn elsewhere(glob: &str) -> Self {
        Self::new(
            glob,
            "it leads out of the directory that is searched: give that place as `path`, and the glob from there",
        )
    }
}

impl From<BadGlob> for ToolError {
    fn from(error: BadGlob) -> Self {
        Self::from_error(error)
    }
}

/// The longest glob that is read: beyond it is no name of a file.
const MAX_LENGTH: usize = 4096;

/// A filter of paths, by a glob as ripgrep's `--glob` reads it: without a `/` it holds at any depth, a `/` in front or in
/// the middle ties it to the folder that is searched, `!` turns it round. Unlike ripgrep's it only narrows: a glob that
/// names an ignored file does not bring it back (opencode's users complain of that).
#[derive(Debug, Clone)]
pub(crate) struct Globs {
    filter: Override,
    /// What an anchored glob begins with, if that is a name.
    begins_with: Option<String>,
}

impl Globs {
    /// A filter for what is below a folder, which is named in two ways: as it really is, and as a model knows it.
    ///
    /// # Errors
    /// When the glob cannot be read, or can match nothing below the folder.
    pub(crate) fn new(folder: &Path, named: &Path, glob: &str) -> Result<Self, BadGlob> {
        let (turned, plain) = glob.strip_prefix('!').map_or(("", glob), |plain| ("!", plain));
        let (below, is_tied) = from_folder(folder, named, glob, plain)?;
        // A name with a `/` behind it is a directory at any depth; what is wanted is what is in it.
        let written = match below.strip_suffix('/') {
            Some(name) if turned.is_empty() && !name.contains('/') && !name.is_empty() => format!("**/{name}/**"),
            Some(name) if turned.is_empty() => format!("{name}/**"),
            _ => format!("{turned}{below}"),
        };
        let bad = |error: &ignore::Error| BadGlob::new(glob, reason(error));
        let mut builder = OverrideBuilder::new(folder);
        builder.allow_unclosed_class(false);
        builder.add(&written).map_err(|error| bad(&error))?;
        let filter = builder.build().map_err(|error| bad(&error))?;
        let first = below.strip_prefix('/').filter(|_| !is_tied).and_then(|rest| rest.split('/').next());
        let begins_with = first.filter(|first| !first.is_empty() && is_plain(first)).map(str::to_owned);
        Ok(Self { filter, begins_with })
    }

    /// The name that a glob begins with behind a `/`, where that may have been meant from the machine's root.
    pub(super) fn begins_with(&self) -> Option<&str> {
        self.begins_with.as_deref()
    }

    /// Whether it lets a file pass.
    pub(crate) fn has(&self, path: &Path) -> bool {
        !self.filter.matched(path, false).is_ignore()
    }

    /// Whether it shuts a folder out, and all in it.
    pub(crate) fn shuts_out(&self, folder: &Path) -> bool {
        self.filter.matched(folder, true).is_ignore()
    }
}

/// A filter of paths as pi's `find` reads a glob: without a `/` it is held against names, with one against whole paths, at
/// any depth; `*` does not go over a `/`. A glob without capitals takes upper and lower case for the same.
#[derive(Debug, Clone)]
pub(crate) struct NameGlob {
    matcher: GlobMatcher,
    whole: bool,
}

impl NameGlob {
    /// A filter for what is below a folder, which is named in two ways: as it really is, and as a model knows it.
    ///
    /// # Errors
    /// When the glob cannot be read, or can match nothing below the folder.
    pub(crate) fn new(folder: &Path, named: &Path, glob: &str) -> Result<Self, BadGlob> {
        let (below, is_tied) = from_folder(folder, named, glob, glob)?;
        if below.starts_with('/') && !is_tied && below.split('/').nth(1).is_some_and(is_plain) {
            return Err(BadGlob::elsewhere(glob));
        }
        let all_in = if below.ends_with('/') { "**" } else { "" };
        let whole = below.contains('/');
        let start = if is_tied {
            globset::escape(&folder.to_string_lossy())
        } else if !whole || ["/", "**/"].iter().any(|start| below.starts_with(start)) {
            String::new()
        } else {
            "**/".to_owned()
        };
        let built = GlobBuilder::new(&format!("{start}{below}{all_in}"))
            .literal_separator(true)
            .case_insensitive(!glob.chars().any(char::is_uppercase))
            .build()
            .map_err(|error| BadGlob::new(glob, error.kind().to_string()))?;
        Ok(Self { matcher: built.compile_matcher(), whole })
    }

    /// Whether a path is meant.
    pub(crate) fn has(&self, path: &Path) -> bool {
        if self.whole {
            self.matcher.is_match(path)
        } else {
            path.file_name().is_some_and(|name| self.matcher.is_match(name))
        }
    }
}

/// The part of a glob that is below the folder, from the folder's own path on where it has that (then it is tied to it).
fn from_folder<'g>(folder: &Path, named: &Path, glob: &'g str, mut plain: &'g str) -> Result<(&'g str, bool), BadGlob> {
    if plain.trim().is_empty() {
        return Err(BadGlob::new(glob, "it is empty"));
    }
    if glob.len() > MAX_LENGTH {
        return Err(BadGlob::new(glob, format!("it has {} bytes, and at most {MAX_LENGTH} are read", glob.len())));
    }
    // pi takes `./src` for `src`.
    while let Some(rest) = plain.strip_prefix("./").filter(|rest| !rest.is_empty()) {
        plain = rest;
    }
    let leads_out = Path::new(plain).components().any(|part| part == Component::ParentDir);
    if leads_out || plain == "~" || plain.starts_with("~/") {
        return Err(BadGlob::elsewhere(glob));
    }
    for folder in [folder, named] {
        let folder = folder.to_string_lossy();
        if let Some(rest) = plain.strip_prefix(folder.trim_end_matches('/')).filter(|_| folder != "/")
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Ok((if rest.is_empty() { "/" } else { rest }, true));
        }
    }
    Ok((plain, false))
}

/// Whether a part of a glob is a name as it stands.
fn is_plain(part: &str) -> bool {
    !part.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// What is wrong with a glob, without the glob.
fn reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        ignore::Error::Partial(errors) => errors.iter().map(reason).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}
