//! Configurations of MCP servers, as other programs write them, and with mistakes.

#![cfg(feature = "client")]

use std::{path::Path, time::Duration};

use tool_mcp::client::{
    Environment,
    config::{Endpoint, McpConfig, ServerConfig, Surroundings, Syntax, add, remove},
};

fn here() -> Surroundings {
    let environment: Environment = [("TOKEN", "t0ken"), ("EMPTY", "")].into_iter().collect();
    Surroundings::new("/project").environment(environment).home("/home/ada")
}

fn json(text: &str) -> McpConfig {
    McpConfig::parse(text, Syntax::Json, &here())
}

fn only(config: McpConfig) -> ServerConfig {
    assert!(config.faults.is_empty(), "{:?}", config.faults);
    config.servers.into_iter().next().expect("a server")
}

fn faults(text: &str) -> Vec<String> {
    json(text).faults.iter().map(ToString::to_string).collect()
}

#[test]
fn the_form_of_claude_and_cursor_is_read() {
    let server = only(json(
        r#"{ "mcpServers": { "files": {
            "command": "npx", "args": ["-y", "server", "${workspaceFolder}/src"],
            "env": { "TOKEN": "${TOKEN}", "LEVEL": "${LEVEL:-info}", "PORT": 80, "CURSOR": "${env:TOKEN}" }
        } } }"#,
    ));
    let Endpoint::Stdio(stdio) = &server.endpoint else { panic!("{server:?}") };
    assert_eq!(stdio.command, "npx");
    assert_eq!(stdio.args, ["-y", "server", "/project/src"]);
    let env: Vec<_> = stdio.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(env, ["TOKEN=t0ken", "LEVEL=info", "PORT=80", "CURSOR=t0ken"]);
    assert!(server.enabled && !server.trust);
}

#[test]
fn the_form_of_vs_code_is_read_with_its_comments() {
    let text = r#"{
        // what the team uses
        "inputs": [],
        "servers": { "web": {
            "type": "http", "url": "https://mcp.example/${workspaceFolderBasename}", "headers": { "X": "${userHome}" }
        }, },
    }"#;
    let Endpoint::Http(http) = only(json(text)).endpoint else { panic!("no address") };
    assert_eq!(http.url, "https://mcp.example/project");
    assert_eq!(http.headers, [("X".to_owned(), "/home/ada".to_owned())]);
}

#[test]
fn the_form_of_opencode_is_read() {
    let text = r#"{ "mcp": { "s": {
        "type": "local", "command": ["bun", "x"], "environment": { "A": "b" }, "enabled": false
    } } }"#;
    let server = only(json(text));
    let Endpoint::Stdio(stdio) = &server.endpoint else { panic!("{server:?}") };
    assert_eq!((stdio.command.as_str(), stdio.args.len(), stdio.env.len(), server.enabled), ("bun", 1, 1, false));
}

#[test]
fn the_form_of_codex_is_read_and_nothing_in_it_is_expanded() {
    let text = r#"
        model = "x"
        [mcp_servers.files]
        command = "server"
        args = ["${TOKEN}"]
        env_vars = ["HOME"]
        startup_timeout_sec = 2.5
        tool_timeout_sec = 7
        enabled_tools = ["a", "b"]
        disabled_tools = ["b"]
        supports_parallel_tool_calls = true
        [mcp_servers.web]
        url = "https://mcp.example"
        bearer_token_env_var = "TOKEN"
        http_headers = { "X-A" = "1" }
        env_http_headers = { "X-B" = "TOKEN" }
    "#;
    let config = McpConfig::parse(text, Syntax::Toml, &here());
    assert!(config.faults.is_empty(), "{:?}", config.faults);
    let [files, web] = config.servers.as_slice() else { panic!("two servers") };
    let Endpoint::Stdio(stdio) = &files.endpoint else { panic!("{files:?}") };
    assert_eq!(stdio.args, ["${TOKEN}"]);
    assert_eq!((files.startup_timeout, files.tool_timeout), (Duration::from_millis(2500), Duration::from_secs(7)));
    assert_eq!(files.enabled_tools.as_deref(), Some(&["a".to_owned(), "b".to_owned()][..]));
    assert!(files.parallel);
    let Endpoint::Http(http) = &web.endpoint else { panic!("{web:?}") };
    assert_eq!(http.bearer_token_env_var.as_deref(), Some("TOKEN"));
    assert_eq!(http.env_headers, [("X-B".to_owned(), "TOKEN".to_owned())]);
}

