//! A call's arguments as JSON text: from the command line, a file or standard input, with `--arg` over them.
//!
//! Not here: whether the text is JSON and fits. That is the call's own business, and its error.

use std::{
    fs::File,
    io::{self, Read},
};

use serde_json::{Map, Value};
use tool_core::validation::Validator;

use crate::failure::Failure;

/// The most that is read: twice what an executor takes, so that it is the executor which says what is too much.
pub(crate) const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// The text for one call. `schema` is that of the tool, where there is such a tool.
///
/// # Errors
/// When the file or standard input cannot be read as UTF-8.
pub(crate) fn text(
    source: Option<&str>,
    pairs: &[(String, String)],
    schema: Option<&Value>,
) -> Result<String, Failure> {
    let body = match source {
        None => "{}".to_owned(),
        Some("-") => read("standard input", io::stdin().lock())?,
        Some(given) => match given.strip_prefix('@') {
            Some(path) => read(&format!("`{path}`"), open(path)?)?,
            None => given.to_owned(),
        },
    };
    Ok(if pairs.is_empty() { body } else { merge(body, pairs, schema) })
}

/// A file that is named as `@FILE`.
///
/// # Errors
/// When it cannot be opened, or is no file.
pub(crate) fn open(path: &str) -> Result<File, Failure> {
    let fault = |error: &dyn std::fmt::Display| Failure::Usage(format!("cannot read `{path}`: {error}"));
    let file = File::open(path).map_err(|error| fault(&error))?;
    let is_directory = file.metadata().map_err(|error| fault(&error))?.is_dir();
    if is_directory { Err(fault(&"it is a directory; name a file after the `@`")) } else { Ok(file) }
}

fn read(what: &str, from: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = from.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Usage(format!("cannot read {what}: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        return Err(Failure::Usage(format!("{what} holds more than {most} MiB; give less in one call")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::Usage(format!("{what} is not UTF-8: the byte at offset {at} is out of place; convert it to UTF-8"))
    })?;
    // A byte order mark is no JSON.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The pairs over the body. A body that is no object stays as it is: the call will say what is wrong with it.
fn merge(body: String, pairs: &[(String, String)], schema: Option<&Value>) -> String {
    let Ok(Value::Object(mut members)) = serde_json::from_str(&body) else { return body };
    members.extend(typed(pairs, schema));
    Value::Object(members).to_string()
}

fn typed(pairs: &[(String, String)], schema: Option<&Value>) -> Map<String, Value> {
    let mut members = Map::new();
    for (key, text) in pairs {
        let text = Value::String(text.clone());
        match members.get_mut(key) {
            None => {
                members.insert(key.clone(), text);
            }
            Some(Value::Array(several)) => several.push(text),
            Some(first) => *first = Value::Array(vec![first.take(), text]),
        }
    }
    let mut object = Value::Object(members);
    if let Some(schema) = schema {
        Validator::new(schema.clone()).coerce(&mut object);
    }
    match object {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(body: &str, pairs: &[(&str, &str)]) -> String {
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let schema = json!({
            "type": "object",
            "properties": {
                "text": { "type": "string" },
                "count": { "type": "integer" },
                "deep": { "type": "boolean" },
                "list": { "type": "array", "items": { "type": "integer" } },
                "maybe": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            },
        });
        merge(body.to_owned(), &pairs, Some(&schema))
    }

    #[test]
    fn pairs_are_typed_by_the_schema() {
        assert_eq!(
            merged("{}", &[("text", "5"), ("count", "5"), ("deep", "true")]),
            r#"{"text":"5","count":5,"deep":true}"#
        );
        assert_eq!(merged("{}", &[("list", "1")]), r#"{"list":[1]}"#);
        assert_eq!(merged("{}", &[("list", "1"), ("list", "2")]), r#"{"list":[1,2]}"#);
        assert_eq!(merged("{}", &[("maybe", "3"), ("other", "3")]), r#"{"maybe":3,"other":"3"}"#);
    }

    #[test]
    fn pairs_go_over_the_body_and_leave_a_broken_one_alone() {
        assert_eq!(merged(r#"{"count":1,"text":"a"}"#, &[("count", "2")]), r#"{"count":2,"text":"a"}"#);
        assert_eq!(merged("{broken", &[("count", "2")]), "{broken");
        assert_eq!(merged("[1]", &[("count", "2")]), "[1]");
    }

    #[test]
    fn text_that_is_not_utf8_names_the_place() {
        let Err(Failure::Usage(message)) = read("it", &b"{\"a\":\"\xff\"}"[..]) else { panic!("read it") };
        assert!(message.contains("offset 6"), "{message}");
        assert_eq!(read("it", &b"\xef\xbb\xbf{}"[..]).ok().as_deref(), Some("{}"));
    }
}
