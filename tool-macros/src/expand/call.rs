//! The one call of the annotated function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::args::injected;
use crate::model::{Borrowed, ParameterModel, Role, ToolModel};

/// From the argument struct and the context to the function's future.
pub(super) fn call(model: &ToolModel) -> TokenStream {
    let args_type = &model.args;
    let args = Ident::new("args", Span::mixed_site());
    let ctx = Ident::new("ctx", Span::mixed_site());
    let this = Ident::new("this", Span::mixed_site());
    let takes: Vec<TokenStream> = injected(model)
        .map(|(index, _)| {
            let (local, constant) = (local(index), format_ident!("__C{index}"));
            quote!(let #local = #constant.get(#ctx)?;)
        })
        .chain(model.has_receiver.then(|| quote!(let #this = __SELF.get(#ctx)?;)))
        .collect();
    let mut next = 0;
    let values = model.parameters.iter().map(|parameter| {
        let ident = &parameter.ident;
        match parameter.role {
            Role::Argument(Borrowed::No) => quote!(#args.#ident),
            Role::Argument(_) => quote!(&#args.#ident),
            Role::Shared(_) | Role::Owned => {
                next += 1;
                local(next - 1).to_token_stream()
            }
        }
    });
    let values = model.has_receiver.then(|| this.to_token_stream()).into_iter().chain(values);
    let function = &model.function;
    let called = match &model.owner {
        Some(owner) => quote!(<#owner>::#function(#(#values),*)),
        None => quote!(#function(#(#values),*)),
    };
    // An argument struct without fields has nothing to be moved out of it.
    let unused = (model.arguments().count() == 0).then(|| quote!(let _ = #args;));
    let body = if model.attr.blocking.get() == Some(&true) {
        quote! {
            __p::Ok(__RETURNS.of_blocking(#ctx, move |#ctx| {
                #(#takes)*
                __p::Ok(#called)
            }))
        }
    } else {
        let future = match (model.is_async, model.arguments().any(ParameterModel::is_borrowed)) {
            (false, _) => quote!(__RETURNS.of_plain(#called)),
            (true, false) => quote!(__RETURNS.of_async(#called)),
            // The future has to own what the function borrows.
            (true, true) => quote!(__RETURNS.of_async(async move { #called.await })),
        };
        quote! { #(#takes)* __p::Ok(#future) }
    };
    let context = if takes.is_empty() && model.attr.blocking.get() != Some(&true) { quote!(_) } else { quote!(#ctx) };
    quote! {
        fn call(
            #args: #args_type,
            #context: &__p::ToolContext,
        ) -> __p::Result<__p::BoxFuture<'_, __p::ToolResult>, __p::ToolError> {
            #unused
            #body
        }
    }
}

fn local(index: usize) -> Ident {
    format_ident!("context{index}", span = Span::mixed_site())
}
