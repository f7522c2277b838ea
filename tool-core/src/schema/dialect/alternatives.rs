//! `anyOf` and `oneOf`: one list of alternatives that stands alone.

use serde_json::{Value, json};

use super::{
    change::{Unfit, UnfitReason},
    merge::Leftover,
    rewrite::{ANNOTATIONS, At, Keywords, Rewriter, size, unfit},
    words,
};

/// Two lists of alternatives are multiplied out up to this many.
const PRODUCT: usize = 64;

impl Rewriter<'_> {
    pub(super) fn alternatives(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Result<(), Unfit> {
        let Some(mut branches) = self.take_alternatives(keywords, at) else { return Ok(()) };
        // What the dialect does not take is said in words, once; the rest goes into each alternative.
        let shared: Vec<String> = keywords
            .keys()
            .filter(|keyword| !ANNOTATIONS.contains(&keyword.as_str()))
            .filter(|keyword| self.rules.takes(keyword) || self.is_shared(keyword, keywords))
            .cloned()
            .collect();
        if !shared.is_empty() {
            let base: Keywords = shared.iter().filter_map(|keyword| keywords.shift_remove_entry(keyword)).collect();
            let base_size = size(&Value::Object(base.clone()));
            if !self.spend(base_size * branches.len()) {
                if self.rules.is_strict() {
                    return Err(unfit(at, UnfitReason::TooLarge));
                }
                keywords.extend(base);
                self.drop_keyword(at, "anyOf", "the schema is too large to say everything in each alternative");
                return Ok(());
            }
            let count = branches.len();
            branches = branches.into_iter().filter_map(|branch| self.with_base(at, &base, branch)).collect();
            if branches.len() < count {
                self.drop_keyword(at, "anyOf", "an alternative that contradicts what stands beside it");
            }
            self.rewritten(at, "anyOf", "alternatives that each say all of it");
        }
        match branches.as_slice() {
            [] => return self.nothing(keywords, at, "anyOf"),
            [Value::Object(only)] if only.len() > 1 || !only.contains_key("$ref") => {
                let only = only.clone();
                let mut leftover = Leftover::new();
                if self.merge(at, keywords, only, &mut leftover).is_err() {
                    self.nothing(keywords, at, "anyOf")?;
                }
                self.rewritten(at, "anyOf", "the only alternative");
                self.say(keywords, at, leftover)?;
                self.reference(keywords, at)?;
                self.conjoin(keywords, at)?;
                return self.alternatives(keywords, at);
            }
            _ => {}
        }
        keywords.insert("anyOf".into(), branches.into());
        Ok(())
    }

    /// The alternatives, without those that nothing fits.
    pub(super) fn take_alternatives(&mut self, keywords: &mut Keywords, at: &At<'_>) -> Option<Vec<Value>> {
        let mut list = |keyword: &str| match keywords.shift_remove(keyword) {
            Some(Value::Array(branches)) => Some(branches),
            _ => None,
        };
        let (any, one) = (list("anyOf"), list("oneOf"));
        let mut branches = match (any, one) {
            (None, None) => return None,
            (Some(any), None) => any,
            (None, Some(one)) => {
                self.rewritten(at, "oneOf", "`anyOf`");
                one
            }
            (Some(any), Some(one))
                if any.len() * one.len() <= PRODUCT
                    && self.spend(sizes(&any) * one.len() + sizes(&one) * any.len()) =>
            {
                self.rewritten(at, "oneOf", "`anyOf` of every pair with the other alternatives");
                any.iter().flat_map(|any| one.iter().map(move |one| json!({ "allOf": [any, one] }))).collect()
            }
            (Some(any), Some(one)) => {
                let text = words::also("oneOf", &one.into());
                self.describe(keywords, at, &["oneOf"], &text);
                any
            }
        };
        let count = branches.len();
        branches.retain(|branch| *branch != Value::Bool(false));
        if branches.len() < count {
            self.drop_keyword(at, "anyOf", "an alternative that nothing fits");
        }
        for branch in branches.iter_mut().filter(|branch| !branch.is_object()) {
            match branch {
                Value::Bool(_) => self.rewritten(at, "true", "`{}`"),
                _ => self.drop_keyword(at, "anyOf", "an alternative that is no schema"),
            }
            *branch = json!({});
        }
        Some(branches)
    }

    /// Whether an alternative needs to know of a keyword that the dialect does not take: others in it depend on these.
    fn is_shared(&self, keyword: &str, keywords: &Keywords) -> bool {
        let has = |keyword: &str| keywords.contains_key(keyword);
        match keyword {
            "prefixItems" => true,
            "patternProperties" => has("additionalProperties") && self.rules.takes("additionalProperties"),
            // What these know stays outside.
            "unevaluatedProperties" | "unevaluatedItems" => !has("if") && !has("dependentSchemas"),
            _ => false,
        }
    }

    /// An alternative that also says what stands beside it; none where nothing fits both.
    fn with_base(&mut self, at: &At<'_>, base: &Keywords, branch: Value) -> Option<Value> {
        let Value::Object(branch) = branch else { return None };
        if !["$ref", "allOf", "anyOf", "oneOf"].iter().any(|keyword| branch.contains_key(*keyword)) {
            let (mut whole, mut leftover) = (base.clone(), Leftover::new());
            self.merge(at, &mut whole, branch.clone(), &mut leftover).ok()?;
            if leftover.is_empty() {
                return Some(whole.into());
            }
        }
        // Parts of parts are put together when the alternative itself is looked at.
        let mut whole = base.clone();
        whole.insert("allOf".into(), Value::Array(vec![branch.into()]));
        Some(whole.into())
    }
}

fn sizes(schemas: &[Value]) -> usize {
    schemas.iter().map(size).sum()
}
