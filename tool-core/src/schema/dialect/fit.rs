//! Tools in a dialect: each in it, fallen back to the lenient one, or not to be used; for one request at a time.

use serde::Serialize;
use serde_json::Value;

use super::{
    Dialect, as_is,
    change::{Change, Unfit, UnfitReason},
    limits::Budget,
};
use crate::{schema::envelope::object_schema, tool::ToolSpec};

/// How a tool fits a dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fit", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fit {
    /// As it is.
    AsIs,
    /// With these changes.
    Adapted {
        /// What is said otherwise.
        changes: Vec<Change>,
    },
    /// Not in the strict dialect, but in the lenient one of the same provider.
    FellBack {
        /// Why not in the strict one.
        why: Unfit,
        /// What is said otherwise in the lenient one.
        changes: Vec<Change>,
    },
    /// Not at all: a request that declares the tool is refused whole, so that declarations leave it out.
    Unusable {
        /// Why.
        why: Unfit,
    },
}

/// A tool's schema for one provider.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Fitted {
    /// The dialect that the schema is in: the one asked for, or its lenient one.
    pub dialect: Dialect,
    /// The schema; as it was given, where the tool is unusable.
    pub schema: Value,
    /// How the tool fits the dialect that was asked for.
    pub fit: Fit,
    /// The schema of the results, where the dialect's provider is told of one (MCP) and the tool has one. MCP's results
    /// are objects: any other goes in an envelope, `{"result": …}`.
    pub output_schema: Option<Value>,
    /// What is said otherwise in the schema of the results.
    pub output_changes: Vec<Change>,
}

/// Says the schemas of one request's tools in a dialect, in their order.
///
/// A strict dialect may limit all tools of a request together (Anthropic: 20 strict tools with 24 optional parameters
/// and 16 of several types). Tools are taken in as they come; one that would break a limit falls back, and a later
/// one that does not is still taken. So the result depends on nothing but the specs and their order.
///
/// ```
/// use serde_json::json;
/// use tool_core::{schema::{Dialect, Fit, fit}, tool::{ToolName, ToolSpec}};
/// let schema = json!({ "type": "object", "properties": { "labels": {
///     "type": "object", "additionalProperties": { "type": "string" },
/// } } });
/// let spec = ToolSpec::new(ToolName::new("label")?, "Label it.", schema.clone());
/// let fitted = fit([&spec], Dialect::OpenAiStrict).remove(0);
/// assert_eq!((fitted.dialect, fitted.schema), (Dialect::OpenAi, schema));
/// assert!(matches!(fitted.fit, Fit::FellBack { why, .. } if why.pointer == "/properties/labels"));
/// # Ok::<(), tool_core::tool::InvalidName>(())
/// ```
#[must_use]
pub fn fit<'s>(specs: impl IntoIterator<Item = &'s ToolSpec>, dialect: Dialect) -> Vec<Fitted> {
    let mut budget = dialect.rules().set_limits.as_ref().map(Budget::new);
    specs.into_iter().map(|spec| one(spec, dialect, budget.as_mut())).collect()
}

fn one(spec: &ToolSpec, dialect: Dialect, budget: Option<&mut Budget<'_>>) -> Fitted {
    if !dialect.rules().tool_names.take(spec.name.as_str()) {
        let reason = UnfitReason::ToolName(spec.name.to_string());
        return unusable(spec, dialect, Unfit { pointer: String::new(), reason });
    }
    let why = match say(spec, dialect) {
        Ok((schema, changes)) => match budget.map_or(Ok(()), |budget| budget.take(&schema)) {
            Ok(()) if changes.is_empty() => return fitted(spec, dialect, schema, Fit::AsIs),
            Ok(()) => return fitted(spec, dialect, schema, Fit::Adapted { changes }),
            Err(why) => why,
        },
        Err(why) => why,
    };
    let Some(lenient) = dialect.lenient() else { return unusable(spec, dialect, why) };
    match say(spec, lenient) {
        Ok((schema, changes)) => fitted(spec, lenient, schema, Fit::FellBack { why, changes }),
        Err(why) => unusable(spec, lenient, why),
    }
}

/// A tool's schema in a dialect. What is looked at quickly is not kept: that would cost as much.
fn say(spec: &ToolSpec, dialect: Dialect) -> Result<(Value, Vec<Change>), Unfit> {
    if as_is::is_taken(&spec.input_schema, dialect.rules()) {
        return Ok((spec.input_schema.clone(), Vec::new()));
    }
    match &*spec.kept.adapted(&spec.input_schema, dialect) {
        Ok(adapted) => Ok((adapted.schema.clone(), adapted.changes.clone())),
        Err(why) => Err(why.clone()),
    }
}

fn fitted(spec: &ToolSpec, dialect: Dialect, schema: Value, fit: Fit) -> Fitted {
    let output = spec.output_schema.as_ref().filter(|_| dialect.rules().declares_results).map(object_schema);
    let (output_schema, output_changes) =
        output.map_or_else(Default::default, |(schema, changes)| (Some(schema.into_owned()), changes));
    Fitted { dialect, schema, fit, output_schema, output_changes }
}

fn unusable(spec: &ToolSpec, dialect: Dialect, why: Unfit) -> Fitted {
    let (schema, fit) = (spec.input_schema.clone(), Fit::Unusable { why });
    Fitted { dialect, schema, fit, output_schema: None, output_changes: Vec::new() }
}
