//! opencode's wildcards, for permission names and for patterns.

use std::borrow::Cow;

/// Whether `pattern` matches all of `text`.
///
/// `*` is any run of characters, `/` and line breaks among them; `?` is one character; everything else is itself, by
/// case. A pattern that ends in ` *` also matches without the blank and what follows. A backslash is a slash.
///
/// The time is linear in both lengths, but for parts with a `?` in them, which are tried at every place of the text.
///
/// ```
/// use tool_core::permission::matches;
/// assert!(matches("git *", "git push origin"));
/// assert!(matches("git *", "git"));
/// assert!(!matches("git *", "gitk"));
/// assert!(matches("*.env", "config/prod.env"));
/// ```
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    // Whatever is in it, a pattern matches itself.
    if pattern == "*" || pattern == text {
        return true;
    }
    let (pattern, text) = (slashes(pattern), slashes(text));
    glob(&pattern, &text) || pattern.strip_suffix(" *").is_some_and(|bare| glob(bare, &text))
}

fn slashes(text: &str) -> Cow<'_, str> {
    if text.contains('\\') { text.replace('\\', "/").into() } else { text.into() }
}

/// The parts between stars: the first at the start, the last at the end, each other one at its first place after the
/// one before. To take the first place is never wrong, for it leaves the most to the rest.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return after(pattern, text) == Some("") };
    let Some(mut text) = after(first, text) else { return false };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        match after_first(part, text) {
            Some(rest) => text = rest,
            None => return false,
        }
    }
    ends_with(last, text)
}

/// The text after a part that it starts with.
fn after<'t>(part: &str, text: &'t str) -> Option<&'t str> {
    let mut rest = text.chars();
    part.chars().all(|wanted| rest.next().is_some_and(|c| wanted == '?' || wanted == c)).then_some(rest.as_str())
}

/// The text after the first place where a part stands.
fn after_first<'t>(part: &str, text: &'t str) -> Option<&'t str> {
    if !part.contains('?') {
        return text.find(part).map(|at| &text[at + part.len()..]);
    }
    let mut from = text.chars();
    loop {
        if let Some(rest) = after(part, from.as_str()) {
            return Some(rest);
        }
        from.next()?;
    }
}

fn ends_with(part: &str, text: &str) -> bool {
    let mut rest = text.chars().rev();
    part.chars().rev().all(|wanted| rest.next().is_some_and(|c| wanted == '?' || wanted == c))
}