#[test]
fn every_mistake_is_told_with_its_place_and_the_others_are_there() {
    let text = r#"{ "mcpServers": {
        "good": { "command": "x" },
        "both": { "command": "x", "url": "https://a" },
        "none": {},
        "kinds": { "command": "x", "args": ["a", 5], "env": { "A": [] }, "timeout": -1, "trust": "yes" },
        "unset": { "command": "${NOWHERE}", "args": ["${input:key}"] },
        "old": { "type": "sse", "url": "https://a" },
        "file": { "url": "ftp://a", "bearer_token": "x" },
        "list": []
    } }"#;
    let config = json(text);
    assert_eq!(config.servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(), ["good"]);
    let faults: Vec<_> = config.faults.iter().map(ToString::to_string).collect();
    for expected in [
        "mcpServers.both: it has both a `command` and a `url`",
        "mcpServers.none: it has neither",
        "mcpServers.kinds.args[1]: expected a string, got a number",
        "mcpServers.kinds.env.A: expected a string, got a list",
        "mcpServers.kinds.timeout: expected a number above 0",
        "mcpServers.kinds.trust: expected true or false, got a string",
        "mcpServers.unset.command: the variable NOWHERE is not set",
        "mcpServers.unset.args[0]: ${input:key} asks a person",
        "mcpServers.old.type: the HTTP+SSE transport",
        "mcpServers.file.url: expected an address",
        "mcpServers.file.bearer_token: a token in a file",
        "mcpServers.list: expected an object, got a list",
    ] {
        assert!(faults.iter().any(|fault| fault.starts_with(expected)), "{expected:?} is not in {faults:#?}");
    }
    assert_eq!(faults.len(), 12, "{faults:#?}");
}

