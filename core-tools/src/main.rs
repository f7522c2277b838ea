//! The prebuilt tools from a command line.

use core_tools::{LocalWorkspace, custom::load};
use tool_cli::ToolFiles;

async fn custom_tools(directories: Vec<std::path::PathBuf>) -> ToolFiles {
    let loaded = load(&LocalWorkspace::default(), &directories).await;
    let tools = loaded.tools.into_iter().map(|custom| custom.tool).collect();
    ToolFiles { tools, faults: loaded.faults.iter().map(ToString::to_string).collect() }
}

fn main() -> std::process::ExitCode {
    tool_cli::Cli::new().version(env!("CARGO_PKG_VERSION")).tool_files(custom_tools).run()
}
