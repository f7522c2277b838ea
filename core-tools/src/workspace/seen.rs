//! What a session has read, and whether it is still so.

use std::{
    collections::HashMap,
    fmt,
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use similar::TextDiff;
use tool_core::{ToolContext, ToolError};

use super::FileInfo;

/// The content of files up to this length is kept, to show what has changed.
const MAX_KEPT: usize = 16 * 1024;
/// The content of files up to this length is told apart by a hash; that of longer ones by length and time.
const MAX_HASHED: usize = 1024 * 1024;
/// How much content is kept in all. Beyond it, only facts are.
const MAX_KEPT_ALL: usize = 4 * 1024 * 1024;
/// So many files are remembered; whose read is longest ago is forgotten first.
const MAX_FILES: usize = 4096;
/// How much of a change is shown.
const MAX_SHOWN_LINES: usize = 40;
/// After this time it is told coarsely.
const DEADLINE: Duration = Duration::from_millis(100);
/// How wide a line of it is shown.
const MAX_SHOWN_WIDTH: usize = 200;

/// What is to be done where a file that is about to be changed is not what the session has read any more. A host registers
/// one as state; without, it is [`Refuse`](Self::Refuse).
///
/// A file that the session never read can be changed under all of them, as in opencode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stale {
    /// It is not changed, and the error says what is different.
    #[default]
    Refuse,
    /// It is changed, and the result says what was different.
    Warn,
    /// Nobody looks.
    Off,
}

/// What a session has read of a workspace's files, or written itself. Kept as memory of the session: [`Seen::of`].
#[derive(Debug, Default)]
pub struct Seen {
    files: Mutex<Files>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Files {
    by_path: HashMap<PathBuf, Sight>,
    kept: usize,
    clock: u64,
}

/// A file as it was.
#[derive(Debug, Clone)]
struct Sight {
    info: FileInfo,
    hash: Option<u64>,
    lines: Option<usize>,
    content: Option<Arc<[u8]>>,
    at: u64,
}

/// A file that is not what was read any more. Its text is for a model, and begins with a verb: `changed on disk …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    then: Facts,
    now: Facts,
    /// Short, where the old content is known.
    diff: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Facts {
    len: u64,
    lines: Option<usize>,
}

impl Seen {
    /// Whether the bytes of a file of this length tell more than its facts, so that they are worth passing.
    #[must_use]
    pub fn compares(len: u64) -> bool {
        len <= MAX_HASHED as u64
    }

    /// The memory of a call's session.
    #[must_use]
    pub fn of(ctx: &ToolContext) -> Arc<Self> {
        ctx.session().memory()
    }

    /// Notes a file as it is now known: its facts, taken before it was read, and its bytes, where all were read.
    pub fn note(&self, real: &Path, info: &FileInfo, content: Option<&[u8]>) {
        let sight = Sight {
            info: *info,
            hash: content.filter(|content| content.len() <= MAX_HASHED).map(|content| self.hasher.hash_one(content)),
            lines: content.map(count_lines),
            content: content.filter(|content| content.len() <= MAX_KEPT).map(Arc::from),
            at: 0,
        };
        self.files().put(real, sight);
    }

    /// Forgets a file that is gone.
    pub fn forget(&self, real: &Path) {
        self.files().take(real);
    }

    /// Notes that a file has another name now. Its facts are those it has there.
    pub fn moved(&self, from: &Path, to: &Path, info: &FileInfo) {
        let mut files = self.files();
        if let Some(sight) = files.take(from) {
            files.put(to, Sight { info: *info, ..sight });
        }
    }

    /// What has changed since the file was read: nothing where it never was, or where its bytes are the same.
    #[must_use]
    pub fn changed(&self, real: &Path, info: &FileInfo, content: Option<&[u8]>) -> Option<Changed> {
        let sight = self.files().by_path.get(real).cloned()?;
        let is_same = match (sight.hash, content) {
            (Some(hash), Some(content)) => hash == self.hasher.hash_one(content),
            _ => info.is_same_content(&sight.info),
        };
        if is_same {
            return None;
        }
        let diff = sight.content.as_deref().zip(content).map(|(old, new)| short_diff(old, new));
        Some(Changed {
            then: Facts { len: sight.info.len, lines: sight.lines },
            now: Facts { len: info.len, lines: content.map(count_lines) },
            diff,
        })
    }

    /// Holds a file that is about to be changed against what was read, as the host's [`Stale`] says. What it gives is a
    /// warning for the result.
    ///
    /// # Errors
    /// When it has changed and that is to be refused.
    pub fn check(
        ctx: &ToolContext,
        real: &Path,
        shown: &Path,
        info: &FileInfo,
        content: Option<&[u8]>,
    ) -> Result<Option<String>, ToolError> {
        let stale = ctx.state::<Stale>().copied().unwrap_or_default();
        if stale == Stale::Off {
            return Ok(None);
        }
        let Some(changed) = Self::of(ctx).changed(real, info, content) else { return Ok(None) };
        let shown = shown.display();
        match stale {
            Stale::Warn => Ok(Some(format!("{shown} {changed}"))),
            _ => Err(ToolError::failed(format!("{shown} {changed}\nIt was not changed. Read it again, then decide."))),
        }
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files {
    fn put(&mut self, path: &Path, mut sight: Sight) {
        self.take(path);
        self.clock += 1;
        sight.at = self.clock;
        if let Some(content) = &sight.content {
            if self.kept + content.len() > MAX_KEPT_ALL {
                sight.content = None;
            } else {
                self.kept += content.len();
            }
        }
        if self.by_path.len() >= MAX_FILES {
            let oldest = self.by_path.iter().min_by_key(|(_, sight)| sight.at).map(|(path, _)| path.clone());
            oldest.and_then(|oldest| self.take(&oldest));
        }
        self.by_path.insert(path.to_owned(), sight);
    }

    fn take(&mut self, path: &Path) -> Option<Sight> {
        let sight = self.by_path.remove(path)?;
        self.kept -= sight.content.as_ref().map_or(0, |content| content.len());
        Some(sight)
    }
}

fn count_lines(content: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', content).count() + usize::from(content.last().is_some_and(|last| *last != b'\n'))
}

/// The changed lines, without context.
fn short_diff(old: &[u8], new: &[u8]) -> String {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(&new[..new.len().min(4 * MAX_KEPT)]));
    let diff = TextDiff::configure().timeout(DEADLINE).diff_lines(&*old, &*new);
    let text = diff.unified_diff().context_radius(0).missing_newline_hint(false).to_string();
    let mut shown = String::new();
    for (number, line) in text.lines().enumerate() {
        if number == MAX_SHOWN_LINES {
            shown.push_str("… and more\n");
            break;
        }
        shown.extend(line.chars().take(MAX_SHOWN_WIDTH));
        shown.push('\n');
    }
    shown
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { then, now, diff } = self;
        write!(f, "changed on disk since it was read in this session: it had {then} then, and has {now} now.")?;
        match diff {
            Some(diff) => write!(f, " What is different:\n{}", diff.trim_end()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines {
            Some(1) => write!(f, "1 line ({} bytes)", self.len),
            Some(lines) => write!(f, "{lines} lines ({} bytes)", self.len),
            None => write!(f, "{} bytes", self.len),
        }
    }
}
