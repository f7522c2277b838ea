//! What makes a file text, and how one is replaced. Knows nothing of tools.

mod binary;
mod bom;
mod replace;

pub use self::{
    binary::{SAMPLE, is_binary_name, looks_binary},
    bom::{BOM, has_bom, strip_bom, strip_bom_bytes},
    replace::replace,
};
