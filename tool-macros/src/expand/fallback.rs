//! What stands in for a tool whose annotation is wrong, so that one mistake gives one error.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Type, Visibility};

use super::{args, paths::Paths};
use crate::model::{ParameterModel, ToolModel, has_lifetime};

/// The types, and an implementation that type-checks wherever the handle is used. It never runs, for the crate does not
/// compile. A method that belongs in a toolset gets nothing: nothing but methods can stand beside it.
pub(super) fn stand_in(model: &ToolModel, vis: &Visibility, paths: &Paths) -> TokenStream {
    if model.has_receiver && model.owner.is_none() {
        return TokenStream::new();
    }
    let types = args::types(model, vis, paths, |argument| !model.is_generic && can_be_held(argument));
    // What is wrong with the types is said at once too.
    let bounds = (!model.is_generic).then(|| args::bounds(model, can_be_held));
    let returns = (!model.is_generic && can_be_named(&model.output)).then(|| args::returns(model));
    let (cfgs, handle, name, private) = (&model.cfgs, &model.handle, &model.name, &paths.private);
    quote! {
        #types
        #(#cfgs)*
        const _: () = {
            use #private as __p;
            #bounds
            #returns
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
        };
    }
}

/// Whether a struct can have a field of the argument's type; where it cannot, that was reported already.
fn can_be_held(argument: &ParameterModel) -> bool {
    argument.is_borrowed() || can_be_named(&argument.ty)
}

fn can_be_named(ty: &Type) -> bool {
    !(has_lifetime(ty) || matches!(ty, Type::ImplTrait(_)))
}
