//! From text to servers.

use jsonc_parser::ParseOptions;
use serde_json::{Map, Value};

use super::{
    ConfigFault, Endpoint, HttpEndpoint, McpConfig, ServerConfig, StdioEndpoint, Surroundings, Syntax,
    members::{Members, kind},
    server::{STARTUP_TIMEOUT, TOOL_TIMEOUT},
    syntax_error::told,
    timeout::timeout,
};

/// The members of a file that have servers in them.
pub(super) const CONTAINERS: [&str; 4] = ["mcpServers", "servers", "mcp_servers", "mcp"];
/// Whose form a server is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// That of Claude, Cursor and VS Code, and of codex.
    Shared,
    /// opencode's, which refuses a file with any other.
    Opencode,
}

/// The longest name of a server, in characters.
const LONGEST_NAME: usize = 128;

/// JSON with comments and trailing commas, and no other liberties.
pub(super) const JSON: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn read(text: &str, syntax: Syntax, surroundings: &Surroundings) -> McpConfig {
    let mut config = McpConfig::default();
    let parsed = match syntax {
        Syntax::Json => jsonc_parser::parse_to_serde_value(text, &JSON).map_err(|error| error.to_string()),
        Syntax::Toml => toml::from_str(text).map_err(|error| told(text, error.span(), error.message())),
    };
    let root: Map<String, Value> = match parsed {
        Ok(Value::Object(root)) => root,
        Ok(other) => {
            config.faults.push(ConfigFault::of_file(format!("expected an object, got {}", kind(&other))));
            return config;
        }
        Err(fault) => {
            let language = if syntax == Syntax::Toml { "TOML" } else { "JSON" };
            config.faults.push(ConfigFault::of_file(format!("is not valid {language}: {fault}")));
            return config;
        }
    };
    let found = containers(&root);
    if found.is_empty() {
        config.faults.push(ConfigFault::of_file(format!(
            "has no servers: expected an object with a member `mcpServers` (or `servers`, or `mcp_servers` in TOML), got {}",
            named(&root)
        )));
    }
    let expands = (syntax == Syntax::Json).then_some(surroundings);
    for (place, form, servers) in found {
        let Value::Object(servers) = servers else {
            let fault = format!("expected an object with a member for each server, got {}", kind(servers));
            config.faults.push(ConfigFault { place, ..ConfigFault::of_file(fault) });
            continue;
        };
        for (name, value) in servers {
            let mut warnings = Vec::new();
            match server(name, format!("{place}.{name}"), form, value, expands, surroundings, &mut warnings) {
                Ok(server) => config.servers.push(server),
                Err(faults) => config.faults.extend(faults),
            }
            config.warnings.extend(warnings);
        }
    }
    config
}

/// The objects that have servers in them, where they are, and in whose form.
fn containers(root: &Map<String, Value>) -> Vec<(String, Form, &Value)> {
    let of = |name: &&str| {
        let value = root.get(*name)?;
        // VS Code's settings have one level more.
        match value.get("servers").filter(|_| *name == "mcp") {
            Some(servers) => Some((format!("{name}.servers"), Form::Shared, servers)),
            None if *name == "mcp" => Some(((*name).to_owned(), Form::Opencode, value)),
            None => Some(((*name).to_owned(), Form::Shared, value)),
        }
    };
    CONTAINERS.iter().filter_map(of).collect()
}

