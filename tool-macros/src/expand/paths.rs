//! Every runtime path the macro emits begins here.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::ToolModel;

/// Where `tool_core` lives for the crate that uses the macro.
pub(super) struct Paths {
    /// `::tool_core::__private`, the one door.
    pub(super) private: TokenStream,
}

impl Paths {
    pub(super) fn of(model: &ToolModel) -> Self {
        let private = match model.attr.crate_path.get() {
            Some(path) => quote!(#path::__private),
            None => quote!(::tool_core::__private),
        };
        Self { private }
    }
}
