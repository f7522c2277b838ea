//! Whether the tools of today still take what callers sent yesterday, and give what readers expect.
//!
//! A tool's callers are prompts, stored conversations, permission rules and other programs; none of them is compiled
//! with the tool. [`assert_compatible`] holds the tools against a snapshot that is kept beside the tests:
//!
//! ```no_run
//! use tool_core::{prelude::*, testing::assert_compatible};
//!
//! #[test]
//! fn callers_of_yesterday() {
//!     assert_compatible("tests/specs.json", &Registry::linked().unwrap());
//! }
//! ```
//!
//! | change | counts as |
//! |---|---|
//! | a tool removed or renamed | breaking |
//! | a parameter removed, or newly required | breaking |
//! | a parameter narrowed, at any depth: another type, a tighter bound, an enum value or an alternative gone, a pattern, `null` refused, an object closed | breaking |
//! | a result widened: the same the other way round, or a member gone | breaking |
//! | `read_only` lost; an output schema lost | breaking |
//! | another pattern, a `not`, an `if`, and what else cannot be compared; another permission; the other hints | may break |
//! | an optional parameter, an enum value, a tool more; other words; other icons, which are not kept | compatible |
//!
//! Callers send what was declared to them: a name that is new is taken to be free, also where objects were open.
//! Defaults are no promise: what stands for a parameter that is left out is the tool's own affair.

mod atoms;
mod file;
mod keywords;
mod object;
mod same;
mod schema;
mod spread;

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::file::{Mismatch, Update, assert_compatible, check};
use self::schema::{Direction, compare};
use crate::registry::Registry;

/// What callers can know of a set of tools. Written as JSON: the object that [`assert_compatible`] keeps in a file.
///
/// ```
/// use tool_core::{prelude::*, testing::{Severity, Snapshot}};
///
/// mod before {
///     use tool_core::prelude::*;
///     /// Add two numbers.
///     #[tool(register = false)]
///     pub fn add(/** One. */ a: i64, /** Other. */ b: i64) -> String { (a + b).to_string() }
/// }
/// /// Add two numbers.
/// #[tool(register = false)]
/// fn add(/** One. */ a: u8, /** Other. */ b: i64) -> String { (i64::from(a) + b).to_string() }
///
/// let old = Snapshot::of(&Registry::builder().add(before::AddTool).build()?);
/// let new = Snapshot::of(&Registry::builder().add(AddTool).build()?);
/// let report = old.compare(&new);
/// assert_eq!(report.differences()[0].severity, Severity::Breaking);
/// assert_eq!(report.differences()[0].pointer, "/inputSchema/properties/a/minimum");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Snapshot {
    tools: BTreeMap<String, Entry>,
}

/// What callers can know of one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    description: String,
    input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(default)]
    annotations: Hints,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    permission: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grammar: Option<Value>,
}

/// The annotations, with MCP's names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Hints {
    read_only_hint: bool,
    destructive_hint: bool,
    idempotent_hint: bool,
    open_world_hint: bool,
}

/// How much a difference matters to callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Nobody is refused what worked.
    Compatible,
    /// It cannot be told whether somebody is.
    MayBreak,
    /// Something that worked does not any more.
    Breaking,
}

/// One difference between two snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The tool.
    pub tool: String,
    /// Where in the tool's entry, as a JSON pointer; `$ref`s are followed without being named. Empty for the tool.
    pub pointer: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was and what is.
    pub message: String,
}

/// Every difference between two snapshots, the worst first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Report {
    differences: Vec<Difference>,
}

impl Snapshot {
    /// What callers can know of these tools today.
    #[must_use]
    pub fn of(registry: &Registry) -> Self {
        let tools = registry.iter().map(|tool| {
            let spec = tool.spec();
            let hints = spec.annotations;
            let entry = Entry {
                description: spec.description.clone().into_owned(),
                input_schema: spec.input_schema.clone(),
                output_schema: spec.output_schema.clone(),
                annotations: Hints {
                    read_only_hint: hints.read_only,
                    destructive_hint: hints.destructive,
                    idempotent_hint: hints.idempotent,
                    open_world_hint: hints.open_world,
                },
                permission: tool.tool().policy().permission.as_deref().map(str::to_owned),
                grammar: spec.grammar.as_ref().and_then(|grammar| serde_json::to_value(grammar).ok()),
            };
            (tool.name().to_string(), entry)
        });
        Self { tools: tools.collect() }
    }

