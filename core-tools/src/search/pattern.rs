//! A matcher of a pattern.

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::{self, ErrorKind as Syntax};

/// The longest pattern that is read; a longer one is no pattern, and would cost as much.
const MAX_LENGTH: usize = 64 * 1024;

/// How a pattern is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PatternOptions {
    /// Upper and lower case are the same.
    pub(crate) ignore_case: bool,
    /// It is text, and no character of it means anything else.
    pub(crate) literal: bool,
    /// A match may go over several lines, and `.` means line breaks too.
    pub(crate) multiline: bool,
}

/// A pattern that cannot be searched for. What is wrong begins with the regex engine's own words (`regex parse error`,
/// and the place), which models know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadPattern(String);

/// A pattern to search for.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(super) matcher: Engine,
    /// Whether a match may go over several lines.
    pub(super) multiline: bool,
}

/// What finds matches.
#[derive(Debug, Clone)]
pub(super) enum Engine {
    Regex(RegexMatcher),
    /// For what regular expressions cannot say: look-around and backreferences.
    #[cfg(feature = "pcre2")]
    Pcre2(grep_pcre2::RegexMatcher),
}

impl Pattern {
    /// Makes a matcher. `^` and `$` hold at every line, also where lines end with CR LF. A pattern that has a line break
    /// in it is one of several lines, whether or not that was said.
    ///
    /// # Errors
    /// When the pattern cannot be read, or is too large.
    pub(crate) fn new(pattern: &str, options: PatternOptions) -> Result<Self, BadPattern> {
        if pattern.len() > MAX_LENGTH {
            return Err(BadPattern(format!(
                "the pattern has {} bytes, and at most {MAX_LENGTH} are searched for: search for a part of it",
                pattern.len()
            )));
        }
        if pattern.contains('\0') {
            return Err(BadPattern(NUL.to_owned()));
        }
        match build(pattern, options) {
            Ok(matcher) => Ok(Self { matcher: Engine::Regex(matcher), multiline: options.multiline }),
            Err(error) => match error.kind() {
                grep_regex::ErrorKind::NotAllowed(_) if !options.multiline => {
                    Self::new(pattern, PatternOptions { multiline: true, ..options })
                }
                // Written as an escape.
                grep_regex::ErrorKind::Banned(_) => Err(BadPattern(NUL.to_owned())),
                _ => Self::beyond(pattern, options, &error),
            },
        }
    }

    /// What no regular expression can say.
    #[cfg(feature = "pcre2")]
    fn beyond(pattern: &str, options: PatternOptions, error: &grep_regex::Error) -> Result<Self, BadPattern> {
        if !matches!(mistake(pattern), Some(Syntax::UnsupportedLookAround | Syntax::UnsupportedBackreference)) {
            return Err(explain(pattern, error));
        }
        let mut builder = grep_pcre2::RegexMatcherBuilder::new();
        builder.caseless(options.ignore_case).multi_line(true).dotall(options.multiline).utf(true).ucp(true).crlf(true);
        let built = builder.jit_if_available(true).max_jit_stack_size(Some(10 * 1024 * 1024)).build(pattern);
        match built {
            Ok(matcher) => Ok(Self { matcher: Engine::Pcre2(matcher), multiline: options.multiline }),
            Err(error) => Err(BadPattern(format!("regex parse error: {error}. {LITERAL}"))),
        }
    }

    #[cfg(not(feature = "pcre2"))]
    fn beyond(pattern: &str, _: PatternOptions, error: &grep_regex::Error) -> Result<Self, BadPattern> {
        Err(explain(pattern, error))
    }
}

impl Engine {
    /// The first match at or after a place.
    pub(super) fn find_at(&self, text: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
        let found = match self {
            Self::Regex(matcher) => matcher.find_at(text, at).ok().flatten(),
            #[cfg(feature = "pcre2")]
            Self::Pcre2(matcher) => matcher.find_at(text, at).ok().flatten(),
        };
        found.map(|found| found.start()..found.end())
    }
}

fn build(pattern: &str, options: PatternOptions) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(options.ignore_case)
        .fixed_strings(options.literal)
        .multi_line(true)
        .dot_matches_new_line(options.multiline)
        .ban_byte(Some(0));
    if options.multiline {
        builder.crlf(true).line_terminator(None);
    } else {
        builder.crlf(true);
    }
    builder.build(pattern)
}

const NUL: &str = "the pattern has a NUL byte in it, which no text has: search for the text before or after it";
const LITERAL: &str = "To search for the text as it stands, set `literal`, or put `\\` before characters that mean something: \
                       `foo\\(` finds `foo(`";

/// What is wrong with the syntax of a pattern.
fn mistake(pattern: &str) -> Option<Syntax> {
    ast::parse::Parser::new().parse(pattern).err().map(|error| error.kind().clone())
}

fn explain(pattern: &str, error: &grep_regex::Error) -> BadPattern {
    let hint = match mistake(pattern) {
        Some(Syntax::UnsupportedLookAround | Syntax::UnsupportedBackreference) => {
            "This build searches with regular expressions alone, which have no look-around and no backreferences (a build \
             with the feature `pcre2` has). Search for what is around it as well, with `context`, and look through that"
        }
        Some(Syntax::RepetitionMissing) => {
            "A repetition needs something before it: `.*` for any text; `\\*` finds a star"
        }
        Some(_) => LITERAL,
        // The syntax is right, and it is too much.
        None => "Search for a shorter or simpler pattern",
    };
    BadPattern(format!("{error}\n{hint}."))
}
