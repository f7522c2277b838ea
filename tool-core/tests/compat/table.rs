//! Pairs of schemas, and where the second breaks callers of the first.

use serde_json::{Value, json};
use tool_core::testing::{Severity, compat::Report};

use super::{of_input, of_output};

/// What is wanted of a pair: nothing, or the worst difference and the place it is at.
type Wanted = Option<(Severity, &'static str)>;

const BREAKS: Severity = Severity::Breaking;
const MAY: Severity = Severity::MayBreak;

fn check(report: &Report, root: &str, wanted: Wanted, pair: &str) {
    let found: Vec<_> = report.breaking().collect();
    match wanted {
        None => assert!(found.is_empty(), "{pair}: wanted compatible, got\n{report}"),
        Some((severity, pointer)) => {
            let wanted = format!("{root}{pointer}");
            assert!(
                found.iter().any(|one| one.pointer == wanted && one.severity == severity),
                "{pair}: wanted {severity:?} at {wanted}, got\n{report}"
            );
        }
    }
}

/// A struct with one property `p`, closed as the macro closes it.
fn of_p(property: Value) -> Value {
    json!({ "type": "object", "properties": { "p": property }, "additionalProperties": false })
}

#[test]
fn one_parameter() {
    let p = "/properties/p";
    let at = |rest: &str| -> &'static str { format!("{p}{rest}").leak() };
    let tag = |kind: &str, extra: &str| json!({ "type": "object", "properties": { "kind": { "enum": [kind] }, extra: { "type": "integer" } }, "required": ["kind"] });
    let pairs: Vec<(Value, Value, Wanted)> = vec![
        // Types.
        (json!({ "type": "integer" }), json!({ "type": "number" }), None),
        (json!({ "type": "number" }), json!({ "type": "integer" }), Some((BREAKS, p))),
        (json!({ "type": "number", "multipleOf": 2 }), json!({ "type": "integer" }), Some((BREAKS, p))),
        (json!({ "type": "string" }), json!({ "type": "integer" }), Some((BREAKS, p))),
        (json!({ "type": "string" }), json!({ "type": ["string", "null"] }), None),
        (json!({ "type": ["string", "null"] }), json!({ "type": "string" }), Some((BREAKS, p))),
        (json!({}), json!({ "type": "string" }), Some((BREAKS, p))),
        (json!({ "type": "string" }), json!({}), None),
        (json!({ "type": "string" }), json!(false), Some((BREAKS, p))),
        (json!({ "type": "boolean" }), json!({ "enum": [true, false] }), None),
        (json!({ "type": "boolean" }), json!({ "enum": [true] }), Some((BREAKS, p))),
        // Words, which nobody is refused for.
        (
            json!({ "type": "string", "description": "a", "default": "x" }),
            json!({ "type": "string", "title": "b" }),
            None,
        ),
        // Enums and constants.
        (json!({ "enum": ["a", "b"] }), json!({ "enum": ["a", "b", "c"] }), None),
        (json!({ "enum": ["a", "b"] }), json!({ "enum": ["b"] }), Some((BREAKS, p))),
        (json!({ "enum": ["a", "b"] }), json!({ "type": "string" }), None),
        (json!({ "type": "string" }), json!({ "type": "string", "enum": ["a"] }), Some((BREAKS, at("/enum")))),
        (json!({ "const": 3 }), json!({ "type": "integer", "minimum": 3 }), None),
        (json!({ "const": 3 }), json!({ "type": "integer", "minimum": 4 }), Some((BREAKS, p))),
        (json!({ "enum": ["ab"] }), json!({ "type": "string", "pattern": "^a" }), None),
        // Numbers.
        (json!({ "type": "integer", "minimum": 1 }), json!({ "type": "integer", "minimum": 0 }), None),
        (
            json!({ "type": "integer", "minimum": 0 }),
            json!({ "type": "integer", "minimum": 1 }),
            Some((BREAKS, at("/minimum"))),
        ),
        (json!({ "type": "integer" }), json!({ "type": "integer", "maximum": 9 }), Some((BREAKS, at("/maximum")))),
        (json!({ "type": "integer", "minimum": 1 }), json!({ "type": "integer", "exclusiveMinimum": 0 }), None),
        (
            json!({ "type": "number", "minimum": 0 }),
            json!({ "type": "number", "exclusiveMinimum": 0 }),
            Some((BREAKS, at("/exclusiveMinimum"))),
        ),
        (
            json!({ "type": "integer", "maximum": 9_007_199_254_740_993_i64 }),
            json!({ "type": "integer", "maximum": 9_007_199_254_740_992_i64 }),
            Some((BREAKS, at("/maximum"))),
        ),
        (json!({ "type": "integer", "multipleOf": 6 }), json!({ "type": "integer", "multipleOf": 3 }), None),
        (
            json!({ "type": "integer", "multipleOf": 3 }),
            json!({ "type": "integer", "multipleOf": 6 }),
            Some((BREAKS, at("/multipleOf"))),
        ),
        // Texts.
        (json!({ "type": "string", "maxLength": 5 }), json!({ "type": "string", "maxLength": 9 }), None),
        (
            json!({ "type": "string", "maxLength": 9 }),
            json!({ "type": "string", "maxLength": 5 }),
            Some((BREAKS, at("/maxLength"))),
        ),
        (json!({ "type": "string" }), json!({ "type": "string", "minLength": 1 }), Some((BREAKS, at("/minLength")))),
        (json!({ "type": "string" }), json!({ "type": "string", "minLength": 0 }), None),
        (json!({ "type": "string" }), json!({ "type": "string", "pattern": "^a" }), Some((BREAKS, at("/pattern")))),
        (
            json!({ "type": "string", "pattern": "^a" }),
            json!({ "type": "string", "pattern": "^b" }),
            Some((MAY, at("/pattern"))),
        ),
        (json!({ "type": "string", "pattern": "^a" }), json!({ "type": "string" }), None),
        (json!({ "type": "string" }), json!({ "type": "string", "format": "uri" }), Some((BREAKS, at("/format")))),
        // Arrays.
        (
            json!({ "type": "array", "items": { "type": "integer" } }),
            json!({ "type": "array", "items": { "type": "number" } }),
            None,
        ),
        (
            json!({ "type": "array", "items": { "type": "number" } }),
            json!({ "type": "array", "items": { "type": "integer" } }),
            Some((BREAKS, at("/items"))),
        ),
        (json!({ "type": "array" }), json!({ "type": "array", "maxItems": 3 }), Some((BREAKS, at("/maxItems")))),
        (
            json!({ "type": "array" }),
            json!({ "type": "array", "uniqueItems": true }),
            Some((BREAKS, at("/uniqueItems"))),
        ),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "string" }], "items": false }),
            json!({ "type": "array", "items": { "type": "string" } }),
            None,
        ),
        (
            json!({ "type": "array", "items": { "type": "string" } }),
            json!({ "type": "array", "prefixItems": [{ "type": "integer" }] }),
            Some((BREAKS, at("/prefixItems/0"))),
        ),
        // Objects within.
        (of_p(json!({ "type": "integer" })), of_p(json!({ "type": "string" })), Some((BREAKS, at("/properties/p")))),
        (
            json!({ "type": "object" }),
            json!({ "type": "object", "additionalProperties": false }),
            Some((BREAKS, at("/additionalProperties"))),
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
            json!({ "type": "object", "additionalProperties": { "type": "number" } }),
            None,
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "number" } }),
            json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
            Some((BREAKS, at("/additionalProperties"))),
        ),
        (
            json!({ "type": "object", "minProperties": 1 }),
            json!({ "type": "object", "minProperties": 2 }),
            Some((BREAKS, at("/minProperties"))),
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "type": "object", "properties": { "x": { "type": "integer" } }, "additionalProperties": { "type": "string" } }),
            Some((BREAKS, at("/properties/x"))),
        ),
        // Alternatives.
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
            json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }, { "type": "null" }] }),
            None,
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
            json!({ "anyOf": [{ "type": "string" }] }),
            Some((BREAKS, p)),
        ),
        (json!({ "type": "string" }), json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }), None),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            json!({ "type": "string" }),
            Some((BREAKS, p)),
        ),
        (
            json!({ "type": ["string", "integer"] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
            None,
        ),
        (
            json!({ "anyOf": [tag("a", "x"), tag("b", "y")] }),
            json!({ "anyOf": [tag("a", "x"), tag("b", "y"), tag("c", "z")] }),
            None,
        ),
        (
            json!({ "anyOf": [tag("a", "x"), tag("b", "y")] }),
            json!({ "anyOf": [tag("a", "x"), tag("c", "y")] }),
            Some((BREAKS, p)),
        ),
        (
            json!({ "oneOf": [tag("a", "x"), tag("b", "y")] }),
            json!({ "oneOf": [tag("a", "x"), tag("b", "y"), tag("c", "z")] }),
            None,
        ),
        (json!({ "type": "string" }), json!({ "oneOf": [{ "type": "string" }, { "minLength": 3 }] }), Some((MAY, p))),
        (json!({ "type": "string" }), json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] }), None),
        (
            json!({ "allOf": [{ "type": "integer" }, { "minimum": 3 }] }),
            json!({ "type": "integer", "minimum": 2 }),
            None,
        ),
        (
            json!({ "type": "integer", "minimum": 2 }),
            json!({ "allOf": [{ "type": "integer" }, { "minimum": 3 }] }),
            Some((BREAKS, at("/minimum"))),
        ),
        // What is not taken apart.
        (json!({ "type": "string" }), json!({ "type": "string", "not": { "const": "x" } }), Some((MAY, at("/not")))),
        (
            json!({ "type": "string", "not": { "const": "x" } }),
            json!({ "type": ["string", "null"], "not": { "const": "x" } }),
            None,
        ),
        (
            json!({ "type": "object", "patternProperties": { "^x": { "type": "string" } } }),
            json!({ "type": "object", "patternProperties": { "^x": { "type": "integer" } } }),
            Some((MAY, at("/patternProperties"))),
        ),
    ];
    assert!(pairs.len() >= 40);
    for (old, new, wanted) in pairs {
        let pair = format!("{old} to {new}");
        let (old, new) = (of_p(old), of_p(new));
        check(&of_input(&old).compare(&of_input(&new)), "/inputSchema", wanted, &pair);
        // Of results, the same the other way round.
        check(&of_output(&new).compare(&of_output(&old)), "/outputSchema", wanted, &format!("of results, {pair}"));
    }
}

