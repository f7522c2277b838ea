//! What a command prints: shown while it runs, kept whole on disk once it is long, its end kept for the model.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

use tokio::{task::spawn_blocking, time::Instant};
use tool_core::truncate::{Keep, Limits, Spill, SpillStore};

use super::tail::Tail;
use crate::{
    process::Decoder,
    workspace::{Background, Sink},
};

/// Watchers are told no more often than this.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// Of what was printed in between, watchers get at most so many bytes of the end.
const REPORT_BYTES: usize = 30_000;
/// No more than this is kept on disk of one output: a command that prints for ever must not fill it.
pub(super) const MAX_SPILL: u64 = 1 << 30;
/// As much is written to disk at once.
const BATCH: usize = 256 * 1024;

/// Takes what a command prints, in bounded memory.
pub(super) struct Capture<'a> {
    decoder: Decoder,
    tail: Tail,
    store: Option<&'a SpillStore>,
    spill: Spilling,
    /// What is to be written to the spill next.
    batch: Vec<u8>,
    /// How much went to the spill, and whether more came than it takes.
    spilled: u64,
    overflowed: bool,
    background: Background,
    report: &'a (dyn Fn(String) + Send + Sync),
    unreported: String,
    reported: Option<Instant>,
}

/// The end of an output, and where the whole is.
#[derive(Debug)]
pub(super) struct Captured {
    /// As much of the end as may be shown.
    pub(super) text: String,
    /// Where the rest is.
    pub(super) kept: Kept,
}

impl Captured {
    /// The same where what is kept is out of the model's reach: its tools work on another machine.
    pub(super) fn elsewhere(mut self) -> Self {
        self.kept = match self.kept {
            Kept::Saved(path) | Kept::Partly(path) => Kept::OnHost(path),
            kept => kept,
        };
        self
    }
}

/// Where a whole output is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is all shown.
    Whole,
    /// In this file.
    Saved(PathBuf),
    /// The beginning is in this file, up to [`MAX_SPILL`].
    Partly(PathBuf),
    /// On the host's machine, which is not the one that tools work on.
    OnHost(PathBuf),
    /// Lost; why.
    Nowhere(String),
}

/// How far the spill is.
enum Spilling {
    /// The output is short so far.
    NotYet,
    To(Unfinished),
    Failed(String),
}

/// A spill that is removed unless it is finished.
struct Unfinished(Option<Spill>);

impl<'a> Capture<'a> {
    /// Keeps within these limits; spills to this store; reports new text.
    pub(super) fn new(
        limits: Limits,
        store: Option<&'a SpillStore>,
        background: Background,
        report: &'a (dyn Fn(String) + Send + Sync),
    ) -> Self {
        let (lines, bytes) =
            if limits.keep == Keep::All { (usize::MAX, usize::MAX) } else { (limits.lines, limits.bytes) };
        Self {
            decoder: Decoder::default(),
            tail: Tail::new(lines, bytes),
            store,
            spill: Spilling::NotYet,
            batch: Vec::new(),
            spilled: 0,
            overflowed: false,
            background,
            report,
            unreported: String::new(),
            reported: None,
        }
    }

    /// The end of it.
    pub(super) async fn finish(mut self) -> Captured {
        let rest = self.decoder.finish();
        self.text(&rest).await;
        self.report();
        self.write().await;
        let kept = match self.spill {
            Spilling::NotYet => Kept::Whole,
            Spilling::To(spill) => match spill.finish() {
                Some(path) if self.overflowed => Kept::Partly(path),
                Some(path) => Kept::Saved(path),
                None => Kept::Nowhere("it could not be saved".to_owned()),
            },
            Spilling::Failed(why) => Kept::Nowhere(why),
        };
        Captured { text: self.tail.finish(), kept }
    }

    async fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.unreported.push_str(text);
        if self.unreported.len() > REPORT_BYTES {
            let start = self.unreported.ceil_char_boundary(self.unreported.len() - REPORT_BYTES);
            self.unreported.drain(..start);
        }
        self.tail.push(text);
        if self.tail.is_cut() {
            match self.spill {
                Spilling::NotYet => self.begin().await,
                Spilling::To(_) if self.spilled < MAX_SPILL => self.keep(text),
                Spilling::To(_) => self.overflowed = true,
                Spilling::Failed(_) => {}
            }
            if self.batch.len() >= BATCH {
                self.write().await;
            }
        }
        self.tail.trim();
    }

    fn keep(&mut self, text: &str) {
        self.spilled += text.len() as u64;
        self.batch.extend_from_slice(text.as_bytes());
    }

    /// Begins the spill with all there is so far.
    async fn begin(&mut self) {
        let Some(store) = self.store.cloned() else {
            self.spill = Spilling::Failed("this host keeps no long outputs".to_owned());
            return;
        };
        let so_far = self.tail.text().to_owned();
        self.keep(&so_far);
        let made = spawn_blocking(move || store.create().map(|spill| Unfinished(Some(spill)))).await;
        self.spill = match made.map_err(io::Error::other) {
            Ok(Ok(spill)) => Spilling::To(spill),
            Ok(Err(error)) | Err(error) => Spilling::Failed(format!("it could not be saved ({error})")),
        };
    }

    /// Writes what is waiting. A spill that cannot be written is given up: a part of it would pass for the whole.
    async fn write(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let Spilling::To(spill) = &mut self.spill else { return };
        let mut spill = Unfinished(spill.0.take());
        let work = spawn_blocking(move || match &mut spill.0 {
            Some(file) => file.write_all(&batch).map(|()| spill),
            None => Err(io::Error::other("it is closed")),
        });
        self.spill = match work.await.map_err(io::Error::other) {
            Ok(Ok(spill)) => Spilling::To(spill),
            Ok(Err(error)) | Err(error) => Spilling::Failed(format!("it could not be saved ({error})")),
        };
    }
}

impl Sink for Capture<'_> {
    async fn take(&mut self, bytes: &[u8]) {
        let text = self.decoder.push(bytes);
        self.text(&text).await;
        if self.due().is_some_and(|due| due <= Instant::now()) {
            self.report();
        }
    }

    fn background(&self) -> Background {
        self.background
    }

    fn due(&self) -> Option<Instant> {
        let due = self.reported.map_or_else(Instant::now, |last| last + REPORT_EVERY);
        (!self.unreported.is_empty()).then_some(due)
    }

    fn report(&mut self) {
        if !self.unreported.is_empty() {
            (self.report)(std::mem::take(&mut self.unreported));
            self.reported = Some(Instant::now());
        }
    }
}

impl Unfinished {
    fn finish(mut self) -> Option<PathBuf> {
        self.0.take().map(|spill| spill.path().to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(spill) = self.0.take() {
            spill.discard();
        }
    }
}
