//! `timeout`, which is in seconds or in milliseconds, by whose form a server is written in.

use std::time::Duration;

use super::{ConfigFault, members::Members, read::Form};

const NAME: [&str; 1] = ["timeout"];
/// Members of those that write milliseconds: Gemini CLI.
const OF_MILLISECONDS: [&str; 3] = ["http_url", "include_tools", "exclude_tools"];
/// Members of those that write seconds: Cline, Roo Code, Cherry Studio.
const OF_SECONDS: [&str; 4] = ["always_allow", "auto_approve", "watch_paths", "is_active"];
/// The most seconds that Cline and Roo Code let people choose. Kiro has members of theirs, and milliseconds.
const MOST_SECONDS: f64 = 3600.0;
/// Below as many, milliseconds are no time for a tool: Claude Code passes over them.
const LEAST_MILLISECONDS: f64 = 1000.0;

#[derive(Clone, Copy)]
enum Unit {
    Seconds,
    Milliseconds,
}

impl Unit {
    /// What the form says; `None` where it says nothing.
    fn of(members: &Members<'_>, form: Form, number: f64) -> Option<Self> {
        let any = |names: &[&str]| names.iter().any(|name| members.has(&[name]));
        if form == Form::Opencode || any(&OF_MILLISECONDS) {
            Some(Self::Milliseconds)
        } else if any(&OF_SECONDS) && number <= MOST_SECONDS {
            Some(Self::Seconds)
        } else {
            None
        }
    }
}

/// How long a call may take. Where nothing says in which unit it is, a small number is taken for seconds, and that is told.
pub(super) fn timeout(members: &mut Members<'_>, form: Form, warnings: &mut Vec<ConfigFault>) -> Option<Duration> {
    let number = members.number(&NAME).unwrap_or(LEAST_MILLISECONDS);
    let unit = Unit::of(members, form, number).unwrap_or_else(|| {
        if number >= LEAST_MILLISECONDS || number <= 0.0 {
            return Unit::Milliseconds;
        }
        let taken = format!("{number} is taken for seconds: write `tool_timeout_sec` for those, or `tool_timeout_ms`");
        warnings.push(members.told(members.written(&NAME).unwrap_or_default(), taken));
        Unit::Seconds
    });
    members.limit(&NAME, if let Unit::Seconds = unit { 1.0 } else { 0.001 })
}
