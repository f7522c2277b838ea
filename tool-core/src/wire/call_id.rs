//! The ids that providers take, and the mapping of any id to one of them.

use std::collections::HashMap;

use super::{Provider, turn::Identity};
use crate::call::CallId;

/// What a provider takes as the id of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallIdRule {
    /// Any text that is not empty: Gemini, MCP.
    Any,
    /// At most 40 bytes: OpenAI's Chat Completions.
    OpenAiChat,
    /// At most 64 bytes: OpenAI's Responses, which sometimes break this rule themselves.
    OpenAiResponses,
    /// `^[a-zA-Z0-9_-]{1,64}$`, and no id twice in a conversation: Anthropic, also behind others' Chat Completions. The
    /// length is pi's precaution, the rest is Anthropic's rule.
    Anthropic,
    /// `^[a-zA-Z0-9]{9}$`: Mistral's models, wherever they are served.
    Mistral,
}

impl Provider {
    /// The rule that the provider itself enforces. What is behind it may have another: Mistral speaks OpenAI's Chat
    /// Completions.
    #[must_use]
    pub fn call_ids(self) -> CallIdRule {
        match self {
            Self::OpenAiChat => CallIdRule::OpenAiChat,
            Self::OpenAiResponses => CallIdRule::OpenAiResponses,
            Self::Anthropic => CallIdRule::Anthropic,
            Self::Gemini | Self::Mcp => CallIdRule::Any,
        }
    }
}

impl CallIdRule {
    /// Whether an id is taken as it is.
    ///
    /// ```
    /// use tool_core::wire::CallIdRule;
    /// assert!(CallIdRule::Anthropic.accepts("toolu_01A"));
    /// assert!(!CallIdRule::Mistral.accepts("toolu_01A"));
    /// ```
    #[must_use]
    pub fn accepts(self, id: &str) -> bool {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match self {
            Self::Any => !id.is_empty(),
            Self::OpenAiChat => (1..=40).contains(&id.len()),
            Self::OpenAiResponses => (1..=64).contains(&id.len()),
            Self::Anthropic => (1..=64).contains(&id.len()) && id.chars().all(word),
            Self::Mistral => id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()),
        }
    }

    /// Whether a provider refuses an id that a call of an earlier turn has. No provider takes one twice in a turn.
    fn is_unique(self) -> bool {
        self == Self::Anthropic
    }

    /// An id that the rule takes, made of one that it does not take. `attempt` gives another one for the same id.
    fn made_of(self, id: &str, attempt: u64) -> String {
        let mark = base62(fingerprint(id, attempt));
        if self == Self::Mistral {
            return mark[..9].to_owned();
        }
        // What a person can still recognise, then what makes it unique.
        let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let start: String = id.chars().map(word).take(28).collect();
        format!("{start}_{mark}")
    }
}

/// Ids as one conversation sends them to one provider.
///
/// An id that the provider takes stays as it is. Any other is replaced by one made of it: always the same one, so that
/// a conversation that is read back from disk gets the ids it had, and never one that another call has. opencode cuts
/// and replaces characters, so that two long ids may become one; here a hash of the id goes in.
///
/// ```
/// use tool_core::wire::{CallIdRule, CallIds};
/// let mut ids = CallIds::new(CallIdRule::Mistral);
/// let sent = ids.sent(&"toolu_01A".into()).to_owned();
/// assert!(CallIdRule::Mistral.accepts(&sent));
/// assert_eq!(ids.sent(&"toolu_01A".into()), sent);
/// assert_eq!(ids.sent(&"abcdef123".into()), "abcdef123");
/// ```
#[derive(Debug, Clone)]
pub struct CallIds {
    rule: CallIdRule,
    /// Every id that a call has, or is sent with.
    known: HashMap<CallId, Known>,
}

#[derive(Debug, Clone, Default)]
struct Known {
    /// Whether it was made here, for a call that has another.
    is_made: bool,
    /// How the calls that have it are sent, in the order they came.
    sent: Vec<Sent>,
}

#[derive(Debug, Clone)]
struct Sent {
    /// The call's turn, where each turn needs ids of its own.
    turn: Option<Identity>,
    occurrence: u64,
    /// The id that was made for it; none where it is sent with its own.
    made: Option<CallId>,
    is_answered: bool,
}

/// A call of a turn.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) turn: &'a Identity,
    /// How many calls of the turn before it have the same id.
    pub(super) occurrence: u64,
}

impl CallIds {
    /// Ids under a rule.
    #[must_use]
    pub fn new(rule: CallIdRule) -> Self {
        Self { rule, known: HashMap::new() }
    }

