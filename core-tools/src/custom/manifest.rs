//! What a file says of its tool.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Value, json};
use tool_core::{
    ToolName, ToolSpec,
    tool::{Annotations, Concurrency, Icon, InvalidTool, LimitOverrides, ToolPolicy},
    truncate::Keep,
};

use super::{null::or_default, run::OWN_VARIABLES};

/// One tool, as its file describes it; names in camelCase. Members that it does not know are faults.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Manifest {
    /// The name; without it, the file's.
    pub name: Option<ToolName>,
    /// A name for people.
    pub title: Option<String>,
    /// Pictures for people, in MCP's form.
    #[serde(default, deserialize_with = "or_default")]
    pub icons: Vec<Icon>,
    /// What the tool does and when to use it: what the model reads.
    pub description: String,
    /// JSON Schema of the arguments (`parameters` too); without it, there are none.
    #[serde(alias = "parameters", alias = "input_schema")]
    pub input_schema: Option<Value>,
    /// JSON Schema of the structured result.
    #[serde(alias = "output_schema")]
    pub output_schema: Option<Value>,
    /// What is run; without it, the one other file that has the manifest's name (`ticket.json`, `ticket.py`).
    pub command: Option<CommandLine>,
    /// The permission asked for; without it, the tool's own name.
    pub permission: Option<String>,
    /// The argument whose value is the permission's pattern; without it, `*`. Where the argument is a path, say so
    /// (`{"path": "file"}`): rules are then held against the place it leads to, however it is written.
    pub pattern: Option<PatternArgument>,
    /// Stopped after it: `30s`, `2m`.
    #[serde(default, deserialize_with = "duration")]
    pub timeout: Option<Duration>,
    /// Where it is run: from the session's directory, and that itself without it.
    pub cwd: Option<PathBuf>,
    /// More variables of its environment.
    #[serde(default, deserialize_with = "or_default")]
    pub env: BTreeMap<String, String>,
    /// How much of its output a model gets.
    #[serde(default, deserialize_with = "or_default")]
    pub truncate: Truncation,
    /// Hints, in MCP's form. They allow nothing.
    #[serde(default = "unknown_hints", deserialize_with = "hints")]
    pub annotations: Annotations,
    /// The sets it is in.
    #[serde(default, deserialize_with = "or_default")]
    pub sets: Vec<String>,
    /// Its tags.
    #[serde(default, deserialize_with = "or_default")]
    pub tags: Vec<String>,
    /// For editors; not looked at.
    #[serde(rename = "$schema")]
    pub schema: Option<Value>,
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "a command is a text for the shell, or a list of a program and its arguments")]
pub enum CommandLine {
    /// A text for `sh -c`. Nothing of a call is put into it.
    Shell(String),
    /// A program and its arguments. A program with a `/` in it, or that is beside the manifest, is meant from there;
    /// another is looked for in `PATH`.
    Program(Vec<String>),
}

/// The argument that gives the permission's patterns.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a pattern is the name of an argument, or {\"path\": the name of one that is a path}"
)]
pub enum PatternArgument {
    /// Compared as it is written; as a path as well, where that would be another place.
    Text(String),
    /// A path, compared from the working directory.
    Path {
        /// The argument.
        path: String,
    },
}

impl PatternArgument {
    /// The argument's name.
    #[must_use]
    pub fn argument(&self) -> &str {
        match self {
            Self::Text(argument) | Self::Path { path: argument } => argument,
        }
    }
}

/// This tool's own output limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Truncation {
    /// At most this many lines.
    pub lines: Option<usize>,
    /// At most this many bytes.
    pub bytes: Option<usize>,
    /// Which part of a longer output is kept: `head`, `tail`, `middle` or `all`.
    #[serde(deserialize_with = "keep")]
    pub keep: Option<Keep>,
}