fn named(root: &Map<String, Value>) -> String {
    match root.len() {
        0 => "an empty one".to_owned(),
        _ => format!("{} alone", root.keys().take(5).map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")),
    }
}

fn server(
    name: &str,
    place: String,
    form: Form,
    value: &Value,
    expands: Option<&Surroundings>,
    surroundings: &Surroundings,
    warnings: &mut Vec<ConfigFault>,
) -> Result<ServerConfig, Vec<ConfigFault>> {
    let none = Map::new();
    let mut members = Members::new(name, place, value.as_object().unwrap_or(&none), expands);
    if !value.is_object() {
        members.fault("", format!("expected an object, got {}", kind(value)));
        return Err(members.faults);
    }
    if let Some(fault) = fault_of_name(name) {
        members.fault("", fault);
    }
    // Whoever switched a server off may have left it unfinished.
    let is_off = [members.flag(&["enabled"]), members.flag(&["is_active"])].contains(&Some(false))
        || members.flag(&["disabled"]) == Some(true);
    let endpoint = match transport(&mut members) {
        Some(Transport::Stdio) => Some(Endpoint::Stdio(stdio(&mut members, surroundings))),
        Some(Transport::Http) => Some(Endpoint::Http(http(&mut members))),
        None => None,
    };
    let enabled_tools = allowed(&mut members);
    let denied = DENIED.iter().filter_map(|name| members.texts(&[name]));
    let disabled_tools = denied.flatten().collect();
    if members.flag(&["sandbox_enabled"]) == Some(true) {
        let written = members.written(&["sandbox_enabled"]).unwrap_or_default();
        members.fault(written, "servers have no sandbox here: take the member out if the server may do what you may");
    }
    let startup =
        members.limit(&["startup_timeout_sec"], 1.0).or_else(|| members.limit(&["startup_timeout_ms"], 0.001));
    let tool = members.limit(&["tool_timeout_sec"], 1.0).or_else(|| members.limit(&["tool_timeout_ms"], 0.001));
    let tool = tool.or_else(|| timeout(&mut members, form, warnings));
    let trust = members.flag(&["trust"]).unwrap_or(false);
    if let Some(written) = asked_about(&mut members).filter(|_| trust) {
        members
            .fault(&written, "tools are to be asked about, and `trust` lets some run unasked: leave one of them out");
    }
    let parallel = members.flag(&["supports_parallel_tool_calls"]).unwrap_or(false);
    let mut withheld = None;
    for (slip, fault) in members.slips() {
        if slip.is_narrowing && withheld.is_none() && !is_off {
            withheld = Some(fault);
        } else {
            warnings.push(fault);
        }
    }
    match endpoint {
        Some(endpoint) if members.faults.is_empty() || is_off => Ok(ServerConfig {
            withheld,
            enabled: !is_off,
            enabled_tools,
            disabled_tools,
            startup_timeout: startup.unwrap_or(STARTUP_TIMEOUT),
            tool_timeout: tool.unwrap_or(TOOL_TIMEOUT),
            trust,
            parallel,
            ..ServerConfig::new(name, endpoint)
        }),
        _ => Err(members.faults.into_iter().chain(withheld).collect()),
    }
}

/// The lists of tools that are used, by what programs call them; Copilot's is the last.
const ALLOWED: [&str; 3] = ["enabled_tools", "include_tools", "tools"];
/// Those of tools that are not.
const DENIED: [&str; 2] = ["disabled_tools", "exclude_tools"];

/// Which tools are used: by one list alone, for of two nobody can say which is meant.
fn allowed(members: &mut Members<'_>) -> Option<Vec<String>> {
    let is_there = |name: &&&str| members.has(&[**name]) && !members.is_table(&[**name]);
    let found: Vec<&str> = ALLOWED.iter().filter(is_there).copied().collect();
    if let [first, second, ..] = found[..] {
        let second = members.written(&[second]).unwrap_or_default();
        members.fault(second, format!("`{first}` says already which tools are used: leave one of them out"));
    }
    found.first().and_then(|name| members.texts(&[name]))
}

/// Where a configuration says that tools are asked about (codex), if it does.
fn asked_about(members: &mut Members<'_>) -> Option<String> {
    const PROMPT: &str = "prompt";
    const DEFAULT: [&str; 1] = ["default_tools_approval_mode"];
    let by_default = members.text(&DEFAULT).is_some_and(|mode| mode == PROMPT);
    let of_one = members.settings_of_tools().into_iter().find(|(_, mode)| mode == PROMPT).map(|(place, _)| place);
    members.written(&DEFAULT).filter(|_| by_default).map(str::to_owned).or(of_one)
}

/// What is wrong with a server's name.
pub(super) fn fault_of_name(name: &str) -> Option<String> {
    let is_well = !name.is_empty() && name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control);
    let rule = || format!("a server's name has 1 to {LONGEST_NAME} characters, none of them a control character");
    (!is_well).then(rule)
}

