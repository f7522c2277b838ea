//! What a program prints, read line by line: messages, or plain text. In bounded memory, however much it is.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;
use tool_core::{Attachment, ToolContext, ToolError, ToolOutput, event::Progress, output::Metadata};

use super::kept::Kept;
use crate::workspace::{Exit, Sink};

/// The longest line that can be a message; a longer one is text.
const MAX_MESSAGE: usize = 8 * 1024 * 1024;
/// As much of plain text is kept, of its beginning and of its end. The executor cuts it again, and spills it.
const MAX_TEXT: usize = 4 * 1024 * 1024;
/// As much of stderr, and of the end of plain text, is in an error.
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
        #[serde(default)]
        metadata: Metadata,
        #[serde(default)]
        text: String,
    },
    Result(Box<Answer>),
    Error {
        message: String,
    },
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    title: String,
    /// A text; anything else is shown as JSON.
    #[serde(default)]
    output: Value,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    attachments: Vec<Media>,
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
    /// The line that is not yet at its end; once it is too long, it goes to the text as it comes.
    line: Vec<u8>,
    is_overlong: bool,
    text: Kept,
    last_text: Kept,
    errors: Kept,
    answer: Option<Result<Box<Answer>, String>>,
    problems: Vec<String>,
    unreported: Vec<u8>,
    reported: Option<Instant>,
}

impl<'c> Answering<'c> {
    pub(super) fn new(ctx: &'c ToolContext) -> Self {
        Self {
            ctx,
            line: Vec::new(),
            is_overlong: false,
            text: Kept::new(MAX_TEXT, MAX_TEXT),
            last_text: Kept::new(0, MAX_ERROR),
            errors: Kept::new(0, MAX_ERROR),
            answer: None,
            problems: Vec::new(),
            unreported: Vec::new(),
            reported: None,
        }
    }

    /// What became of the call, once the program has ended.
    pub(super) fn finish(mut self, exit: Exit) -> Result<ToolOutput, ToolError> {
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
        if exit.code != Some(0) {
            return Err(self.failure(exit));
        }
        let mut output = match self.answer {
            Some(Ok(answer)) => answer.into_output(),
            _ if self.text.is_empty() => ToolOutput::text("(no output)"),
            _ => ToolOutput::text(self.text.into_text()),
        };
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

impl Answer {
    fn into_output(self) -> ToolOutput {
        let text = match self.output {
            Value::Null => String::new(),
            Value::String(text) => text,
            other => other.to_string(),
        };
        let mut output = ToolOutput::text(text).title(self.title);
        output.metadata = self.metadata;
        // These say that an output was cut already; a program's word is not taken for it (as in opencode).
        for key in ["truncated", "outputPath"] {
            output.metadata.remove(key);
        }
        output.structured = self.structured.map(Box::new);
        self.attachments.into_iter().fold(output, |output, Media { mime, url, filename }| {
            let attachment = Attachment::url(mime, url);
            output.attach(match filename {
                Some(filename) => attachment.named(filename),
                None => attachment,
            })
        })
    }
}
