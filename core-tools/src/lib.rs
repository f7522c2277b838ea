//! Prebuilt tools for coding agents, made with [`tool_core`].
//!
//! Each tool has a folder or a file: the `#[tool]` function in front, its algorithm beside it; [`custom`] makes tools of
//! programs that a manifest describes. What tools share is named for the thing: [`workspace`] (the machine they work on),
//! [`process`] (commands), [`command`] (what a command does, read before it runs), [`sandbox`] (what it can do while it runs), [`text_file`] (what makes a file text,
//! where its lines are, how parts of it are replaced), `search` (files by name and by content), [`media`] (images and
//! documents to look at). Linking this crate registers them all; select by set: `opencode`, `codex`, `pi`, `coding`,
//! `read_only`.
//!
//! Unix only: processes are run in groups, and a file's kind and mode are looked at.

#![deny(missing_docs)]

pub mod apply_patch;
pub mod bash;
pub mod batch;
pub mod command;
pub mod custom;
pub mod edit;
pub mod exec_command;
pub mod find;
pub mod glob;
pub mod grep;
pub mod grep_files;
pub mod list;
pub mod list_dir;
pub mod ls;
pub mod media;
pub mod multiedit;
pub mod process;
pub mod read;
pub mod read_file;
pub mod sandbox;
mod search;
pub mod shell;
pub mod text_file;
pub mod view_image;
pub mod workspace;
pub mod write;

pub use self::{
    apply_patch::ApplyPatchTool,
    bash::BashTool,
    batch::BatchTool,
    edit::EditTool,
    exec_command::{ExecCommandTool, ListExecSessionsTool, WriteStdinTool},
    find::FindTool,
    glob::GlobTool,
    grep::GrepTool,
    grep_files::GrepFilesTool,
    list::ListTool,
    list_dir::ListDirTool,
    ls::LsTool,
    multiedit::MultieditTool,
    process::Shell,
    read::ReadTool,
    read_file::ReadFileTool,
    shell::{ShellCommandTool, ShellTool},
    view_image::ViewImageTool,
    workspace::{ActiveWorkspace, LocalWorkspace, Workspace},
    write::WriteTool,
};

/// The guide's examples.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide/sandbox.md")]
struct SandboxGuide;
