//! Text of a model or a tool, made safe to show on a terminal: it must not move the cursor over a question.

/// Text on one line, with what a terminal would act on escaped; tabs stay.
pub(crate) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push(c),
            '\n' => out.push_str("\\n"),
            c if acts(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Control characters, and those that turn the direction of what follows.
fn acts(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped() {
        assert_eq!(line("a\x1b[2Jb\r\tc\u{202e}"), "a\\u{1b}[2Jb\\u{d}\tc\\u{202e}");
        assert_eq!(line("a\nb"), "a\\nb");
        assert_eq!(line("größe"), "größe");
    }
}
