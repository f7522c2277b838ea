//! What each dialect takes: the table. The passes go by these rows and know no provider.
//!
//! Sources: OpenAI, "Structured outputs: supported schemas", and `lib/transform` of its Node SDK; Anthropic,
//! "Structured outputs", and `lib/transform-json-schema` of its SDK; Google's `types.JSONSchema`; Moonshot's MFJS
//! specification; xAI, "Structured outputs"; DeepSeek's guide to tool calls.

use super::Dialect;

/// One dialect.
pub(super) struct Rules {
    pub(super) name: &'static str,
    /// The dialect to fall back to, for those of strict modes.
    pub(super) lenient: Option<Dialect>,
    /// The keywords it takes; `None` for all of draft 2020-12.
    pub(super) keywords: Option<&'static [&'static str]>,
    /// The values of `format` it takes, where it takes `format`; `None` for all.
    pub(super) formats: Option<&'static [&'static str]>,
    pub(super) patterns: Patterns,
    pub(super) objects: Objects,
    pub(super) recursion: Recursion,
    pub(super) type_lists: TypeLists,
    pub(super) enums: Enums,
    /// The largest `minItems` it takes, where it takes `minItems`.
    pub(super) min_items: u64,
    pub(super) any_value: AnyValue,
    /// Whether the root may be alternatives.
    pub(super) root_alternatives: bool,
    /// Whether names of properties at the root are held to `[a-zA-Z0-9_.-]{1,64}`.
    pub(super) plain_properties: bool,
    pub(super) tool_names: ToolNames,
    /// Whether a declaration holds the schema of the results, which are objects.
    pub(super) declares_results: bool,
    pub(super) limits: Option<Limits>,
    pub(super) set_limits: Option<SetLimits>,
}

/// Which regular expressions it takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patterns {
    Any,
    /// No look-around and no back-references.
    Regular,
    /// The same, read as if between `^` and `$`, and no word boundaries.
    Anchored,
}

/// What is said of properties that are not listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Objects {
    Any,
    /// That they are welcome, unless they are not.
    Open,
    /// That there are none; so there are no maps.
    Closed,
    /// The same, and all the listed ones are required.
    ClosedAndComplete,
}

impl Objects {
    pub(super) fn are_closed(self) -> bool {
        matches!(self, Self::Closed | Self::ClosedAndComplete)
    }
}

/// What a type that contains itself may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Recursion {
    Taken,
    /// Only below a property that may be left out; elsewhere the inner one is outlined.
    BelowOptional,
    /// With a way out: a recursive property may also be null.
    Nullable,
    /// The inner one is outlined.
    Outlined,
    Refused,
}

/// Where `type` may be a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeLists {
    Any,
    /// Where nothing else is said.
    Bare,
    Never,
}

/// What `enum` may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Enums {
    Any,
    /// No objects and lists.
    Primitive,
    /// The same; a `type` beside it is left out.
    Untyped,
    /// Texts alone.
    Texts,
    /// Texts, or numbers.
    TextsOrNumbers,
}

/// What stands for a value of any kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AnyValue {
    Empty,
    /// A list of all types.
    Listed,
    Refused,
}

/// Which names of tools it takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ToolNames {
    /// How many characters at most.
    pub(super) most: usize,
    /// Characters beside letters, digits, `_` and `-`.
    pub(super) also: &'static str,
    /// A letter or `_` first.
    pub(super) starts_with_letter: bool,
}

/// Limits on one schema.
pub(super) struct Limits {
    pub(super) properties: usize,
    pub(super) levels: usize,
    /// Characters of names and of enumerated values.
    pub(super) characters: usize,
    pub(super) enum_values: usize,
    /// An enumeration of more texts than this…
    pub(super) large_enum: usize,
    /// …has no more characters than this.
    pub(super) large_enum_characters: usize,
}

/// Limits on all strict tools of a request.
pub(super) struct SetLimits {
    pub(super) tools: usize,
    pub(super) optional_parameters: usize,
    pub(super) union_parameters: usize,
}

pub(super) fn of(dialect: Dialect) -> &'static Rules {
    match dialect {
        Dialect::OpenAiStrict => &OPENAI_STRICT,
        Dialect::OpenAi => &OPENAI,
        Dialect::AnthropicStrict => &ANTHROPIC_STRICT,
        Dialect::Anthropic => &ANTHROPIC,
        Dialect::Gemini => &GEMINI,
        Dialect::Moonshot => &MOONSHOT,
        Dialect::Mistral => &MISTRAL,
        Dialect::XAi => &XAI,
        Dialect::DeepSeekStrict => &DEEPSEEK_STRICT,
        Dialect::Mcp => &MCP,
    }
}

/// Takes everything but alternatives at the root: the base of the other rows.
const LENIENT: Rules = Rules {
    name: "openai",
    lenient: None,
    keywords: None,
    formats: None,
    patterns: Patterns::Any,
    objects: Objects::Any,
    recursion: Recursion::Taken,
    type_lists: TypeLists::Any,
    enums: Enums::Any,
    min_items: u64::MAX,
    any_value: AnyValue::Empty,
    root_alternatives: false,
    plain_properties: false,
    tool_names: ToolNames { most: 64, also: "", starts_with_letter: false },
    declares_results: false,
    limits: None,
    set_limits: None,
};

/// A strict mode: the base of those rows.
const STRICT: Rules = Rules {
    patterns: Patterns::Regular,
    objects: Objects::ClosedAndComplete,
    type_lists: TypeLists::Bare,
    enums: Enums::Primitive,
    any_value: AnyValue::Refused,
    ..LENIENT
};

