//! A schema that values are held against: the slow path, walked only when the fast one has failed.
//!
//! The checks are the `jsonschema` crate's, behind this file; the words are `report`'s.

use serde_json::Value;

use super::{
    coerce::coerce,
    narrow::narrow,
    report::{InvalidArguments, Mistake, explain},
};
use crate::call::object_text;

/// A JSON Schema with the coercions and the report that go with it.
///
/// For tools whose arguments are no Rust struct: [`FnTool::raw`](crate::tool::FnTool::raw), tools of other processes.
///
/// ```
/// use serde_json::json;
/// use tool_core::validation::Validator;
/// let validator = Validator::new(json!({
///     "type": "object",
///     "properties": { "limit": { "type": "integer", "maximum": 10 } },
///     "additionalProperties": false,
/// }));
/// assert_eq!(validator.prepare(r#"{"limit":"5"}"#).unwrap(), json!({ "limit": 5 }));
/// let report = validator.prepare(r#"{"limit":50,"ofset":1}"#).unwrap_err();
/// assert_eq!(report.mistakes().len(), 2);
/// ```
#[derive(Debug)]
pub struct Validator {
    schema: Value,
}

impl Validator {
    /// Takes a schema. Of each value, only the part that is meant for it is compiled; [`verify`](Self::verify) looks at
    /// the whole.
    #[must_use]
    pub fn new(schema: Value) -> Self {
        Self { schema }
    }

    /// The schema.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Whether the schema can be used at all.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn verify(&self) -> Result<(), String> {
        compile(&self.schema).map(drop)
    }

    /// JSON text to arguments that the schema accepts, converting what can be converted without loss.
    ///
    /// # Errors
    /// A report of every mistake.
    pub fn prepare(&self, arguments: &str) -> Result<Value, InvalidArguments> {
        let text = object_text(arguments).map_err(|fault| InvalidArguments::malformed(fault, arguments))?;
        let mut value: Value = serde_json::from_str(&text)
            .map_err(|error| InvalidArguments::malformed(format!("not valid JSON: {error}"), arguments))?;
        let received = value.clone();
        self.coerce(&mut value);
        let mistakes = self.mistakes(&value);
        if mistakes.is_empty() { Ok(value) } else { Err(InvalidArguments::new(mistakes, &received)) }
    }

    /// Converts, in place, what can be converted without loss: see [`coerce`].
    pub fn coerce(&self, value: &mut Value) {
        coerce(&self.schema, value);
    }

    /// Every place where the value does not fit.
    #[must_use]
    pub fn mistakes(&self, value: &Value) -> Vec<Mistake> {
        let narrowed = narrow(&self.schema, value);
        match compile(&narrowed) {
            Ok(validator) => explain(validator.iter_errors(value), &narrowed),
            Err(fault) => vec![Mistake::new("", format!("the tool's schema cannot be used: {fault}"))],
        }
    }
}

/// How many steps back one regular expression may take. Those without lookaround or references back take none at all;
/// with them, a stranger's pattern could search for ever.
const BACKTRACKS: usize = 100_000;

/// Draft 2020-12, with formats checked; nothing is ever fetched for a `$ref`.
pub(super) fn compile(schema: &Value) -> Result<jsonschema::Validator, String> {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(jsonschema::PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS))
        .build(schema)
        .map_err(|error| error.to_string())
}
