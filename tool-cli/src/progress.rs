//! How far a call is, on standard error: a spinner on a terminal, lines with `--verbose`, else nothing.

use std::{
    io::IsTerminal,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use tool_core::event::{CallEvent, Change};

use crate::{print, visible};

const TICK: Duration = Duration::from_millis(100);

/// Watches calls and shows the one that runs.
pub(crate) struct Display {
    mode: Mode,
    shown: Mutex<Shown>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Silent,
    Spinner,
    Lines,
}

#[derive(Default)]
struct Shown {
    spinner: Option<ProgressBar>,
    message: String,
}

impl Display {
    pub(crate) fn new(verbose: bool) -> Self {
        let mode = match verbose {
            true => Mode::Lines,
            false if std::io::stderr().is_terminal() => Mode::Spinner,
            false => Mode::Silent,
        };
        Self { mode, shown: Mutex::default() }
    }

    /// Takes one step of a call in.
    pub(crate) fn observe(&self, event: &CallEvent) {
        match self.mode {
            Mode::Silent => {}
            Mode::Lines => describe(event),
            Mode::Spinner => self.spin(event),
        }
    }

    /// Takes the spinner away while a question is shown. Says whether there was one.
    pub(crate) fn pause(&self) -> bool {
        let spinner = self.shown().spinner.take();
        spinner.inspect(ProgressBar::finish_and_clear).is_some()
    }

    /// Shows it again.
    pub(crate) fn resume(&self) {
        let mut shown = self.shown();
        let spinner = shown.spinner.take().unwrap_or_else(start);
        spinner.set_message(shown.message.clone());
        shown.spinner = Some(spinner);
    }

    fn spin(&self, event: &CallEvent) {
        match &event.change {
            Change::Running => {
                self.shown().message = event.tool.clone();
                self.resume();
            }
            Change::Progress(progress) => {
                let latest = progress.text.lines().rev().find(|line| !line.trim().is_empty());
                if let Some(message) = latest.or(progress.title.as_deref()) {
                    let mut shown = self.shown();
                    shown.message = format!("{}: {}", event.tool, visible::line(message.trim()));
                    if let Some(spinner) = &shown.spinner {
                        spinner.set_message(shown.message.clone());
                    }
                }
            }
            Change::Completed(_) | Change::Error(_) => {
                self.pause();
            }
            _ => {}
        }
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        spinner.set_style(style);
    }
    spinner.enable_steady_tick(TICK);
    spinner
}

fn describe(event: &CallEvent) {
    let tell = |what: &str| print::note(&format!("[{} {}] {}", event.call_id, event.tool, visible::line(what)));
    match &event.change {
        Change::Pending { .. } => tell("pending"),
        Change::Running => tell("running"),
        Change::Progress(progress) => {
            for line in progress.title.as_deref().into_iter().chain(progress.text.lines()) {
                tell(line);
            }
        }
        Change::Completed(outcome) => match outcome.title() {
            "" => tell("completed"),
            title => tell(&format!("completed: {title}")),
        },
        Change::Error(outcome) => {
            if let Some(error) = outcome.error() {
                tell(&format!("error: {:?}", error.kind()));
            }
        }
        _ => {}
    }
}