enum Transport {
    Stdio,
    Http,
}

/// Of more than one, the first counts: Gemini CLI's `url` is of the old transport where there is an `httpUrl` too.
const URL: [&str; 4] = ["http_url", "url", "server_url", "base_url"];
const COMMAND: [&str; 1] = ["command"];

/// How the server is reached, by its `type` or else by what there is.
fn transport(members: &mut Members<'_>) -> Option<Transport> {
    const KIND: [&str; 2] = ["type", "transport"];
    let said = members.has(&KIND).then(|| members.text(&KIND));
    let found = match said {
        Some(None) => return None,
        Some(Some(kind)) => match kind.to_ascii_lowercase().as_str() {
            "stdio" | "local" => Transport::Stdio,
            "http" | "streamable-http" | "streamable_http" | "streamablehttp" | "remote" => Transport::Http,
            "sse" => {
                members.fault(
                    members.written(&KIND).unwrap_or_default(),
                    "the HTTP+SSE transport, which the protocol has given up, is not supported: most such servers have a \
                     streamable HTTP address too; give that with the type `http`",
                );
                return None;
            }
            other => {
                let fault = format!("expected `stdio` or `http`, got `{other}`");
                members.fault(members.written(&KIND).unwrap_or_default(), fault);
                return None;
            }
        },
        None => match (members.has(&COMMAND), members.has(&URL)) {
            (true, false) => Transport::Stdio,
            (false, true) => Transport::Http,
            (true, true) => {
                members.fault("", "it has both a `command` and a `url`: leave one out, or give a `type`");
                return None;
            }
            (false, false) => {
                members.fault("", "it has neither a `command` nor a `url`: give the program to start, or the address");
                return None;
            }
        },
    };
    Some(found)
}

fn stdio(members: &mut Members<'_>, surroundings: &Surroundings) -> StdioEndpoint {
    let mut command = if members.is_list(&COMMAND) {
        members.texts(&COMMAND).unwrap_or_default()
    } else {
        members.text(&COMMAND).into_iter().collect()
    };
    if command.first().is_none_or(|program| program.trim().is_empty()) && members.faults.is_empty() {
        members.fault("command", "expected the program to start, got nothing");
    }
    if let Some(written) = members.written(&["env_file"]) {
        members.fault(written, "files of variables are not supported: give the variables in `env`");
    }
    let program = if command.is_empty() { String::new() } else { command.remove(0) };
    command.extend(members.texts(&["args"]).unwrap_or_default());
    let cwd = members.text(&["cwd"]).map(|cwd| surroundings.workspace.join(cwd));
    StdioEndpoint {
        command: program,
        args: command,
        env: members.table(&["env", "environment"]),
        env_vars: members.variables(&["env_vars"]),
        cwd,
    }
}

fn http(members: &mut Members<'_>) -> HttpEndpoint {
    let url = members.text(&URL);
    match &url {
        None if members.has(&URL) => {}
        None => members.fault("url", "expected the address of the server, got nothing"),
        Some(url) if !(url.starts_with("http://") || url.starts_with("https://")) => {
            let written = members.written(&URL).unwrap_or_default();
            members.fault(written, "expected an address that begins with http:// or https://");
        }
        Some(_) => {}
    }
    if let Some(written) = members.written(&["bearer_token"]) {
        members.fault(
            written,
            "a token in a file is read by others: put it in a variable, and give `bearer_token_env_var`",
        );
    }
    HttpEndpoint {
        url: url.unwrap_or_default(),
        headers: members.table(&["headers", "http_headers"]),
        env_headers: members.table(&["env_http_headers"]),
        bearer_token_env_var: members.text(&["bearer_token_env_var"]),
    }
}
