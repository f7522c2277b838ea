//! `edit`.
pub mod matching;
mod fit;
mod plan;
pub use self::plan::{Edit, Plan, Problem};
