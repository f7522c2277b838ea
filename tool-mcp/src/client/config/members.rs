//! The members of one server in a configuration, taken by name, with every mistake noted.

use std::{collections::HashMap, time::Duration};

use serde_json::{Map, Value};

use super::{ConfigFault, Surroundings, known::Slip};

/// The longest limit, in seconds: a day.
const LONGEST: f64 = 86_400.0;

/// What is left to be read of one server.
pub(super) struct Members<'a> {
    server: &'a str,
    place: String,
    members: &'a Map<String, Value>,
    /// `None` where nothing is expanded.
    surroundings: Option<&'a Surroundings>,
    pub(super) faults: Vec<ConfigFault>,
}

impl<'a> Members<'a> {
    pub(super) fn new(
        server: &'a str,
        place: String,
        members: &'a Map<String, Value>,
        surroundings: Option<&'a Surroundings>,
    ) -> Self {
        let mut read = Self { server, place, members, surroundings, faults: Vec::new() };
        let mut known = HashMap::new();
        for key in members.keys() {
            if let Some(other) = known.insert(snake(key), key) {
                read.fault(key, format!("it is there as `{other}` too, and only one of them would count"));
            }
        }
        read
    }

    pub(super) fn fault(&mut self, member: &str, fault: impl Into<String>) {
        let fault = self.told(member, fault.into());
        self.faults.push(fault);
    }

    /// What is to be told of a member.
    pub(super) fn told(&self, member: &str, fault: String) -> ConfigFault {
        let place = if member.is_empty() { self.place.clone() } else { format!("{}.{member}", self.place) };
        ConfigFault { file: None, server: Some(self.server.to_owned()), place, fault }
    }

    /// The first of these members that is there and not null, under its name in the file. Names are in snake case, and
    /// are found in camel case too.
    fn find(&self, names: &[&str]) -> Option<(&'a str, &'a Value)> {
        names.iter().find_map(|name| {
            let of_name = |key: &str| key == *name || snake(key) == *name;
            let (key, value) = self.members.iter().find(|(key, _)| of_name(key))?;
            (!value.is_null()).then_some((key.as_str(), value))
        })
    }

