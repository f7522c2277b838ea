//! `batch`: calls from JSON Lines, one after the other in one session; each outcome is printed when its call ends.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
    io::{self, BufRead, BufReader},
    process::ExitCode,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use tool_core::{ErrorKind, ToolCall};

use crate::{
    args::BatchArgs,
    arguments,
    failure::Failure,
    host::{Host, Setup},
    lines::{Line, MAX_LINE, lines},
    print,
};

pub(crate) async fn batch(setup: Setup, args: BatchArgs) -> Result<ExitCode, Failure> {
    let input: Box<dyn BufRead + Send> = match args.input.strip_prefix('@') {
        Some(path) => Box::new(BufReader::new(arguments::open(path)?)),
        None if args.input == "-" => Box::new(BufReader::new(io::stdin())),
        None => {
            let given = &args.input;
            return Err(Failure::Usage(format!("expected @FILE or -, got `{given}`; did you mean `@{given}`?")));
        }
    };
    let host = Host::new(setup, &args.run, args.input == "-")?;
    host.listen();
    let mut failed = false;
    let mut ids = Ids::default();
    let mut number = 0_u64;
    let mut lines = lines(input);
    while let Some(Some(line)) = host.session().cancellation().run_until_cancelled(lines.recv()).await {
        number += 1;
        let call = match line {
            Line::Text(text) if text.trim().is_empty() => continue,
            Line::Text(text) => parse(&text, number).and_then(|call| ids.admit(call)),
            Line::TooLong => Err(Malformed::new(format!("the line is longer than {} MiB", MAX_LINE >> 20))),
            Line::NotUtf8(at) => Err(Malformed::new(format!("the line is not UTF-8 from its byte {at} on"))),
            Line::Broken(error) => {
                return Err(Failure::Usage(format!("cannot read on after line {}: {error}", number - 1)));
            }
        };
        let is_read = match call {
            Ok(call) => {
                let outcome = match host.call(call).await {
                    Ok(outcome) => outcome,
                    Err(status) => return Ok(status),
                };
                failed |= outcome.status().is_err();
                print::json_line(&outcome)?
            }
            Err(malformed) => {
                failed = true;
                print::json_line(&malformed.outcome(number))?
            }
        };
        if !is_read {
            break;
        }
    }
    // Cut short by Ctrl-C between two calls: what was left out did not succeed.
    failed |= host.session().cancellation().is_cancelled();
    host.close().await;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// One line as it should be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(default)]
    id: Value,
    name: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// A line that is no call.
struct Malformed {
    id: Option<String>,
    name: Option<String>,
    message: String,
}

impl Malformed {
    fn new(message: String) -> Self {
        Self { id: None, name: None, message }
    }

    /// The outcome of a call that there was not.
    fn outcome(&self, line: u64) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let now = u64::try_from(now).unwrap_or(u64::MAX);
        let message = format!(
            "line {line}: {}; expected {{\"id\": …, \"name\": …, \"arguments\": {{…}}}} on one line",
            self.message
        );
        json!({
            "callId": self.id,
            "tool": self.name,
            "status": "error",
            "error": { "kind": ErrorKind::InvalidArguments, "message": message },
            "metadata": { "line": line },
            "time": { "start": now, "end": now },
        })
    }
}

fn parse(text: &str, line: u64) -> Result<ToolCall, Malformed> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with('{') {
        // serde would take an array for the struct.
        let what = if serde_json::from_str::<Value>(text).is_ok() { "JSON, but no object" } else { "no JSON" };
        return Err(Malformed::new(format!("the line is {what}")));
    }
    let request: Request<'_> = serde_json::from_str(text).map_err(|error| salvage(text, &error))?;
    let id = match &request.id {
        Value::Null => format!("line_{line}"),
        id => readable(id).ok_or_else(|| Malformed {
            name: Some(request.name.clone()),
            ..Malformed::new("the id is neither a string nor a number".to_owned())
        })?,
    };
    let arguments = request.arguments.map_or("{}", RawValue::get);
    // JSON text inside a string, as OpenAI sends arguments; anything else is the call's own business.
    let arguments = serde_json::from_str::<String>(arguments).unwrap_or_else(|_| arguments.to_owned());
    Ok(ToolCall::new(id, request.name, arguments))
}

/// How many ids are remembered at least.
const IDS: usize = 1 << 20;

/// The ids of a batch, by their digests, so that no batch is too long for it. A million of them and more are remembered,
/// the latest.
#[derive(Default)]
struct Ids {
    digests: RandomState,
    latest: HashSet<u64>,
    before: HashSet<u64>,
}

impl Ids {
    /// Lets a call pass whose id no other had: by its id the reader of the outcomes knows it.
    fn admit(&mut self, call: ToolCall) -> Result<ToolCall, Malformed> {
        let digest = self.digests.hash_one(call.id.as_str());
        if self.before.contains(&digest) || !self.latest.insert(digest) {
            let id = call.id.as_str();
            return Err(Malformed {
                message: format!(
                    "an earlier line has the id `{id}`, and this call was not run; give it an id of its own"
                ),
                id: Some(id.to_owned()),
                name: Some(call.name.into_owned()),
            });
        }
        if self.latest.len() >= IDS {
            self.before = std::mem::take(&mut self.latest);
        }
        Ok(call)
    }
}

/// An id or a name as text.
fn readable(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// What can still be read of a line that is no call.
fn salvage(text: &str, error: &serde_json::Error) -> Malformed {
    match serde_json::from_str::<Value>(text) {
        Ok(parsed) => {
            let member = |key: &str| parsed.get(key).and_then(readable);
            Malformed { id: member("id"), name: member("name"), message: placed(error) }
        }
        Err(error) => Malformed::new(format!("not valid JSON: {}", placed(&error))),
    }
}

/// An error in a line, without serde's own count of lines, which starts anew in each.
fn placed(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let what = words.rsplit_once(" at line ").map_or(words.as_str(), |(what, _)| what);
    format!("{what} at column {}", error.column())
}
