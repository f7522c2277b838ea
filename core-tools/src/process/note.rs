//! What a model is told of a command behind its output.

use rustix::process::Signal;

use crate::workspace::Exit;

/// Names of signals; their numbers are the machine's.
const NAMES: [(Signal, &str); 18] = [
    (Signal::HUP, "SIGHUP"),
    (Signal::INT, "SIGINT"),
    (Signal::QUIT, "SIGQUIT"),
    (Signal::ILL, "SIGILL"),
    (Signal::TRAP, "SIGTRAP"),
    (Signal::ABORT, "SIGABRT"),
    (Signal::BUS, "SIGBUS"),
    (Signal::FPE, "SIGFPE"),
    (Signal::KILL, "SIGKILL"),
    (Signal::USR1, "SIGUSR1"),
    (Signal::SEGV, "SIGSEGV"),
    (Signal::USR2, "SIGUSR2"),
    (Signal::PIPE, "SIGPIPE"),
    (Signal::ALARM, "SIGALRM"),
    (Signal::TERM, "SIGTERM"),
    (Signal::XCPU, "SIGXCPU"),
    (Signal::XFSZ, "SIGXFSZ"),
    (Signal::SYS, "SIGSYS"),
];

/// Lines that are no part of an output.
#[derive(Debug, Default)]
pub(crate) struct Note(Vec<String>);

impl Note {
    /// One more line.
    pub(crate) fn say(&mut self, line: impl Into<String>) {
        self.0.push(line.into());
    }

    /// How a command ended, where that is more than "well".
    pub(crate) fn exit(&mut self, exit: Exit) {
        match (exit.code, exit.signal) {
            (Some(0), _) | (None, None) => {}
            (Some(code), _) => self.say(format!("exit code {code}")),
            (None, Some(_)) => self.signal(exit),
        }
    }

    /// The signal that ended a command, if one did.
    pub(crate) fn signal(&mut self, exit: Exit) {
        if let Some(number) = exit.signal {
            let name = NAMES.iter().find(|(signal, _)| signal.as_raw() == number);
            let name = name.map(|(_, name)| format!(" ({name})")).unwrap_or_default();
            self.say(format!("ended by signal {number}{name}"));
        }
    }

    /// The variables that a command seems to have wanted and did not get: it names them, or it failed and what it printed
    /// does.
    pub(crate) fn withheld(&mut self, names: &[String], command: &str, output: &str, failed: bool) {
        let wanted = |name: &&String| has_word(command, name) || failed && has_word(output, name);
        let wanted: Vec<&str> = names.iter().filter(wanted).map(String::as_str).collect();
        if !wanted.is_empty() {
            self.say(format!(
                "not passed to the command: {}. Variables that look like secrets are withheld from commands; if it needs one, ask the user to provide it.",
                wanted.join(", ")
            ));
        }
    }

    /// The whole, in opencode's brackets; empty where nothing was said.
    pub(crate) fn into_text(self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        format!("<shell_metadata>\n{}\n</shell_metadata>", self.0.join("\n"))
    }
}

/// Whether a variable's name stands in a text as a whole.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && !text[at + word.len()..].chars().next().is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_count() {
        assert!(has_word("curl -H \"Authorization: ${API_KEY}\"", "API_KEY"));
        assert!(has_word("API_KEY", "API_KEY"));
        assert!(!has_word("MY_API_KEYS $API_KEY2", "API_KEY"));
    }

    #[test]
    fn a_good_end_is_not_told() {
        let mut note = Note::default();
        note.exit(Exit::new(Some(0), None));
        assert_eq!(note.into_text(), "");
        let mut note = Note::default();
        note.exit(Exit::new(None, Some(9)));
        assert_eq!(note.into_text(), "<shell_metadata>\nended by signal 9 (SIGKILL)\n</shell_metadata>");
    }
}
