//! Searching what is in files.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use grep_matcher::LineTerminator;
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder};

use super::{
    Globs, Pattern, giant,
    lines::{Line, Lines, Role, Taker},
    newest::{Newest, Rank},
    pattern::Engine,
    report::Faults,
};
use crate::workspace::{self, Content, Fault, FileKind, Step, Visit, Visitor, Walk, Workspace};

/// As much of a file is held by one thread: of a line, or, where a match may go over several, of the file.
const HELD: usize = 8 * 1024 * 1024;
const HELD_MULTILINE: usize = 64 * 1024 * 1024;

/// What is searched for, and how much of it is wanted.
#[derive(Debug, Clone)]
pub(crate) struct ContentSearch {
    pub(crate) pattern: Pattern,
    /// Which files are searched; a file that is the root itself is searched in any case.
    pub(crate) globs: Option<Globs>,
    /// How many lines before and after a match are wanted.
    pub(crate) context: usize,
    /// How many matches are wanted, or files.
    pub(crate) limit: usize,
    /// Only the files are wanted.
    pub(crate) files_only: bool,
}

/// A file with matches in it.
#[derive(Debug)]
pub(crate) struct FileHits {
    pub(crate) path: PathBuf,
    /// The lines, in order; none where only files are wanted.
    pub(crate) lines: Vec<Line>,
    /// How many matches are in them.
    pub(crate) matches: usize,
    /// Whether the file has further ones.
    more: bool,
    /// Whether a NUL byte ended the search of the file, far in it.
    pub(crate) turns_binary: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The files, what was written last first.
    pub(crate) files: Vec<FileHits>,
    /// How many matches are in them, or files.
    pub(crate) count: usize,
    /// Whether there is more.
    pub(crate) more: bool,
    /// How many files were passed over as binary, as far as one had to look.
    pub(crate) binary: u64,
    pub(crate) faults: Faults,
}

/// Searches a file, or all files below a directory that no ignore file names; on the threads of the walk. Binary files
/// (with a NUL byte in their first 64 KiB) are passed over; UTF-16 with a byte order mark is read as what it is. What is
/// kept are the matches that come first, files written last before others; once there are enough, older files are not
/// even opened.
///
/// # Errors
/// When there can be no walk.
pub(crate) async fn search_content(
    workspace: Arc<dyn Workspace>,
    root: &Path,
    search: ContentSearch,
) -> std::io::Result<Found> {
    let (limit, context) = (search.limit, search.context as u64);
    let searching = Arc::new(Searching { search, all: Mutex::new(Gathered::new(limit)) });
    workspace.walk(Walk::new(root), searching.clone()).await?;
    let mut all = searching.all.lock().unwrap_or_else(PoisonError::into_inner);
    let all = std::mem::replace(&mut *all, Gathered::new(limit));
    let mut found = Found { more: all.newest.is_full(), binary: all.binary, faults: all.faults, ..Found::default() };
    for (rank, mut hits) in all.newest.into_sorted() {
        let room = limit - found.count;
        if room == 0 {
            break;
        }
        hits.keep(room, context);
        found.more |= hits.more;
        found.count += hits.matches;
        found.files.push(FileHits { path: rank.path, ..hits });
    }
    Ok(found)
}

impl FileHits {
    /// Keeps the first matches, with the context behind the last of them.
    fn keep(&mut self, room: usize, context: u64) {
        let mut matches = 0;
        let mut last = 0;
        let mut end = self.lines.len();
        for (at, line) in self.lines.iter().enumerate() {
            matches += usize::from(line.role == Role::Match);
            if matches > room {
                end = at;
                break;
            }
            if line.role != Role::Context {
                last = line.number;
            }
        }
        self.more |= self.matches > room;
        self.matches = self.matches.min(room);
        self.lines.truncate(end);
        // Not the context before a match that is left out.
        self.lines.retain(|line| line.number <= last + context);
    }
}

struct Searching {
    search: ContentSearch,
    all: Mutex<Gathered>,
}

struct Gathered {
    newest: Newest<FileHits>,
    binary: u64,
    faults: Faults,
}

impl Gathered {
    fn new(limit: usize) -> Self {
        Self { newest: Newest::new(limit), binary: 0, faults: Faults::default() }
    }
}

