//! The prebuilt tools from a command line.

// The linker keeps only what code names.
use core_tools as _;

fn main() -> std::process::ExitCode {
    tool_cli::Cli::new().version(env!("CARGO_PKG_VERSION")).run()
}
