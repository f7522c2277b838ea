//! What the vendors' own code says of the zoo: the strict dialects come back unchanged from their vendor's strict-mode
//! helper, Gemini's is understood by Google's client, and every result is valid JSON Schema.

use serde_json::{Map, Value, json};
use tool_core::schema::{Dialect, adapt};
use tool_oracles::{Oracle, SCHEMA_NPM, SCHEMA_PYTHON};

mod zoo;

/// Every schema that a dialect can hold, by name and dialect.
fn question() -> Value {
    let mut question = Map::new();
    for (name, schema) in zoo::zoo() {
        for dialect in Dialect::ALL {
            // Those that take anything leave it as a foreign server wrote it, right or wrong.
            let takes_anything =
                matches!(dialect, Dialect::OpenAi | Dialect::Anthropic | Dialect::Mistral | Dialect::Mcp);
            if takes_anything && name.starts_with("foreign") {
                continue;
            }
            if let Ok(adapted) = adapt(&schema, dialect) {
                question
                    .insert(format!("{name} in {dialect}"), json!({ "dialect": dialect, "schema": adapted.schema }));
            }
        }
    }
    question.into()
}

fn refusals(question: &Value, answer: &Value) -> Vec<String> {
    let mut refusals = Vec::new();
    for (name, verdicts) in answer.as_object().expect("an object by name") {
        for (oracle, verdict) in verdicts.as_object().expect("an object by oracle") {
            if verdict != "ok" {
                refusals.push(format!("{name}: {oracle}: {verdict}\n    {}", question[name]["schema"]));
            }
        }
    }
    refusals
}

#[test]
fn the_vendors_helpers_change_nothing() {
    let oracle = match Oracle::npm(&SCHEMA_NPM) {
        Ok(oracle) => oracle,
        Err(skipped) => return skipped.report(),
    };
    let question = question();
    let answer = oracle.ask("schema.cjs", &question);
    assert_eq!(answer.as_object().map(Map::len), question.as_object().map(Map::len));
    let refusals = refusals(&question, &answer);
    assert!(refusals.is_empty(), "{}", refusals.join("\n"));
}

#[test]
fn the_clients_understand_it() {
    let oracle = match Oracle::python(&SCHEMA_PYTHON) {
        Ok(oracle) => oracle,
        Err(skipped) => return skipped.report(),
    };
    let question = question();
    let answer = oracle.ask("schema.py", &question);
    assert_eq!(answer.as_object().map(Map::len), question.as_object().map(Map::len));
    let refusals = refusals(&question, &answer);
    assert!(refusals.is_empty(), "{}", refusals.join("\n"));
}