    /// Every difference that callers of `self` find in `new`.
    #[must_use]
    pub fn compare(&self, new: &Self) -> Report {
        let mut differences = Vec::new();
        for (name, old) in &self.tools {
            let mut tell = |pointer: String, severity: Severity, message: String| {
                differences.push(Difference { tool: name.clone(), pointer, severity, message });
            };
            match new.tools.get(name) {
                Some(entry) => old.compare(entry, &mut tell),
                None => {
                    let alike = |(other, entry): &(&String, &Entry)| {
                        !self.tools.contains_key(*other) && entry.input_schema == old.input_schema
                    };
                    let renamed = new.tools.iter().find(alike);
                    let renamed = renamed.map(|(other, _)| format!("; `{other}` takes the same: renamed?"));
                    let message = format!("removed{}", renamed.unwrap_or_default());
                    tell(String::new(), Severity::Breaking, message);
                }
            }
        }
        for name in new.tools.keys().filter(|name| !self.tools.contains_key(*name)) {
            let (pointer, message) = (String::new(), "added".to_owned());
            differences.push(Difference { tool: name.clone(), pointer, severity: Severity::Compatible, message });
        }
        differences.sort_by_key(|difference| std::cmp::Reverse(difference.severity));
        Report { differences }
    }
}

impl Entry {
    fn compare(&self, new: &Self, tell: &mut impl FnMut(String, Severity, String)) {
        use Severity::{Breaking, Compatible, MayBreak};
        let severity = |is_certain| if is_certain { Breaking } else { MayBreak };
        for found in compare(&self.input_schema, &new.input_schema, Direction::Arguments) {
            tell(format!("/inputSchema{}", found.pointer), severity(found.is_certain), found.words);
        }
        match (&self.output_schema, &new.output_schema) {
            (Some(old), Some(new)) => {
                for found in compare(old, new, Direction::Result) {
                    tell(format!("/outputSchema{}", found.pointer), severity(found.is_certain), found.words);
                }
            }
            (Some(_), None) => tell("/outputSchema".into(), Breaking, "removed: the result is text only".into()),
            (None, Some(_)) => tell("/outputSchema".into(), Compatible, "added".into()),
            (None, None) => {}
        }
        let (was, is) = (self.annotations, new.annotations);
        let hints = [
            ("readOnlyHint", was.read_only_hint && !is.read_only_hint, Breaking),
            ("destructiveHint", !was.destructive_hint && is.destructive_hint, MayBreak),
            ("idempotentHint", was.idempotent_hint && !is.idempotent_hint, MayBreak),
            ("openWorldHint", !was.open_world_hint && is.open_world_hint, MayBreak),
        ];
        for (hint, _, severity) in hints.into_iter().filter(|(_, is_worse, _)| *is_worse) {
            let message = if severity == Breaking {
                "lost: hosts let it run without asking, for it changed nothing"
            } else {
                "changed: hosts decide by it what may run unseen"
            };
            tell(format!("/annotations/{hint}"), severity, message.into());
        }
        if self.permission != new.permission {
            let show =
                |permission: &Option<String>| permission.as_ref().map_or("none".into(), |name| format!("`{name}`"));
            let message = format!(
                "the permission was {}, is {}: rules for it no longer decide",
                show(&self.permission),
                show(&new.permission)
            );
            tell("/permission".into(), MayBreak, message);
        }
        match (&self.grammar, &new.grammar) {
            (Some(_), None) => tell("/grammar".into(), Breaking, "removed: plain text is no call any more".into()),
            (Some(old), Some(new)) if old != new => {
                tell("/grammar".into(), MayBreak, "another grammar: it may take less".into());
            }
            _ => {}
        }
        if self.description != new.description {
            tell("/description".into(), Compatible, "other words".into());
        }
    }
}

impl Report {
    /// Every difference, the worst first.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// Those that break callers, or may.
    pub fn breaking(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.severity > Severity::Compatible)
    }

    /// Whether callers will not notice.
    #[must_use]
    pub fn is_compatible(&self) -> bool {
        self.breaking().next().is_none()
    }
}

impl fmt::Display for Report {
    /// One line a difference.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in &self.differences {
            writeln!(f, "{difference}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Breaking => "breaking",
            Severity::MayBreak => "may break",
            Severity::Compatible => "compatible",
        };
        let Self { tool, pointer, message, .. } = self;
        if pointer.is_empty() {
            write!(f, "{severity}: {tool}: {message}")
        } else {
            write!(f, "{severity}: {tool} {pointer}: {message}")
        }
    }
}
