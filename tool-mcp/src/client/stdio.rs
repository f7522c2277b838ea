//! The stdio transport: a message a line, in bounded memory.
//!
//! Unlike `rmcp`'s own, it leaves no call waiting whose answer cannot be read: such an answer becomes an error of its
//! call.

use std::{io, sync::Arc};

use rmcp::{
    RoleClient,
    model::{ErrorData, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{ChildStdin, ChildStdout},
    sync::Mutex,
};

use super::{
    process::{Program, Streams},
    tail::Tail,
};

/// The longest message, in bytes: as long as one over HTTP may be.
pub(super) const MAX_MESSAGE: usize = 16 * 1024 * 1024;
/// As much of a message that is too long is kept of its beginning and of its end, to find whose answer it is.
const KEPT: usize = 1024;
/// As much is kept of a line that is no message, for whoever asks why the server does not work.
const SHOWN: usize = 200;

/// A server that is a program.
pub(super) struct StdioTransport {
    reader: BufReader<ChildStdout>,
    line: Line,
    writer: Arc<Mutex<Option<ChildStdin>>>,
    program: Option<Program>,
    tail: Tail,
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// What a line that is too long ended with so far, and whether its call was told.
    overlong: Option<Overlong>,
}

#[derive(Default)]
struct Overlong {
    end: Vec<u8>,
    is_told: bool,
}

impl StdioTransport {
    pub(super) fn new(program: Program, streams: Streams, tail: Tail) -> Self {
        let Streams { stdin, stdout, stderr } = streams;
        tokio::spawn(tail.clone().follow(stderr));
        Self {
            reader: BufReader::with_capacity(64 * 1024, stdout),
            line: Line::default(),
            writer: Arc::new(Mutex::new(Some(stdin))),
            program: Some(program),
            tail,
        }
    }

    /// The next message. It may be given up and asked for again: what has come of a line is kept.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let available = self.reader.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let end = available.iter().position(|byte| *byte == b'\n');
            let error = self.line.take(&available[..end.unwrap_or(available.len())]);
            let consumed = end.map_or(available.len(), |end| end + 1);
            self.reader.consume(consumed);
            if error.is_some() {
                return error;
            }
            if end.is_some()
                && let Some(message) = self.line.finish(&self.tail)
            {
                return Some(message);
            }
        }
    }
}

impl Line {
    /// Takes a part. Of a line that just became too long: the error of the call that it answers.
    fn take(&mut self, part: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
        if let Some(overlong) = &mut self.overlong {
            overlong.end.extend_from_slice(&part[part.len().saturating_sub(KEPT)..]);
            let over = overlong.end.len().saturating_sub(KEPT);
            overlong.end.drain(..over);
            return None;
        }
        self.bytes.extend_from_slice(part);
        if self.bytes.len() <= MAX_MESSAGE {
            return None;
        }
        self.bytes.truncate(KEPT);
        self.bytes.shrink_to_fit();
        let id = leading_id(&self.bytes);
        self.overlong = Some(Overlong { is_told: id.is_some(), ..Overlong::default() });
        id.map(too_long)
    }

    /// What a line says that has come to its end.
    fn finish(&mut self, tail: &Tail) -> Option<RxJsonRpcMessage<RoleClient>> {
        if let Some(overlong) = self.overlong.take() {
            self.bytes.clear();
            return if overlong.is_told { None } else { trailing_id(&overlong.end).map(too_long) };
        }
        let message = read(&self.bytes, tail);
        self.bytes.clear();
        // One large message is no reason to keep as much room for ever.
        self.bytes.shrink_to(64 * 1024);
        message
    }
}

fn read(line: &[u8], tail: &Tail) -> Option<RxJsonRpcMessage<RoleClient>> {
    let line = line.trim_ascii();
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    if line.is_empty() {
        return None;
    }
    let fault = match serde_json::from_slice(line) {
        Ok(message) => return Some(message),
        Err(fault) => fault,
    };
    let id = match serde_json::from_slice::<Value>(line) {
        Ok(Value::Object(members)) => {
            let is_answer = members.contains_key("result") || members.contains_key("error");
            members.get("id").filter(|_| is_answer).and_then(id_of)
        }
        Ok(_) => None,
        // Too deep, no UTF-8, cut short: what can be seen of it may still say whose answer it was to be.
        Err(_) => leading_id(&line[..line.len().min(KEPT)])
            .or_else(|| trailing_id(&line[line.len().saturating_sub(KEPT)..]))
            .filter(|_| line[..line.len().min(KEPT)].windows(9).any(|part| part == b"\"jsonrpc\"")),
    };
    tail.push(format!("[on stdout, and no message of the protocol] {}\n", shown(line)).as_bytes());
    // An answer in a form that there is not still ends its call.
    let words = format!("the server's answer is not one of the protocol: {fault}");
    id.map(|id| JsonRpcMessage::error(ErrorData::parse_error(words, None), Some(id)))
}

