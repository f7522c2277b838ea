//! An agent loop without a network: a scripted model speaks Anthropic's Messages, the tools are real.
//!
//! A host that talks to a provider sends `tools` and `messages` where `Model::answer` is called here, with any HTTP
//! client; the rest stays as it is. Another provider is one word: `Provider::OpenAiResponses`.

use std::{collections::VecDeque, fmt::Display};

use tool_core::{
    prelude::*,
    wire::{Conversation, Provider},
};

/// Look up the weather forecast for a city.
#[tool(read_only)]
async fn weather(
    /// City name as a person would write it, e.g. "Lisbon".
    city: String,
    /// Days ahead, 1 to 14.
    #[arg(default = 1, range(1..=14))]
    days: u8,
) -> Result<String, String> {
    match city.as_str() {
        "Atlantis" => Err("Atlantis has no weather; ask for a city above water".to_owned()),
        _ => Ok(format!("{city}: sun for {days} days")),
    }
}

/// Stands in for the provider: answers each request with the next body of its script.
struct Model {
    script: VecDeque<&'static str>,
}

impl Model {
    fn new() -> Self {
        let script = [
            r#"{ "role": "assistant", "stop_reason": "tool_use", "content": [
                { "type": "text", "text": "I'll look at both." },
                { "type": "tool_use", "id": "toolu_1", "name": "weather", "input": { "city": "Lisbon", "days": 3 } },
                { "type": "tool_use", "id": "toolu_2", "name": "weather", "input": { "city": "Atlantis", "days": 30 } }
            ] }"#,
            r#"{ "role": "assistant", "stop_reason": "tool_use", "content": [
                { "type": "tool_use", "id": "toolu_3", "name": "weather", "input": { "city": "Atlantis" } }
            ] }"#,
            r#"{ "role": "assistant", "stop_reason": "end_turn", "content": [
                { "type": "text", "text": "Three days of sun in Lisbon; Atlantis is under water." }
            ] }"#,
        ];
        Self { script: script.into() }
    }

    fn answer(&mut self, tools: &[impl Display], messages: &[impl Display]) -> Result<&'static str, &'static str> {
        println!("request: {} tool(s), {} message(s)", tools.len(), messages.len());
        self.script.pop_front().ok_or("the script is over")
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::linked()?;
    let mut conversation = Conversation::new(Provider::Anthropic);
    let tools = conversation.declarations(registry.specs()).tools;
    let executor = Executor::builder(registry).build()?;
    let session = Session::new(std::env::current_dir()?);

    let mut model = Model::new();
    let mut messages =
        vec![r#"{ "role": "user", "content": "How is the weather in Lisbon, and in Atlantis?" }"#.parse()?];
    loop {
        let response = model.answer(&tools, &messages)?;
        let turn = conversation.read(&response.parse()?)?;
        messages.extend(conversation.message(&turn));
        println!("model: {}", turn.text());
        if turn.is_final() {
            return Ok(());
        }
        let mut outcomes = Vec::new();
        for call in turn.calls() {
            println!("  {}({})", call.name, call.arguments);
            outcomes.push(executor.call(&session, call.clone()).await);
        }
        // One message: the user's, with every result.
        let results = conversation.results(&turn, outcomes);
        for message in &results.messages {
            println!("{message:#}");
        }
        messages.extend(results.messages);
    }
}
