//! The environment of commands: the same on every machine, as far as that can be.

use tool_core::ToolContext;

use crate::workspace::{Command, EnvironmentPolicy};

/// English messages, and UTF-8, which macOS has under another name.
const LOCALE: &str = if cfg!(target_os = "macos") { "en_US.UTF-8" } else { "C.UTF-8" };

/// No colours, no pager that waits for a key, and one language (codex-rs, and two pagers more).
const VARIABLES: [(&str, &str); 10] = [
    ("NO_COLOR", "1"),
    ("COLORTERM", ""),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("LANG", LOCALE),
    ("LC_CTYPE", LOCALE),
    ("LC_ALL", LOCALE),
];

/// Gives a command its environment: what the host's policy leaves of the workspace's own, what makes it predictable, and
/// what the policy sets, which wins.
pub(super) fn equip(ctx: &ToolContext, mut command: Command, in_terminal: bool) -> Command {
    let policy = ctx.state::<EnvironmentPolicy>().cloned().unwrap_or_default();
    // A terminal can be written to in all ways; what is no terminal, in none.
    command = command.env("TERM", if in_terminal { "xterm-256color" } else { "dumb" });
    for (name, value) in VARIABLES {
        command = command.env(name, value);
    }
    for (name, value) in policy.variables() {
        command = command.env(name, value);
    }
    command.inherits(policy)
}
