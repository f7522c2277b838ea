//! What a program prints, read line by line: messages, or plain text. In bounded memory, however much it is.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;
use tool_core::{
    Attachment, CancellationToken, ToolContext, ToolError, ToolOutput, event::Progress, output::Metadata,
    truncate::Keep,
};

use super::{kept::Kept, null::or_default};
use crate::workspace::{Background, Exit, Sink};

/// The longest line that can be a message; a longer one is text.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;
/// As much of plain text is kept, of its beginning and of its end. The executor cuts it again, and spills it.
const MAX_TEXT: usize = 4 * 1024 * 1024;
/// As much of stderr is in an error or a result's metadata, and of the end of plain text in an error.
const MAX_ERROR: usize = 4 * 1024;
/// Watchers are told of text no more often than this, and of at most so many bytes of it.
const REPORT_EVERY: Duration = Duration::from_millis(100);
const REPORT_BYTES: usize = 30_000;
/// So many things that were wrong with its messages are noted.
const MAX_PROBLEMS: usize = 10;

/// A line that means something.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Message {
    Progress {
        title: Option<String>,
        #[serde(default, deserialize_with = "or_default")]
        metadata: Metadata,
        #[serde(default, deserialize_with = "or_default")]
        text: String,
    },
    Result(Box<Answer>),
    Error {
        message: String,
    },
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default, deserialize_with = "or_default")]
    title: String,
    /// A text; anything else is shown as JSON, and is the structured result where one is promised and not given.
    #[serde(default)]
    output: Value,
    #[serde(default, deserialize_with = "or_default")]
    metadata: Metadata,
    #[serde(default, deserialize_with = "or_default")]
    attachments: Vec<Media>,
    /// What the manifest's `outputSchema` promises.
    structured: Option<Value>,
}

#[derive(Deserialize)]
struct Media {
    mime: String,
    url: String,
    filename: Option<String>,
}

/// Takes in what one call's program prints.
pub(super) struct Answering<'c> {
    ctx: &'c ToolContext,
    /// Whether the manifest promises a structured result.
    promises: bool,
    /// The line that is not yet at its end; once it is too long, it goes to the text as it comes.
    line: Vec<u8>,
    is_overlong: bool,
    text: Kept,
    last_text: Kept,
    errors: Kept,
    answer: Option<Result<Box<Answer>, String>>,
    /// Cancelled when the answer is there.
    answered: CancellationToken,
    problems: Vec<String>,
    unreported: Vec<u8>,
    reported: Option<Instant>,
}

impl<'c> Answering<'c> {
    /// `promises`: whether the manifest has an output schema.
    pub(super) fn new(ctx: &'c ToolContext, promises: bool) -> Self {
        Self {
            ctx,
            promises,
            line: Vec::new(),
            is_overlong: false,
            text: Kept::new(MAX_TEXT, MAX_TEXT),
            last_text: Kept::new(0, MAX_ERROR),
            errors: Kept::new(0, MAX_ERROR),
            answer: None,
            answered: CancellationToken::new(),
            problems: Vec::new(),
            unreported: Vec::new(),
            reported: None,
        }
    }

    /// Cancelled when there is a result or an error.
    pub(super) fn answered(&self) -> CancellationToken {
        self.answered.clone()
    }

    /// What became of the call, once the program has ended; `None`: it was stopped, for its answer was there.
    pub(super) fn finish(mut self, exit: Option<Exit>) -> Result<ToolOutput, ToolError> {
        // The last line need not end in a break.
        let rest = std::mem::take(&mut self.line);
        match self.message(&rest) {
            Some(message) => self.tell(message),
            None => self.plain(&rest),
        }
        self.report();
        if let Some(Err(message)) = self.answer {
            return Err(ToolError::failed(message));
        }
        match exit {
            Some(exit) if exit.code != Some(0) => return Err(self.failure(exit)),
            Some(_) => {}
            None => self.problem("it went on after its result, and was stopped".to_owned()),
        }
        let errors = self.errors.into_text();
        let mut output = match self.answer {
            Some(Ok(answer)) => answer.into_output(self.promises),
            _ => plain(self.text, self.promises, self.ctx.limits().keep),
        };
        if !errors.trim().is_empty() {
            output.metadata.entry("stderr").or_insert_with(|| errors.trim_end().into());
        }
        if !self.problems.is_empty() {
            output = output.with("problems", self.problems);
        }
        Ok(output)
    }

