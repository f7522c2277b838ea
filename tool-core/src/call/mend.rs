//! One pass over text that is no JSON, mending what a character can tell by itself and its neighbours.

use std::fmt::Write as _;

use super::repair::Repair;

/// A text after the pass, and what was mended. Whether it is JSON now is for the caller to see.
pub(super) struct Mended {
    pub(super) text: String,
    pub(super) repairs: Vec<Repair>,
}

/// Mends control characters, escapes and halves of characters in strings, and commas outside.
pub(super) fn mend(text: &str) -> Mended {
    let mut pass = Pass { out: String::with_capacity(text.len() + 16), repairs: Vec::new() };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '"' => pass.string(rest),
            ',' => pass.comma(rest),
            other => {
                pass.out.push(other);
                &rest[other.len_utf8()..]
            }
        };
    }
    Mended { text: pass.out, repairs: pass.repairs }
}

struct Pass {
    out: String,
    repairs: Vec<Repair>,
}

impl Pass {
    fn note(&mut self, repair: Repair) {
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    /// A comma is dropped where something stands before it and an end follows.
    fn comma<'t>(&mut self, text: &'t str) -> &'t str {
        let rest = &text[1..];
        let after = rest.trim_start().chars().next();
        let before = self.out.trim_end().chars().next_back();
        if matches!(after, Some('}' | ']')) && !matches!(before, None | Some('{' | '[' | ',' | ':')) {
            self.note(Repair::TrailingComma);
        } else {
            self.out.push(',');
        }
        rest
    }

    /// A string, from its first quote to its last; gives what follows.
    fn string<'t>(&mut self, text: &'t str) -> &'t str {
        let start = self.out.len();
        let (mut names_a_character, mut invalid) = (false, Vec::new());
        self.out.push('"');
        let mut rest = &text[1..];
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '"' => {
                    self.out.push('"');
                    break;
                }
                '\\' => {
                    let Some(escaped) = rest.chars().next() else {
                        self.out.push('\\');
                        break;
                    };
                    match escaped {
                        '"' | '\\' | '/' => {}
                        'b' | 'f' | 'n' | 'r' | 't' => names_a_character = true,
                        'u' => {
                            names_a_character = true;
                            rest = self.unit(rest);
                            continue;
                        }
                        // A backslash before a raw line break, as in a shell's continued line, is a backslash.
                        control if control < ' ' => {
                            self.out.push_str("\\\\");
                            continue;
                        }
                        _ => invalid.push(self.out.len()),
                    }
                    self.out.push('\\');
                    self.out.push(escaped);
                    rest = &rest[escaped.len_utf8()..];
                }
                control if control < ' ' => {
                    self.note(Repair::ControlCharacters);
                    // Writing to a text cannot fail.
                    let _ = write!(self.out, "\\u{:04x}", u32::from(control));
                }
                other => self.out.push(other),
            }
        }
        self.double(start, &invalid, names_a_character);
        rest
    }

    /// Doubles the backslashes that begin no escape, where all of the string says that they are meant to the letter.
    fn double(&mut self, start: usize, invalid: &[usize], names_a_character: bool) {
        // `\'` is an escape in other languages.
        let is_quote = |at: &usize| self.out[at + 1..].starts_with('\'');
        if invalid.is_empty() || names_a_character || invalid.iter().any(is_quote) {
            return;
        }
        self.note(Repair::InvalidEscapes);
        let string = self.out.split_off(start);
        let mut from = 0;
        for at in invalid {
            self.out.push_str(&string[from..at - start]);
            self.out.push('\\');
            from = at - start;
        }
        self.out.push_str(&string[from..]);
    }

    /// `uXXXX` behind its backslash, with the other half of a pair where one follows.
    fn unit<'t>(&mut self, text: &'t str) -> &'t str {
        let unit = |text: &str| text.get(1..5).and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let length = match (unit(text), text.get(5..).and_then(|rest| rest.strip_prefix("\\u")).map(|_| &text[6..])) {
            (Some(0xd800..=0xdbff), Some(next)) if matches!(unit(next), Some(0xdc00..=0xdfff)) => 11,
            (Some(0xd800..=0xdfff), _) => {
                self.note(Repair::LoneSurrogates);
                self.out.push_str("\\ufffd");
                return &text[5..];
            }
            (Some(_), _) => 5,
            (None, _) => 1,
        };
        self.out.push('\\');
        self.out.push_str(&text[..length]);
        &text[length..]
    }
}
