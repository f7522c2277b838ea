//! What came of reading a script.

use std::sync::Arc;

use tool_core::permission::Reading;

use super::{effect::Access, walk::Walk, word::Word};

/// The commands of a script, and the files that they touch.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Analysis {
    /// Every command, in the order of the text; the same one once.
    pub commands: Vec<Invoked>,
    pub(super) files: Vec<FileUse>,
}

/// One command that a script runs, or may run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invoked {
    /// What a person is asked about: its words with one blank between, and the files it is redirected to.
    pub text: String,
    /// What rules are held against: the command, and its other names. Only a rule that covers the first allows it.
    pub readings: Vec<Reading>,
    /// What "always" allows: its first words, by opencode's table.
    pub always: Option<String>,
    /// Whether it is known to be harmless or dangerous.
    pub harm: Harm,
    /// Whether the same words may mean something else the next time.
    pub once: bool,
}

/// What is known of the harm that a command can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Harm {
    /// It changes nothing.
    None,
    /// Nothing is known.
    #[default]
    Unknown,
    /// It destroys where it goes wrong, or has the rights to.
    Danger,
}

/// A file that a command reads or writes.
#[derive(Debug, Clone)]
pub(super) struct FileUse {
    pub(super) word: Word,
    pub(super) access: Access,
    /// How the shell got to where it is.
    pub(super) steps: Arc<Vec<Step>>,
}

/// A change of the directory.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) to: Word,
    pub(super) when: When,
}

/// Whether a step was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// It was: nothing would have run otherwise.
    Surely,
    /// It was, if the directory is there.
    IfThere,
    /// Perhaps.
    Perhaps,
}

/// Reads a script, in bounded time and memory; it never fails, for what cannot be read is found as a command that may be
/// anything.
///
/// ```
/// let analysis = core_tools::command::analyse("cd src && git   log | head -5; x=$(sudo rm -rf /tmp/x)");
/// let commands: Vec<_> = analysis.commands.iter().map(|command| &*command.text).collect();
/// assert_eq!(commands, ["git log", "head -5", "sudo rm -rf /tmp/x", "rm -rf /tmp/x"]);
/// assert_eq!(analysis.commands[0].always.as_deref(), Some("git log *"));
/// ```
#[must_use]
pub fn analyse(script: &str) -> Analysis {
    let mut walk = Walk::default();
    walk.script(script);
    walk.found
}
