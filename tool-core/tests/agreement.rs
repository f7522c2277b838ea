//! The schema and the deserialiser agree: on a table of odd JSON, what one accepts, so does the other.
//!
//! Two directions. What the schema accepts, the tool takes. What the tool takes as it is, without conversion, the
//! schema accepts; the exceptions stand in a list, each with its reason.

#![allow(dead_code, reason = "fields are read by `Debug` alone")]

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::{Tool, prelude::*, registry::IntoTool, validation::Validator};

/// A unit that is documented.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /// Degrees of Celsius.
    Celsius,
    Fahrenheit,
    /// Degrees above the absolute zero.
    Kelvin,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Shape {
    Circle { radius: f64 },
    Square { side: u8, label: Option<String> },
    Nothing,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
    List(Vec<bool>),
}

#[derive(Debug, Deserialize, JsonSchema)]
enum External {
    Unit,
    Newtype(u8),
    Pair(u8, String),
    Struct { a: bool },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Closed {
    must: u8,
    may: Option<i32>,
    #[serde(default)]
    with_default: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Tree {
    name: String,
    #[serde(default)]
    children: Vec<Tree>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Bounded {
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    #[schemars(length(min = 2))]
    tags: Vec<String>,
    #[schemars(regex(pattern = "^[a-z]+$"))]
    word: Option<String>,
}

macro_rules! one_parameter {
    ($($name:ident: $ty:ty),* $(,)?) => { $(
        /// One parameter.
        #[tool(register = false)]
        fn $name(value: $ty) -> String {
            format!("{value:?}")
        }
    )* };
}

one_parameter! {
    u8_: u8, u16_: u16, u32_: u32, u64_: u64, i8_: i8, i16_: i16, i32_: i32, i64_: i64, usize_: usize, f64_: f64,
    bool_: bool, char_: char, string_: String, unit: Unit, shape: Shape, either: Either, external: External,
    closed: Closed, tree: Tree, bounded: Bounded, optional: Option<u8>, optional_enum: Option<Unit>,
    optional_struct: Option<Closed>, list: Vec<i32>, set: HashSet<u8>, map: HashMap<String, i32>,
    number_map: BTreeMap<u8, bool>, pair: (u8, String), array: [bool; 2], nested: Vec<Option<Closed>>, any: Value,
    boxed: Box<Tree>, nothing: (), path: std::path::PathBuf,
}

fn tools() -> Vec<std::sync::Arc<dyn Tool>> {
    macro_rules! all { ($($handle:ident),* $(,)?) => { vec![$($handle.into_tool()),*] } }
    all![
        U8Tool,
        U16Tool,
        U32Tool,
        U64Tool,
        I8Tool,
        I16Tool,
        I32Tool,
        I64Tool,
        UsizeTool,
        F64Tool,
        BoolTool,
        CharTool,
        StringTool,
        UnitTool,
        ShapeTool,
        EitherTool,
        ExternalTool,
        ClosedTool,
        TreeTool,
        BoundedTool,
        OptionalTool,
        OptionalEnumTool,
        OptionalStructTool,
        ListTool,
        SetTool,
        MapTool,
        NumberMapTool,
        PairTool,
        ArrayTool,
        NestedTool,
        AnyTool,
        BoxedTool,
        NothingTool,
        PathTool,
    ]
}

fn odd_values() -> Vec<Value> {
    let mut values = vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(3),
        json!(255),
        json!(256),
        json!(-128),
        json!(-129),
        json!(65535),
        json!(65536),
        json!(4_294_967_295_u64),
        json!(4_294_967_296_u64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1.0),
        json!(1.5),
        json!(-0.0),
        json!(1e300),
        json!(""),
        json!("a"),
        json!("ab"),
        json!("celsius"),
        json!("Celsius"),
        json!("kelvin"),
        json!("5"),
        json!("true"),
        json!("Unit"),
        json!("null"),
        json!("[]"),
        json!("{}"),
        json!("\u{1F600}"),
        json!("a\u{0}b"),
        json!([]),
        json!([1]),
        json!([1, "a"]),
        json!([1, 2]),
        json!([true, false]),
        json!([true]),
        json!([null]),
        json!(["a", "b"]),
        json!([1, 1]),
        json!([1.5]),
        json!([256]),
        json!([{ "must": 1 }]),
        json!([null, { "must": 1 }]),
        json!({}),
        json!({ "a": 1 }),
        json!({ "a": "b" }),
        json!({ "1": true }),
        json!({ "300": true }),
        json!({ "must": 1 }),
        json!({ "must": 1, "may": null }),
        json!({ "must": 1, "may": 2, "with_default": ["x"] }),
        json!({ "must": 256 }),
        json!({ "must": 1, "extra": 1 }),
        json!({ "may": 1 }),
        json!({ "must": 1, "with_default": null }),
        json!({ "kind": "circle", "radius": 1 }),
        json!({ "kind": "circle", "radius": "1" }),
        json!({ "kind": "circle" }),
        json!({ "kind": "square", "side": 2, "label": null }),
        json!({ "kind": "square", "side": 2, "more": 1 }),
        json!({ "kind": "nothing" }),
        json!({ "kind": "blob" }),
        json!({ "radius": 1 }),
        json!({ "Newtype": 3 }),
        json!({ "Newtype": 300 }),
        json!({ "Pair": [1, "x"] }),
        json!({ "Pair": [1] }),
        json!({ "Struct": { "a": true } }),
        json!({ "Struct": { "a": true, "b": 1 } }),
        json!({ "Newtype": 3, "Unit": 1 }),
        json!({ "name": "x" }),
        json!({ "name": "x", "children": [{ "name": "y", "children": [] }] }),
        json!({ "name": "x", "children": [{}] }),
        json!({ "name": 5 }),
        json!({ "name": "x", "more": 1 }),
        json!({ "stars": 1, "tags": ["a", "b"] }),
        json!({ "stars": 6, "tags": ["a", "b"] }),
        json!({ "stars": 1, "tags": ["a"] }),
        json!({ "stars": 1, "tags": ["a", "b"], "word": "abc" }),
        json!({ "stars": 1, "tags": ["a", "b"], "word": "A" }),
    ];
    values.push(json!({ "stars": 0, "tags": [] }));
    values
}

/// What the schema accepts and serde does not, and why that is right.
fn is_refused_by_serde_alone(tool: &str, value: &Value) -> bool {
    match (tool, value) {
        // Bounds of 64-bit integers are noise to a model, and more than JSON numbers hold in most languages. What lies
        // beyond them is refused in serde's words.
        ("u64" | "i64" | "usize" | "either", Value::Number(number)) => number.as_f64().is_some_and(|n| n > 9e18),
        // schemars describes a map's keys by a pattern, which has no bounds.
        ("number_map", Value::Object(members)) => members.contains_key("300"),
        _ => false,
    }
}

/// What serde accepts and the schema does not promise, and why that is right.
fn is_taken_by_serde_alone(tool: &str, value: &Value) -> bool {
    match (tool, value) {
        // serde's derives read a struct from a list of its fields too. No schema tells a model so.
        ("closed" | "optional_struct", Value::Array(_)) => true,
        // An optional value may be `null`, but is better left out: the schema says the shorter thing.
        ("optional" | "optional_enum" | "optional_struct", Value::Null) => true,
        ("closed" | "optional_struct" | "nested" | "shape" | "bounded", _) if has_null(value) => true,
        // A set takes a value twice and keeps it once, which loses nothing.
        ("set", Value::Array(_)) => true,
        _ => false,
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

#[test]
fn what_the_schema_accepts_the_tool_takes() {
    let mut wrong = Vec::new();
    for tool in tools() {
        let validator = Validator::new(tool.spec().input_schema.clone());
        for value in odd_values() {
            let arguments = json!({ "value": value });
            let promised = validator.mistakes(&arguments).is_empty()
                && !is_refused_by_serde_alone(tool.spec().name.as_str().trim_end_matches('_'), &value);
            if promised && tool.bind(&arguments.to_string()).is_err() {
                let report = tool.bind(&arguments.to_string()).err().map(|e| e.report("x")).unwrap_or_default();
                wrong.push(format!("{}: {value}: {report}", tool.spec().name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_tool_takes_the_schema_accepts() {
    let mut wrong = Vec::new();
    for tool in tools() {
        let validator = Validator::new(tool.spec().input_schema.clone());
        let name = tool.spec().name.to_string();
        for value in odd_values() {
            let arguments = json!({ "value": value });
            if tool.bind(&arguments.to_string()).is_err() || is_taken_by_serde_alone(name.trim_end_matches('_'), &value)
            {
                continue;
            }
            let mut converted = arguments.clone();
            validator.coerce(&mut converted);
            if !validator.mistakes(&converted).is_empty() {
                wrong.push(format!("{name}: {value}: {}", tool.spec().input_schema));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Schemas hold nothing that a provider refuses or a model need not read.
#[test]
fn schemas_are_portable() {
    fn walk(at: &str, schema: &Value) {
        let Value::Object(keywords) = schema else {
            assert!(schema.is_object(), "{at}: a schema that is no object: {schema}");
            return;
        };
        for noise in ["$schema", "title", "const", "oneOf", "nullable"] {
            assert!(!keywords.contains_key(noise), "{at}: {noise}");
        }
        let format = keywords.get("format").and_then(Value::as_str).unwrap_or("uuid");
        assert!(["uuid", "date", "date-time"].contains(&format), "{at}: format {format}");
        for (name, part) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
            walk(&format!("{at}/{name}"), part);
        }
        for (name, part) in keywords.get("$defs").and_then(Value::as_object).into_iter().flatten() {
            walk(&format!("{at}/$defs/{name}"), part);
        }
        for part in keywords.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            walk(&format!("{at}/anyOf"), part);
        }
        if let Some(items) = keywords.get("items") {
            walk(&format!("{at}/items"), items);
        }
    }
    for tool in tools() {
        let spec = tool.spec();
        assert_eq!(spec.input_schema["type"], "object");
        assert_eq!(spec.input_schema["additionalProperties"], false);
        walk(spec.name.as_str(), &spec.input_schema);
    }
}
