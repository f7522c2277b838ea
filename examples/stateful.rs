//! A toolset: tools that share one value, and a host that decides what they may do.

use std::{collections::BTreeMap, sync::Mutex};

use tool_core::{
    permission::{Ask, Reply},
    prelude::*,
};

/// Notes by title, shared by three tools.
#[derive(Default)]
struct Notebook {
    notes: Mutex<BTreeMap<String, String>>,
}

#[toolset(set = "notes")]
impl Notebook {
    /// Write a note, or write over the one that has its title.
    #[tool(permission = "note", pattern = title)]
    fn write_note(
        &self,
        /// A few words that name the note.
        #[arg(length(1..=40))]
        title: &str,
        /// The note itself.
        text: &str,
    ) -> Result<String, ToolError> {
        let replaced = self.lock()?.insert(title.to_owned(), text.to_owned()).is_some();
        Ok(if replaced { "Replaced the note." } else { "Wrote the note." }.to_owned())
    }

    /// Read the note with this title.
    #[tool(read_only)]
    fn read_note(
        &self,
        /** The note's title. */
        title: &str,
    ) -> Result<String, ToolError> {
        let notes = self.lock()?;
        let missing = || {
            let titles: Vec<_> = notes.keys().map(String::as_str).collect();
            ToolError::failed(format!("no note named `{title}`; there are: {}", titles.join(", ")))
        };
        notes.get(title).cloned().ok_or_else(missing)
    }

    fn lock(&self) -> Result<std::sync::MutexGuard<'_, BTreeMap<String, String>>, ToolError> {
        self.notes.lock().map_err(|_| ToolError::fatal("the notebook is broken"))
    }
}

/// Stands for a person: allows everything but what is called secret.
struct Careful;

#[tool_core::async_trait]
impl Approver for Careful {
    async fn approve(&self, ask: &Ask) -> Reply {
        println!("   asked for `{}` on {:?}", ask.request.permission, ask.request.patterns);
        match ask.request.patterns.iter().any(|pattern| pattern.contains("secret")) {
            true => Reply::Reject { feedback: Some("pick a harmless title".to_owned()) },
            false => Reply::Always,
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let executor = Executor::builder(Registry::linked()?).state(Notebook::default()).approver(Careful).build()?;
    let session = Session::new(std::env::current_dir()?);
    for (id, tool, arguments) in [
        ("1", "write_note", r#"{"title":"milk","text":"two bottles"}"#),
        ("2", "write_note", r#"{"title":"milk","text":"three bottles"}"#),
        ("3", "write_note", r#"{"title":"secret","text":"xyzzy"}"#),
        ("4", "ReadNote", r#"{"title":"milk"}"#),
        ("5", "read_note", r#"{"title":"bread"}"#),
    ] {
        println!("{tool} {arguments}");
        let outcome = executor.call(&session, ToolCall::new(id, tool, arguments)).await;
        println!("-> {}", outcome.text());
    }
    Ok(())
}
