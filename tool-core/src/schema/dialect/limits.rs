//! How much a provider takes: of one schema, and of all strict tools of a request.

use serde_json::Value;

use super::{
    change::{Unfit, UnfitReason},
    rewrite::{At, Keywords, required, types, unfit},
    rules::{Rules, SetLimits},
};

/// What there is in a schema.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    properties: usize,
    levels: usize,
    characters: usize,
    enum_values: usize,
    /// The most characters in one enumeration of more texts than the limit that was asked for.
    large_enum: usize,
    optional_parameters: usize,
    union_parameters: usize,
}

/// Whether a schema keeps within the limits of its dialect.
pub(super) fn check(schema: &Value, rules: &Rules) -> Result<(), Unfit> {
    let Some(limits) = &rules.limits else { return Ok(()) };
    let mut counts = Counts::default();
    counts.add(schema, limits.large_enum, 0);
    for (what, found, limit) in [
        ("properties", counts.properties, limits.properties),
        ("levels of nesting", counts.levels, limits.levels),
        ("characters in names and enumerated values", counts.characters, limits.characters),
        ("enumerated values", counts.enum_values, limits.enum_values),
        ("characters in one large enumeration", counts.large_enum, limits.large_enum_characters),
    ] {
        if found > limit {
            return Err(unfit(&At::ROOT, UnfitReason::Limit { what, found, limit }));
        }
    }
    Ok(())
}

/// What the strict tools of one request have used up so far.
pub(super) struct Budget<'l> {
    limits: &'l SetLimits,
    tools: usize,
    optional_parameters: usize,
    union_parameters: usize,
}

impl<'l> Budget<'l> {
    pub(super) fn new(limits: &'l SetLimits) -> Self {
        Self { limits, tools: 0, optional_parameters: 0, union_parameters: 0 }
    }

    /// Takes one more tool in, or says which limit it would break.
    pub(super) fn take(&mut self, schema: &Value) -> Result<(), Unfit> {
        let mut counts = Counts::default();
        counts.add(schema, usize::MAX, 0);
        let tools = self.tools + 1;
        let optional_parameters = self.optional_parameters + counts.optional_parameters;
        let union_parameters = self.union_parameters + counts.union_parameters;
        for (what, found, limit) in [
            ("strict tools in one request", tools, self.limits.tools),
            ("optional parameters of all strict tools", optional_parameters, self.limits.optional_parameters),
            ("parameters of several types of all strict tools", union_parameters, self.limits.union_parameters),
        ] {
            if found > limit {
                return Err(unfit(&At::ROOT, UnfitReason::Limit { what, found, limit }));
            }
        }
        *self = Self { limits: self.limits, tools, optional_parameters, union_parameters };
        Ok(())
    }
}

impl Counts {
    fn add(&mut self, schema: &Value, large_enum: usize, level: usize) {
        let Value::Object(keywords) = schema else { return };
        let nests = types(keywords).iter().any(|kind| matches!(*kind, "object" | "array"));
        let level = level + usize::from(nests);
        self.levels = self.levels.max(level);
        self.union_parameters += usize::from(keywords.contains_key("anyOf") || types(keywords).len() > 1);
        self.enumeration(keywords, large_enum);
        let needed = required(keywords);
        for (name, property) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.properties += 1;
            self.characters += name.chars().count();
            self.optional_parameters += usize::from(!needed.contains(name));
            self.add(property, large_enum, level);
        }
        for (name, definition) in keywords.get("$defs").and_then(Value::as_object).into_iter().flatten() {
            self.characters += name.chars().count();
            self.add(definition, large_enum, 0);
        }
        for branch in keywords.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(branch, large_enum, level);
        }
        if let Some(items) = keywords.get("items") {
            self.add(items, large_enum, level);
        }
    }

    fn enumeration(&mut self, keywords: &Keywords, large_enum: usize) {
        let Some(options) = keywords.get("enum").and_then(Value::as_array) else { return };
        let length =
            |option: &Value| option.as_str().map_or_else(|| option.to_string().len(), |text| text.chars().count());
        let characters: usize = options.iter().map(length).sum();
        self.enum_values += options.len();
        self.characters += characters;
        if options.len() > large_enum {
            self.large_enum = self.large_enum.max(characters);
        }
    }
}
