//! What makes a file text, where its lines are, how parts of it are replaced. Knows nothing of tools.

mod binary;
mod bom;
mod diff;
mod encoding;
mod lines;
mod splice;
mod spliced;

pub use self::{
    binary::{SAMPLE, is_binary_name, looks_binary},
    bom::{BOM, has_bom, strip_bom, strip_bom_bytes},
    diff::Diff,
    encoding::{Encoding, NotText, TextFile},
    lines::{Ending, Lines, ending_at},
    splice::{Splice, adapt, apply},
};
