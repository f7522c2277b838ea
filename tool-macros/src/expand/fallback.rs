//! What stands in for a tool whose annotation is wrong, so that one mistake gives one error.

use proc_macro2::TokenStream;
use quote::quote;

use super::paths::Paths;
use crate::model::ToolModel;

/// An implementation that type-checks wherever the handle is used; it never runs, for the crate does not compile.
pub(super) fn stand_in(model: &ToolModel, paths: &Paths) -> TokenStream {
    let (cfgs, handle, args, name, private) = (&model.cfgs, &model.handle, &model.args, &model.name, &paths.private);
    quote! {
        #(#cfgs)*
        const _: () = {
            use #private as __p;
            impl __p::TypedTool for #handle {
                type Args = ();
                const FACTS: &'static __p::ToolFacts = &__p::ToolFacts::new::<Self>(
                    #name, "", __p::Location { file: "", line: 0, module: "" },
                );
                fn decode(_: &mut __p::Source<'_>) -> __p::Result<(), __p::Mismatch> {
                    __p::Err(__p::Mismatch)
                }
                fn call(_: (), _: &__p::ToolContext) -> __p::Result<__p::BoxFuture<'_, __p::ToolResult>, __p::ToolError> {
                    __p::Err(__p::ToolError::Cancelled)
                }
            }
            const _: __p::Option<#args> = __p::None;
        };
    }
}
