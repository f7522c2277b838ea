//! The environment of servers: what every program needs, and nothing that could be a secret.

use std::ffi::{OsStr, OsString};

/// What a server inherits without being named (MCP's own SDKs and codex-rs have such a list).
const INHERITED: &[&str] = if cfg!(windows) {
    &[
        "APPDATA",
        "COMSPEC",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
    ]
} else {
    &["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"]
};

/// The variables of the process that the servers are children of, or what a host gives in their place. Servers get the
/// few that every program needs, and those their configuration names; the others, which may hold secrets, stay here.
#[derive(Clone, Default)]
pub struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// The variables of this process.
    #[must_use]
    pub fn of_process() -> Self {
        std::env::vars_os().collect()
    }

    /// A variable that is text.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.find(name)?.to_str()
    }

    fn find(&self, name: &str) -> Option<&OsStr> {
        let is_it = |known: &OsStr| {
            if cfg!(windows) { known.eq_ignore_ascii_case(name) } else { known == name }
        };
        self.0.iter().rev().find(|(known, _)| is_it(known)).map(|(_, value)| value.as_os_str())
    }

    /// What a server inherits: the base set, and the variables that are named.
    pub(super) fn inherited<'a>(&'a self, named: &'a [String]) -> impl Iterator<Item = (&'a str, &'a OsStr)> {
        let names = INHERITED.iter().copied().chain(named.iter().map(String::as_str));
        names.filter_map(|name| Some((name, self.find(name)?)))
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl std::fmt::Debug for Environment {
    /// The names alone: values may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
