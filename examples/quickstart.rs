//! Define a tool, list it, call it, and see what a model is told of wrong arguments.

use tool_core::prelude::*;

/// Look up the weather forecast for a city.
#[tool(read_only)]
async fn weather(
    /// City name as a person would write it, e.g. "Lisbon".
    city: String,
    /// Days ahead, 1 to 14.
    #[arg(default = 3, range(1..=14))]
    days: u8,
) -> Result<String, String> {
    match city.as_str() {
        "Atlantis" => Err("Atlantis has no weather; ask for a city above water".to_owned()),
        _ => Ok(format!("{city}: sun for {days} days")),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::linked()?;
    for spec in registry.specs() {
        println!("{}: {}\n{:#}\n", spec.name, spec.description, spec.input_schema);
    }
    let executor = Executor::builder(registry).build()?;
    let session = Session::new(std::env::current_dir()?);
    for arguments in [r#"{"city":"Lisbon"}"#, r#"{"city":"Lisbon","days":"5"}"#, r#"{"citty":"Lisbon","days":20}"#] {
        let outcome = executor.call(&session, ToolCall::new("call_1", "weather", arguments)).await;
        println!("{arguments}\n-> {}\n", outcome.text());
    }
    Ok(())
}
