//! Which outcome belongs to which call.

use std::collections::{HashMap, VecDeque};

use super::ModelTurn;
use crate::{call::CallId, executor::Outcome};

/// Gives each call its outcome. The first of several counts; of calls with the same id, one of the outcome's tool.
pub(super) fn pair(
    turn: &ModelTurn,
    outcomes: impl IntoIterator<Item = Outcome>,
) -> (Vec<Option<Outcome>>, Vec<Outcome>) {
    let mut open: HashMap<&CallId, VecDeque<usize>> = HashMap::new();
    for (index, call) in turn.calls.iter().enumerate().filter(|(_, call)| !call.cut) {
        open.entry(&call.call.id).or_default().push_back(index);
    }
    let mut matched: Vec<Option<Outcome>> = turn.calls.iter().map(|_| None).collect();
    let mut unmatched = Vec::new();
    let mut later = Vec::new();
    for outcome in outcomes {
        let own = open.get_mut(outcome.call_id()).filter(|own| !own.is_empty());
        let of_tool = own.and_then(|own| {
            let at = own.iter().position(|index| turn.calls[*index].call.name == *outcome.tool())?;
            own.remove(at)
        });
        match of_tool {
            Some(index) => matched[index] = Some(outcome),
            // The name was repaired: it belongs to a call that is left.
            None => later.push(outcome),
        }
    }
    for outcome in later {
        match open.get_mut(outcome.call_id()).and_then(VecDeque::pop_front) {
            Some(index) => matched[index] = Some(outcome),
            None => unmatched.push(outcome),
        }
    }
    (matched, unmatched)
}
