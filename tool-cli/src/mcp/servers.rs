//! `mcp add`, `list`, `test` and `remove`: the MCP servers of a configuration.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use serde_json::{Value, json};
use tool_mcp::client::{
    ServerState,
    config::{self, EditError, Endpoint, McpConfig, ServerConfig, Syntax},
};

use super::{
    args::{AddArgs, ConfigArgs, McpAction, ServersArgs},
    connect::{end, load, start, surroundings},
    credentials::Told,
};
use crate::{failure::Failure, host::working_directory, print, visible};

pub(crate) async fn servers(action: McpAction, program: &str) -> Result<ExitCode, Failure> {
    match action {
        McpAction::Add(args) => add(args),
        McpAction::List(args) => list(&args),
        McpAction::Test { names, servers } => test(&names, &servers, program).await,
        McpAction::Remove { name, config } => remove(&name, &config, program),
    }
}

fn add(args: AddArgs) -> Result<ExitCode, Failure> {
    let mut server = match (args.url, args.command.split_first()) {
        (Some(url), _) if url.starts_with("http://") || url.starts_with("https://") => {
            let server = ServerConfig::http(&args.name, url);
            args.header.into_iter().fold(server, |server, (name, value)| server.header(name, value))
        }
        (Some(url), _) => {
            let fault = format!("expected an address that begins with http:// or https://, got `{url}`");
            return Err(Failure::Usage(fault));
        }
        (None, Some((program, arguments))) => {
            let server = ServerConfig::stdio(&args.name, program).args(arguments);
            args.env.into_iter().fold(server, |server, (name, value)| server.env(name, value))
        }
        (None, None) => return Err(Failure::Usage("give --url, or a program behind `--`".to_owned())),
    };
    if let Some(variable) = args.bearer_token_env_var {
        server = server.bearer_token_variable(variable);
    }
    server.trust = args.trust;
    edit(&args.config, true, |text, syntax| config::add(text, syntax, &server))?;
    print::note(&format!("added `{}` to {}", visible::line(&args.name), args.config.config.display()));
    Ok(ExitCode::SUCCESS)
}

fn remove(name: &str, args: &ConfigArgs, program: &str) -> Result<ExitCode, Failure> {
    let known = McpConfig::load(&args.config, &surroundings(&working_directory(None)?)).servers;
    edit(args, false, |text, syntax| config::remove(text, syntax, name))?;
    print::note(&format!("removed `{}` from {}", visible::line(name), args.config.display()));
    if let (Some(server), Some(kept)) = (known.iter().find(|server| server.name == name), Told::of(program)) {
        kept.sign_out(server);
    }
    Ok(ExitCode::SUCCESS)
}

/// Changes the text of a file, which is exchanged as a whole.
fn edit(
    args: &ConfigArgs,
    may_create: bool,
    change: impl FnOnce(&str, Syntax) -> Result<String, EditError>,
) -> Result<(), Failure> {
    let file = &args.config;
    let fault = |error: &dyn std::fmt::Display| Failure::Usage(format!("{}: {error}", file.display()));
    // In place of a pipe or a device nothing can be put.
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(fault(&"it is no regular file: give the file that has the configuration, or is to have it"));
    }
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if may_create && error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(fault(&error)),
    };
    let changed = change(&text, Syntax::of(file)).map_err(|error| fault(&error))?;
    replace(file, &changed).map_err(|error| fault(&error))
}

/// Puts a text in place of a file in one step: whoever reads it sees the old one or the new.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    // The file that a link leads to, not the link.
    let file = &file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let old = fs::metadata(file).ok().map(|old| old.permissions());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mcp-");
    if old.is_none() {
        shared(&mut builder);
    }
    let mut fresh = builder.tempfile_in(folder)?;
    fresh.write_all(text.as_bytes())?;
    if let Some(permissions) = old {
        fresh.as_file().set_permissions(permissions)?;
    }
    fresh.as_file().sync_all()?;
    fresh.persist(file)?;
    Ok(())
}

