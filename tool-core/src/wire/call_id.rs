//! The ids that providers take, and the mapping of any id to one of them.

use std::collections::{HashMap, HashSet};

use super::Provider;
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
    /// `^[a-zA-Z0-9_-]{1,64}$`: Anthropic, also behind others' Chat Completions. The length is pi's precaution, the
    /// characters are Anthropic's rule.
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
    sent: HashMap<(CallId, u64), String>,
    taken: HashSet<String>,
}

impl CallIds {
    /// Ids under a rule.
    #[must_use]
    pub fn new(rule: CallIdRule) -> Self {
        Self { rule, sent: HashMap::new(), taken: HashSet::new() }
    }

    /// The id to send for a call's id, with the call and with its result.
    pub fn sent(&mut self, id: &CallId) -> &str {
        self.sent_of(id, 0)
    }

    /// The id to send for a call, before which some of its turn have the same id.
    pub(super) fn sent_of(&mut self, id: &CallId, occurrence: u64) -> &str {
        let (rule, taken) = (self.rule, &mut self.taken);
        self.sent.entry((id.clone(), occurrence)).or_insert_with(|| {
            let as_it_is = (occurrence == 0 && rule.accepts(id.as_str())).then(|| id.to_string());
            let first = occurrence << 32;
            let made = (first..).map(|attempt| rule.made_of(id.as_str(), attempt));
            let free = as_it_is.into_iter().chain(made).find(|candidate| taken.insert(candidate.clone()));
            free.unwrap_or_default()
        })
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
