//! `core-tools doctor`: what this machine can confine commands by.

use std::{ffi::OsString, fmt::Write as _, io::Write as _, process::ExitCode};

use core_tools::sandbox::{Examined, connect, examine};

/// How it is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Connect to tcp:PORT, udp:PORT or unix:PATH: what a confined command tries.
    #[arg(long, hide = true, value_name = "TARGET")]
    connect: Option<String>,
}

/// Status 0 where something works, 1 where nothing does.
pub(crate) async fn run(doctor: Doctor) -> ExitCode {
    if let Some(target) = doctor.connect {
        return connect(&target).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let own = std::env::current_exe().map(|own| [own.into(), "doctor".into(), "--connect".into()]);
    let own: Vec<OsString> = own.map(Into::into).unwrap_or_default();
    let examined = match examine(&own).await {
        Ok(examined) => examined,
        Err(error) => {
            eprintln!("nothing can be tried: {error}; a directory for temporary files has to be writable");
            return ExitCode::FAILURE;
        }
    };
    let text = if doctor.json { json(&examined) } else { table(&examined) };
    // A reader that has seen enough may go.
    let _ = std::io::stdout().write_all(text.as_bytes());
    if examined.iter().any(|backend| backend.works) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What `auto` takes.
fn best(examined: &[Examined]) -> Option<&str> {
    examined.iter().find(|backend| backend.works).map(|backend| &*backend.backend)
}

fn json(examined: &[Examined]) -> String {
    format!("{}\n", serde_json::json!({ "sandbox": { "auto": best(examined), "backends": examined } }))
}

fn table(examined: &[Examined]) -> String {
    let mut text = String::from("A sandbox for commands, tried with a project of its own and no network:\n\n");
    let started: Vec<_> = examined.iter().filter(|backend| backend.fault.is_none()).collect();
    if let Some(first) = started.first() {
        let width = first.attempts.iter().map(|attempt| attempt.what.len()).max().unwrap_or_default();
        let _ = write!(text, "{:width$}", "a command tries to");
        for backend in &started {
            let _ = write!(text, "  {:12}", backend.backend);
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        for (row, attempt) in first.attempts.iter().enumerate() {
            let _ = write!(text, "{:width$}", attempt.what);
            for backend in &started {
                let attempt = &backend.attempts[row];
                let word = match (attempt.allowed, attempt.done) {
                    (true, true) => "works",
                    (true, false) => "CANNOT",
                    (false, false) => "stopped",
                    (false, true) => "NOT STOPPED",
                };
                let _ = write!(text, "  {word:12}");
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text.push('\n');
    }
    for backend in examined.iter().filter(|backend| !backend.works) {
        let why = backend.fault.as_deref().unwrap_or("it does not stop all that it has to");
        let _ = writeln!(text, "{} cannot be used: {why}", backend.backend);
    }
    let _ = match best(examined) {
        Some(best) => writeln!(text, "`--sandbox workspace-write` takes {best} here."),
        None => writeln!(text, "Commands cannot be confined here; `--sandbox` asks before it runs one."),
    };
    text
}