#[test]
fn the_parameters_of_a_tool() {
    let object = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required });
    let closed = |mut schema: Value| {
        schema["additionalProperties"] = json!(false);
        schema
    };
    let (one, two) =
        (json!({ "a": { "type": "string" } }), json!({ "a": { "type": "string" }, "b": { "type": "integer" } }));
    let renamed = json!({ "c": { "type": "string" } });
    for (old, new, wanted) in [
        (object(one.clone(), json!([])), object(two.clone(), json!([])), None),
        (object(one.clone(), json!([])), object(two.clone(), json!(["b"])), Some((BREAKS, "/properties/b"))),
        (object(two.clone(), json!([])), object(two.clone(), json!(["b"])), Some((BREAKS, "/properties/b"))),
        (object(two.clone(), json!(["b"])), object(two.clone(), json!([])), None),
        (object(two.clone(), json!([])), object(one.clone(), json!([])), Some((BREAKS, "/properties/b"))),
        (object(one.clone(), json!([])), object(renamed, json!([])), Some((BREAKS, "/properties/a"))),
        // From a struct to any object at all.
        (object(one.clone(), json!([])), json!({ "type": "object" }), None),
    ] {
        for close in [false, true] {
            let (old, new) = if close && new.get("properties").is_some() {
                (closed(old.clone()), closed(new.clone()))
            } else {
                (old.clone(), new.clone())
            };
            check(&of_input(&old).compare(&of_input(&new)), "/inputSchema", wanted, &format!("{old} to {new}"));
        }
    }
}

