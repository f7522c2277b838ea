//! What is wrong with the text of a patch.

/// Why a text is no patch. The words are codex's where it has some, since models know them; what to do comes after.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// There is no text.
    #[error(
        "Invalid patch: input (patchText) is required, and it is empty. The first line of the patch must be \
         '*** Begin Patch', the last '*** End Patch'"
    )]
    Empty,
    /// It begins with something else.
    #[error(
        "Invalid patch: The first line of the patch must be '*** Begin Patch', and it is '{0}'. Send the patch alone, \
         from '*** Begin Patch' to '*** End Patch', or a unified diff"
    )]
    Begin(String),
    /// It ends with something else.
    #[error(
        "Invalid patch: The last line of the patch must be '*** End Patch', and it is '{0}'. Put all files between one \
         '*** Begin Patch' and one '*** End Patch', and nothing after it"
    )]
    End(String),
    /// A patch without operations.
    #[error("patch rejected: empty patch. It names no file: add '*** Update File: {{path}}' or another operation")]
    Nothing,
    /// The environment's line without a name.
    #[error("Invalid patch: apply_patch environment_id cannot be empty")]
    EmptyEnvironment,
    /// The environment's line a second time.
    #[error("Invalid patch: apply_patch environment_id cannot be specified more than once")]
    TwoEnvironments,
    /// A line that cannot stand where it stands.
    #[error("Invalid patch hunk on line {line}: {problem}")]
    Line {
        /// Its number in the patch, counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: Problem,
    },
}

impl ParseError {
    pub(super) fn at(line: usize, problem: Problem) -> Self {
        Self::Line { line, problem }
    }
}

/// What is wrong with one line of a patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// No operation begins like this.
    #[error(
        "'{0}' is not a valid hunk header. Valid hunk headers: '*** Add File: {{path}}', '*** Delete File: {{path}}', \
         '*** Update File: {{path}}'. Each line of a file that is added begins with '+'"
    )]
    Header(String),
    /// A line of a hunk without its mark, at its beginning.
    #[error(
        "Unexpected line found in update hunk: '{0}'. Every line should start with ' ' (context line), '+' (added \
         line), or '-' (removed line)"
    )]
    Unmarked(String),
    /// The same, after lines that were right.
    #[error(
        "Expected update hunk to start with a @@ context marker, got: '{0}'. Every line of a hunk starts with ' ', '+' \
         or '-'"
    )]
    Marker(String),
    /// `@@`, and nothing follows.
    #[error("Update hunk does not contain any lines")]
    NoLines,
    /// An update that changes nothing.
    #[error("Update file hunk for path '{0}' is empty: add a hunk that starts with @@, or '*** Move to: {{path}}'")]
    NoHunks(String),
    /// `*** End of File` where nothing ends.
    #[error("'*** End of File' ends a hunk, and there is none before it")]
    NothingEnds,
    /// An operation without a path.
    #[error("the header names no path")]
    NoPath,
    /// `@@ -1,x @@`.
    #[error("'{0}' is not a range of lines: expected '@@ -first,count +first,count @@'")]
    Range(String),
    /// Old lines are counted, and none is shown.
    #[error("the hunk is said to replace {0} lines, and shows none of them: show the lines that are there")]
    NoOldLines(usize),
    /// A hunk before any file is named.
    #[error("a hunk, and no file was named before it: expected '--- a/path' and '+++ b/path', or 'diff --git'")]
    NoFile,
    /// `---` without `+++`.
    #[error("'--- {0}' is followed by no '+++' line, which names the file that it becomes")]
    NoNewFile(String),
    /// The diff of a new file that shows old lines.
    #[error("the diff makes a new file, and shows lines that are there already")]
    NewWithOld,
    /// The diff of a removed file that adds lines.
    #[error("the diff deletes the file, and adds lines to it")]
    DeletedWithNew,
    /// Two names without a word how one becomes the other, or none at all.
    #[error("the header of the diff names no file: both sides are /dev/null")]
    NoSides,
    /// A patch of bytes, not lines.
    #[error("binary patches cannot be applied: write the file in another way")]
    Binary,
    /// A link, or a repository in a repository.
    #[error("mode {0} is not that of a regular file (100644, 100755): links and submodules cannot be patched")]
    Mode(String),
    /// A name in quotes that do not end, or with an unknown escape.
    #[error("'{0}' is no path as git quotes it")]
    Quotes(String),
}

/// A line as messages quote it: not more than a person reads.
pub(super) fn quoted(line: &str) -> String {
    const MOST: usize = 200;
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