    fn failure(self, exit: Exit) -> ToolError {
        let how = match (exit.code, exit.signal) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "no exit status".to_owned(),
        };
        let said = if self.errors.is_empty() { self.last_text } else { self.errors }.into_text();
        let said = said.trim();
        let said = if said.is_empty() { "It said nothing.".to_owned() } else { format!("It said:\n{said}") };
        ToolError::failed(format!("The `{}` tool failed with {how}. {said}", self.ctx.tool()))
    }

    /// Takes a line that has come to its end.
    fn ended(&mut self, line: &[u8]) {
        match self.message(line) {
            Some(message) => self.tell(message),
            None => self.plain_line(line),
        }
    }

    /// The message that a line is. One that says it is and cannot be read is text, and noted.
    fn message(&mut self, line: &[u8]) -> Option<Message> {
        if line.trim_ascii_start().first() != Some(&b'{') {
            return None;
        }
        let value: Value = serde_json::from_slice(line).ok()?;
        let kind = value.get("type").and_then(Value::as_str)?;
        if !matches!(kind, "progress" | "result" | "error") {
            return None;
        }
        let problem = format!("a line of the type `{kind}` cannot be read");
        match serde_json::from_value(value) {
            Ok(message) => Some(message),
            Err(error) => {
                self.problem(format!("{problem}: {error}"));
                None
            }
        }
    }

    fn tell(&mut self, message: Message) {
        match message {
            Message::Progress { title, metadata, text } => {
                let mut progress = Progress::text(text);
                progress.title = title;
                progress.metadata = metadata;
                self.ctx.progress(progress);
            }
            Message::Result(_) | Message::Error { .. } if self.answer.is_some() => {
                self.problem("more than one result or error was sent; the first one counts".to_owned());
            }
            Message::Result(answer) => self.answer = Some(Ok(answer)),
            Message::Error { message } => self.answer = Some(Err(message)),
        }
        if self.answer.is_some() {
            self.answered.cancel();
        }
    }

    fn plain(&mut self, bytes: &[u8]) {
        self.text.push(bytes);
        self.last_text.push(bytes);
        self.unreported.extend_from_slice(&bytes[bytes.len().saturating_sub(REPORT_BYTES)..]);
        if self.unreported.len() > 2 * REPORT_BYTES {
            self.unreported.drain(..self.unreported.len() - REPORT_BYTES);
        }
    }

    fn plain_line(&mut self, line: &[u8]) {
        self.plain(line);
        self.plain(b"\n");
    }

    fn problem(&mut self, problem: String) {
        if self.problems.len() < MAX_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Takes a part of a line, up to its break or to where no more has come.
    fn part(&mut self, part: &[u8]) {
        if !self.is_overlong {
            self.line.extend_from_slice(part);
            if self.line.len() <= MAX_MESSAGE {
                return;
            }
            self.is_overlong = true;
            self.problem(format!("a line is longer than {} MiB; it was taken for text", MAX_MESSAGE >> 20));
            let begun = std::mem::take(&mut self.line);
            self.plain(&begun);
        } else {
            self.plain(part);
        }
    }
}

impl Sink for Answering<'_> {
    async fn take(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        // Where nothing can begin a message, all whole lines are text at once: a flood is taken at the speed of memory.
        if self.line.is_empty() && !self.is_overlong && memchr::memchr(b'{', rest).is_none() {
            let (text, begun) = rest.split_at(memchr::memrchr(b'\n', rest).map_or(0, |end| end + 1));
            self.plain(text);
            rest = begun;
        }
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            rest = &after[1..];
            if self.line.is_empty() && !self.is_overlong {
                if line.trim_ascii_start().first() == Some(&b'{') {
                    self.ended(line);
                } else {
                    // What cannot be a message needs no look of its own.
                    self.plain_line(line);
                }
                continue;
            }
            self.part(line);
            if std::mem::take(&mut self.is_overlong) {
                self.plain(b"\n");
            } else {
                let line = std::mem::take(&mut self.line);
                self.ended(&line);
            }
        }
        self.part(rest);
        if self.due().is_some_and(|due| due <= Instant::now()) {
            self.report();
        }
    }

    fn background(&self) -> Background {
        Background::StopGroup
    }

    fn take_errors(&mut self, bytes: &[u8]) {
        self.errors.push(bytes);
    }

    fn due(&self) -> Option<Instant> {
        let due = self.reported.map_or_else(Instant::now, |last| last + REPORT_EVERY);
        (!self.unreported.is_empty()).then_some(due)
    }

    fn report(&mut self) {
        if !self.unreported.is_empty() {
            let start = self.unreported.len().saturating_sub(REPORT_BYTES);
            let text = String::from_utf8_lossy(&self.unreported[start..]).into_owned();
            self.unreported.clear();
            self.ctx.progress(Progress::text(text));
            self.reported = Some(Instant::now());
        }
    }
}

/// Plain text as the output. Where much is missing, it says so where the executor does not cut it off.
fn plain(kept: Kept, promises: bool, keep: Keep) -> ToolOutput {
    let dropped = kept.dropped();
    if kept.is_empty() {
        return ToolOutput::text("(no output)");
    }
    let text = kept.into_text();
    if dropped == 0 {
        let structured = promises.then(|| serde_json::from_str(&text).ok().map(Box::new)).flatten();
        let mut output = ToolOutput::text(text);
        output.structured = structured;
        return output;
    }
    let note = format!("[{dropped} bytes of this output were not kept, in the middle: print less in one call]");
    let text = if keep == Keep::Tail { format!("{text}\n{note}\n") } else { format!("{note}\n{text}") };
    ToolOutput::text(text).with("dropped", dropped)
}

impl Answer {
    fn into_output(self, promises: bool) -> ToolOutput {
        let structured = match self.structured {
            None if promises && !matches!(self.output, Value::Null | Value::String(_)) => Some(self.output.clone()),
            structured => structured,
        };
        let text = match (self.output, &structured) {
            (Value::String(text), _) => text,
            (Value::Null, None) => String::new(),
            // A model reads the text.
            (Value::Null, Some(structured)) => structured.to_string(),
            (other, _) => other.to_string(),
        };
        let mut output = ToolOutput::text(text).title(self.title);
        output.metadata = self.metadata;
        // These say that an output was cut already; a program's word is not taken for it (as in opencode).
        for key in ["truncated", "outputPath"] {
            output.metadata.remove(key);
        }
        output.structured = structured.map(Box::new);
        self.attachments.into_iter().fold(output, |output, Media { mime, url, filename }| {
            let attachment = Attachment::url(mime, url);
            output.attach(match filename {
                Some(filename) => attachment.named(filename),
                None => attachment,
            })
        })
    }
}