#[test]
fn files_that_are_no_configurations_say_what_they_should_be() {
    assert!(faults("{").concat().starts_with("is not valid JSON"), "{:?}", faults("{"));
    assert!(faults("[]").concat().contains("expected an object, got a list"));
    assert!(faults(r#"{"model":"x"}"#).concat().contains("got `model` alone"));
    assert!(faults("{'mcpServers': {}}").concat().contains("is not valid JSON"), "comments are the only liberty");
    let missing = McpConfig::load(Path::new("/nowhere/at/all.json"), &here());
    assert!(missing.faults[0].to_string().starts_with("/nowhere/at/all.json: cannot be read"));
}

#[test]
fn a_server_that_is_switched_off_may_be_unfinished() {
    let config = json(r#"{"mcpServers":{"a":{"command":"x","args":["${NOWHERE}"],"disabled":true}}}"#);
    assert!(config.faults.is_empty() && !config.servers[0].enabled);
}

#[test]
fn an_edit_leaves_the_rest_as_it_is() {
    let text = r#"{
  // ours
  "theme": "dark",
  "mcpServers": {
    "a": { "command": "x" }, // first
  }
}
"#;
    let server = ServerConfig::stdio("b", "run").args(["-v"]).env("K", "v");
    let added = add(text, Syntax::Json, &server).expect("added");
    for kept in ["// ours\n  \"theme\": \"dark\"", "\"a\": { \"command\": \"x\" }, // first"] {
        assert!(added.contains(kept), "{kept} is not in {added}");
    }
    assert_eq!(json(&added).servers.len(), 2);
    let again = add(&added, Syntax::Json, &server).expect_err("it is there");
    assert_eq!(again.to_string(), "there is a server `b` already: remove it first, or take another name");
    let removed = remove(&added, Syntax::Json, "b").expect("removed");
    assert_eq!(json(&removed).servers.len(), 1);
    assert!(removed.contains("// first"), "{removed}");
    assert!(remove(&removed, Syntax::Json, "b").is_err());
}

#[test]
fn a_toml_file_is_edited_in_its_own_form() {
    let text = "model = \"x\" # ours\n\n[mcp_servers.a]\ncommand = \"x\"\n";
    let server = ServerConfig::http("b", "https://mcp.example").header("X-A", "1").bearer_token_variable("T").trusted();
    let added = add(text, Syntax::Toml, &server).expect("added");
    assert!(added.starts_with(text), "{added}");
    let config = McpConfig::parse(&added, Syntax::Toml, &here());
    assert_eq!(config.servers[1], server);
    assert_eq!(remove(&added, Syntax::Toml, "b").expect("removed"), text);
}

#[test]
fn a_new_file_is_made() {
    for syntax in [Syntax::Json, Syntax::Toml] {
        let server = ServerConfig::stdio("a", "run").args(["x"]);
        let text = add("", syntax, &server).expect("added");
        assert_eq!(only(McpConfig::parse(&text, syntax, &here())), server, "{text}");
    }
}

#[test]
fn variables_of_codex_may_be_tables() {
    let text = |source: &str| {
        format!("[mcp_servers.a]\ncommand = \"x\"\nenv_vars = [\"A\", {{ name = \"B\", source = \"{source}\" }}]")
    };
    let server = only(McpConfig::parse(&text("local"), Syntax::Toml, &here()));
    let Endpoint::Stdio(stdio) = &server.endpoint else { panic!("{server:?}") };
    assert_eq!(stdio.env_vars, ["A", "B"]);
    let config = McpConfig::parse(&text("remote"), Syntax::Toml, &here());
    assert!(config.faults[0].to_string().starts_with("mcp_servers.a.env_vars[1].source: expected `local`"));
}

#[test]
fn a_server_is_added_to_a_file_of_opencode_in_its_form() {
    let text = "{ \"mcp\": {} }";
    let server = ServerConfig::stdio("a", "run").args(["x"]).env("K", "v");
    let added = add(text, Syntax::Json, &server).expect("added");
    let value: serde_json::Value = serde_json::from_str(&added).expect("JSON");
    let form = serde_json::json!({ "type": "local", "command": ["run", "x"], "environment": { "K": "v" } });
    assert_eq!(value["mcp"]["a"], form);
    assert_eq!(only(json(&added)), server);
    let added = add(text, Syntax::Json, &ServerConfig::http("a", "https://mcp.example")).expect("added");
    assert!(added.contains(r#""type": "remote""#), "{added}");
}

#[test]
fn a_byte_order_mark_stays_and_what_is_no_name_is_not_added() {
    let server = ServerConfig::stdio("a", "run");
    for syntax in [Syntax::Json, Syntax::Toml] {
        let text = if syntax == Syntax::Json { "\u{feff}{}" } else { "\u{feff}model = 1\n" };
        let added = add(text, syntax, &server).expect("added");
        assert!(added.starts_with('\u{feff}') && added.matches('\u{feff}').count() == 1, "{added:?}");
        assert!(remove(&added, syntax, "a").expect("removed").starts_with('\u{feff}'));
    }
    for name in ["", "a\nb", &"x".repeat(129)] {
        let fault = add("", Syntax::Json, &ServerConfig::stdio(name, "run")).expect_err("no name");
        assert!(fault.to_string().contains("1 to 128 characters"), "{fault}");
    }
}

#[test]
fn secrets_of_a_configuration_are_not_printed() {
    let server = ServerConfig::http("a", "https://ada:s3cret@mcp.example/mcp?key=s3cret").header("X-Key", "s3cret");
    let printed = format!("{server:?} {:?}", ServerConfig::stdio("b", "run").env("TOKEN", "s3cret"));
    assert!(!printed.contains("s3cret") && printed.contains("X-Key") && printed.contains("TOKEN"), "{printed}");
    let text = "[mcp_servers.a]\nenv = { TOKEN = \"s3cret\" \n";
    let fault = McpConfig::parse(text, Syntax::Toml, &here()).faults[0].to_string();
    assert!(!fault.contains("s3cret") && fault.contains("on line 2"), "{fault}");
    let fault = add(text, Syntax::Toml, &ServerConfig::stdio("b", "run")).expect_err("no TOML").to_string();
    assert!(!fault.contains("s3cret") && fault.contains("on line 2"), "{fault}");
}

/// A server of each of the forms that files have, with one more member.
fn forms(member: &str) -> Vec<(&'static str, McpConfig)> {
    let json_form =
        |container: &str| json(&format!("{{ \"{container}\": {{ \"s\": {{ \"command\": \"x\", {member} }} }} }}"));
    let mut forms = vec![
        ("Claude and Cursor", json_form("mcpServers")),
        ("VS Code", json_form("servers")),
        ("opencode", json_form("mcp")),
        (
            "VS Code's settings",
            json(&format!("{{ \"mcp\": {{ \"servers\": {{ \"s\": {{ \"command\": \"x\", {member} }} }} }} }}")),
        ),
    ];
    let (name, value) = member.split_once(": ").expect("a member");
    let toml = format!("[mcp_servers.s]\ncommand = \"x\"\n{} = {value}\n", name.trim_matches('"'));
    forms.push(("codex", McpConfig::parse(&toml, Syntax::Toml, &here())));
    forms
}

#[test]
fn a_member_that_nobody_knows_is_told_with_the_one_that_was_meant_in_every_form() {
    for (form, config) in forms("\"startup_timout_sec\": 5") {
        let told: Vec<_> = config.warnings.iter().map(ToString::to_string).collect();
        let [told] = told.as_slice() else { panic!("{form}: {told:?}") };
        assert!(
            told.ends_with(".s.startup_timout_sec: there is no such member: was `startup_timeout_sec` meant?"),
            "{told}"
        );
        assert!(
            config.servers[0].withheld.is_none() && config.faults.is_empty(),
            "{form}: it keeps the server from nothing"
        );
    }
    let camel = json(r#"{"mcpServers":{"s":{"command":"x","toolTimeoutSecs":5,"colour":1}}}"#);
    let told: Vec<_> = camel.warnings.iter().map(ToString::to_string).collect();
    assert!(
        told[0].ends_with("was `toolTimeoutSec` meant?") || told[1].ends_with("was `toolTimeoutSec` meant?"),
        "{told:?}"
    );
    assert!(told.iter().any(|told| told.contains("s.colour: there is no such member: take it out")), "{told:?}");
}

#[test]
fn a_slip_that_would_have_kept_a_server_from_something_withholds_it() {
    for member in [
        "\"enabled_tols\": [\"a\"]",
        "\"enabledtools\": [\"a\"]",
        "\"Disabled_Tools\": [\"a\"]",
        "\"disbled\": true",
        "\"disable\": true",
        "\"enable\": false",
        "\"isActiv\": false",
        "\"allowed_tools\": [\"a\"]",
        "\"allowedTools\": [\"a\"]",
        "\"denyList\": [\"a\"]",
        "\"exclude_tool\": [\"a\"]",
        "\"default_tool_approval_mode\": \"prompt\"",
    ] {
        for (form, config) in forms(member) {
            assert!(config.faults.is_empty() && config.warnings.is_empty(), "{form}: {member}: {config:?}");
            let told = config.servers[0].withheld.as_ref().expect(member).to_string();
            assert!(told.contains(".s.") && told.contains("was `"), "{form}: {told}");
        }
    }
    let off = json(r#"{"mcpServers":{"s":{"command":"x","disabled":true,"enabledTols":["a"]}}}"#);
    assert!(off.servers[0].withheld.is_none() && off.warnings.len() == 1, "it is not started in any case");
    let sandbox = faults(r#"{"servers":{"s":{"command":"x","sandboxEnabled":true}}}"#).concat();
    assert!(sandbox.contains("sandboxEnabled: servers have no sandbox here"), "{sandbox}");
}

#[test]
fn what_is_only_a_little_like_it_withholds_nothing() {
    for member in [
        "\"roots\": [\"a\"]",
        "\"label\": \"a\"",
        "\"toolPrefix\": \"a\"",
        "\"cachedTools\": []",
        "\"installed\": true",
        "\"disabledPrompts\": [\"a\"]",
        "\"samplingEnabled\": true",
    ] {
        for (form, config) in forms(member) {
            assert!(config.servers[0].withheld.is_none() && config.faults.is_empty(), "{form}: {member}: {config:?}");
            assert_eq!(config.warnings.len(), 1, "{form}: {member}");
        }
    }
}

#[test]
fn a_server_that_is_not_active_is_off() {
    let cherry = json(
        r#"{"mcpServers":{
            "off": {"type":"streamableHttp","baseUrl":"https://a","isActive":false,"longRunning":true,"tags":[],"provider":"a"},
            "on": {"command":"x","isActive":true,"disabledTools":["a"],"timeout":90},
            "both": {"command":"x","isActive":false,"enabled":true}
        }}"#,
    );
    assert!(cherry.faults.is_empty() && cherry.warnings.is_empty(), "{cherry:?}");
    let enabled = |name: &str| cherry.servers.iter().find(|server| server.name == name).expect(name).enabled;
    assert!(enabled("on") && !enabled("off") && !enabled("both"));
}

#[test]
fn a_timeout_is_in_the_unit_of_who_writes_it() {
    let limit = |text: &str| {
        let config = json(text);
        let warnings: String = config.warnings.iter().map(ToString::to_string).collect();
        (only(config).tool_timeout.as_millis(), warnings)
    };
    let shared = |members: &str| limit(&format!(r#"{{"mcpServers":{{"s":{{"command":"x",{members}}}}}}}"#));
    for (members, millis) in [
        (r#""autoApprove":[],"timeout":60"#, 60_000),
        (r#""alwaysAllow":[],"timeout":1800"#, 1_800_000),
        (r#""isActive":true,"timeout":300"#, 300_000),
        // Kiro's, which are Cline's but for this.
        (r#""autoApprove":[],"timeout":120000"#, 120_000),
        (r#""includeTools":["a"],"timeout":600"#, 600),
        (r#""timeout":30000"#, 30_000),
        (r#""timeout":1000"#, 1_000),
        (r#""timeout":60,"toolTimeoutSec":5"#, 5_000),
    ] {
        assert_eq!(shared(members), (millis, String::new()), "{members}");
    }
    assert_eq!(limit(r#"{"mcp":{"s":{"type":"local","command":["x"],"timeout":500}}}"#), (500, String::new()));
    let (millis, told) = shared(r#""timeout":60"#);
    assert_eq!(millis, 60_000);
    assert!(told.starts_with("mcpServers.s.timeout: 60 is taken for seconds"), "{told}");
}

#[test]
fn what_other_programs_write_is_no_slip() {
    let claude = r#"{"mcpServers":{
        "code": {"type":"http","url":"https://a","headersHelper":"x","oauth":{"clientId":"a"},"alwaysLoad":true,"timeout":5000},
        "cline": {"command":"x","alwaysAllow":["a"],"autoApprove":[],"disabled":false,"timeout":60,"watchPaths":[]},
        "gemini": {"httpUrl":"https://a","includeTools":["a","b"],"excludeTools":["b"],"trust":false},
        "copilot": {"type":"local","command":"x","args":[],"tools":["a"]},
        "cursor": {"url":"https://a","auth":{"CLIENT_ID":"a"}},
        "remarks": {"command":"x","_disabled":true,"$comment":"a","//":"b","x-owner":"c"}
    }}"#;
    let config = json(claude);
    assert!(config.warnings.is_empty() && config.faults.is_empty(), "{config:?}");
    assert!(config.servers.iter().all(|server| server.withheld.is_none()), "{config:?}");
    let lists = |name: &str| {
        let server = config.servers.iter().find(|server| server.name == name).expect(name);
        (server.enabled_tools.clone().unwrap_or_default().concat(), server.disabled_tools.concat())
    };
    assert_eq!(
        lists("gemini"),
        ("ab".to_owned(), "b".to_owned()),
        "what narrows is heeded, by whatever name it is known"
    );
    assert_eq!(lists("copilot").0, "a");
    let code = r#"{"servers":{"s":{"type":"stdio","command":"x","dev":{"watch":"a"},"gallery":"a","version":"1"}}}"#;
    let opencode = r#"{"mcp":{"s":{"type":"remote","url":"https://a","oauth":false,"enabled":true,"timeout":5000}}}"#;
    let codex = "[mcp_servers.s]\nurl = \"https://a\"\nrequired = true\nscopes = [\"a\"]\noauth_resource = \"a\"\n\
                 default_tools_approval_mode = \"prompt\"\nenvironment_id = \"local\"\n[mcp_servers.s.tools.a]\n\
                 approval_mode = \"approve\"\n";
    for config in [json(code), json(opencode), McpConfig::parse(codex, Syntax::Toml, &here())] {
        assert!(config.warnings.is_empty() && config.faults.is_empty(), "{config:?}");
        assert!(config.servers[0].withheld.is_none() && config.servers[0].enabled_tools.is_none(), "{config:?}");
    }
}

#[test]
fn what_keeps_a_server_from_something_is_not_lost_where_it_is_said_twice() {
    let both = only(json(r#"{"mcpServers":{"s":{"command":"x","disabled_tools":["a"],"excludeTools":["b"]}}}"#));
    assert_eq!(both.disabled_tools, ["a", "b"]);
    let codex = |text: &str| {
        let config = McpConfig::parse(&format!("[mcp_servers.s]\ncommand = \"x\"\n{text}"), Syntax::Toml, &here());
        config.faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    for (told, words) in [
        (
            faults(r#"{"mcpServers":{"s":{"command":"x","enabledTools":["a"],"includeTools":["b"]}}}"#).concat(),
            "s.includeTools: `enabled_tools` says already which tools are used",
        ),
        (
            faults(r#"{"mcpServers":{"s":{"command":"x","disabledTools":["a"],"disabled_tools":["b"]}}}"#).concat(),
            "too, and only one of them would count",
        ),
        (faults(r#"{"mcpServers":{"s":{"command":"x","tools":"a"}}}"#).concat(), "s.tools: expected a list of strings"),
        (faults(r#"{"mcpServers":{"s":{"command":"x","tools":{"a":false}}}}"#).concat(), "s.tools.a: expected a table"),
        (codex("[mcp_servers.s.tools.a]\nenabled = false"), "s.tools.a: expected a table with `approval_mode` alone"),
        (codex("trust = true\ndefault_tools_approval_mode = \"prompt\""), "leave one of them out"),
        (
            codex("trust = true\n[mcp_servers.s.tools.a]\napproval_mode = \"prompt\""),
            "s.tools.a.approval_mode: tools are",
        ),
        (codex("env_vars = [{ name = \"A\", sorce = \"remote\" }]"), "env_vars[0].sorce: expected"),
    ] {
        assert!(told.contains(words), "{words:?} is not in {told:?}");
    }
}