/// A new file is for whoever the umask says, as any other; a temporary one would be the user's alone.
#[cfg(unix)]
fn shared(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn shared(_: &mut tempfile::Builder<'_, '_>) {}

fn list(args: &ServersArgs) -> Result<ExitCode, Failure> {
    let McpConfig { servers, faults, .. } = load(&args.config.config, &working_directory(None)?)?;
    let withheld = || servers.iter().filter(|server| server.enabled).filter_map(|server| server.withheld.as_ref());
    for fault in faults.iter().chain(withheld()) {
        print::error(&fault.to_string());
    }
    if args.json {
        print::json_pretty(&servers.iter().map(described).collect::<Vec<_>>())?;
    } else {
        let width = servers.iter().map(|server| server.name.chars().count()).max().unwrap_or(0);
        print::stdout(|out| {
            for server in &servers {
                let off = match (server.enabled, &server.withheld) {
                    (false, _) => " (disabled)",
                    (true, Some(_)) => " (not started)",
                    (true, None) => "",
                };
                let line = visible::line(&format!("{:width$}  {}{off}", server.name, reached(server)));
                writeln!(out, "{line}")?;
            }
            Ok(())
        })?;
    }
    let all_well = faults.is_empty() && withheld().next().is_none();
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How a server is reached. What could be a secret is left out: variables, headers, and parts of an address.
fn reached(server: &ServerConfig) -> String {
    match &server.endpoint {
        Endpoint::Stdio(stdio) => {
            std::iter::once(&stdio.command).chain(&stdio.args).map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        Endpoint::Http(http) => http.shown(),
        _ => String::new(),
    }
}

fn described(server: &ServerConfig) -> Value {
    let mut described = json!({ "name": server.name, "enabled": server.enabled, "trust": server.trust });
    match &server.endpoint {
        Endpoint::Stdio(stdio) => {
            described["command"] = json!(stdio.command);
            described["args"] = json!(stdio.args);
        }
        Endpoint::Http(http) => described["url"] = json!(http.shown()),
        _ => {}
    }
    if let Some(fault) = &server.withheld {
        described["fault"] = json!(fault.to_string());
    }
    described
}

async fn test(names: &[String], args: &ServersArgs, program: &str) -> Result<ExitCode, Failure> {
    let directory = working_directory(None)?;
    let McpConfig { mut servers, mut faults, .. } = load(&args.config.config, &directory)?;
    if !names.is_empty() {
        let is_faulty = |name: &String| faults.iter().any(|fault| fault.server.as_ref() == Some(name));
        let is_there = |name: &String| servers.iter().any(|server| server.name == *name) || is_faulty(name);
        if let Some(unknown) = names.iter().find(|name| !is_there(name)) {
            let file = args.config.config.display();
            return Err(Failure::Usage(format!("there is no server `{unknown}` in {file}")));
        }
        servers.retain(|server| names.contains(&server.name));
        faults.retain(|fault| fault.server.as_ref().is_some_and(|server| names.contains(server)));
    }
    for fault in &faults {
        print::error(&fault.to_string());
    }
    let connections = start(servers, &directory, program).await?;
    let tools = connections.tools();
    let of = |server: &str| -> Vec<String> {
        let own = tools.iter().filter(|tool| tool.policy().tags.contains(server));
        own.map(|tool| tool.name().to_string()).collect()
    };
    let statuses = connections.status();
    end(connections).await;
    let is_well = |state: &ServerState| matches!(state, ServerState::Ready { .. } | ServerState::Disabled);
    let all_well = faults.is_empty() && statuses.iter().all(|status| is_well(&status.state));
    if args.json {
        let told = statuses.iter().map(|status| {
            json!({
                "name": status.server, "ok": is_well(&status.state), "state": status.state.to_string(),
                "tools": of(&status.server), "notes": status.notes,
            })
        });
        print::json_pretty(&told.collect::<Vec<_>>())?;
    } else {
        print::stdout(|out| {
            for status in &statuses {
                for line in format!("{}: {}", status.server, status.state).lines() {
                    writeln!(out, "{}", visible::line(line))?;
                }
                for tool in of(&status.server) {
                    writeln!(out, "  {tool}")?;
                }
                for note in &status.notes {
                    writeln!(out, "  note: {}", visible::line(note))?;
                }
            }
            Ok(())
        })?;
    }
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
