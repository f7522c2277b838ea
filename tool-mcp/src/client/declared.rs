//! Tools as a server declares them, and what is left of a declaration that cannot be used as it is.

use serde::Deserialize;
use serde_json::{Map, Value};
use tool_core::{
    ToolSpec,
    tool::{Annotations, Icons, InvalidTool, SchemaFault, ToolName},
};

/// As much of a description is shown to a model, in bytes: it is in every request.
const MAX_DESCRIPTION: usize = 16 * 1024;

/// A tool, as its server declares it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Declared {
    /// The server's name for it.
    pub(super) name: String,
    /// All of it.
    pub(super) declaration: Value,
}

impl Declared {
    /// Reads one item of a list.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(declaration: Value) -> Result<Self, String> {
        let Some(name) = declaration.get("name").and_then(Value::as_str).map(str::to_owned) else {
            return Err("a tool without a name was left out".to_owned());
        };
        match declaration.get("inputSchema") {
            Some(Value::Object(_)) => Ok(Self { name, declaration }),
            _ => Err(format!("the tool `{name}` was left out: expected an object as its `inputSchema`")),
        }
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.declaration.get(member).and_then(Value::as_str)
    }

    fn description(&self) -> String {
        let description = self.text("description").unwrap_or_default();
        if description.len() <= MAX_DESCRIPTION {
            return description.to_owned();
        }
        format!(
            "{} [the rest of the description was left out]",
            &description[..description.floor_char_boundary(MAX_DESCRIPTION)]
        )
    }

    /// What a model sees of it. Of a server that is not trusted, hints that would spare a question are not believed.
    pub(super) fn spec(&self, name: ToolName, is_trusted: bool) -> ToolSpec {
        let mut schema = self.declaration.get("inputSchema").cloned().unwrap_or_default();
        if let Value::Object(keywords) = &mut schema
            && !keywords.contains_key("type")
        {
            // Arguments are an object, whether the schema says so or not.
            keywords.insert("type".to_owned(), "object".into());
        }
        let mut spec = ToolSpec::new(name, self.description(), schema);
        let hints = self.declaration.get("annotations");
        let title = self.text("title").or_else(|| hints.and_then(|hints| hints.get("title")?.as_str()));
        spec.title = title.map(|title| title.to_owned().into());
        spec.output_schema = self.declaration.get("outputSchema").filter(|schema| schema.is_object()).cloned();
        let hints = hints.cloned().unwrap_or_else(|| Value::Object(Map::new()));
        let said: Annotations = serde_json::from_value(hints).unwrap_or(Annotations::new(false, true, false, true));
        spec.annotations = if is_trusted { said } else { Annotations::new(false, true, false, true) };
        spec.icons = self.declaration.get("icons").and_then(|icons| Icons::deserialize(icons).ok()).unwrap_or_default();
        spec
    }

    /// How many of its icons are none that a client may take.
    pub(super) fn refused_icons(&self, spec: &ToolSpec) -> usize {
        let declared = self.declaration.get("icons").and_then(Value::as_array).map_or(0, Vec::len);
        declared.saturating_sub(spec.icons.len())
    }
}

/// The same spec without what makes a schema unusable and can be done without: references to elsewhere, which are never
/// followed, and a promise of results that cannot be checked. Says what was taken out.
pub(super) fn loosened(mut spec: ToolSpec, fault: &InvalidTool) -> Option<(ToolSpec, &'static str)> {
    match fault {
        InvalidTool::InputSchema { fault: SchemaFault::Elsewhere(_), .. } => {
            cut_references(&mut spec.input_schema);
            Some((spec, "what its schema refers to elsewhere is not fetched, and not checked"))
        }
        InvalidTool::OutputSchema { .. } => {
            spec.output_schema = None;
            Some((spec, "the schema of its results cannot be used, and they are not checked"))
        }
        _ => None,
    }
}

/// Takes out references that lead out of the schema. Schemas are not so deep that this could not go down into them.
fn cut_references(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
                let leads_out = |target: &Value| target.as_str().is_some_and(|target| !target.starts_with('#'));
                if members.get(keyword).is_some_and(leads_out) {
                    members.shift_remove(keyword);
                }
            }
            members.values_mut().for_each(cut_references);
        }
        Value::Array(items) => items.iter_mut().for_each(cut_references),
        _ => {}
    }
}
