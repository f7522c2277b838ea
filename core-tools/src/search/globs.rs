//! Which paths a glob means.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use ignore::overrides::{Override, OverrideBuilder};

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

/// The longest glob that is read: beyond it is no name of a file.
const MAX_LENGTH: usize = 4096;

/// A filter of paths, by a glob as ripgrep's `--glob` reads it: without a `/` it holds at any depth, a `/` in front or in
/// the middle ties it to the folder that is searched, `!` turns it round. Unlike ripgrep's it only narrows: a glob that
/// names an ignored file does not bring it back (opencode's users complain of that).
#[derive(Debug, Clone)]
pub(crate) struct Globs(Override);

impl Globs {
    /// A filter for what is below a folder.
    ///
    /// # Errors
    /// When the glob cannot be read.
    pub(crate) fn new(folder: &Path, glob: &str) -> Result<Self, BadGlob> {
        let bad = |why: String| BadGlob { glob: glob.chars().take(200).collect(), why };
        if glob.trim().is_empty() {
            return Err(bad("it is empty".to_owned()));
        }
        if glob.len() > MAX_LENGTH {
            return Err(bad(format!("it has {} bytes, and at most {MAX_LENGTH} are read", glob.len())));
        }
        // pi takes `./src` for `src`; a glob of the absolute path is meant from where the folder begins.
        let (turned, plain) = glob.strip_prefix('!').map_or(("", glob), |plain| ("!", plain));
        let plain = plain.strip_prefix("./").unwrap_or(plain);
        let below = plain.strip_prefix(&*folder.to_string_lossy()).filter(|rest| rest.starts_with('/'));
        let mut builder = OverrideBuilder::new(folder);
        builder.allow_unclosed_class(false);
        builder.add(&format!("{turned}{}", below.unwrap_or(plain))).map_err(|error| bad(reason(&error)))?;
        let built = builder.build().map_err(|error| bad(reason(&error)))?;
        Ok(Self(built))
    }

    /// Whether it lets a file pass.
    pub(crate) fn has(&self, path: &Path) -> bool {
        !self.0.matched(path, false).is_ignore()
    }

    /// Whether it shuts a folder out, and all in it.
    pub(crate) fn shuts_out(&self, folder: &Path) -> bool {
        self.0.matched(folder, true).is_ignore()
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
    /// A filter.
    ///
    /// # Errors
    /// When the glob cannot be read.
    pub(crate) fn new(glob: &str) -> Result<Self, BadGlob> {
        let bad = |why: String| BadGlob { glob: glob.chars().take(200).collect(), why };
        if glob.is_empty() {
            return Err(bad("it is empty".to_owned()));
        }
        if glob.len() > MAX_LENGTH {
            return Err(bad(format!("it has {} bytes, and at most {MAX_LENGTH} are read", glob.len())));
        }
        let glob_from_here = glob.strip_prefix("./").unwrap_or(glob);
        let whole = glob_from_here.contains('/');
        let any_depth = !whole || ["/", "**/"].iter().any(|start| glob_from_here.starts_with(start));
        let pattern = if any_depth { glob_from_here.to_owned() } else { format!("**/{glob_from_here}") };
        let built = GlobBuilder::new(&pattern)
            .literal_separator(true)
            .case_insensitive(!glob.chars().any(char::is_uppercase))
            .build()
            .map_err(|error| bad(error.kind().to_string()))?;
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

/// What is wrong with a glob, without the glob.
fn reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        ignore::Error::Partial(errors) => errors.iter().map(reason).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}
