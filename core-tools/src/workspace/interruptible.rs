//! What a program is started with by its host's own start, and should not be: signals that are ignored.

use std::sync::OnceLock;

use tokio::signal::unix::{SignalKind, signal};

/// Signals that a shell has what it starts behind `&` ignore.
const IGNORED_BEHIND: [SignalKind; 2] = [SignalKind::interrupt(), SignalKind::quit()];

/// Sees to it that Ctrl-C reaches commands also where the host itself ignores it: what is ignored stays so in all that a
/// program starts, and a shell cannot even trap it. A handler that does nothing is the same to the host, and is not
/// handed on. Where the signal is not ignored nothing is changed. Has to be called within a runtime.
pub(super) fn let_commands_be_interrupted() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        let ignored = ignored();
        for kind in IGNORED_BEHIND.into_iter().filter(|kind| ignored & (1 << (kind.as_raw_value() - 1)) != 0) {
            // The handler stays when the listener goes. Where it cannot be set, commands ignore the signal as the host does.
            let _ = signal(kind);
        }
    });
}

/// The signals this process ignores, a bit each from 1 on; none where the system does not say.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
