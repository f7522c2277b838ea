//! A matcher of a pattern.

use std::{borrow::Cow, convert::Infallible, ops::Range};

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
    /// What a tool has beside the pattern, for what is said of a pattern that is wrong.
    pub(crate) offered: Offered,
}

/// What may be set beside a pattern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Offered {
    /// Nothing.
    #[default]
    Pattern,
    /// `literal` and `context`.
    LiteralAndContext,
}

/// A pattern that cannot be searched for. What is wrong begins with the regex engine's own words (`regex parse error`,
/// and the place), which models know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadPattern(String);

/// A search of a text that an engine has given up: one that backtracks does so where it would take too long.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern takes too long to match here ({0}): use a simpler one")]
pub(super) struct GaveUp(pub(super) String);

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
    /// in it is one of several lines, whether or not that was said, and its line breaks are those of files with CR LF too;
    /// what `.` means does not change by that. (What only PCRE2 can read is searched for as it is written.)
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
        let (written, has_break) = any_line_break(pattern, options.literal);
        let lines = if options.multiline || has_break { Lines::Several } else { Lines::One };
        let built = build(&written, options, lines);
        let built = match built {
            // One that is no literal: a class of a line break alone.
            Err(error) if lines == Lines::One && matches!(error.kind(), grep_regex::ErrorKind::NotAllowed(_)) => {
                build(&written, options, Lines::Several)
            }
            built => built,
        };
        match built {
            Ok(matcher) => {
                let within = matcher.non_matching_bytes().is_some_and(|bytes| bytes.contains(b'\n'));
                let multiline = matcher.line_terminator().is_none() && !within;
                Ok(Self { matcher: Engine::Regex(matcher), multiline })
            }
            Err(error) => match error.kind() {
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
            return Err(explain(pattern, options.offered, error));
        }
        let mut builder = grep_pcre2::RegexMatcherBuilder::new();
        builder.caseless(options.ignore_case).multi_line(true).dotall(options.multiline).utf(true).ucp(true).crlf(true);
        let built = builder.jit_if_available(true).max_jit_stack_size(Some(10 * 1024 * 1024)).build(pattern);
        // PCRE2 does not say whether a pattern has a line break in it; where one only seems to, more is held, that is all.
        let has_break = ["\n", r"\n", r"\R", r"\x0", r"\x{"].iter().any(|sign| pattern.contains(sign));
        match built {
            Ok(matcher) => Ok(Self { matcher: Engine::Pcre2(matcher), multiline: options.multiline || has_break }),
            Err(error) => Err(BadPattern(format!("regex parse error: {error}. {}", options.offered.as_it_stands()))),
        }
    }

    #[cfg(not(feature = "pcre2"))]
    fn beyond(pattern: &str, options: PatternOptions, error: &grep_regex::Error) -> Result<Self, BadPattern> {
        Err(explain(pattern, options.offered, error))
    }
}

impl Engine {
    /// The first match at or after a place.
    ///
    /// # Errors
    /// When the search was given up.
    pub(super) fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Range<usize>>, GaveUp> {
        let found = match self {
            Self::Regex(matcher) => matcher.find_at(text, at).map_err(|error| error.to_string()),
            #[cfg(feature = "pcre2")]
            Self::Pcre2(matcher) => matcher.find_at(text, at).map_err(|error| error.to_string()),
        };
        Ok(found.map_err(GaveUp)?.map(|found| found.start()..found.end()))
    }
}

/// How many lines a match may go over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    One,
    Several,
}

fn build(pattern: &str, options: PatternOptions, lines: Lines) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(options.ignore_case)
        .multi_line(true)
        .dot_matches_new_line(options.multiline)
        .ban_byte(Some(0))
        .crlf(true);
    if lines == Lines::Several {
        builder.line_terminator(None);
    }
    builder.build(pattern)
}

/// The pattern as an expression in which each line break stands for CR LF as well, and whether there is one. In a class it
/// stays as it is.
fn any_line_break(pattern: &str, literal: bool) -> (Cow<'_, str>, bool) {
    const BREAK: &str = r"(?:\r?\n)";
    if literal {
        return (regex_syntax::escape(pattern).replace('\n', BREAK).into(), pattern.contains('\n'));
    }
    // What is wrong with it is said of the pattern as it was given.
    let Ok(parsed) = ast::parse::Parser::new().parse(pattern) else { return (pattern.into(), false) };
    let Ok(breaks) = ast::visit(&parsed, LineBreaks::default());
    if breaks.is_empty() {
        return (pattern.into(), false);
    }
    let mut written = String::with_capacity(pattern.len() + BREAK.len());
    let mut from = 0;
    for at in breaks {
        written.push_str(&pattern[from..at.start]);
        written.push_str(BREAK);
        from = at.end;
    }
    ((written + &pattern[from..]).into(), true)
}

/// Where a pattern has line breaks, in order.
#[derive(Default)]
struct LineBreaks(Vec<Range<usize>>);

impl ast::Visitor for LineBreaks {
    type Output = Vec<Range<usize>>;
    type Err = Infallible;

    fn finish(self) -> Result<Self::Output, Infallible> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, part: &ast::Ast) -> Result<(), Infallible> {
        if let ast::Ast::Literal(literal) = part
            && literal.c == '\n'
        {
            self.0.push(literal.span.start.offset..literal.span.end.offset);
        }
        Ok(())
    }
}

const NUL: &str = "the pattern has a NUL byte in it, which no text has: search for the text before or after it";

impl Offered {
    /// How text is searched for as it stands.
    fn as_it_stands(self) -> &'static str {
        match self {
            Self::Pattern => {
                "To search for the text as it stands, put `\\` before characters that mean something: `foo\\(` finds `foo(`"
            }
            Self::LiteralAndContext => {
                "To search for the text as it stands, set `literal`, or put `\\` before characters that mean something: \
                 `foo\\(` finds `foo(`"
            }
        }
    }

    /// What does instead of look-around.
    fn without_look_around(self) -> &'static str {
        match self {
            Self::Pattern => "Search for what is around it as well, and read the files that are found",
            Self::LiteralAndContext => "Search for what is around it as well, with `context`, and look through that",
        }
    }
}

/// What is wrong with the syntax of a pattern.
fn mistake(pattern: &str) -> Option<Syntax> {
    ast::parse::Parser::new().parse(pattern).err().map(|error| error.kind().clone())
}

fn explain(pattern: &str, offered: Offered, error: &grep_regex::Error) -> BadPattern {
    let hint = match mistake(pattern) {
        Some(Syntax::UnsupportedLookAround | Syntax::UnsupportedBackreference) => format!(
            "This build searches with regular expressions alone, which have no look-around and no backreferences (a build \
             with the feature `pcre2` has). {}",
            offered.without_look_around()
        ),
        Some(Syntax::RepetitionMissing) => {
            "A repetition needs something before it: `.*` for any text; `\\*` finds a star".to_owned()
        }
        Some(_) => offered.as_it_stands().to_owned(),
        // The syntax is right, and it is too much.
        None => "Search for a shorter or simpler pattern".to_owned(),
    };
    BadPattern(format!("{error}\n{hint}."))
}
