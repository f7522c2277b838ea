//! One conversation with one provider: declarations out, calls in, results out.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{
    CallIdRule, CallIds, Declarations, ModelTurn, NotAMessage, Provider, Stop, TurnStream, declarations,
    format::{Answer, Found, Heard, Placement, Progress, Said},
    freeform,
    pairing::pair,
    told::{CUT_OFF, malformed, renamed},
    turn::{HeardFrom, Identity, ModelCall},
};
use crate::{
    call::{CallId, ToolCall},
    error::ToolError,
    executor::Outcome,
    schema::{Dialect, envelope},
    tool::ToolSpec,
};

/// One conversation with one provider, as far as tools are concerned.
///
/// It holds what has to stay the same from request to request: which tools take plain text, and the calls' ids. Each
/// call that a model makes gets exactly one result, with the id that the call is sent back with.
///
/// ```
/// use serde_json::json;
/// use tool_core::{prelude::*, wire::{Conversation, Provider}};
///
/// /// Add two numbers.
/// #[tool]
/// fn add(/** One. */ a: i64, /** Other. */ b: i64) -> String {
///     (a + b).to_string()
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::builder().add(AddTool).build()?;
/// let mut conversation = Conversation::new(Provider::Anthropic);
/// let tools = conversation.declarations(registry.specs()).tools;
/// assert_eq!(tools[0]["name"], "add");
///
/// // What the provider answers to a request with these tools:
/// let response = json!({ "stop_reason": "tool_use", "content": [
///     { "type": "tool_use", "id": "toolu_1", "name": "add", "input": { "a": 1, "b": 2 } },
/// ] });
/// let turn = conversation.read(&response)?;
/// let (executor, session) = (Executor::builder(registry).build()?, Session::new("/"));
/// let mut outcomes = Vec::new();
/// for call in turn.calls() {
///     outcomes.push(executor.call(&session, call.clone()).await);
/// }
///
/// // What the next request has behind what the last one had:
/// let mut messages = conversation.message(&turn);
/// messages.extend(conversation.results(&turn, outcomes).messages);
/// assert_eq!(messages[1]["content"][0]["tool_use_id"], "toolu_1");
/// assert_eq!(messages[1]["content"][0]["content"], "3");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Conversation {
    provider: Provider,
    dialect: Dialect,
    placement: Placement,
    rule: CallIdRule,
    /// Also the ids that were only heard.
    ids: CallIds,
    /// How many ids were made here.
    made: u64,
    /// The parameter of each tool that takes plain text.
    freeform: HashMap<String, String>,
    /// The tools whose structured results go in an envelope.
    wrapped: HashSet<String>,
}

/// The results of a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TurnResults {
    /// What goes into the next request, behind the turn's own message. For MCP: one result a call, in call order. For
    /// a turn that ended in a [call that could not be read](Stop::MalformedCall), also a user's word about it.
    pub messages: Vec<Value>,
    /// Calls that had no outcome, and were answered as cancelled.
    pub aborted: Vec<CallId>,
    /// Outcomes that no call of the turn was left for: of another turn's call, or a second one of the same call.
    pub unmatched: Vec<Outcome>,
}

impl Conversation {
    /// A conversation that has no calls yet.
    #[must_use]
    pub fn new(provider: Provider) -> Self {
        let rule = provider.call_ids();
        Self {
            provider,
            dialect: provider.dialect(false),
            placement: Placement::Inline,
            rule,
            ids: CallIds::new(rule),
            made: 0,
            freeform: HashMap::new(),
            wrapped: HashSet::new(),
        }
    }

