//! Texts of which parts cannot be known beforehand, against the patterns of rules.

use std::borrow::Cow;

/// The longest text that is compared as it is. What comes after counts as not known.
const MOST_CHARS: usize = 4096;

/// What something that is asked for may amount to: known text, with stretches between that nobody can know beforehand.
///
/// A command with a variable in it is such a text: `git $x` may be `git push`, and a rule against that has to count.
///
/// ```
/// use tool_core::permission::Reading;
/// let reading = Reading::known("git ").then_anything();
/// assert!(reading.may_match("git push *") && reading.may_match("git status"));
/// assert!(!reading.may_match("rm *"));
/// // A rule that allows has to cover whatever it may turn out to be.
/// assert!(reading.is_covered_by("git *") && !reading.is_covered_by("git push *"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// What is known: between two of them is anything.
    parts: Vec<String>,
    possible: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Char(char),
    Anything,
}

impl Reading {
    /// A text that is known.
    #[must_use]
    pub fn known(text: impl Into<String>) -> Self {
        Self { parts: vec![text.into()], possible: false }
    }

    /// Any text at all.
    #[must_use]
    pub fn anything() -> Self {
        Self::default().then_anything()
    }

    /// Adds known text.
    #[must_use]
    pub fn then(mut self, text: &str) -> Self {
        match self.parts.last_mut() {
            Some(last) => last.push_str(text),
            None => self.parts.push(text.to_owned()),
        }
        self
    }

    /// Adds any text, or none.
    #[must_use]
    pub fn then_anything(mut self) -> Self {
        if self.parts.is_empty() {
            self.parts.push(String::new());
        }
        if self.parts.len() == 1 || self.parts.last().is_some_and(|last| !last.is_empty()) {
            self.parts.push(String::new());
        }
        self
    }

    /// Adds another reading behind this one.
    #[must_use]
    pub fn then_all(mut self, other: &Self) -> Self {
        for (at, part) in other.parts.iter().enumerate() {
            if at > 0 {
                self = self.then_anything();
            }
            self = self.then(part);
        }
        self
    }

    /// It may also not be so at all: a rule that denies it asks.
    #[must_use]
    pub fn possibly(mut self) -> Self {
        self.possible = true;
        self
    }

    /// The text, where all of it is known.
    #[must_use]
    pub fn as_known(&self) -> Option<&str> {
        match &self.parts[..] {
            [] => Some(""),
            [text] => Some(text),
            _ => None,
        }
    }

    /// The known text before the first stretch that is not known.
    #[must_use]
    pub fn start(&self) -> &str {
        self.parts.first().map_or("", String::as_str)
    }

    /// Whether a pattern, as [`matches`](super::matches) reads it, matches something that this may turn out to be.
    #[must_use]
    pub fn may_match(&self, pattern: &str) -> bool {
        any_form(pattern, |pattern| may_match(pattern, &self.pieces()))
    }

    /// Whether a pattern matches whatever this turns out to be.
    #[must_use]
    pub fn is_covered_by(&self, pattern: &str) -> bool {
        any_form(pattern, |pattern| covers(pattern, &self.pieces()))
    }

    /// Whether a pattern matches for certain.
    pub(super) fn surely_matches(&self, pattern: &str) -> bool {
        !self.possible && self.is_covered_by(pattern)
    }

    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            if at > 0 {
                pieces.push(Piece::Anything);
            }
            let room = (MOST_CHARS + 1).saturating_sub(pieces.len());
            pieces.extend(part.chars().take(room).map(|c| Piece::Char(if c == '\\' { '/' } else { c })));
            if pieces.len() > MOST_CHARS {
                pieces.truncate(MOST_CHARS);
                pieces.push(Piece::Anything);
                break;
            }
        }
        pieces
    }
}

/// A pattern as it is, and without the blank and the star at its end.
fn any_form(pattern: &str, matches: impl Fn(&[char]) -> bool) -> bool {
    if pattern == "*" {
        return true;
    }
    let slashed = if pattern.contains('\\') { Cow::Owned(pattern.replace('\\', "/")) } else { Cow::Borrowed(pattern) };
    let letters = |text: &str| text.chars().collect::<Vec<_>>();
    matches(&letters(&slashed)) || slashed.strip_suffix(" *").is_some_and(|bare| matches(&letters(bare)))
}

/// The places in the pattern that can be reached with what was read so far, star by star.
fn skip_stars(pattern: &[char], reached: &mut [bool]) {
    for at in 0..pattern.len() {
        if reached[at] && pattern[at] == '*' {
            reached[at + 1] = true;
        }
    }
}

fn may_match(pattern: &[char], text: &[Piece]) -> bool {
    run(pattern, text, |reached| {
        // Some text leads from each place to each later one.
        if let Some(first) = reached.iter().position(|reached| *reached) {
            reached[first..].fill(true);
        }
    })
}

fn covers(pattern: &[char], text: &[Piece]) -> bool {
    run(pattern, text, |reached| {
        // Only a star takes whatever comes.
        for (at, reached) in reached.iter_mut().enumerate() {
            *reached &= pattern.get(at) == Some(&'*');
        }
    })
}

fn run(pattern: &[char], text: &[Piece], anything: impl Fn(&mut [bool])) -> bool {
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_stars(pattern, &mut reached);
    for piece in text {
        match *piece {
            Piece::Anything => anything(&mut reached),
            Piece::Char(c) => {
                for at in (0..pattern.len()).rev() {
                    let here = reached[at];
                    reached[at + 1] = here && (pattern[at] == '?' || pattern[at] == c && c != '*')
                        || reached[at + 1] && pattern.get(at + 1) == Some(&'*')
                        || here && pattern[at] == '*';
                }
                reached[0] &= pattern.first() == Some(&'*');
            }
        }
        skip_stars(pattern, &mut reached);
        if !reached.contains(&true) {
            return false;
        }
    }
    reached[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::Reading;
    use crate::permission::matches;

    #[test]
    fn known_texts_match_as_everywhere() {
        for pattern in ["git *", "git", "*", "a?c", "*.env", "*a*b*", "", "a *", "x*", "**", "?", "a\\b"] {
            for text in
                ["git push", "git", "gitk", "abc", "x/.env", "aab", "bab", "", "a", "a b", "a*", "*", "a/b", "x"]
            {
                let reading = Reading::known(text);
                assert_eq!(reading.is_covered_by(pattern), matches(pattern, text), "{pattern} {text}");
                assert_eq!(reading.may_match(pattern), matches(pattern, text), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn the_unknown_may_be_anything() {
        let program = Reading::anything().then(" x");
        assert!(program.may_match("rm *") && program.may_match("rm x") && !program.may_match("rm"));
        assert!(program.is_covered_by("*") && program.is_covered_by("* x") && !program.is_covered_by("rm *"));
        assert!(Reading::known("/bin/r").then_anything().may_match("/bin/rm *"));
        let long = Reading::known("a".repeat(100_000));
        assert!(long.may_match(&format!("{}b", "a".repeat(5000))) && long.is_covered_by("a*"));
    }
}
