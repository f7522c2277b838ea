//! Writing to the two standard streams, of which either may be closed by whoever reads it.

use std::io::{self, BufWriter, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use tool_core::Outcome;

use crate::failure::Failure;

/// Writes to standard output and flushes. Says whether anybody still reads there.
///
/// # Errors
/// When it fails for another reason than a closed pipe.
pub(crate) fn stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<bool, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) => {
            // What is left in the buffer has nowhere to go.
            let _ = out.into_parts();
            if error.kind() == io::ErrorKind::BrokenPipe { Ok(false) } else { Err(Failure::Output(error)) }
        }
    }
}

/// One JSON value on one line.
///
/// # Errors
/// As [`stdout`].
pub(crate) fn json_line(value: &impl Serialize) -> Result<bool, Failure> {
    stdout(|out| {
        serde_json::to_writer(&mut *out, value)?;
        out.write_all(b"\n")
    })
}

/// One JSON value, indented.
///
/// # Errors
/// As [`stdout`].
pub(crate) fn json_pretty(value: &impl Serialize) -> Result<bool, Failure> {
    stdout(|out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        out.write_all(b"\n")
    })
}

/// A tool's text: its own bytes, and a line break at the end if it has none.
///
/// # Errors
/// As [`stdout`].
pub(crate) fn text(text: &str) -> Result<bool, Failure> {
    stdout(|out| {
        out.write_all(text.as_bytes())?;
        if text.is_empty() || text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") }
    })
}

/// One line on standard error.
pub(crate) fn note(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// An error on standard error.
pub(crate) fn error(message: &str) {
    labelled("error", AnsiColor::Red, message);
}

/// A warning on standard error.
pub(crate) fn warning(message: &str) {
    labelled("warning", AnsiColor::Yellow, message);
}

fn labelled(label: &str, color: AnsiColor, message: &str) {
    let style = Style::new().bold().fg_color(Some(color.into()));
    let safe = message.lines().map(crate::visible::line).collect::<Vec<_>>().join("\n");
    note(&format!("{style}{label}:{style:#} {safe}"));
}

/// What a model is told behind an output, on standard error.
pub(crate) fn told(text: &str) {
    text.lines().for_each(|line| note(&crate::visible::line(line)));
}

/// What a completed call has beside its text, one line each on standard error.
pub(crate) fn attachments(outcome: &Outcome) {
    let Ok(bounded) = outcome.status() else { return };
    for attachment in bounded.attachments() {
        let what = match attachment.url.split_once(";base64,") {
            Some((_, data)) => format!("{} bytes", data.trim_end_matches('=').len() * 3 / 4),
            None => attachment.url.clone(),
        };
        let name = attachment.filename.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        note(&crate::visible::line(&format!("attachment:{name} {} ({what})", attachment.mime)));
    }
}