    /// Declares tools in the provider's strict mode, where their schemas allow it.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.dialect = self.provider.dialect(true);
        self
    }

    /// Declares tools with their schemas in another dialect than the provider's own: that of a provider who speaks the
    /// same form, as Moonshot, Mistral, xAI and DeepSeek speak OpenAI's Chat Completions.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Another rule for ids than the provider's own: [`CallIdRule::Mistral`] for Mistral's models behind OpenAI's Chat
    /// Completions. To be said before the first call.
    #[must_use]
    pub fn call_ids(mut self, rule: CallIdRule) -> Self {
        self.rule = rule;
        self.ids = CallIds::new(rule);
        self
    }

    /// Moves media out of the results into a user message behind them, for models that take none there: Gemini's
    /// before 3, and many behind a compatible API. OpenAI's Chat Completions never take any there.
    #[must_use]
    pub fn media_behind(mut self) -> Self {
        self.placement = Placement::Behind;
        self
    }

    /// The provider.
    #[must_use]
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// The tools' declarations, in the provider's form, one a tool that it can use; the others are in
    /// [`left_out`](Declarations::left_out). Gemini wants them in one `functionDeclarations`.
    #[must_use = "what was left out is said here alone"]
    pub fn declarations<'s>(&mut self, specs: impl IntoIterator<Item = &'s ToolSpec>) -> Declarations {
        let specs: Vec<&ToolSpec> = specs.into_iter().collect();
        for spec in &specs {
            if let Some(parameter) = freeform::text_parameter(spec) {
                self.freeform.insert(spec.name.to_string(), parameter.to_owned());
            }
            if self.provider == Provider::Mcp && envelope::is_wrapped(spec) {
                self.wrapped.insert(spec.name.to_string());
            }
        }
        declarations(specs, self.provider, self.dialect)
    }

    /// Reads a whole response, or the message in it.
    ///
    /// A call without an id, and one whose id an earlier call has, gets an id of nine letters and digits, which every
    /// provider takes. Arguments may be an object or a text, and may be missing. Of several choices or candidates the
    /// first counts.
    ///
    /// # Errors
    /// When it is not a message of this provider.
    pub fn read(&mut self, response: &Value) -> Result<ModelTurn, NotAMessage> {
        let heard = self.provider.format().read(response).ok_or_else(|| NotAMessage::new(self.provider, response))?;
        Ok(self.hear(heard))
    }

    /// Takes a streamed response, event by event; [`Conversation::finish`] makes the turn of it.
    #[must_use]
    pub fn stream(&self) -> TurnStream {
        TurnStream::new(self.provider)
    }

    /// The turn that a stream holds. Where the stream broke off, the calls that were complete are to be run, the others
    /// are [`cut off`](ModelTurn::cut_off).
    pub fn finish(&mut self, stream: TurnStream) -> ModelTurn {
        let (message, ended) = stream.finish();
        let mut heard = self.provider.format().read(&message).unwrap_or_default();
        if !ended && heard.stop == Stop::Unsaid {
            heard.stop = Stop::Broken;
        }
        self.hear(heard)
    }

    fn hear(&mut self, heard: Heard) -> ModelTurn {
        let (last, cuts_off) = (heard.calls.len().saturating_sub(1), heard.stop.cuts_off());
        let calls = heard.calls.into_iter().enumerate();
        let calls = calls.map(|(index, found)| {
            let cut = match found.progress {
                Progress::Open => true,
                Progress::Complete => false,
                Progress::Unsaid => cuts_off && !is_whole(&found, index == last),
            };
            self.call(found, cut)
        });
        let calls = calls.collect();
        let from = HeardFrom { provider: self.provider, history: heard.history };
        ModelTurn { identity: Identity::default(), text: heard.text, calls, stop: heard.stop, heard: Some(from) }
    }

    fn call(&mut self, found: Found, cut: bool) -> ModelCall {
        let Found { at, id, name, arguments, freeform, signature, .. } = found;
        let nameless = id.is_none();
        let id = id.map(CallId::from).filter(|id| !self.ids.knows(id)).unwrap_or_else(|| self.make_id());
        self.ids.note(&id);
        let arguments = match arguments {
            Value::String(text) if freeform => {
                freeform::arguments(self.freeform.get(&name).map_or("input", String::as_str), &text)
            }
            Value::String(text) if !text.trim().is_empty() => text,
            Value::String(_) | Value::Null => "{}".to_owned(),
            other => other.to_string(),
        };
        let call = ToolCall::new(id, name, arguments);
        ModelCall { call, occurrence: 0, at: Some(at), nameless, freeform, cut, signature }
    }

    /// An id that no call has, nor is sent with: nine letters and digits.
    fn make_id(&mut self) -> CallId {
        loop {
            self.made += 1;
            let id = CallId::from(format!("call{:05}", self.made));
            if !self.ids.knows(&id) {
                return id;
            }
        }
    }

    /// The turn's own message, for the next request: as it came, with the ids of its calls settled; made anew where
    /// the turn came from another provider. None for MCP, and for a turn that says nothing.
    pub fn message(&mut self, turn: &ModelTurn) -> Vec<Value> {
        let said: Vec<Said<'_>> = turn.calls.iter().map(|call| self.said(turn, call)).collect();
        let format = self.provider.format();
        match &turn.heard {
            Some(heard) if heard.provider == self.provider => {
                let mut history = Value::Array(heard.history.clone());
                for (call, said) in turn.calls.iter().zip(&said) {
                    if let Some(site) = call.at.as_deref().and_then(|at| history.pointer_mut(at)) {
                        format.settle(site, said);
                    }
                }
                match history {
                    Value::Array(messages) => messages,
                    _ => Vec::new(),
                }
            }
            _ => format.say(&turn.text, &said),
        }
    }

    fn said<'t>(&mut self, turn: &ModelTurn, call: &'t ModelCall) -> Said<'t> {
        Said {
            id: self.ids.said(&call.call.id, call.place(turn)).to_owned(),
            nameless: call.nameless,
            name: self.dialect.tool_name(&call.call.name),
            call: &call.call,
            arguments: object(&call.call.arguments),
            freeform: call.freeform,
            signature: call.signature.as_deref(),
        }
    }

    /// The turn's results, one a call, in the order of the calls.
    ///
    /// Outcomes may come in any order; those of calls with the same id belong to them by their tool, then in order. A
    /// call without an outcome is answered as cancelled, so that a turn which was aborted can go into the next request
    /// (codex answers `aborted`); a call that was cut off is answered with that. Where a model called a name that its
    /// provider does not take back, call and result have another one, and the result says so.
    pub fn results(&mut self, turn: &ModelTurn, outcomes: impl IntoIterator<Item = Outcome>) -> TurnResults {
        let (mut matched, unmatched) = pair(turn, outcomes);
        let mut aborted = Vec::new();
        let mut answers = Vec::with_capacity(turn.calls.len());
        for (call, outcome) in turn.calls.iter().zip(&mut matched) {
            let mut answer = Answer {
                id: self.ids.answered(&call.call.id, call.place(turn)).to_owned(),
                nameless: call.nameless,
                name: self.dialect.tool_name(&call.call.name),
                freeform: call.freeform,
                text: "".into(),
                failed: true,
                attachments: &[],
                structured: None,
                is_wrapped: outcome.as_ref().is_some_and(|outcome| self.wrapped.contains(outcome.tool())),
            };
            match outcome.as_ref().map(Outcome::status) {
                Some(Ok(bounded)) => {
                    answer.failed = false;
                    answer.text = bounded.text();
                    answer.attachments = bounded.attachments();
                    answer.structured = bounded.structured();
                }
                Some(Err(error)) => answer.text = error.to_string().into(),
                None if call.cut => answer.text = CUT_OFF.into(),
                None => {
                    aborted.push(call.call.id.clone());
                    answer.text = ToolError::Cancelled.to_string().into();
                }
            }
            if answer.failed && *answer.name != *call.call.name {
                answer.text.to_mut().push_str(&renamed(&call.call.name, &answer.name));
            }
            answers.push(answer);
        }
        let format = self.provider.format();
        let mut messages = format.answer(&answers, self.placement);
        if let Stop::MalformedCall(said) = &turn.stop {
            messages.extend(format.tell(&malformed(said)));
        }
        if self.rule == CallIdRule::Mistral {
            separate(&mut messages);
        }
        TurnResults { messages, aborted, unmatched }
    }
}

