//! What each provider calls a tool declaration.
//!
//! In: a [`ToolSpec`]. Out: the JSON of one declaration, in the provider's own form. Calls in and results out come
//! with the providers' message formats.

mod declaration;

pub use self::declaration::{Provider, declaration, declarations};
