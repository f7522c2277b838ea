//! The form that providers' strict modes want: every object closed, and only the keywords that they know.
//!
//! A first form for OpenAI and Anthropic. What a strict mode cannot hold (maps, tuples, free values) makes the tool
//! fall back to the lenient form; what it merely cannot say (lengths, bounds) goes into the description, and is still
//! enforced when the call comes.

use serde_json::{Map, Value, json};

/// Whose strict mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StrictDialect {
    /// Every property required, optional ones nullable.
    OpenAi,
    /// Optional properties stay optional; no bounds, lengths or patterns.
    Anthropic,
}

impl StrictDialect {
    /// Keywords that the strict mode takes, beside the structural ones.
    fn takes(self, keyword: &str) -> bool {
        const BOTH: [&str; 10] = [
            "type",
            "description",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "enum",
            "anyOf",
            "$ref",
            "$defs",
        ];
        const OPENAI: [&str; 9] = [
            "pattern",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minItems",
            "maxItems",
        ];
        BOTH.contains(&keyword)
            || match self {
                Self::OpenAi => OPENAI.contains(&keyword),
                Self::Anthropic => keyword == "format",
            }
    }
}

/// The strict form of a portable schema, or why there is none.
///
/// # Errors
/// What the strict mode cannot hold, with its JSON pointer.
pub fn strict(schema: &Value, dialect: StrictDialect) -> Result<Value, String> {
    let mut schema = schema.clone();
    node(&mut schema, dialect, "")?;
    Ok(schema)
}

fn node(schema: &mut Value, dialect: StrictDialect, at: &str) -> Result<(), String> {
    let Value::Object(keywords) = schema else {
        return Err(format!("{at}: a schema that is just true or false"));
    };
    if keywords.contains_key("prefixItems") {
        return Err(format!("{at}: a tuple"));
    }
    let says_something = ["type", "anyOf", "enum", "$ref"].iter().any(|keyword| keywords.contains_key(*keyword));
    if !says_something {
        return Err(format!("{at}: a value of any kind"));
    }
    demote(keywords, dialect);
    if has_type(keywords, "object") {
        object(keywords, dialect, at)?;
    }
    if let Some(items) = keywords.get_mut("items") {
        node(items, dialect, &format!("{at}/items"))?;
    } else if has_type(keywords, "array") {
        return Err(format!("{at}: an array of anything"));
    }
    if let Some(Value::Array(branches)) = keywords.get_mut("anyOf") {
        for (index, branch) in branches.iter_mut().enumerate() {
            node(branch, dialect, &format!("{at}/anyOf/{index}"))?;
        }
    }
    if let Some(Value::Object(definitions)) = keywords.get_mut("$defs") {
        for (name, definition) in definitions {
            node(definition, dialect, &format!("{at}/$defs/{name}"))?;
        }
    }
    Ok(())
}

fn has_type(keywords: &Map<String, Value>, wanted: &str) -> bool {
    match keywords.get("type") {
        Some(Value::String(kind)) => kind == wanted,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
        _ => false,
    }
}

/// Moves what the strict mode does not know into the description.
fn demote(keywords: &mut Map<String, Value>, dialect: StrictDialect) {
    let is_uri = keywords.get("format").is_some_and(|format| format == "uri") && dialect == StrictDialect::OpenAi;
    let is_unknown = |keyword: &&String| !dialect.takes(keyword) || is_uri && *keyword == "format";
    let unknown: Vec<String> = keywords.keys().filter(is_unknown).cloned().collect();
    let mut said = Vec::new();
    for keyword in unknown {
        if let Some(value) = keywords.shift_remove(&keyword) {
            said.push(format!("{keyword}: {value}"));
        }
    }
    if !said.is_empty() {
        let known = keywords.get("description").and_then(Value::as_str).map(|text| format!("{text}\n"));
        let text = format!("{}({})", known.unwrap_or_default(), said.join(", "));
        keywords.insert("description".into(), text.into());
    }
}

fn object(keywords: &mut Map<String, Value>, dialect: StrictDialect, at: &str) -> Result<(), String> {
    let has_properties = keywords.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    match keywords.get("additionalProperties") {
        None if !has_properties && !at.is_empty() => return Err(format!("{at}: an object of any shape")),
        Some(Value::Object(_) | Value::Bool(true)) => return Err(format!("{at}: a map")),
        _ => {}
    }
    keywords.insert("additionalProperties".into(), false.into());
    let required: Vec<String> = keywords
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let properties = keywords.entry("properties").or_insert_with(|| json!({}));
    let Value::Object(properties) = properties else { return Err(format!("{at}: properties that are no object")) };
    for (name, property) in properties.iter_mut() {
        node(property, dialect, &format!("{at}/properties/{name}"))?;
        if dialect == StrictDialect::OpenAi && !required.contains(name) {
            nullable(property);
        }
    }
    if dialect == StrictDialect::OpenAi {
        let all: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
        keywords.insert("required".into(), all.into());
    }
    Ok(())
}

/// The same schema or null; the description stays in front.
fn nullable(property: &mut Value) {
    let Value::Object(keywords) = property else { return };
    let description = keywords.shift_remove("description");
    let inner = std::mem::take(keywords);
    let plain = inner.len() == 1 && inner.get("type").is_some_and(Value::is_string);
    if let Some(description) = description {
        keywords.insert("description".into(), description);
    }
    if plain {
        keywords.insert("type".into(), json!([inner["type"], "null"]));
    } else if let Some(Value::Array(branches)) = inner.get("anyOf").filter(|_| inner.len() == 1) {
        let mut branches = branches.clone();
        branches.push(json!({ "type": "null" }));
        keywords.insert("anyOf".into(), branches.into());
    } else {
        keywords.insert("anyOf".into(), json!([inner, { "type": "null" }]));
    }
}
