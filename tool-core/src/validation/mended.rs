//! What was done to arguments before they fitted, for the outcome's metadata.

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;

use super::members::escape;
use crate::{
    call::Repair,
    context::ToolContext,
    permission::PermissionRequest,
    tool::{Invocation, ToolResult},
};

/// How many converted places are named.
const NAMED: usize = 50;

/// What was done to a call's arguments before they fitted. Serialises to the two members that an outcome's metadata has
/// of it, `repairs` and `coerced`, where they are not empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Mended {
    /// What was wrong with the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// Where a value was converted without loss: JSON pointers into the arguments as they came, the first fifty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coerced: Vec<String>,
}

impl Mended {
    /// Whether nothing was done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.repairs.is_empty() && self.coerced.is_empty()
    }

    /// The invocation with this on record. A tool that reads its arguments with
    /// [`Validator::read`](super::Validator::read) hands it on so.
    #[must_use]
    pub fn noted(self, invocation: Box<dyn Invocation>) -> Box<dyn Invocation> {
        if self.is_empty() { invocation } else { Box::new(Noted { invocation, mended: self }) }
    }
}

struct Noted {
    invocation: Box<dyn Invocation>,
    mended: Mended,
}

impl Invocation for Noted {
    fn permission(&self, ctx: &ToolContext) -> Option<PermissionRequest> {
        self.invocation.permission(ctx)
    }

    fn mended(&self) -> Option<&Mended> {
        Some(&self.mended)
    }

    fn run<'c>(self: Box<Self>, ctx: &'c ToolContext) -> BoxFuture<'c, ToolResult> {
        self.invocation.run(ctx)
    }
}

/// Where two values differ: JSON pointers into the first.
pub(super) fn differences(before: &Value, after: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare(before, after, &mut String::new(), &mut found);
    found
}

fn compare(before: &Value, after: &Value, at: &mut String, found: &mut Vec<String>) {
    let mut each = |name: &str, before: &Value, after: Option<&Value>| {
        let length = at.len();
        at.push('/');
        at.push_str(name);
        match after {
            Some(after) => compare(before, after, at, found),
            None => found.push(at.clone()),
        }
        at.truncate(length);
        found.len() < NAMED
    };
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let _ = before.iter().all(|(name, value)| each(&escape(name), value, after.get(name)));
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            let _ = before.iter().zip(after).enumerate().all(|(n, (b, a))| each(&n.to_string(), b, Some(a)));
        }
        _ if before != after => found.push(at.clone()),
        _ => {}
    }
}
