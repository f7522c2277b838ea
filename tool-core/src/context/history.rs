//! What a session remembers of the calls before this one.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::{call::Decoded, tool::ToolName};

/// The last call of the model, and how many like it came in a row.
#[derive(Default)]
pub(crate) struct History(Mutex<Option<Last>>);

struct Last {
    tool: ToolName,
    arguments: String,
    sum: u32,
    times: u32,
}

impl History {
    /// Notes a call. Says how many identical ones came in a row, this one among them: of the same tool, with arguments
    /// that are the same JSON.
    pub(crate) fn note(&self, tool: &ToolName, call: Decoded) -> u32 {
        let arguments = call.into_arguments();
        let sum = sum(&arguments);
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *last {
            Some(last) if last.tool == *tool && last.sum == sum && is_same(&last.arguments, &arguments) => {
                last.times = last.times.saturating_add(1);
                last.times
            }
            _ => {
                *last = Some(Last { tool: tool.clone(), arguments, sum, times: 1 });
                1
            }
        }
    }

    /// The last call's arguments.
    pub(crate) fn arguments(&self) -> String {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().map(|last| last.arguments.clone()).unwrap_or_default()
    }
}

/// The same members in another order, or with other blanks, have the same bytes; so most calls that differ are told
/// apart without a parser.
fn sum(text: &str) -> u32 {
    let bytes = text.bytes().map(|byte| if byte > b' ' { u32::from(byte) } else { 0 });
    bytes.fold(0, u32::wrapping_add)
}

fn is_same(one: &str, other: &str) -> bool {
    one == other || parsed(one).is_some_and(|one| parsed(other) == Some(one))
}

fn parsed(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}
