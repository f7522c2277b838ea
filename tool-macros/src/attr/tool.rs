//! The keys of `#[tool(…)]` and `#[toolset(…)]`.

use proc_macro2::{Ident, TokenStream};
use syn::{Expr, LitBool, LitStr, Path};

use super::{
    IconAttr, Slot,
    duration::milliseconds,
    keys::{Given, Strings, keys, unknown},
};
use crate::{errors::Errors, model::RenameRule};

/// Which part of a longer output is kept.
#[derive(Clone, Copy)]
pub(crate) enum KeepAttr {
    Head,
    Tail,
    Middle,
    All,
}

/// What becomes of unknown arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownAttr {
    Reject,
    Ignore,
}

/// The grammar of a freeform tool's text: an expression of type `&'static str`.
pub(crate) enum GrammarAttr {
    Lark(Box<Expr>),
    Regex(Box<Expr>),
}

/// The keys of `#[tool(…)]`.
#[derive(Default)]
pub(crate) struct ToolAttr {
    pub(crate) name: Slot<LitStr>,
    pub(crate) title: Slot<LitStr>,
    pub(crate) description: Slot<LitStr>,
    pub(crate) icons: Vec<IconAttr>,
    pub(crate) rename_all: Slot<RenameRule>,
    pub(crate) read_only: Slot<bool>,
    pub(crate) destructive: Slot<bool>,
    pub(crate) idempotent: Slot<bool>,
    pub(crate) open_world: Slot<bool>,
    pub(crate) parallel: Slot<bool>,
    pub(crate) exclusive: Slot<bool>,
    pub(crate) blocking: Slot<bool>,
    pub(crate) set: Slot<Vec<LitStr>>,
    pub(crate) tags: Slot<Vec<LitStr>>,
    pub(crate) permission: Slot<LitStr>,
    pub(crate) pattern: Slot<Ident>,
    pub(crate) asks: Slot<LitStr>,
    pub(crate) timeout: Slot<u64>,
    pub(crate) truncate: Slot<()>,
    pub(crate) lines: Slot<Expr>,
    pub(crate) bytes: Slot<Expr>,
    pub(crate) keep: Slot<KeepAttr>,
    pub(crate) describe: Slot<Path>,
    pub(crate) format_error: Slot<Path>,
    pub(crate) grammar: Slot<GrammarAttr>,
    pub(crate) unknown: Slot<UnknownAttr>,
    pub(crate) register: Slot<bool>,
    pub(crate) crate_path: Slot<Path>,
}

const TOOL_KEYS: [&str; 25] = [
    "name",
    "title",
    "description",
    "icon",
    "rename_all",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "parallel",
    "exclusive",
    "blocking",
    "set",
    "tags",
    "permission",
    "pattern",
    "asks",
    "timeout",
    "truncate",
    "describe",
    "format_error",
    "grammar",
    "unknown",
    "register",
    "crate",
];
const TOOLSET_KEYS: [&str; 5] = ["set", "tags", "rename_all", "register", "crate"];

impl ToolAttr {
    /// Reads the keys of `#[tool(…)]`.
    pub(crate) fn of_tool(tokens: TokenStream, errors: &mut Errors) -> Self {
        Self::read(tokens, &TOOL_KEYS, errors)
    }

    /// Reads the keys of `#[toolset(…)]`, which hold for each of its tools.
    pub(crate) fn of_toolset(tokens: TokenStream, errors: &mut Errors) -> Self {
        Self::read(tokens, &TOOLSET_KEYS, errors)
    }

    fn read(tokens: TokenStream, known: &[&str], errors: &mut Errors) -> Self {
        let mut attr = Self::default();
        for (key, given) in keys(tokens, errors) {
            if known.contains(&key.to_string().as_str()) {
                attr.key(key, given, errors);
            } else {
                unknown(&key, known, errors);
            }
        }
        attr
    }

    fn key(&mut self, key: Ident, given: Given, errors: &mut Errors) {
        macro_rules! put {
            ($slot:ident, $value:expr) => {{
                let value = $value;
                self.$slot.set(key, value, errors);
            }};
        }
        match key.to_string().as_str() {
            "name" => put!(name, given.value(&key, "name = \"read_file\"", errors)),
            "title" => put!(title, given.value(&key, "title = \"Read a file\"", errors)),
            "description" => put!(description, given.value(&key, "description = \"…\"", errors)),
            "icon" => self.icons.extend(IconAttr::read(given, &key, errors)),
            "rename_all" => put!(rename_all, rename_rule(given, &key, errors)),
            "read_only" => put!(read_only, given.flag(&key, errors)),
            "destructive" => put!(destructive, given.flag(&key, errors)),
            "idempotent" => put!(idempotent, given.flag(&key, errors)),
            "open_world" => put!(open_world, given.flag(&key, errors)),
            "parallel" => put!(parallel, given.flag(&key, errors)),
            "exclusive" => put!(exclusive, given.flag(&key, errors)),
            "blocking" => put!(blocking, given.flag(&key, errors)),
            "set" => put!(set, strings(given, &key, "set = \"coding\"", errors)),
            "tags" => put!(tags, strings(given, &key, "tags(\"files\", \"local\")", errors)),
            "permission" => put!(permission, given.value(&key, "permission = \"edit\"", errors)),
            "pattern" => put!(pattern, given.value(&key, "pattern = parameter_name", errors)),
            "asks" => put!(asks, given.value(&key, "asks = \"edit\"", errors)),
            "timeout" => put!(timeout, timeout(given, &key, errors)),
            "truncate" => self.truncate(key, given, errors),
            "describe" => put!(describe, given.value(&key, "describe = path::to::function", errors)),
            "format_error" => put!(format_error, given.value(&key, "format_error = path::to::function", errors)),
            "grammar" => put!(grammar, grammar(given, &key, errors)),
            "unknown" => put!(unknown, unknown_rule(given, &key, errors)),
            "register" => {
                let value = given.value::<LitBool>(&key, "register = false", errors);
                put!(register, value.map(|value| value.value));
            }
            _ => put!(crate_path, given.value(&key, "crate = ::my_crate::tool_core", errors)),
        }
    }

