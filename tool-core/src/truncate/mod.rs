//! Output cut to what a model's context can take, the whole kept on disk.
//!
//! In: what a tool returned, and the limits for it. Out: [`Bounded`]. The numbers are opencode's and pi's: 2,000 lines
//! or 50 KiB, whichever is hit first. A final line break starts no further line (as in pi; opencode counts one more).

mod cut;
mod spill;

use std::{borrow::Cow, path::Path};

pub use self::{
    cut::{Cut, cut},
    spill::{RETENTION, Spill, SpillStore, Spilled},
};
use crate::output::{Attachment, Metadata, ToolOutput};

/// Which part of a longer output is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keep {
    /// The beginning.
    #[default]
    Head,
    /// The end: for commands, whose errors come last.
    Tail,
    /// The beginning and the end, half each (codex-rs).
    Middle,
    /// All of it.
    All,
}

/// How much of an output the model gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// At most this many lines.
    pub lines: usize,
    /// At most this many bytes of UTF-8.
    pub bytes: usize,
    /// Which part is kept.
    pub keep: Keep,
}

impl Default for Limits {
    fn default() -> Self {
        Self { lines: 2_000, bytes: 50 * 1024, keep: Keep::Head }
    }
}

/// An output that is known to fit its limits: [`fit`] makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounded {
    output: ToolOutput,
    truncated: bool,
    output_path: Option<Box<Path>>,
}

impl Bounded {
    /// An output that is not the executor's to cut: a host's own answer, or one that was cut before it was stored.
    pub(crate) fn as_it_is(output: ToolOutput) -> Self {
        let truncated = output.metadata.get("truncated").and_then(serde_json::Value::as_bool).unwrap_or_default();
        let path = output.metadata.get("outputPath").and_then(serde_json::Value::as_str);
        let output_path = path.map(|path| Path::new(path).into());
        Self { output, truncated, output_path }
    }

    /// One line for a user interface.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.output.title
    }

    /// What the model sees.
    #[must_use]
    pub fn output(&self) -> &str {
        &self.output.output
    }

    /// What the model is told behind it.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.output.note.as_deref()
    }

    /// All that the model is told: the output, and behind it the note.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self.note() {
            None => self.output().into(),
            Some(note) => {
                let output = self.output();
                let end = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
                format!("{output}{end}{note}").into()
            }
        }
    }

    /// Whether something was cut.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// The file that holds the whole.
    #[must_use]
    pub fn output_path(&self) -> Option<&Path> {
        self.output_path.as_deref()
    }

    /// Media beside the text.
    #[must_use]
    pub fn attachments(&self) -> &[Attachment] {
        &self.output.attachments
    }

    /// The result as JSON, for tools with an output schema.
    #[must_use]
    pub fn structured(&self) -> Option<&serde_json::Value> {
        self.output.structured.as_deref()
    }

    /// The tool's metadata, with `truncated` and, where there is a file, `outputPath` (opencode's keys).
    #[must_use]
    pub fn metadata(&self) -> Metadata {
        let mut metadata = self.output.metadata.clone();
        metadata.entry("truncated").or_insert(self.truncated.into());
        if let Some(path) = &self.output_path {
            metadata.insert("outputPath".into(), path.to_string_lossy().into());
        }
        metadata
    }

    /// All that a tool gave, its text cut.
    pub(crate) fn whole(&self) -> &ToolOutput {
        &self.output
    }

    /// The output alone, without a copy.
    #[must_use]
    pub fn into_output(self) -> String {
        self.output.output
    }

    /// All that the model is told, without a copy where that is the output alone.
    #[must_use]
    pub fn into_text(self) -> String {
        if self.output.note.is_some() { self.text().into_owned() } else { self.output.output }
    }
}

/// Cuts an output to its limits, unless the tool says that it has done so itself (`metadata.truncated`).
#[must_use]
pub fn fit(mut output: ToolOutput, limits: Limits, spills: Option<&SpillStore>) -> Bounded {
    if let Some(own) = output.metadata.get("truncated") {
        let truncated = own.as_bool().unwrap_or_default();
        return Bounded { output, truncated, output_path: None };
    }
    let Some(kept) = cut(&output.output, limits) else {
        return Bounded { output, truncated: false, output_path: None };
    };
    let spilled = spills.map(|store| store.write(&output.output));
    let removed = kept.removed(&output.output, spilled.as_ref().and_then(|spilled| spilled.as_ref().ok()));
    let (hint, output_path) = match spilled {
        Some(Ok(spilled)) => (
            format!(
                "Output truncated. Full output saved to: {}\nSearch that file, or read the part you need, instead of reading it whole.",
                spilled.path.display()
            ),
            Some(spilled.path.into_boxed_path()),
        ),
        Some(Err(error)) => (
            format!(
                "Output truncated. The rest is lost, for it could not be saved ({error}). Ask for less in one call."
            ),
            None,
        ),
        None => ("Output truncated. The rest was not kept. Ask for less in one call.".to_owned(), None),
    };
    output.output = kept.assemble(&removed, &hint);
    Bounded { output, truncated: true, output_path }
}
