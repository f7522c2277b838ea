//! A schema that values are held against: the slow path, walked only when the fast one has failed.
//!
//! The checks are the `jsonschema` crate's, behind this file; the words are `report`'s.

use std::sync::OnceLock;

use serde_json::Value;

use super::{
    Mended,
    ambiguity::is_endless,
    coerce::coerce,
    effort::{is_affordable, may_double, most_looks},
    members::repeated,
    mended::differences,
    narrow::{declares, narrow},
    report::{InvalidArguments, Mistake, Mistakes, explain},
};
use crate::call::{ObjectText, object_text};

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
    /// The whole schema, compiled when it is first needed; `None` where it cannot be used.
    compiled: OnceLock<Option<jsonschema::Validator>>,
    endless: OnceLock<bool>,
    may_double: OnceLock<bool>,
}

impl Validator {
    /// Takes a schema, which is compiled when it is first needed; [`verify`](Self::verify) says whether it can be.
    #[must_use]
    pub fn new(schema: Value) -> Self {
        Self { schema, compiled: OnceLock::new(), endless: OnceLock::new(), may_double: OnceLock::new() }
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
        if self.is_endless() {
            return Err(ENDLESS.to_owned());
        }
        compile(&self.schema).map(drop)
    }

    /// JSON text to arguments that the schema accepts, converting what can be converted without loss.
    ///
    /// # Errors
    /// A report of every mistake.
    pub fn prepare(&self, arguments: &str) -> Result<Value, InvalidArguments> {
        self.read(arguments).map(|(value, _)| value)
    }

    /// The same, with what was done to the arguments before they fitted.
    ///
    /// A declared property given twice is a mistake; of other members of one name, the last counts, as in `JSON.parse`.
    ///
    /// # Errors
    /// A report of every mistake.
    pub fn read(&self, arguments: &str) -> Result<(Value, Mended), InvalidArguments> {
        let malformed = |fault| InvalidArguments::malformed(fault, arguments);
        if self.is_endless() {
            return Err(malformed(format!("the tool's schema cannot be used: {ENDLESS}")));
        }
        let ObjectText { text, repairs } = object_text(arguments).map_err(malformed)?;
        let parse = || serde_json::from_str::<Value>(&text);
        let mut value = parse().map_err(|error| malformed(format!("not valid JSON: {error}")))?;
        let mut mistakes = Mistakes::default();
        self.note_repeated(String::new(), &text, &value, &mut mistakes);
        let coerced = if self.coerce(&mut value) {
            parse().map(|received| differences(&received, &value)).unwrap_or_default()
        } else {
            Vec::new()
        };
        let accepted = mistakes.is_empty().then(|| self.accepts(&value)).flatten();
        if accepted == Some(true) {
            return Ok((value, Mended { repairs, coerced }));
        }
        self.find_mistakes(&value, &mut mistakes);
        if mistakes.is_empty() {
            if accepted.is_none() {
                return Ok((value, Mended { repairs, coerced }));
            }
            // Of what was looked at, nothing is wrong; but the whole is.
            mistakes.push("", || "the arguments do not fit the tool's schema".to_owned());
        }
        Err(InvalidArguments::in_text(mistakes, &text, repairs))
    }

    /// Converts, in place, what can be converted without loss: see [`coerce`]. Says whether anything was.
    pub fn coerce(&self, value: &mut Value) -> bool {
        coerce(&self.schema, value)
    }

    /// Places where the value does not fit: all of them, or the first fifty.
    #[must_use]
    pub fn mistakes(&self, value: &Value) -> Vec<Mistake> {
        let mut mistakes = Mistakes::default();
        self.find_mistakes(value, &mut mistakes);
        mistakes.into_vec()
    }

    pub(super) fn find_mistakes(&self, value: &Value, mistakes: &mut Mistakes) {
        if self.is_endless() {
            return mistakes.push("", || format!("the tool's schema cannot be used: {ENDLESS}"));
        }
        let narrowed = narrow(&self.schema, value);
        if !self.is_affordable(&narrowed, value) {
            return mistakes.push("", || ENTANGLED.to_owned());
        }
        match compile(&narrowed) {
            Ok(validator) => explain(validator.iter_errors(value), &narrowed, mistakes),
            Err(fault) => mistakes.push("", || format!("the tool's schema cannot be used: {fault}")),
        }
    }

    /// Finds declared properties that stand twice in the text of the value at `at`; `value` is all of the arguments.
    pub(super) fn note_repeated(&self, at: String, text: &str, value: &Value, mistakes: &mut Mistakes) {
        for at in repeated(at, text).iter().filter(|at| declares(&self.schema, value, at)) {
            mistakes.push(at, || "given twice; give it once".to_owned());
        }
    }

    fn is_endless(&self) -> bool {
        *self.endless.get_or_init(|| is_endless(&self.schema))
    }

    /// Whether the whole schema accepts a value; `None` where to find out could take for ever.
    pub(crate) fn accepts(&self, value: &Value) -> Option<bool> {
        let compiled = self.compiled.get_or_init(|| compile(&self.schema).ok()).as_ref()?;
        self.is_affordable(&self.schema, value).then(|| compiled.is_valid(value))
    }

    fn is_affordable(&self, schema: &Value, value: &Value) -> bool {
        let may_double = *self.may_double.get_or_init(|| may_double(&self.schema));
        !may_double || is_affordable(schema, schema, value, most_looks(value))
    }
}

const ENTANGLED: &str = "the tool's schema refers to its own parts so often that these arguments cannot be checked in \
                         reasonable time: give fewer of them, and fewer levels";
const ENDLESS: &str = "a part of it refers to itself for the same value, without end";

/// How many steps a regular expression with look-around or back references may take for one text; others take steps in
/// proportion to the text.
const STEPS: usize = 100_000;

/// Draft 2020-12, with formats checked; nothing is ever fetched for a `$ref`.
pub(crate) fn compile(schema: &Value) -> Result<jsonschema::Validator, String> {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(jsonschema::PatternOptions::fancy_regex().backtrack_limit(STEPS))
        .build(schema)
        .map_err(|error| error.to_string())
}
