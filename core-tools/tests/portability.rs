//! Every prebuilt tool in every dialect, as the providers' own code sees it.

use core_tools as _;
use serde_json::{Map, Value, json};
use tool_core::{
    Registry,
    schema::{Dialect, Fit, fit},
};
use tool_oracles::{Oracle, SCHEMA_NPM, SCHEMA_PYTHON};

fn question() -> Value {
    let registry = Registry::linked().expect("no two tools of one name");
    let mut question = Map::new();
    for dialect in Dialect::ALL {
        for (spec, fitted) in registry.specs().zip(fit(registry.specs(), dialect)) {
            let name = format!("{} in {dialect}", spec.name);
            question.insert(name, json!({ "dialect": fitted.dialect, "schema": fitted.schema }));
        }
    }
    question.into()
}

fn all_are_well(answer: &Value) {
    for (name, verdicts) in answer.as_object().expect("an object by name") {
        for (oracle, verdict) in verdicts.as_object().expect("an object by oracle") {
            assert_eq!(verdict, "ok", "{name}: {oracle}");
        }
    }
}

#[test]
fn every_tool_can_be_used_everywhere() {
    let registry = Registry::linked().expect("no two tools of one name");
    let report = registry.portability();
    assert!(report.is_usable(), "{report}");
    for tool in &report.tools {
        for found in tool.dialects.iter().filter(|found| !found.dialect.is_strict()) {
            assert!(!matches!(found.fit, Fit::FellBack { .. }), "{}", tool.name);
        }
    }
}

#[test]
fn the_vendors_helpers_change_nothing() {
    match Oracle::npm(&SCHEMA_NPM) {
        Ok(oracle) => all_are_well(&oracle.ask("schema.cjs", &question())),
        Err(skipped) => skipped.report(),
    }
}

#[test]
fn the_clients_understand_it() {
    match Oracle::python(&SCHEMA_PYTHON) {
        Ok(oracle) => all_are_well(&oracle.ask("schema.py", &question())),
        Err(skipped) => skipped.report(),
    }
}