    /// The id to send for a call's id, with the call and with its result.
    pub fn sent<'a>(&'a mut self, id: &'a CallId) -> &'a str {
        let at = self.find(id, None, 0).unwrap_or_else(|| self.add(id, None, 0));
        self.at(id, at)
    }

    /// The id to send a call with.
    pub(super) fn said<'a>(&'a mut self, id: &'a CallId, place: Place<'_>) -> &'a str {
        let turn = self.turn(place);
        let at = self.find(id, turn, place.occurrence).unwrap_or_else(|| self.add(id, turn, place.occurrence));
        self.at(id, at)
    }

    /// The id to send a call's result with. A turn that was not sent itself is the one that was sent last with these
    /// ids and has no results: its calls were stored and made into a turn again.
    pub(super) fn answered<'a>(&'a mut self, id: &'a CallId, place: Place<'_>) -> &'a str {
        let turn = self.turn(place);
        let is_open = |sent: &Sent| !sent.is_answered && sent.occurrence == place.occurrence;
        let at = match self.first(id, turn) {
            Some(_) => self.find(id, turn, place.occurrence),
            None => self.known.get(id).and_then(|known| known.sent.iter().rposition(is_open)),
        };
        let at = at.unwrap_or_else(|| self.add(id, turn, place.occurrence));
        if let Some(sent) = self.known.get_mut(id).and_then(|known| known.sent.get_mut(at)) {
            sent.is_answered = true;
        }
        self.at(id, at)
    }

    /// Whether a call has an id, or is sent with it.
    pub(super) fn knows(&self, id: &CallId) -> bool {
        self.known.contains_key(id)
    }

    /// Takes note of an id that a call has.
    pub(super) fn note(&mut self, id: &CallId) {
        self.known.entry(id.clone()).or_default();
    }

    /// The turn of a call, where it matters.
    fn turn<'t>(&self, place: Place<'t>) -> Option<&'t Identity> {
        self.rule.is_unique().then_some(place.turn)
    }

    fn find(&self, id: &CallId, turn: Option<&Identity>, occurrence: u64) -> Option<usize> {
        let sent = &self.known.get(id)?.sent;
        let first = self.first(id, turn)?;
        let is_it = |sent: &Sent| sent.turn.as_ref() == turn && sent.occurrence == occurrence;
        if sent[first].occurrence > 0 {
            return sent.iter().position(is_it);
        }
        // A turn's calls stand together, in order, but for one of which some went out with another turn's ids.
        let at = first + usize::try_from(occurrence).ok()?;
        sent.get(at).is_some_and(is_it).then_some(at)
    }

    /// The first call of a turn with an id.
    fn first(&self, id: &CallId, turn: Option<&Identity>) -> Option<usize> {
        self.known.get(id)?.sent.iter().position(|sent| sent.turn.as_ref() == turn)
    }

    fn at<'a>(&'a self, id: &'a CallId, at: usize) -> &'a str {
        let made = self.known.get(id).and_then(|known| known.sent.get(at)?.made.as_ref());
        made.unwrap_or(id).as_str()
    }

    fn add(&mut self, id: &CallId, turn: Option<&Identity>, occurrence: u64) -> usize {
        let known = self.known.entry(id.clone()).or_default();
        let at = known.sent.len();
        let is_free = at == 0 && !known.is_made && self.rule.accepts(id.as_str());
        let made = (!is_free).then(|| self.make(id, at));
        let sent = &mut self.known.entry(id.clone()).or_default().sent;
        sent.push(Sent { turn: turn.cloned(), occurrence, made, is_answered: false });
        at
    }

    /// An id that nothing has, for the call behind `earlier` ones with its id.
    fn make(&mut self, id: &CallId, earlier: usize) -> CallId {
        let mut attempt = (earlier as u64) << 32;
        loop {
            let made = CallId::from(self.rule.made_of(id.as_str(), attempt));
            if !self.knows(&made) {
                self.known.insert(made.clone(), Known { is_made: true, sent: Vec::new() });
                return made;
            }
            attempt += 1;
        }
    }
}

/// FNV-1a with a final mix: the same on every machine and in every version, which the standard library's hasher does
/// not promise.
fn fingerprint(id: &str, attempt: u64) -> u64 {
    let bytes = id.bytes().chain(attempt.to_le_bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

/// Eleven letters and digits, which hold 64 bits.
fn base62(mut number: u64) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let digit = |_| {
        let digit = DIGITS[usize::try_from(number % 62).unwrap_or_default()];
        number /= 62;
        char::from(digit)
    };
    (0..11).map(digit).collect()
}
