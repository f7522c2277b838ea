//! Schemas of odd types, and of foreign servers.
#![allow(dead_code, unreachable_pub, reason = "only the schemas of these types are looked at")]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    num::NonZeroU32,
    time::Duration,
};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::schema::of_type;

/// A way to sort.
#[derive(Deserialize, JsonSchema)]
pub enum Sort {
    /// By name.
    Name,
    /// Newest first.
    Date,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
pub enum Tagged {
    /// A circle.
    Circle {
        #[schemars(range(min = 0.0))]
        radius: f64,
    },
    Square {
        side: u8,
        label: Option<String>,
    },
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value")]
pub enum Adjacent {
    Number(i32),
    Pair(String, bool),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Untagged {
    Text(String),
    List(Vec<String>),
    Object { path: String, line: Option<u32> },
}

#[derive(Deserialize, JsonSchema)]
pub enum External {
    Unit,
    Newtype(u64),
    Struct { a: String },
}

#[derive(Deserialize, JsonSchema)]
pub struct Node {
    value: i64,
    next: Option<Box<Node>>,
    #[serde(default)]
    children: Vec<Node>,
}

#[derive(Deserialize, JsonSchema)]
pub struct Newtype(#[schemars(length(min = 1, max = 80))] String);

#[derive(Deserialize, JsonSchema)]
pub struct Bounded {
    #[schemars(range(min = 1, max = 14))]
    days: u8,
    #[schemars(length(max = 80), regex(pattern = r"^\w+$"))]
    name: String,
    #[schemars(length(min = 2, max = 5))]
    list: Vec<String>,
    #[serde(default = "ten")]
    #[schemars(range(min = 1))]
    limit: u32,
    #[schemars(email)]
    mail: Option<String>,
    #[schemars(url)]
    page: String,
    /// Looks ahead.
    #[schemars(regex(pattern = r"^(?!a).*$"))]
    look: String,
}

fn ten() -> u32 {
    10
}

#[derive(Deserialize, JsonSchema)]
pub struct Outer {
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    shape: Tagged,
    own: bool,
}

#[derive(Deserialize, JsonSchema)]
pub struct Inner {
    a: Option<Option<String>>,
    b: char,
}

#[derive(Deserialize, JsonSchema)]
pub struct Empty {}

macro_rules! properties {
    ($($name:literal: $kind:ty),* $(,)?) => {
        vec![$(($name, of_type::<$kind>())),*]
    };
}

/// Types as a required and as an optional parameter, and schemas as they come from other servers.
pub fn zoo() -> Vec<(String, Value)> {
    let mut zoo = Vec::new();
    for (name, property) in properties! {
        "string": String, "char": char, "bool": bool, "u64": u64, "i8": i8, "f32": f32, "non_zero": NonZeroU32,
        "duration": Duration, "unit": (), "option": Option<String>, "option_enum": Option<Sort>,
        "option_struct": Option<Inner>, "enum": Sort, "tagged": Tagged, "adjacent": Adjacent, "untagged": Untagged,
        "external": External, "nested_lists": Vec<Vec<u16>>, "set": BTreeSet<String>, "tuple": (String, u8, Sort),
        "pair": (f64, f64), "array": [u8; 4], "newtype": Newtype, "bounded": Bounded, "flatten": Outer,
        "recursive": Node, "list_of_recursive": Vec<Node>, "map": HashMap<String, u32>,
        "map_of_maps": BTreeMap<String, BTreeMap<String, Sort>>, "value": Value, "list_of_values": Vec<Value>,
        "empty": Empty, "option_tagged": Option<Tagged>, "list_of_untagged": Vec<Untagged>,
    } {
        zoo.push((format!("{name} required"), with(property.clone(), true)));
        zoo.push((format!("{name} optional"), with(property, false)));
    }
    for (name, root) in properties! {
        "root tagged": Tagged, "root recursive": Node, "root flatten": Outer, "root bounded": Bounded,
        "root adjacent": Adjacent, "root empty": Empty, "root external": Mixed,
    } {
        zoo.push((name.to_owned(), root));
    }
    zoo.extend(foreign().into_iter().map(|(name, schema)| (format!("foreign {name}"), schema)));
    zoo
}

/// Externally tagged, all structs.
#[derive(Deserialize, JsonSchema)]
pub enum Mixed {
    A { x: String },
    B(Inner),
}

/// An object with one property of that schema; its definitions stay at the root.
fn with(mut property: Value, is_required: bool) -> Value {
    let definitions = property.as_object_mut().and_then(|keywords| keywords.shift_remove("$defs"));
    let mut schema = json!({ "type": "object", "properties": { "it": property }, "additionalProperties": false });
    if is_required {
        schema["required"] = json!(["it"]);
    }
    if let Some(definitions) = definitions {
        schema["$defs"] = definitions;
    }
    schema
}

fn foreign() -> Vec<(&'static str, Value)> {
    vec![
        ("open root", json!({ "type": "object" })),
        ("no type", json!({ "properties": { "a": { "minLength": 2 }, "b": { "items": { "enum": [1, 2] } } } })),
        ("empty", json!({})),
        (
            "pydantic",
            json!({
                "title": "searchArguments",
                "type": "object",
                "properties": {
                    "query": { "title": "Query", "type": "string" },
                    "limit": { "anyOf": [{ "type": "integer" }, { "type": "null" }], "default": null, "title": "Limit" },
                    "sort": { "allOf": [{ "$ref": "#/definitions/Sort" }], "default": "name", "description": "How." },
                },
                "required": ["query"],
                "definitions": { "Sort": { "title": "Sort", "enum": ["name", "date"], "type": "string" } },
            }),
        ),
        (
            "zod",
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {
                    "kind": { "type": "string", "const": "file" },
                    "size": { "type": ["number", "null"], "exclusiveMinimum": 0, "description": "Bytes" },
                    "pair": { "type": "array", "items": [{ "type": "string" }, { "type": "number" }],
                        "minItems": 2, "maxItems": 2 },
                    "mixed": { "enum": ["a", 1, true, null] },
                },
                "required": ["kind"],
                "additionalProperties": false,
            }),
        ),
        (
            "root union",
            json!({
                "type": "object",
                "oneOf": [
                    { "properties": { "op": { "const": "add" }, "path": { "type": "string" } }, "required": ["op", "path"] },
                    { "properties": { "op": { "const": "move" }, "from": { "type": "string" } }, "required": ["op", "from"] },
                ],
            }),
        ),
        (
            "root anyOf required",
            json!({
                "type": "object",
                "properties": { "id": { "type": "string" }, "name": { "type": "string" } },
                "anyOf": [{ "required": ["id"] }, { "required": ["name"] }],
            }),
        ),
        (
            "root reference",
            json!({ "$ref": "#/$defs/Args", "$defs": { "Args": {
            "type": "object", "properties": { "x": { "type": "string", "maxLength": 3 } }, "required": ["x"],
        } } }),
        ),
        (
            "conditions",
            json!({
                "type": "object",
                "properties": {
                    "unit": { "type": "string", "not": { "enum": ["x"] } },
                    "tags": { "type": "array", "items": { "type": "string" }, "contains": { "const": "a" },
                        "uniqueItems": true },
                },
                "if": { "properties": { "unit": { "const": "km" } } },
                "then": { "required": ["tags"] },
                "dependentRequired": { "tags": ["unit"] },
                "minProperties": 1,
                "propertyNames": { "pattern": "^[a-z]+$" },
            }),
        ),
        (
            "references",
            json!({
                "type": "object",
                "properties": {
                    "a": { "$ref": "#/properties/b", "description": "As b." },
                    "b": { "type": "string", "pattern": "^x" },
                    "c": { "$ref": "https://example.com/c.json" },
                    "d": { "$ref": "#/$defs/missing" },
                    "e": { "$ref": "#node" },
                    "f": { "$ref": "#" },
                },
                "$defs": { "node": { "$anchor": "node", "type": "array", "items": { "$ref": "#node" } } },
            }),
        ),
        (
            "booleans",
            json!({
                "type": "object",
                "properties": { "any": true, "never": false, "list": { "type": "array", "items": true } },
                "additionalProperties": true,
            }),
        ),
        (
            "intersections",
            json!({
                "type": "object",
                "properties": {
                    "both": { "allOf": [
                        { "type": "object", "properties": { "x": { "type": "string" } }, "required": ["x"] },
                        { "type": "object", "properties": { "y": { "type": "integer", "minimum": 0 } } },
                    ] },
                    "narrow": { "allOf": [{ "type": "string", "minLength": 2 }, { "maxLength": 5, "minLength": 3 }] },
                    "patterns": { "type": "string", "allOf": [{ "pattern": "^a" }, { "pattern": "b$" }] },
                    "choice": {
                        "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"],
                        "anyOf": [
                            { "properties": { "x": { "type": "string" } }, "required": ["x"] },
                            { "properties": { "y": { "type": "string" } }, "required": ["y"] },
                        ],
                    },
                    "two": { "anyOf": [{ "type": "string" }, { "type": "null" }], "oneOf": [{ "minLength": 1 }, { "type": "null" }] },
                },
            }),
        ),
        (
            "openapi",
            json!({
                "type": "object",
                "properties": {
                    "n": { "type": "string", "nullable": true, "example": "x", "x-order": 1 },
                    "deep": { "type": "object", "properties": { "m": { "type": "object", "additionalProperties": {} } } },
                    "headers": { "type": "object", "patternProperties": { "^x-": { "type": "string" } },
                        "additionalProperties": false },
                },
                "required": ["missing"],
            }),
        ),
        (
            "malformed",
            json!({
                "type": "object", "required": "a", "properties": { "a": 5, "b": { "type": "strnig", "enum": 3 },
                "c": { "anyOf": [] }, "d": { "enum": [] }, "e": { "type": [], "minimum": "x" } },
            }),
        ),
    ]
}
