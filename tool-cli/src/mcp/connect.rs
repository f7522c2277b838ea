//! The MCP servers of `--mcp`.

use std::{
    env,
    path::{Path, PathBuf},
};

use tool_mcp::client::{
    Environment, McpConnections, ServerState,
    config::{McpConfig, ServerConfig, Surroundings},
};

use super::{credentials::Told, operator::Operator};
use crate::{failure::Failure, host::working_directory, interrupt, print};

/// What configurations may speak of, with the directory that calls are run in.
pub(super) fn surroundings(directory: &Path) -> Surroundings {
    let here = Surroundings::new(directory).environment(Environment::of_process());
    match env::home_dir() {
        Some(home) => here.home(home),
        None => here,
    }
}

/// The servers of a file. Mistakes that concern one server are among its faults, and the others are there; warnings are
/// told.
///
/// # Errors
/// When the file as a whole cannot be used.
pub(super) fn load(file: &Path, directory: &Path) -> Result<McpConfig, Failure> {
    let config = McpConfig::load(file, &surroundings(directory));
    if let Some(fault) = config.faults.iter().find(|fault| fault.server.is_none()) {
        return Err(Failure::Usage(fault.to_string()));
    }
    for warning in &config.warnings {
        print::warning(&warning.to_string());
    }
    Ok(config)
}

/// Starts servers, and waits until each is ready or has failed. Ctrl-C and its like end that, and the servers. What people
/// sign in for is kept in the program's folder.
///
/// # Errors
/// When it was interrupted.
pub(super) async fn start(
    servers: Vec<ServerConfig>,
    directory: &Path,
    program: &str,
) -> Result<McpConnections, Failure> {
    let builder = McpConnections::builder(directory).environment(Environment::of_process());
    let builder = match Told::of(program) {
        Some(store) => builder.credentials(store),
        None => builder,
    };
    let connections = builder.servers(servers).host(Operator::new(directory)).start();
    tokio::select! {
        () = connections.settled() => Ok(connections),
        () = interrupt::first() => {
            end(connections).await;
            Err(Failure::Usage("interrupted while MCP servers were started".to_owned()))
        }
    }
}

/// Ends servers, so that nothing of them is left when this program ends. Ctrl-C and its like kill them.
pub(crate) async fn end(connections: McpConnections) {
    tokio::select! {
        () = connections.clone().shutdown() => {}
        () = interrupt::first() => {
            connections.kill();
            connections.shutdown().await;
        }
    }
}

/// Connects to the servers of these files; `None` where no file is named. What fails is told on standard error.
///
/// # Errors
/// When a file cannot be used, or the working directory.
pub(crate) async fn connect(
    files: &[PathBuf],
    cwd: Option<&Path>,
    program: &str,
) -> Result<Option<McpConnections>, Failure> {
    if files.is_empty() {
        return Ok(None);
    }
    let directory = working_directory(cwd)?;
    let mut config = McpConfig::default();
    for file in files {
        config.extend(load(file, &directory)?);
    }
    for fault in &config.faults {
        print::error(&fault.to_string());
    }
    let connections = start(config.servers, &directory, program).await?;
    for status in connections.status() {
        if let ServerState::Failed { .. } | ServerState::Restarting { .. } = status.state {
            print::error(&status.to_string());
        }
        for note in &status.notes {
            print::error(&format!("MCP server `{}`: {note}", status.server));
        }
    }
    Ok(Some(connections))
}
