//! What models put around a patch, taken away: a shell's here-document, a Markdown fence, JSON.

use std::borrow::Cow;

use serde_json::Value;

/// How many wrappers may be around each other: a fence around JSON around a here-document is three.
const MAX_DEPTH: usize = 4;

/// The names under which a patch stands in an object.
const MEMBERS: [&str; 4] = ["input", "patchText", "patch", "command"];

/// The patch without what is around it; the text itself where nothing is.
pub(super) fn unwrap(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..MAX_DEPTH {
        text = match text {
            Cow::Borrowed(outer) => match layer(outer) {
                Some(inner) => inner,
                None => return text,
            },
            Cow::Owned(ref outer) => match layer(outer) {
                Some(inner) => Cow::Owned(inner.into_owned()),
                None => return text,
            },
        };
    }
    text
}

fn layer(text: &str) -> Option<Cow<'_, str>> {
    if let Some(inner) = in_json(text) {
        return Some(Cow::Owned(inner));
    }
    in_here_document(text).or_else(|| in_fence(text)).map(Cow::Borrowed)
}

/// `{"input": "…"}`, `{"command": ["apply_patch", "…"]}`, the array or the string alone.
fn in_json(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with(['{', '[', '"']) {
        return None;
    }
    in_value(serde_json::from_str(text).ok()?)
}

fn in_value(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        // The program and its arguments, the patch last.
        Value::Array(mut words) => match words.pop()? {
            Value::String(text) => Some(text),
            _ => None,
        },
        Value::Object(mut members) => {
            let inner = MEMBERS.iter().find_map(|name| members.remove(*name))?;
            if inner.is_object() { None } else { in_value(inner) }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// `cat <<'EOF'`, `apply_patch <<EOF`, `<<"END"` and the lines up to that word.
fn in_here_document(text: &str) -> Option<&str> {
    let (first, rest) = text.trim_start().split_once('\n')?;
    let (program, word) = first.split_once("<<")?;
    if !matches!(program.trim(), "" | "cat" | "apply_patch" | "applypatch") {
        return None;
    }
    let word = word.strip_prefix('-').unwrap_or(word).trim();
    let bare = |quote| word.strip_prefix(quote).and_then(|word: &str| word.strip_suffix(quote));
    let word = bare('\'').or_else(|| bare('"')).unwrap_or(word);
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    if word.is_empty() || !word.chars().all(is_word) {
        return None;
    }
    let inner = rest.trim_end().strip_suffix(word)?;
    // A patch's own last line may be the word's only neighbour, as codex has it.
    Some(inner.strip_suffix('\n').unwrap_or(inner))
}

/// The lines in a Markdown fence, and prose around it left out. A line of a patch has a mark before it, so that a fence
/// within one is no fence.
fn in_fence(text: &str) -> Option<&str> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let line = line.trim();
        if is_patch(line) {
            return None;
        }
        let Some(fence) = ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence)) else { continue };
        let inner = &text[at..];
        let mut end = inner.len();
        for line in inner.split_inclusive('\n').rev() {
            end -= line.len();
            let line = line.trim_end();
            if line.starts_with(fence) && line.trim_start_matches(fence.chars().next()?).is_empty() {
                return Some(&inner[..end]);
            }
        }
        return Some(inner);
    }
    None
}

fn is_patch(line: &str) -> bool {
    ["*** ", "diff --git ", "--- ", "@@"].iter().any(|start| line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Delete File: a\n*** End Patch";

    #[test]
    fn every_wrapper() {
        let json = serde_json::to_string(PATCH).expect("a string");
        for wrapped in [
            PATCH.to_owned(),
            format!("<<EOF\n{PATCH}\nEOF"),
            format!("<<'EOF'\n{PATCH}\nEOF\n"),
            format!("cat <<\"END_OF_IT\"\n{PATCH}\nEND_OF_IT"),
            format!("apply_patch <<-'PATCH'\n{PATCH}\nPATCH\n"),
            format!("```\n{PATCH}\n```"),
            format!("Here it is:\n\n```diff\n{PATCH}\n```\nThat is all."),
            format!("~~~~patch\n{PATCH}\n~~~~\n"),
            json.clone(),
            format!("{{\"input\": {json}}}"),
            format!("{{\"patchText\": {json}, \"other\": 1}}"),
            format!("[\"apply_patch\", {json}]"),
            format!("{{\"command\": [\"apply_patch\", {json}]}}"),
            format!("```json\n{{\"command\": [\"apply_patch\", {json}]}}\n```"),
        ] {
            assert_eq!(unwrap(&wrapped).trim(), PATCH, "{wrapped}");
        }
    }

    #[test]
    fn what_is_no_wrapper_stays() {
        for text in [
            "",
            "<<",
            "<<EOF",
            "<<EOF\nx",
            "cd / && cat <<EOF\nx\nEOF",
            "{\"input\": 1}",
            "{",
            "[]",
            "--- a\n+++ b\n@@ -1 +1 @@\n ```\n-x\n+y\n ```\n",
        ] {
            assert_eq!(unwrap(text), text);
        }
    }

    #[test]
    fn wrappers_without_end_are_taken_away_no_further() {
        let mut text = PATCH.to_owned();
        for _ in 0..20 {
            text = serde_json::to_string(&text).expect("a string");
        }
        assert!(unwrap(&text).len() > PATCH.len());
    }
}