    /// `truncate = tail`, `truncate(lines = …, bytes = …, keep = …)`.
    fn truncate(&mut self, key: Ident, given: Given, errors: &mut Errors) {
        match given {
            Given::List(list) => {
                for (inner, given) in keys(list, errors) {
                    match inner.to_string().as_str() {
                        "lines" => {
                            let value = given.value(&inner, "lines = 500", errors);
                            self.lines.set(inner, value, errors);
                        }
                        "bytes" => {
                            let value = given.value(&inner, "bytes = 10_000", errors);
                            self.bytes.set(inner, value, errors);
                        }
                        "keep" => {
                            let value = keep(given, &inner, errors);
                            self.keep.set(inner, value, errors);
                        }
                        _ => unknown(&inner, &["lines", "bytes", "keep"], errors),
                    }
                }
            }
            given => self.keep.set(key.clone(), keep(given, &key, errors), errors),
        }
        self.truncate.set(key, Some(()), errors);
    }

    /// What the toolset says, where the tool says nothing.
    pub(crate) fn or(mut self, toolset: &Self) -> Self {
        self.set.inherit(&toolset.set);
        self.tags.inherit(&toolset.tags);
        self.rename_all.inherit(&toolset.rename_all);
        self.register.inherit(&toolset.register);
        self.crate_path.inherit(&toolset.crate_path);
        self
    }
}

fn strings(given: Given, key: &Ident, example: &str, errors: &mut Errors) -> Option<Vec<LitStr>> {
    given.either::<Strings>(key, example, errors).map(|strings| strings.0)
}

fn timeout(given: Given, key: &Ident, errors: &mut Errors) -> Option<u64> {
    let text: LitStr = given.value(key, "timeout = \"2m\"", errors)?;
    let value = milliseconds(&text.value());
    if value.is_none() {
        errors.at(
            &text,
            format!("`{}` is not a duration", text.value()),
            "write a number and `ms`, `s`, `m` or `h`: \"500ms\", \"30s\", \"1m30s\"",
        );
    }
    value
}

fn keep(given: Given, key: &Ident, errors: &mut Errors) -> Option<KeepAttr> {
    let word: Ident = given.value(key, &format!("{key} = tail"), errors)?;
    match word.to_string().as_str() {
        "head" => Some(KeepAttr::Head),
        "tail" => Some(KeepAttr::Tail),
        "middle" => Some(KeepAttr::Middle),
        "none" => Some(KeepAttr::All),
        _ => {
            errors.at(&word, format!("`{word}` is not a way to truncate"), "write head, tail, middle or none");
            None
        }
    }
}

fn grammar(given: Given, key: &Ident, errors: &mut Errors) -> Option<GrammarAttr> {
    const EXAMPLE: &str = "grammar(lark = include_str!(\"query.lark\"))";
    let list: TokenStream = given.inner(key, EXAMPLE, errors)?;
    let mut slot = Slot::default();
    for (inner, given) in keys(list, errors) {
        let kind: fn(Box<Expr>) -> GrammarAttr = match inner.to_string().as_str() {
            "lark" => GrammarAttr::Lark,
            "regex" => GrammarAttr::Regex,
            _ => {
                unknown(&inner, &["lark", "regex"], errors);
                continue;
            }
        };
        let value = given.value(&inner, &format!("{inner} = \"…\""), errors).map(|value| kind(Box::new(value)));
        if slot.key().is_some_and(|first: &Ident| *first != inner) {
            errors.at(&inner, "a tool has one grammar", "keep `lark` or `regex`");
        } else {
            slot.set(inner, value, errors);
        }
    }
    slot.take()
}

fn unknown_rule(given: Given, key: &Ident, errors: &mut Errors) -> Option<UnknownAttr> {
    let word: LitStr = given.value(key, "unknown = \"ignore\"", errors)?;
    match word.value().as_str() {
        "reject" => Some(UnknownAttr::Reject),
        "ignore" => Some(UnknownAttr::Ignore),
        other => {
            errors.at(
                &word,
                format!("`{other}` is not something to do with unknown arguments"),
                "write \"reject\" or \"ignore\"",
            );
            None
        }
    }
}

fn rename_rule(given: Given, key: &Ident, errors: &mut Errors) -> Option<RenameRule> {
    let word: LitStr = given.value(key, "rename_all = \"camelCase\"", errors)?;
    let rule = RenameRule::named(&word.value());
    if rule.is_none() {
        errors.at(
            &word,
            format!("`{}` is not a way to write names", word.value()),
            format!("write one of {}", RenameRule::NAMES.join(", ")),
        );
    }
    rule
}
