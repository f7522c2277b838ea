//! Ids of calls under each provider's rule.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::{
    ToolCall,
    wire::{CallIdRule, CallIds, Conversation, ModelTurn, Provider},
};

const RULES: [CallIdRule; 5] =
    [CallIdRule::Any, CallIdRule::OpenAiChat, CallIdRule::OpenAiResponses, CallIdRule::Anthropic, CallIdRule::Mistral];

#[test]
fn ids_of_one_provider_go_to_another() {
    let turn = Conversation::new(Provider::Anthropic)
        .read(&json!({ "content": [{ "type": "tool_use", "id": "toolu_01A09q90qw90lq917835lq9", "name": "now", "input": {} }] }))
        .expect("a message");
    let mut mistral = Conversation::new(Provider::OpenAiChat).call_ids(CallIdRule::Mistral);
    let message = mistral.message(&turn);
    let result = mistral.results(&turn, []).messages;
    let id = message[0]["tool_calls"][0]["id"].as_str().expect("an id");
    assert!(CallIdRule::Mistral.accepts(id), "{id}");
    assert_eq!(result[0]["tool_call_id"], id);
}

/// Codex's backend gives ids of up to 69 characters, and takes 64 back.
#[test]
fn an_id_that_its_own_provider_refuses_is_settled_in_both_places() {
    let long = "x".repeat(69);
    let mut conversation = Conversation::new(Provider::OpenAiResponses);
    let turn = conversation
        .read(&json!({ "output": [{ "type": "function_call", "call_id": long, "name": "now", "arguments": "{}" }] }))
        .expect("a response");
    assert_eq!(turn.calls().next().map(|call| call.id.as_str()), Some(long.as_str()), "inside it stays what it is");
    let (message, results) = (conversation.message(&turn), conversation.results(&turn, []).messages);
    assert_eq!(message[0]["call_id"], results[0]["call_id"]);
    assert!(message[0]["call_id"].as_str().is_some_and(|id| id.len() <= 64));
}

/// Servers that begin at `call_0` in every turn: Anthropic wants ids that are unique in the whole conversation.
#[test]
fn an_id_of_an_earlier_turn_is_not_given_again() {
    let mut conversation = Conversation::new(Provider::OpenAiChat);
    let response = json!({ "tool_calls": [{ "id": "call_0", "function": { "name": "now", "arguments": "{}" } }] });
    let first = conversation.read(&response).expect("a message");
    let second = conversation.read(&response).expect("a message");
    let id = |turn: &ModelTurn| turn.calls().next().map(|call| call.id.to_string());
    assert_ne!(id(&first), id(&second));
    assert_eq!(conversation.message(&second)[0]["tool_calls"][0]["id"], json!(id(&second)));

    // A host that goes on with a stored conversation: what it sends of it is known.
    let mut resumed = Conversation::new(Provider::OpenAiChat);
    resumed.message(&ModelTurn::new("", [ToolCall::new("call_0", "now", "{}")]));
    assert_eq!(id(&resumed.read(&response).expect("a message")), Some("call00001".to_owned()));
}

