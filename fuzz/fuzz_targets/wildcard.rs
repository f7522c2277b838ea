//! Wildcards, against a matcher written as plainly as can be.
#![no_main]

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tool_core::permission::matches;

#[derive(Debug)]
struct Case {
    pattern: String,
    text: String,
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut word = |most: usize| -> Result<String> {
            let length = u.int_in_range(0..=most)?;
            (0..length).map(|_| Ok(['a', 'b', '*', '?', ' ', '/', '\\', '\n', 'é'][u.int_in_range(0..=8)?])).collect()
        };
        Ok(Self { pattern: word(8)?, text: word(12)? })
    }
}

fn plainly(pattern: &[char], text: &[char]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=text.len()).any(|taken| plainly(rest, &text[taken..])),
        (['?', rest @ ..], [_, after @ ..]) => plainly(rest, after),
        ([one, rest @ ..], [other, after @ ..]) => one == other && plainly(rest, after),
        _ => false,
    }
}

fuzz_target!(|case: Case| {
    let Case { pattern, text } = case;
    let letters = |text: &str| text.replace('\\', "/").chars().collect::<Vec<_>>();
    let bare = pattern.strip_suffix(" *");
    let expected = pattern == text
        || plainly(&letters(&pattern), &letters(&text))
        || bare.is_some_and(|bare| plainly(&letters(bare), &letters(&text)));
    assert_eq!(matches(&pattern, &text), expected);
});
