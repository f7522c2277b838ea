//! A question of permission as a person reads it, and what their answer means.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use serde_json::Value;
use tool_core::permission::{Ask, Reply};

use crate::visible;

/// How many lines of a diff, a command or a value are shown.
const MAX_LINES: usize = 400;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The question, with what would happen. Everything in it that a model wrote is shown, never obeyed.
pub(crate) fn question(ask: &Ask) -> String {
    let request = &ask.request;
    let permission = visible::line(&request.permission);
    let mut out = format!("{BOLD}{}{BOLD:#} asks for the permission {BOLD}{permission}{BOLD:#}\n", ask.tool);
    for pattern in &request.patterns {
        let _ = writeln!(out, "  {}", visible::line(pattern));
    }
    for (key, value) in &request.metadata {
        match (key.as_str(), value) {
            ("command", Value::String(command)) => indent(&mut out, command, |line| format!("$ {line}")),
            ("diff", Value::String(diff)) => indent(&mut out, diff, colored),
            (key, Value::String(text)) if !text.contains('\n') => {
                let _ = writeln!(out, "  {DIM}{}:{DIM:#} {}", visible::line(key), visible::line(text));
            }
            (key, Value::String(text)) => {
                let _ = writeln!(out, "  {DIM}{}:{DIM:#}", visible::line(key));
                indent(&mut out, text, str::to_owned);
            }
            (key, value) => {
                let _ = writeln!(out, "  {DIM}{}:{DIM:#} {}", visible::line(key), visible::line(&value.to_string()));
            }
        }
    }
    out
}

/// The line the answer is typed on.
pub(crate) fn choices(ask: &Ask) -> String {
    let always = &ask.request.always;
    let scope = if always.is_empty() || always == &ask.request.patterns {
        String::new()
    } else {
        format!(" ({})", always.join(", "))
    };
    format!("{BOLD}Allow it?{BOLD:#} y(es, once) / a(lways){} / n(o) / no REASON: ", visible::line(&scope))
}

/// What a typed line means; `None` if it is none of the choices.
///
/// An empty line is no answer: a stray Enter must not allow anything.
pub(crate) fn answer(line: &str) -> Option<Reply> {
    let line = line.trim();
    let (word, rest) = line.split_once(|c: char| c.is_whitespace() || c == ',' || c == ':').unwrap_or((line, ""));
    let feedback = Some(rest.trim_start_matches([' ', ',', ':']).to_owned()).filter(|text| !text.is_empty());
    match (word.to_lowercase().as_str(), feedback) {
        ("y" | "yes" | "once", None) => Some(Reply::Once),
        ("a" | "always", None) => Some(Reply::Always),
        ("n" | "no", feedback) => Some(Reply::Reject { feedback }),
        _ => None,
    }
}

fn indent(out: &mut String, text: &str, show: impl Fn(&str) -> String) {
    let mut lines = text.lines();
    for line in lines.by_ref().take(MAX_LINES) {
        let _ = writeln!(out, "  {}", show(&visible::line(line)));
    }
    let hidden = lines.count();
    if hidden > 0 {
        let _ = writeln!(out, "  {BOLD}… {hidden} more lines are not shown{BOLD:#}");
    }
}

fn colored(line: &str) -> String {
    let color = match line.as_bytes().first() {
        Some(b'+') => AnsiColor::Green,
        Some(b'-') => AnsiColor::Red,
        Some(b'@') => AnsiColor::Cyan,
        _ => return line.to_owned(),
    };
    let style = Style::new().fg_color(Some(color.into()));
    format!("{style}{line}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_mean_what_they_say() {
        let no = |feedback: Option<&str>| Some(Reply::Reject { feedback: feedback.map(str::to_owned) });
        for (line, wanted) in [
            ("y\n", Some(Reply::Once)),
            (" Once ", Some(Reply::Once)),
            ("always", Some(Reply::Always)),
            ("n", no(None)),
            ("no, use tabs: please", no(Some("use tabs: please"))),
            ("N: why", no(Some("why"))),
            ("", None),
            ("yes but not now", None),
            ("nope", None),
            ("always not", None),
        ] {
            assert_eq!(answer(line), wanted, "{line:?}");
        }
    }
}
