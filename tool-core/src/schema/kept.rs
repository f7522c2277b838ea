//! What became of one tool's schema in each dialect, kept so that declaring the tool again costs a copy of it.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;

use super::{Adapted, Dialect, Unfit, adapt};

/// How many schemas one tool has at a time: one that words itself anew for a model or an agent has several.
const SCHEMAS: usize = 4;

/// The adapted schemas of one tool; copies of a spec share them.
///
/// A spec's schema may be exchanged by whoever holds it, so that each is kept with the schema it was made of.
#[derive(Clone, Default)]
pub(crate) struct KeptSchemas(Arc<Mutex<Vec<Entry>>>);

struct Entry {
    schema: Value,
    adapted: Vec<(Dialect, Arc<Result<Adapted, Unfit>>)>,
}

impl KeptSchemas {
    /// The schema in a dialect, as [`adapt`] says it.
    pub(crate) fn adapted(&self, schema: &Value, dialect: Dialect) -> Arc<Result<Adapted, Unfit>> {
        if let Some(known) = self.find(schema, dialect) {
            return known;
        }
        // Not under the lock: two at once do the work twice, and nobody waits.
        let made = Arc::new(adapt(schema, dialect));
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match entries.iter_mut().find(|entry| is_same(&entry.schema, schema)) {
            Some(entry) if entry.adapted.iter().any(|(known, _)| *known == dialect) => {}
            Some(entry) => entry.adapted.push((dialect, made.clone())),
            None => {
                if entries.len() == SCHEMAS {
                    entries.remove(0);
                }
                entries.push(Entry { schema: schema.clone(), adapted: vec![(dialect, made.clone())] });
            }
        }
        made
    }

    fn find(&self, schema: &Value, dialect: Dialect) -> Option<Arc<Result<Adapted, Unfit>>> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.iter().find(|entry| is_same(&entry.schema, schema))?;
        entry.adapted.iter().find(|(known, _)| *known == dialect).map(|(_, adapted)| adapted.clone())
    }
}

/// Whether two schemas are the same, the order of their members included: a model writes them in that order.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|((name, own), (other_name, other))| name == other_name && is_same(own, other))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(own, other)| is_same(own, other))
        }
        (left, right) => left == right,
    }
}

impl PartialEq for KeptSchemas {
    /// Two specs are the same whatever has been asked of them.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for KeptSchemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptSchemas").finish_non_exhaustive()
    }
}