    /// The members that no program is known to write, each with what it may have been meant to be.
    pub(super) fn slips(&self) -> Vec<(Slip, ConfigFault)> {
        let of = |key: &'a String| {
            let slip = Slip::of(key, &snake(key))?;
            let fault = match slip.meant {
                Some(meant) => format!("there is no such member: was `{}` meant?", self.styled(key, meant)),
                None => "there is no such member: take it out, or begin its name with `_` if it is a remark".to_owned(),
            };
            Some((slip, self.told(key, fault)))
        };
        self.members.keys().filter_map(of).collect()
    }

    /// A known name, as the file's writer would have it beside `key`.
    fn styled(&self, key: &str, known: &str) -> String {
        // Nothing is expanded in TOML, whose names are in snake case.
        let is_camel = self.surroundings.is_some() && !key.contains('_');
        if is_camel { camel(known) } else { known.to_owned() }
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.find(names).is_some()
    }

    /// The name under which one of these members is in the file.
    pub(super) fn written(&self, names: &[&str]) -> Option<&'a str> {
        self.find(names).map(|(key, _)| key)
    }

    pub(super) fn is_list(&self, names: &[&str]) -> bool {
        self.find(names).is_some_and(|(_, value)| value.is_array())
    }

    pub(super) fn is_table(&self, names: &[&str]) -> bool {
        self.find(names).is_some_and(|(_, value)| value.is_object())
    }

    /// Settings of single tools (codex): where one says whether it is asked about, and what it says. Others are none.
    pub(super) fn settings_of_tools(&mut self) -> Vec<(String, String)> {
        const MODE: &str = "approval_mode";
        let Some((key, Value::Object(tools))) = self.find(&["tools"]) else { return Vec::new() };
        let mut modes = Vec::new();
        for (tool, settings) in tools {
            let place = format!("{key}.{tool}");
            let others = settings.as_object().map(|settings| settings.keys().any(|setting| setting != MODE));
            if others != Some(false) {
                let expected = format!("expected a table with `{MODE}` alone");
                self.fault(&place, format!("{expected}: name a tool that is not to be used in `disabled_tools`"));
            } else if let Some(mode) = settings.get(MODE).and_then(Value::as_str) {
                modes.push((format!("{place}.{MODE}"), mode.to_owned()));
            }
        }
        modes
    }

    fn as_text(&mut self, member: &str, value: &Value) -> Option<String> {
        let Value::String(text) = value else {
            self.fault(member, format!("expected a string, got {}", kind(value)));
            return None;
        };
        let expanded = match self.surroundings {
            Some(surroundings) => surroundings.expand(text),
            None => Ok(text.clone()),
        };
        match expanded {
            Ok(text) if text.contains('\0') => {
                self.fault(member, "it has a NUL character in it, which no program can be given: take it out");
                None
            }
            Ok(text) => Some(text),
            Err(fault) => {
                self.fault(member, fault);
                None
            }
        }
    }

    pub(super) fn text(&mut self, names: &[&str]) -> Option<String> {
        let (key, value) = self.find(names)?;
        self.as_text(key, value)
    }

    pub(super) fn texts(&mut self, names: &[&str]) -> Option<Vec<String>> {
        let (key, value) = self.find(names)?;
        let Value::Array(items) = value else {
            self.fault(key, format!("expected a list of strings, got {}", kind(value)));
            return None;
        };
        let items = items.iter().enumerate();
        Some(items.filter_map(|(i, item)| self.as_text(&format!("{key}[{i}]"), item)).collect())
    }

    /// Names of variables: a list of strings, or of tables with a `name` and a `source`, which is this machine (codex).
    pub(super) fn variables(&mut self, names: &[&str]) -> Vec<String> {
        let Some((key, Value::Array(items))) = self.find(names) else { return self.texts(names).unwrap_or_default() };
        let mut read = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let place = format!("{key}[{i}]");
            match item {
                Value::Object(table) => {
                    for member in table.keys().filter(|member| !["name", "source"].contains(&member.as_str())) {
                        self.fault(&format!("{place}.{member}"), "expected a `name` and a `source` alone");
                    }
                    let source = table.get("source").and_then(Value::as_str);
                    if source.is_some_and(|source| source != "local") {
                        self.fault(
                            &format!("{place}.source"),
                            "expected `local`: there is no other machine to take it from",
                        );
                    }
                    let name = table.get("name").unwrap_or(&Value::Null);
                    read.extend(self.as_text(&format!("{place}.name"), name));
                }
                name => read.extend(self.as_text(&place, name)),
            }
        }
        read
    }

    /// An object of strings; numbers and booleans are taken as they are written.
    pub(super) fn table(&mut self, names: &[&str]) -> Vec<(String, String)> {
        let Some((key, value)) = self.find(names) else { return Vec::new() };
        let Value::Object(table) = value else {
            self.fault(key, format!("expected an object of strings, got {}", kind(value)));
            return Vec::new();
        };
        let mut read = Vec::new();
        for (name, value) in table {
            let place = format!("{key}.{name}");
            let value = match value {
                Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
                value => self.as_text(&place, value),
            };
            if name.is_empty() || name.contains(['\0', '=']) {
                self.fault(&place, "a name must not be empty, nor have `=` or a NUL character in it");
            }
            read.extend(value.map(|value| (name.clone(), value)));
        }
        read
    }

    pub(super) fn flag(&mut self, names: &[&str]) -> Option<bool> {
        let (key, value) = self.find(names)?;
        if value.as_bool().is_none() {
            self.fault(key, format!("expected true or false, got {}", kind(value)));
        }
        value.as_bool()
    }

    pub(super) fn number(&self, names: &[&str]) -> Option<f64> {
        self.find(names)?.1.as_f64()
    }

    /// A limit; `unit` is how many seconds its number counts.
    pub(super) fn limit(&mut self, names: &[&str], unit: f64) -> Option<Duration> {
        let (key, value) = self.find(names)?;
        let seconds = value.as_f64().map(|number| number * unit);
        match seconds.filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST) {
            Some(seconds) => Some(Duration::from_secs_f64(seconds)),
            None => {
                let most = LONGEST / unit;
                self.fault(key, format!("expected a number above 0 and at most {most}, got {}", shown(value)));
                None
            }
        }
    }
}

fn shown(value: &Value) -> String {
    if value.is_number() { value.to_string() } else { kind(value).to_owned() }
}

/// A value's kind, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// `startupTimeoutSec` as `startup_timeout_sec`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// `startup_timeout_sec` as `startupTimeoutSec`.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut camel, word| {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel + letters.as_str()
    })
}
