//! What each provider takes of JSON Schema, and a schema in that form.
//!
//! In: any JSON Schema, of an annotated function or of a foreign server. Out: [`Adapted`], the same promise as far as a
//! [`Dialect`] can say it, with a [`Change`] for everything that is said otherwise; or [`Unfit`], why it cannot be
//! said. A keyword that a dialect does not know becomes a sentence in the nearest description; the validator goes by
//! the original schema, so that it is enforced all the same.
//!
//! A new provider is a variant of [`Dialect`] and a row in `rules.rs`. The passes over one subschema, in order:
//! `reference` (`$ref`), `conjoin` (`allOf`), `alternatives` (`anyOf`, `oneOf`), `kinds` (`type`, `enum`), `members`
//! (objects, arrays), `words` (what is left to say); `root` makes one object of the root before them, `rewrite` is the
//! walk, `limits` looks at the result, and `as_is` knows what needs none of this.

mod alternatives;
mod as_is;
mod change;
mod conjoin;
mod fit;
mod kinds;
mod limits;
mod members;
mod merge;
mod prune;
mod reference;
mod rewrite;
mod root;
mod rules;
mod words;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

pub(crate) use self::fit::{Chosen, choose};
pub use self::{
    change::{Change, Effect, Unfit, UnfitReason},
    fit::{Fit, Fitted, fit},
};
use self::{rewrite::Rewriter, rules::Rules};

/// A provider's form of JSON Schema.
///
/// A strict dialect is for a mode in which the provider lets the model write nothing but what the schema allows. It
/// holds fewer types than the lenient one of the same provider, to which a tool then falls back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI with `strict: true`: every object closed, every property required, optional ones nullable.
    OpenAiStrict,
    /// OpenAI without strict mode: anything, but no alternatives at the root.
    OpenAi,
    /// Anthropic with `strict: true`: every object closed, few constraints, no recursion.
    AnthropicStrict,
    /// Anthropic without strict mode: anything, but no alternatives at the root.
    Anthropic,
    /// Gemini's `parametersJsonSchema`.
    Gemini,
    /// Moonshot's own subset (MFJS).
    Moonshot,
    /// Mistral: as OpenAI without strict mode.
    Mistral,
    /// xAI, whose strict mode is always on, and which has to be told where an object is open.
    XAi,
    /// DeepSeek's beta with `strict: true`: as OpenAI's, with fewer constraints.
    DeepSeekStrict,
    /// MCP's `inputSchema`: draft 2020-12.
    Mcp,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::OpenAiStrict,
        Self::OpenAi,
        Self::AnthropicStrict,
        Self::Anthropic,
        Self::Gemini,
        Self::Moonshot,
        Self::Mistral,
        Self::XAi,
        Self::DeepSeekStrict,
        Self::Mcp,
    ];

    /// The name, as in reports: `openai-strict`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.rules().name
    }

    /// Whether this is the dialect of a strict mode that a tool can do without.
    #[must_use]
    pub fn is_strict(self) -> bool {
        self.rules().is_strict()
    }

    /// What a tool falls back to that this dialect cannot hold.
    ///
    /// ```
    /// use tool_core::schema::Dialect;
    /// assert_eq!(Dialect::OpenAiStrict.lenient(), Some(Dialect::OpenAi));
    /// assert_eq!(Dialect::Gemini.lenient(), None);
    /// ```
    #[must_use]
    pub fn lenient(self) -> Option<Self> {
        self.rules().lenient
    }

    /// A tool's name as the dialect's provider takes it: as it is, where it keeps the provider's rule; else one made of
    /// it, with `_` for what is not taken. The rules: `^[a-zA-Z0-9_-]{1,64}$` (OpenAI and those who speak its form),
    /// up to 128 characters for Anthropic, with `.` also for MCP, and
    /// `^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$` for Gemini.
    ///
    /// ```
    /// use tool_core::schema::Dialect;
    /// assert_eq!(Dialect::Gemini.tool_name("a.b"), "a.b");
    /// assert_eq!(Dialect::OpenAi.tool_name("a.b"), "a_b");
    /// assert_eq!(Dialect::Anthropic.tool_name(""), "_");
    /// ```
    #[must_use]
    pub fn tool_name(self, name: &str) -> Cow<'_, str> {
        let rule = self.rules().tool_names;
        if rule.take(name) { name.into() } else { rule.made_of(name).into() }
    }

    fn rules(self) -> &'static Rules {
        rules::of(self)
    }
}

impl std::fmt::Display for Dialect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Dialect {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A schema in a dialect, and how it differs from the one given.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Adapted {
    /// The schema.
    pub schema: Value,
    /// Everything that is said otherwise, or no longer; empty where the schema could stay as it was.
    pub changes: Vec<Change>,
}

/// Says a schema in a dialect.
///
/// Takes any JSON value for a schema: what is none, leads nowhere, or goes deeper than 90 levels is left out and
/// recorded. The work is bounded, whatever refers to what. A result put through again comes out the same.
///
/// ```
/// use serde_json::json;
/// use tool_core::schema::{Dialect, adapt};
/// let schema = json!({
///     "type": "object",
///     "properties": { "days": { "type": "integer", "minimum": 1, "maximum": 14 } },
///     "required": ["days"],
///     "additionalProperties": false,
/// });
/// let adapted = adapt(&schema, Dialect::AnthropicStrict)?;
/// let days = json!({ "type": "integer", "description": "Between 1 and 14." });
/// assert_eq!(adapted.schema["properties"]["days"], days);
/// assert_eq!(
///     adapted.changes[0].to_string(),
///     "/properties/days: `minimum` and `maximum` moved to the description: Between 1 and 14."
/// );
/// # Ok::<(), tool_core::schema::Unfit>(())
/// ```
///
/// # Errors
/// What the dialect cannot hold, even in words, and where: a map in a strict dialect, a root that is no object in any.
pub fn adapt(schema: &Value, dialect: Dialect) -> Result<Adapted, Unfit> {
    if as_is::is_taken(schema, dialect.rules()) {
        return Ok(Adapted { schema: schema.clone(), changes: Vec::new() });
    }
    rewrite(schema, dialect)
}

fn rewrite(schema: &Value, dialect: Dialect) -> Result<Adapted, Unfit> {
    let (schema, cuts) = prune::prune(schema);
    let (mut adapted, mut is_settled) = Rewriter::new(dialect.rules(), &schema, cuts).run()?;
    // What is left of one part can make another simpler; a few rounds settle it.
    for _ in 0..ROUNDS {
        if is_settled {
            break;
        }
        let (again, settled) = Rewriter::new(dialect.rules(), &adapted.schema, Vec::new()).run()?;
        is_settled = settled;
        adapted.schema = again.schema;
        adapted.changes.extend(again.changes);
    }
    Ok(adapted)
}

/// How often a schema that was changed is looked at again.
const ROUNDS: usize = 8;
