//! Decoding: from any text to the object it holds, or to a short report.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use tool_core::validation::Validator;
use tool_fuzz::REPORT;

fuzz_target!(|text: &str| {
    // Anything goes, so that nothing but the text decides.
    let validator = Validator::new(json!({ "type": "object" }));
    match validator.read(text) {
        Ok((value, mended)) => {
            assert!(value.is_object());
            assert!(mended.coerced.is_empty(), "{mended:?}");
            if let Ok(plain) = serde_json::from_str::<Value>(text) {
                // JSON means what it says; but for an object in a text, and for nothing.
                if plain.is_object() {
                    assert_eq!(plain, value);
                    assert!(mended.is_empty(), "{mended:?}");
                } else {
                    assert!(plain.is_null() || plain.is_string(), "{plain}");
                }
            }
            let (again, mended) = validator.read(&value.to_string()).expect("what was read can be written");
            assert_eq!(again, value);
            assert!(mended.is_empty(), "{mended:?}");
        }
        Err(report) => {
            let is_object = serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
            assert!(!is_object, "{}", report.report("x"));
            assert_eq!(report.mistakes().len(), 1);
            assert!(report.report("x").len() <= REPORT);
        }
    }
});
