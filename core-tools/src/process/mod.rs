//! What all tools that run commands share.
//!
//! A command's shell (`shell`), how it is started and with what environment (`start`, `environment`), what is told of it
//! behind its output (`note`), how its bytes become text (`decode`, `transcript`, `cut`), and a command that goes on
//! beside the calls that look at it (`live`). How a process is followed to its end is in
//! [`workspace`](crate::workspace).

mod cut;
mod decode;
mod environment;
mod live;
mod note;
mod shell;
mod start;
mod transcript;

pub use self::shell::Shell;
pub(crate) use self::{
    cut::{Cut, Whole, cut, tokens},
    decode::Decoder,
    live::{Live, Waited},
    note::Note,
    start::{Start, background},
    transcript::Taken,
};
