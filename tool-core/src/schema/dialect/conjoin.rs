//! `allOf`: parts that all have to hold become one schema, as far as there is one that says the same.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    change::{Unfit, UnfitReason},
    merge::{Leftover, leave_unevaluated, plainly},
    rewrite::{ANNOTATIONS, At, Keywords, Rewriter, constrains, unfit},
    words,
};

impl Rewriter<'_> {
    pub(super) fn conjoin(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        let parts = match keywords.shift_remove("allOf") {
            Some(Value::Array(parts)) => parts,
            Some(_) => {
                self.drop_keyword(at, "allOf", "it is no list");
                return Ok(());
            }
            None => return Ok(()),
        };
        if let ([part], false) = (parts.as_slice(), constrains(keywords))
            && part.as_object().is_some_and(|part| part.len() == 1 && part.contains_key("$ref"))
        {
            self.rewritten(at, "allOf", "`anyOf`, since it is one reference");
            keywords.insert("anyOf".into(), parts.into());
            return Ok(());
        }
        let mut left: Vec<Value> = parts.into_iter().rev().collect();
        let mut seen = HashSet::new();
        let mut leftover = Leftover::new();
        while let Some(part) = left.pop() {
            let Value::Object(mut part) = part else {
                match part {
                    Value::Bool(false) => self.nothing(keywords, at, "allOf")?,
                    Value::Bool(true) => {}
                    _ => self.drop_keyword(at, "allOf", "a part that is no schema"),
                }
                continue;
            };
            if constrains(keywords) || !left.is_empty() {
                plainly(&mut part, &mut leftover);
            }
            if let Some(Value::String(reference)) = part.shift_remove("$ref") {
                match self.resolve(&reference) {
                    Some(pointer) if !self.is_recursive(&pointer) => {
                        if seen.insert(pointer.clone()) {
                            match self.copy(&pointer) {
                                Some(target) => left.push(target),
                                None if self.rules.is_strict() => return Err(unfit(at, UnfitReason::TooLarge)),
                                None => leftover.push(("$ref".to_owned(), reference.into())),
                            }
                        }
                    }
                    _ => leftover.push(("$ref".to_owned(), reference.into())),
                }
            }
            if let Some(Value::Array(inner)) = part.shift_remove("allOf") {
                left.extend(inner.into_iter().rev());
            }
            self.modernise(&mut part, at);
            for nested in ["$defs", "definitions"] {
                part.shift_remove(nested);
            }
            if self.merge(at, keywords, part, &mut leftover).is_err() {
                self.nothing(keywords, at, "allOf")?;
            }
        }
        leave_unevaluated(keywords, &mut leftover);
        self.rewritten(at, "allOf", "one schema");
        self.say(keywords, at, leftover)
    }

    /// What could not be merged, in words.
    pub(super) fn say(&mut self, keywords: &mut Keywords, at: &At<'_>, leftover: Leftover) -> Result<(), Unfit> {
        for (keyword, value) in leftover {
            if ANNOTATIONS.contains(&keyword.as_str()) {
                self.drop_keyword(at, &keyword, "the schema around it says its own");
                continue;
            }
            if self.rules.is_strict() && !words::is_simple(&keyword) {
                return Err(unfit(at, UnfitReason::Intersection));
            }
            let text = words::also(&keyword, &value);
            self.describe(keywords, at, &[&keyword], &text);
        }
        Ok(())
    }

    /// What to do where no value fits.
    pub(super) fn nothing(&mut self, keywords: &mut Keywords, at: &At<'_>, keyword: &str) -> Result<(), Unfit> {
        if self.rules.is_strict() {
            return Err(unfit(at, UnfitReason::Nothing));
        }
        self.describe(keywords, at, &[keyword], "No value fits this.");
        Ok(())
    }
}