/// Whether a call in a message that was cut off is complete all the same: its object is closed. Plain text never says
/// so itself, but something came behind it.
fn is_whole(found: &Found, is_last: bool) -> bool {
    match &found.arguments {
        Value::String(_) if found.freeform => !is_last,
        Value::String(text) => serde_json::from_str::<Map<String, Value>>(text).is_ok(),
        // Given whole by a provider that closes what its model left open: the last may lack what would have come.
        Value::Object(_) => !is_last,
        _ => false,
    }
}

/// Arguments as an object: no provider takes anything else back, whatever its model wrote.
fn object(arguments: &str) -> Map<String, Value> {
    if arguments.trim().is_empty() {
        return Map::new();
    }
    serde_json::from_str(arguments)
        .unwrap_or_else(|_| Map::from_iter([("invalidArguments".to_owned(), Value::String(arguments.to_owned()))]))
}

/// Mistral takes no user message behind a tool's: an assistant's word goes between (opencode).
fn separate(messages: &mut Vec<Value>) {
    let role = |message: &Value, role: &str| message.get("role").is_some_and(|held| held == role);
    if let Some(at) = messages.windows(2).position(|pair| role(&pair[0], "tool") && role(&pair[1], "user")) {
        messages.insert(at + 1, serde_json::json!({ "role": "assistant", "content": "Done." }));
    }
}
