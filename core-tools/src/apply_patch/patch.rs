//! What a patch says: operations on files, made of hunks, made of lines. The same for every format.

/// A patch as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    /// What is to be done, in this order.
    pub operations: Vec<Operation>,
}

/// What is to be done with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The file it is about: for a move or a copy the source.
    pub path: WrittenPath,
    /// What happens to it.
    pub action: Action,
    /// The line of the patch where it begins, counted from 1.
    pub line: usize,
}

/// A path as a patch writes it. Diffs put a directory such as `a/` in front of it, or do not; only a look at the files
/// can tell which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPath {
    /// What it may mean, the likeliest first. Never empty.
    readings: Vec<String>,
}

impl WrittenPath {
    /// A path that has one meaning.
    #[must_use]
    pub fn plain(path: impl Into<String>) -> Self {
        Self { readings: vec![path.into()] }
    }

    /// With a further meaning, for when there is no such file.
    #[must_use]
    pub fn or(mut self, path: impl Into<String>) -> Self {
        let path = path.into();
        if !path.is_empty() && !self.readings.contains(&path) {
            self.readings.push(path);
        }
        self
    }

    /// The likeliest meaning: what a file that is made is called.
    #[must_use]
    pub fn first(&self) -> &str {
        &self.readings[0]
    }

    /// All meanings, the likeliest first.
    pub fn readings(&self) -> impl Iterator<Item = &str> {
        self.readings.iter().map(String::as_str)
    }
}

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// It is made.
    Add {
        /// All that is in it, byte for byte.
        content: String,
        /// Whether a file that is there is replaced: codex's format says so, a diff says that there is none.
        replaces: bool,
        /// Whether it may be run; `None` where the patch does not say.
        executable: Option<bool>,
    },
    /// It is removed.
    Delete {
        /// What it held, where the patch tells that.
        hunks: Vec<Hunk>,
    },
    /// Its content, its name or its mode changes.
    Update(Update),
}

/// A change of a file that is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Update {
    /// Where it goes, if it moves or is copied.
    pub to: Option<WrittenPath>,
    /// Whether the source stays, as git's `copy from` says.
    pub copies: bool,
    /// Whether it may be run from now on; `None` where nothing is said.
    pub executable: Option<bool>,
    /// Changes of the content, in the file's order.
    pub hunks: Vec<Hunk>,
    /// Whether the file ends with a line break afterwards, whatever it did before: codex's format has it so.
    pub closes_last_line: bool,
}

/// One place that changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hunk {
    /// The line of the patch where it begins, counted from 1.
    pub line: usize,
    /// Lines to be found before the place is looked for, each after the one before (`@@ class A`, `@@ def f`).
    pub headers: Vec<String>,
    /// Where its old lines are said to be.
    pub hint: Option<Hint>,
    /// What stays, goes and comes.
    pub lines: Vec<Line>,
    /// Whether its old lines are the file's last.
    pub at_end: bool,
}

/// The place that `@@ -12,3 +12,4 @@` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    /// The first old line, counted from 1; where there is none, the line before the place.
    pub start: usize,
    /// How many old lines there are said to be.
    pub count: usize,
}

impl Hunk {
    /// The lines that have to be there.
    pub fn old(&self) -> impl DoubleEndedIterator<Item = &Line> {
        self.lines.iter().filter(|line| line.kind != LineKind::Added)
    }
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What becomes of it.
    pub kind: LineKind,
    /// Its text, without the mark before it and without an ending.
    pub text: String,
    /// How it ends.
    pub ending: LineEnding,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// It is there and stays.
    Context,
    /// It is there and goes.
    Removed,
    /// It comes.
    Added,
}

/// How a patch says that a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineEnding {
    /// Not said: as the lines around it do.
    #[default]
    Unsaid,
    /// `\n`, in a patch that tells the two apart.
    Lf,
    /// `\r\n`.
    CrLf,
    /// Not at all: it is the file's last line (`\ No newline at end of file`).
    Nothing,
}