fn too_long(id: RequestId) -> RxJsonRpcMessage<RoleClient> {
    let words = format!("the server's answer is longer than {} MiB, and was not read", MAX_MESSAGE >> 20);
    JsonRpcMessage::error(ErrorData::parse_error(words, None), Some(id))
}

fn shown(line: &[u8]) -> String {
    let cut = &line[..line.len().min(SHOWN)];
    let dots = if cut.len() < line.len() { "…" } else { "" };
    format!("{}{dots}", String::from_utf8_lossy(cut))
}

fn id_of(value: &Value) -> Option<RequestId> {
    serde_json::from_value(value.clone()).ok()
}

/// The id of a message whose beginning this is, where it stands before the result.
fn leading_id(start: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(start);
    let before = text.find("\"result\"").or_else(|| text.find("\"error\"")).map_or(&*text, |at| &text[..at]);
    id_after(before.rfind("\"id\"").map(|at| &before[at + 4..])?)
}

/// The id of a message whose end this is.
fn trailing_id(end: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(end);
    id_after(text.rfind("\"id\"").map(|at| &text[at + 4..])?)
}

fn id_after(rest: &str) -> Option<RequestId> {
    let rest = rest.trim_start().strip_prefix(':')?;
    let value = serde_json::Deserializer::from_str(rest).into_iter::<Value>().next()?.ok()?;
    id_of(&value)
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = self.writer.clone();
        let line = serde_json::to_vec(&item).map(|mut line| {
            line.push(b'\n');
            line
        });
        async move {
            let line = line?;
            let mut writer = writer.lock().await;
            let stdin = writer.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
            stdin.write_all(&line).await?;
            stdin.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.next().await
    }

    async fn close(&mut self) -> io::Result<()> {
        // A server that reads nothing may hold a writer for ever: it is not waited for.
        if let Ok(mut writer) = self.writer.try_lock() {
            drop(writer.take());
        }
        if let Some(program) = self.program.take() {
            program.end().await;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(message: Option<RxJsonRpcMessage<RoleClient>>) -> Option<(RequestId, String)> {
        match message? {
            JsonRpcMessage::Error(error) => Some((error.id?, error.error.message.into_owned())),
            other => panic!("expected an error, got {other:?}"),
        }
    }

    #[test]
    fn an_answer_that_cannot_be_read_ends_its_call() {
        let tail = Tail::default();
        let (id, words) = told(read(br#"{"jsonrpc":"1.0","id":7,"result":{}}"#, &tail)).expect("an error");
        assert_eq!(id, RequestId::Number(7));
        assert!(words.contains("not one of the protocol"), "{words}");
        let deep = format!(r#"{{"jsonrpc":"2.0","id":8,"result":{}{}}}"#, "[".repeat(500), "]".repeat(500));
        let lone = br#"{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"\ud800"}]},"id":8}"#;
        for line in [deep.as_bytes(), lone, b"{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"a\":\"\xff\"}}"] {
            assert_eq!(told(read(line, &tail)).expect("an error").0, RequestId::Number(8));
        }
        assert!(read(b"Listening on stdio", &tail).is_none());
        assert!(tail.text().contains("Listening on stdio"));
    }

    #[test]
    fn the_call_of_an_answer_that_is_too_long_is_found() {
        for (head, end) in [(r#"{"id":"a","result":""#, "\"}"), (r#"{"result":""#, r#"","id":"a"}"#)] {
            let mut line = Line::default();
            let mut found = told(line.take(head.as_bytes()));
            for _ in 0..MAX_MESSAGE / (1 << 20) + 2 {
                found = found.or(told(line.take(&vec![b'x'; 1 << 20])));
                assert!(line.bytes.len() <= MAX_MESSAGE);
            }
            found = found.or(told(line.take(end.as_bytes())));
            found = found.or(told(line.finish(&Tail::default())));
            assert_eq!(found.expect("an error").0, RequestId::String("a".into()));
            assert!(line.bytes.is_empty());
        }
    }
}