static OPENAI: Rules = LENIENT;

static OPENAI_STRICT: Rules = Rules {
    name: "openai-strict",
    lenient: Some(Dialect::OpenAi),
    #[rustfmt::skip]
    keywords: Some(&[
        "type", "title", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf",
        "$ref", "$defs", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "multipleOf", "minItems", "maxItems",
    ]),
    formats: Some(&["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
    limits: Some(Limits {
        properties: 5000,
        levels: 10,
        characters: 120_000,
        enum_values: 1000,
        large_enum: 250,
        large_enum_characters: 15_000,
    }),
    ..STRICT
};

/// OpenAI's form; lengths and bounds are said to be refused.
static DEEPSEEK_STRICT: Rules = Rules {
    name: "deepseek-strict",
    lenient: Some(Dialect::OpenAi),
    #[rustfmt::skip]
    keywords: Some(&[
        "type", "title", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf",
        "$ref", "$defs", "pattern", "format",
    ]),
    formats: Some(&["email", "hostname", "ipv4", "ipv6", "uuid"]),
    ..STRICT
};

const ANTHROPIC_NAMES: ToolNames = ToolNames { most: 128, also: "", starts_with_letter: false };

static ANTHROPIC: Rules = Rules { name: "anthropic", plain_properties: true, tool_names: ANTHROPIC_NAMES, ..LENIENT };

static ANTHROPIC_STRICT: Rules = Rules {
    name: "anthropic-strict",
    lenient: Some(Dialect::Anthropic),
    #[rustfmt::skip]
    keywords: Some(&[
        "type", "title", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf",
        "$ref", "$defs", "format", "minItems",
    ]),
    formats: Some(&["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]),
    objects: Objects::Closed,
    recursion: Recursion::Refused,
    enums: Enums::Untyped,
    min_items: 1,
    plain_properties: true,
    tool_names: ANTHROPIC_NAMES,
    set_limits: Some(SetLimits { tools: 20, optional_parameters: 24, union_parameters: 16 }),
    ..STRICT
};

static GEMINI: Rules = Rules {
    name: "gemini",
    #[rustfmt::skip]
    keywords: Some(&[
        "type", "title", "description", "default", "properties", "required", "additionalProperties", "minProperties",
        "maxProperties", "items", "minItems", "maxItems", "enum", "anyOf", "$ref", "$defs", "pattern", "minLength",
        "maxLength", "format", "minimum", "maximum",
    ]),
    formats: Some(&["date-time", "date", "time"]),
    recursion: Recursion::BelowOptional,
    // The service knows numbers as values, its own client does not.
    enums: Enums::Texts,
    any_value: AnyValue::Listed,
    tool_names: ToolNames { most: 128, also: ".:", starts_with_letter: true },
    ..LENIENT
};

static MOONSHOT: Rules = Rules {
    name: "moonshot",
    #[rustfmt::skip]
    keywords: Some(&[
        "type", "description", "default", "properties", "required", "additionalProperties", "items", "enum", "anyOf",
        "$ref", "$defs",
    ]),
    recursion: Recursion::Nullable,
    type_lists: TypeLists::Never,
    enums: Enums::TextsOrNumbers,
    ..LENIENT
};

static MISTRAL: Rules = Rules { name: "mistral", ..LENIENT };

static XAI: Rules = Rules {
    name: "xai",
    #[rustfmt::skip]
    keywords: Some(&[
        "type", "title", "description", "default", "properties", "required", "additionalProperties", "items",
        "minItems", "maxItems", "enum", "anyOf", "$ref", "$defs", "pattern", "format", "minLength", "maxLength",
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    ]),
    formats: Some(&["date", "time", "date-time", "email", "uuid", "ipv4", "ipv6", "uri"]),
    patterns: Patterns::Anchored,
    objects: Objects::Open,
    recursion: Recursion::Outlined,
    enums: Enums::Primitive,
    ..LENIENT
};

static MCP: Rules = Rules {
    name: "mcp",
    root_alternatives: true,
    tool_names: ToolNames { most: 128, also: ".", starts_with_letter: false },
    declares_results: true,
    ..LENIENT
};

impl Rules {
    pub(super) fn takes(&self, keyword: &str) -> bool {
        self.keywords.is_none_or(|known| known.contains(&keyword))
    }

    pub(super) fn is_strict(&self) -> bool {
        self.lenient.is_some()
    }
}

/// Whether a property's name is one that every provider takes.
pub(super) fn is_plain_property(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

impl ToolNames {
    pub(super) fn take(self, name: &str) -> bool {
        name.len() <= self.most
            && name.starts_with(|c| self.may_begin_with(c))
            && name.chars().all(|c| self.may_hold(c))
    }

    /// A name that is taken, made of one that is not.
    pub(super) fn made_of(self, name: &str) -> String {
        let start = if name.starts_with(|c| self.may_hold(c) && !self.may_begin_with(c)) { "_" } else { "" };
        let made: String =
            start.chars().chain(name.chars()).take(self.most).map(|c| if self.may_hold(c) { c } else { '_' }).collect();
        if made.is_empty() { "_".to_owned() } else { made }
    }

    fn may_hold(self, c: char) -> bool {
        c.is_ascii_alphanumeric() || "_-".contains(c) || self.also.contains(c)
    }

    fn may_begin_with(self, c: char) -> bool {
        !self.starts_with_letter || c.is_ascii_alphabetic() || c == '_'
    }
}
