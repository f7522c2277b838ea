//! What a command does, read from its text.
//!
//! In: a script for a shell. Out: [`Analysis`], every command in it with what rules are held against, and the files that it
//! reads and writes. A script is parsed with a real grammar (`syntax`), its words are read as a shell reads them (`word`,
//! `variables`), and walked through (`walk`), also through what commands run in turn: `sudo`, `xargs`, `find -exec`,
//! `bash -c`, `eval` (`wrapper`). Lists say which programs are harmless or dangerous (`safety`), which files a program
//! touches (`effect`), where the reading ends (`opaque`), and what "always" means (`arity`).
//!
//! What cannot be read is never taken for something narrower: its reading is "anything", which only a rule for everything
//! allows. It is no sandbox: programs do what they do, whatever they are called.
//!
//! [`ask_command`] puts it to the rules.

mod analysis;
mod arity;
mod ask;
mod assign;
mod effect;
mod invoke;
mod opaque;
mod readings;
mod redirect;
mod render;
mod safety;
mod shell;
mod syntax;
mod variables;
mod walk;
mod word;
mod wrapper;

pub(crate) use self::ask::{ask_files, use_request};
pub use self::{
    analysis::{Analysis, Harm, Invoked, analyse},
    ask::ask_command,
};
