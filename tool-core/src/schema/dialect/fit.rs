//! Tools in a dialect: each in it, fallen back to the lenient one, or not to be used; for one request at a time.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::{
    Adapted, Dialect, as_is,
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
    choose(specs, dialect).map(Chosen::fitted).collect()
}

/// The same, without a copy of anything: a declaration wants the schema alone.
pub(crate) fn choose<'s>(
    specs: impl IntoIterator<Item = &'s ToolSpec>,
    dialect: Dialect,
) -> impl Iterator<Item = Chosen<'s>> {
    let mut budget = dialect.rules().set_limits.as_ref().map(Budget::new);
    specs.into_iter().map(move |spec| one(spec, dialect, budget.as_mut()))
}

/// A tool and the dialect it is said in.
pub(crate) struct Chosen<'s> {
    pub(crate) spec: &'s ToolSpec,
    pub(crate) dialect: Dialect,
    said: Said,
    /// Why not in the dialect that was asked for.
    why: Option<Unfit>,
}

/// A tool's schema in a dialect.
enum Said {
    AsIs,
    Kept(Arc<Result<Adapted, Unfit>>),
    Not,
}

impl Said {
    /// What is looked at quickly is not kept: that would cost as much.
    fn new(spec: &ToolSpec, dialect: Dialect) -> Self {
        if as_is::is_taken(&spec.input_schema, dialect.rules()) {
            return Self::AsIs;
        }
        Self::Kept(spec.kept.adapted(&spec.input_schema, dialect))
    }

    fn schema<'v>(&'v self, spec: &'v ToolSpec) -> Result<&'v Value, &'v Unfit> {
        match self {
            Self::AsIs | Self::Not => Ok(&spec.input_schema),
            Self::Kept(kept) => kept.as_ref().as_ref().map(|adapted| &adapted.schema),
        }
    }
}

fn one<'s>(spec: &'s ToolSpec, dialect: Dialect, budget: Option<&mut Budget<'_>>) -> Chosen<'s> {
    let unusable = |dialect, why| Chosen { spec, dialect, said: Said::Not, why: Some(why) };
    if !dialect.rules().tool_names.take(spec.name.as_str()) {
        let reason = UnfitReason::ToolName(spec.name.to_string());
        return unusable(dialect, Unfit { pointer: String::new(), reason });
    }
    let said = Said::new(spec, dialect);
    let fits = said.schema(spec).map_err(Clone::clone).and_then(|schema| budget.map_or(Ok(()), |b| b.take(schema)));
    let Err(why) = fits else { return Chosen { spec, dialect, said, why: None } };
    let Some(lenient) = dialect.lenient() else { return unusable(dialect, why) };
    let said = Said::new(spec, lenient);
    match said.schema(spec).map(drop).map_err(Clone::clone) {
        Ok(()) => Chosen { spec, dialect: lenient, said, why: Some(why) },
        Err(why) => unusable(lenient, why),
    }
}

impl Chosen<'_> {
    /// The schema, or why the tool cannot be used at all.
    pub(crate) fn into_schema(self) -> Result<Value, Unfit> {
        match (self.said, self.why) {
            (Said::Not, Some(why)) => Err(why),
            (said, _) => said.schema(self.spec).cloned().map_err(Clone::clone),
        }
    }

    /// The schema of the results, and what was changed in it.
    pub(crate) fn output(&self) -> Option<(Value, Vec<Change>)> {
        let schema = self.spec.output_schema.as_ref().filter(|_| self.dialect.rules().declares_results);
        schema.map(object_schema).map(|(schema, changes)| (schema.into_owned(), changes))
    }

    fn fitted(self) -> Fitted {
        let usable = !matches!(self.said, Said::Not);
        let (output_schema, output_changes) = self.output().filter(|_| usable).unzip();
        let (spec, dialect) = (self.spec, self.dialect);
        let (schema, changes) = match &self.said {
            Said::Kept(kept) => match kept.as_ref() {
                Ok(adapted) => (adapted.schema.clone(), adapted.changes.clone()),
                Err(_) => (spec.input_schema.clone(), Vec::new()),
            },
            Said::AsIs | Said::Not => (spec.input_schema.clone(), Vec::new()),
        };
        let fit = match self.why {
            Some(why) if usable => Fit::FellBack { why, changes },
            Some(why) => Fit::Unusable { why },
            None if changes.is_empty() => Fit::AsIs,
            None => Fit::Adapted { changes },
        };
        Fitted { dialect, schema, fit, output_schema, output_changes: output_changes.unwrap_or_default() }
    }
}