/// Turns of a store, which no conversation has heard. Those that say the same are two turns all the same.
#[test]
fn an_id_of_two_stored_turns_is_sent_as_two() {
    let stored = |name: &'static str| ModelTurn::new("", [ToolCall::new("call_0", name, "{}")]);
    let said = |conversation: &mut Conversation, turn: &ModelTurn| {
        conversation.message(turn)[0]["content"][0]["id"].as_str().expect("an id").to_owned()
    };
    let answered = |conversation: &mut Conversation, turn: &ModelTurn| {
        conversation.results(turn, []).messages[0]["content"][0]["tool_use_id"].as_str().expect("an id").to_owned()
    };
    let turns = [stored("now"), stored("later"), stored("now")];
    assert_eq!(turns[0], turns[2], "they say the same");
    let sent = |in_order: bool| -> Vec<String> {
        let mut conversation = Conversation::new(Provider::Anthropic);
        let one_by_one = turns.iter().map(|turn| {
            let ids = if in_order {
                [said(&mut conversation, turn), answered(&mut conversation, turn)]
            } else {
                [answered(&mut conversation, turn), said(&mut conversation, turn)]
            };
            assert_eq!(ids[0], ids[1], "the result belongs to the call");
            ids[0].clone()
        });
        let ids: Vec<String> = one_by_one.collect();
        // However often, and whatever was sent since: a request holds the whole conversation.
        for (turn, id) in turns.iter().zip(&ids) {
            assert_eq!(
                [said(&mut conversation, &turn.clone()), answered(&mut conversation, turn)],
                [id.clone(), id.clone()]
            );
        }
        ids
    };
    let ids = sent(true);
    assert_eq!((ids[0].as_str(), ids.iter().collect::<HashSet<_>>().len()), ("call_0", 3));
    assert!(ids.iter().all(|id| CallIdRule::Anthropic.accepts(id)));
    assert_eq!([sent(true), sent(false)], [ids.clone(), ids], "the same for a conversation that is read from disk");

    // Made again from the store for its results alone.
    let mut conversation = Conversation::new(Provider::Anthropic);
    for _ in 0..2 {
        let id = said(&mut conversation, &stored("now"));
        assert_eq!(answered(&mut conversation, &stored("now")), id);
    }

    // What a conversation has heard itself is not given away by another that heard the same.
    let response = json!({ "content": [{ "type": "tool_use", "id": "toolu_1", "name": "now", "input": {} }] });
    let read = || Conversation::new(Provider::Anthropic).read(&response).expect("a message");
    let (one, other) = (read(), read());
    assert_eq!(said(&mut conversation, &one), "toolu_1");
    assert_ne!(said(&mut conversation, &other), "toolu_1");
}

/// As many as a store may hold: each pass over them takes a moment, in either order.
#[test]
fn an_id_of_many_calls_of_a_stored_turn() {
    let many = ModelTurn::new("", (0..20_000).map(|_| ToolCall::new("call_0", "now", "{}")));
    for results_first in [false, true] {
        let mut conversation = Conversation::new(Provider::Anthropic);
        let early = results_first.then(|| conversation.results(&many, []).messages);
        let message = conversation.message(&many);
        let results = early.unwrap_or_else(|| conversation.results(&many, []).messages);
        let ids = |message: &Value, key: &str| -> Vec<String> {
            let blocks = message["content"].as_array().expect("blocks").iter();
            blocks.map(|block| block[key].as_str().expect("an id").to_owned()).collect()
        };
        let said = ids(&message[0], "id");
        assert_eq!(said, ids(&results[0], "tool_use_id"));
        assert_eq!(said.iter().collect::<HashSet<_>>().len(), 20_000);
    }
}

proptest! {
    /// Always taken, always the same for the same id, never the same for two.
    #[test]
    fn ids_are_taken_and_do_not_meet(ids in proptest::collection::vec("\\PC{0,4}|[a-zA-Z0-9]{9}|[a-z_.-]{60,80}", 0..40)) {
        for rule in RULES {
            let mut map = CallIds::new(rule);
            let sent: Vec<String> = ids.iter().map(|id| map.sent(&id.clone().into()).to_owned()).collect();
            let again: Vec<String> = ids.iter().map(|id| map.sent(&id.clone().into()).to_owned()).collect();
            prop_assert_eq!(&sent, &again);
            for (id, sent) in ids.iter().zip(&sent) {
                prop_assert!(rule.accepts(sent), "{:?} {:?} -> {:?}", rule, id, sent);
                prop_assert!(!rule.accepts(id) || id == sent);
            }
            let (ids, sent): (HashSet<_>, HashSet<_>) = (ids.iter().collect(), sent.iter().collect());
            prop_assert_eq!(ids.len(), sent.len());
        }
    }
}