#[test]
fn the_members_of_a_result() {
    let object = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required });
    let (one, two) =
        (json!({ "a": { "type": "string" } }), json!({ "a": { "type": "string" }, "b": { "type": "integer" } }));
    for (old, new, wanted) in [
        (object(one.clone(), json!(["a"])), object(two.clone(), json!(["a", "b"])), None),
        (object(two.clone(), json!(["a", "b"])), object(one.clone(), json!(["a"])), Some((BREAKS, "/properties/b"))),
        (object(two.clone(), json!(["a"])), object(one.clone(), json!(["a"])), Some((BREAKS, "/properties/b"))),
        (object(two.clone(), json!(["b"])), object(two.clone(), json!([])), Some((BREAKS, "/properties/b"))),
        (object(two.clone(), json!([])), object(two.clone(), json!(["b"])), None),
    ] {
        check(&of_output(&old).compare(&of_output(&new)), "/outputSchema", wanted, &format!("{old} to {new}"));
    }
}

#[test]
fn references_and_recursion() {
    let tree = |leaf: Value| {
        json!({
            "type": "object",
            "properties": { "root": { "$ref": "#/$defs/Node" } },
            "$defs": { "Node": {
                "type": "object",
                "properties": { "leaf": leaf, "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } } },
            } },
        })
    };
    let (number, integer) = (json!({ "type": "number" }), json!({ "type": "integer" }));
    let compare = |old: &Value, new: &Value| of_input(old).compare(&of_input(new));
    let name = |schema: &Value| serde_json::from_str::<Value>(&schema.to_string().replace("Node", "Knot")).unwrap();
    let at = "/properties/root/properties/leaf";
    check(&compare(&tree(integer.clone()), &tree(number.clone())), "/inputSchema", None, "wider leaves");
    check(
        &compare(&tree(number.clone()), &tree(integer.clone())),
        "/inputSchema",
        Some((BREAKS, at)),
        "narrower leaves",
    );
    // The name of a definition is nobody's affair.
    check(&compare(&tree(number.clone()), &name(&tree(number.clone()))), "/inputSchema", None, "another name");
    let unrolled = {
        let mut schema = tree(number.clone());
        schema["properties"]["root"] = schema["$defs"]["Node"].clone();
        schema
    };
    check(&compare(&tree(number.clone()), &unrolled), "/inputSchema", None, "unrolled once");
    check(&compare(&unrolled, &tree(integer)), "/inputSchema", Some((BREAKS, at)), "unrolled once, and narrower");
    // One level deeper than the reference.
    let mut lost = tree(number);
    lost["$defs"]["Node"]["additionalProperties"] = json!(false);
    lost["$defs"]["Node"]["properties"].as_object_mut().unwrap().remove("children");
    let report = compare(&unrolled, &lost);
    check(&report, "/inputSchema", Some((BREAKS, "/properties/root/properties/children")), "no children");
    let remote = json!({ "type": "object", "properties": { "a": { "$ref": "https://example.com/a" } } });
    check(&compare(&remote, &remote), "/inputSchema", None, "what cannot be looked up, unchanged");
    let typed = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    check(&compare(&typed, &remote), "/inputSchema", Some((MAY, "/properties/a")), "what cannot be looked up");
}

#[test]
fn what_multiplies_is_left_open_and_soon() {
    let choices: Vec<Value> = (0..40)
        .map(|n| json!({ "type": "object", "properties": { format!("p{n}"): { "type": "integer" } } }))
        .collect();
    let nested = |last: &str| json!({ "allOf": [{ "anyOf": choices }, { "anyOf": choices }, { "type": last }] });
    let begun = std::time::Instant::now();
    let report = of_input(&nested("object")).compare(&of_input(&nested("string")));
    assert!(!report.is_compatible());
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}
