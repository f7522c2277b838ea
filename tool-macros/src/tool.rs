//! `#[tool]` on a free function: the pipeline.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{attr::ToolAttr, check::check, errors::Errors, expand, input::FnInput, model::ToolModel};

pub(crate) fn expand(attribute: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let attr = ToolAttr::of_tool(attribute, &mut errors);
    let input: FnInput = match syn::parse2(item.clone()) {
        Ok(input) => input,
        Err(error) => {
            errors.syntax(&error, "`#[tool]` goes on a function with a body");
            let errors = errors.into_tokens();
            return quote! { #item #errors };
        }
    };
    let model = ToolModel::of(attr, &input, None, &mut errors);
    check(&model, &input.signature, &mut errors);
    let function = input.function();
    let made = expand::tool(&model, &input.vis, errors);
    quote! { #function #made }
}