impl Visit for Searching {
    fn visitor(&self) -> Box<dyn Visitor + '_> {
        let search = &self.search;
        let (held, multiline) = if search.pattern.multiline { (HELD_MULTILINE, true) } else { (HELD, false) };
        let mut builder = SearcherBuilder::new();
        builder
            .line_number(true)
            .line_terminator(LineTerminator::crlf())
            .multi_line(multiline)
            .before_context(search.context)
            .after_context(search.context)
            .binary_detection(BinaryDetection::quit(0))
            // A file that is cut while it is mapped would kill the process.
            .memory_map(MmapChoice::never())
            .heap_limit(Some(held));
        Box::new(Worker {
            all: &self.all,
            search,
            // Its caches are the thread's own.
            engine: search.pattern.matcher.clone(),
            searcher: builder.build(),
            lines: Lines::default(),
            gathered: Gathered::new(search.limit),
        })
    }
}

struct Worker<'a> {
    all: &'a Mutex<Gathered>,
    search: &'a ContentSearch,
    engine: Engine,
    searcher: Searcher,
    lines: Lines,
    gathered: Gathered,
}

impl Visitor for Worker<'_> {
    fn visit(&mut self, found: &workspace::Found<'_>) -> Step {
        let path = found.path();
        if let Some(globs) = &self.search.globs
            && found.depth() > 0
        {
            match found.kind() {
                FileKind::Directory if globs.shuts_out(path) => return Step::Past,
                FileKind::File if !globs.has(path) => return Step::On,
                _ => {}
            }
        }
        if found.kind() != FileKind::File {
            return Step::On;
        }
        let newest = &self.gathered.newest;
        let mut modified = None;
        if newest.is_full() {
            modified = Some(found.modified());
            if !newest.admits(modified.flatten(), path) {
                return Step::On;
            }
        }
        if let Err(why) = self.search_file(found) {
            self.gathered.faults.note(path, why);
            return Step::On;
        }
        if self.lines.is_binary() {
            self.gathered.binary += 1;
        } else if self.lines.matches > 0 {
            let rank = Rank { modified: modified.unwrap_or_else(|| found.modified()), path: path.to_owned() };
            if self.gathered.newest.admits(rank.modified, &rank.path) {
                let hits = FileHits {
                    path: PathBuf::new(),
                    lines: self.lines.kept(),
                    matches: self.lines.matches,
                    more: self.lines.more,
                    turns_binary: self.lines.binary_at.is_some(),
                };
                self.gathered.newest.insert(rank, hits.matches, hits);
            }
        }
        Step::On
    }

    fn fault(&mut self, fault: Fault) {
        self.gathered.faults.note_fault(&fault);
    }
}

impl Worker<'_> {
    /// Takes down what a file has.
    fn search_file(&mut self, found: &workspace::Found<'_>) -> Result<(), String> {
        self.lines.clear();
        let mut content = found.open().map_err(|error| error.to_string())?;
        let searched = self.run(&mut content);
        let Err(error) = searched else { return Ok(()) };
        if content.failed().is_some() {
            return Err(error.to_string());
        }
        if self.search.pattern.multiline {
            return Err(format!(
                "it has more than {} MB, too much to be searched over several lines",
                HELD_MULTILINE / (1024 * 1024)
            ));
        }
        // A line that is too long to be held.
        self.lines.clear();
        let content = found.open().map_err(|error| error.to_string())?;
        let (limit, files_only) = (self.search.limit, self.search.files_only);
        giant::search(content, &self.engine, limit, files_only, &mut self.lines).map_err(|error| error.to_string())
    }

    fn run(&mut self, content: &mut Content) -> std::io::Result<()> {
        let Self { searcher, engine, lines, search, .. } = self;
        let taker = Taker { lines, engine, limit: search.limit, files_only: search.files_only };
        match &*engine {
            Engine::Regex(matcher) => searcher.search_reader(matcher, content, taker),
            #[cfg(feature = "pcre2")]
            Engine::Pcre2(matcher) => searcher.search_reader(matcher, content, taker),
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let gathered = std::mem::replace(&mut self.gathered, Gathered::new(0));
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.newest.absorb(gathered.newest);
        all.binary += gathered.binary;
        all.faults.absorb(gathered.faults);
    }
}
