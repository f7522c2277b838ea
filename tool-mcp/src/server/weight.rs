//! How much a message will weigh once it is read: a value of two bytes takes hundreds in memory, so that its length alone
//! says little.

/// How many values a message may have. Files and other long texts are one each.
pub(super) const MOST: usize = 500_000;
/// What a value takes while its message is read and answered, in bytes: it is held in several forms.
const VALUE: usize = 256;

/// The values of a text of JSON, or what would be ones: nothing is said of whether it is any.
pub(super) fn values(text: &[u8]) -> usize {
    let mut rest = text;
    let mut values = 0;
    loop {
        let Some(quote) = memchr::memchr(b'"', rest) else { return values + begun(rest) };
        values += begun(&rest[..quote]);
        rest = after_text(&rest[quote + 1..]);
    }
}

/// What a message of so many bytes and values takes, in bytes.
pub(super) fn of(bytes: usize, values: usize) -> usize {
    bytes.saturating_add(values.saturating_mul(VALUE))
}

/// Each value is the first of its array or object, or has a comma before it.
fn begun(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count()
}

/// What comes behind a text that has begun.
fn after_text(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        let is_end = rest[at] == b'"';
        rest = rest.get(at + if is_end { 1 } else { 2 }..).unwrap_or_default();
        if is_end {
            return rest;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_what_stands_in_texts_is_not() {
        for (text, wanted) in [
            ("", 0),
            ("1", 0),
            ("[1,2,3]", 3),
            (r#"{"a":[{},{}],"b":"[,,{"}"#, 6),
            (r#"["a\",,,","\\",1]"#, 3),
            (r#"["never ends,,,"#, 1),
            (r#"["a\"#, 1),
        ] {
            assert_eq!(values(text.as_bytes()), wanted, "{text}");
        }
    }
}