/// What is wrong with a manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestFault {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It is longer than a manifest can be.
    #[error("is longer than {0} bytes, which no manifest is")]
    TooLong(u64),
    /// It is no JSON or TOML, or a member is not what it should be.
    #[error("is not a tool's manifest: {0}")]
    Malformed(String),
    /// A name or a schema that cannot be used.
    #[error(transparent)]
    Tool(#[from] InvalidTool),
    /// No argument has the name that the pattern gives.
    #[error("takes the pattern from the argument `{0}`, and the schema has no property of that name")]
    Pattern(String),
    /// A variable that tells a program of its call.
    #[error("sets {0} in `env`, which every call sets itself: take another name")]
    Variable(String),
    /// A permission under which hosts let the prebuilt tools read without asking.
    #[error(
        "would ask for the permission `{0}`, which is for reading only and often given to all tools at once: set `permission` to a name of its own"
    )]
    Permission(String),
    /// An empty command.
    #[error("has an empty command: give a text for the shell, or a list of a program and its arguments")]
    NoCommand,
    /// There is no command, and not one file that could be it.
    #[error(
        "has no `command`, and beside it stands no file, or more than one, of the same name to run: give a `command`"
    )]
    NoProgram,
    /// What is to be run is not there.
    #[error("runs {0}, and there is no such file")]
    Absent(String),
    /// Another manifest of the same directory has given a tool of this name.
    #[error("describes another tool named `{name}`; {first} does already: rename one")]
    Collision {
        /// The tool.
        name: ToolName,
        /// The other file.
        first: String,
    },
}

impl Manifest {
    /// Reads the text of a file, by its ending.
    ///
    /// # Errors
    /// When it is no manifest.
    pub fn parse(text: &str, is_toml: bool) -> Result<Self, ManifestFault> {
        let parsed = if is_toml {
            toml::from_str(text).map_err(|e| e.to_string())
        } else {
            serde_json::from_str(text).map_err(|e| e.to_string())
        };
        parsed.map_err(|fault: String| ManifestFault::Malformed(fault.trim_end().to_owned()))
    }

    /// What the model sees of the tool.
    ///
    /// # Errors
    /// When the name is none, or the pattern names no argument.
    pub(super) fn spec(&self, file: &Path) -> Result<ToolSpec, ManifestFault> {
        let name = match &self.name {
            Some(name) => name.clone(),
            None => ToolName::new(file.file_stem().unwrap_or_default().to_string_lossy()).map_err(InvalidTool::from)?,
        };
        let none = || json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let schema = self.input_schema.clone().unwrap_or_else(none);
        if let Some(pattern) = &self.pattern
            && schema.get("properties").and_then(|properties| properties.get(pattern.argument())).is_none()
        {
            return Err(ManifestFault::Pattern(pattern.argument().to_owned()));
        }
        if let Some(name) = OWN_VARIABLES.into_iter().find(|name| self.env.contains_key(*name)) {
            return Err(ManifestFault::Variable(name.to_owned()));
        }
        let permission = self.permission.as_deref().unwrap_or(name.as_str());
        if READING.contains(&permission) {
            return Err(ManifestFault::Permission(permission.to_owned()));
        }
        let mut spec = ToolSpec::new(name, self.description.clone(), schema);
        spec.title = self.title.clone().map(Into::into);
        spec.output_schema = self.output_schema.clone();
        spec.annotations = self.annotations;
        spec.icons = self.icons.iter().cloned().collect();
        Ok(spec)
    }

    /// How the executor treats the tool.
    pub(super) fn policy(&self, name: &ToolName) -> ToolPolicy {
        let Truncation { lines, bytes, keep } = self.truncate;
        ToolPolicy {
            concurrency: if self.annotations.read_only { Concurrency::Parallel } else { Concurrency::Exclusive },
            timeout: self.timeout,
            limits: LimitOverrides { lines, bytes, keep },
            permission: Some(self.permission.clone().unwrap_or_else(|| name.to_string()).into()),
            asks: None,
            sets: self.sets.iter().collect(),
            tags: self.tags.iter().collect(),
        }
    }
}

/// The permissions of tools that only read: a program may do anything, and must not run under their rules.
const READING: [&str; 4] = ["read", "glob", "grep", "list"];

/// What MCP takes a tool for that says nothing.
fn unknown_hints() -> Annotations {
    Annotations::new(false, true, false, true)
}

fn hints<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Annotations, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_else(unknown_hints))
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    let parsed = humantime::parse_duration(&text);
    parsed
        .map(Some)
        .map_err(|error| D::Error::custom(format!("`{text}` is no timeout ({error}); write e.g. 30s or 2m")))
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Head,
    Tail,
    Middle,
    All,
}

fn keep<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Keep>, D::Error> {
    Ok(Option::<Part>::deserialize(deserializer)?.map(|part| match part {
        Part::Head => Keep::Head,
        Part::Tail => Keep::Tail,
        Part::Middle => Keep::Middle,
        Part::All => Keep::All,
    }))
}
