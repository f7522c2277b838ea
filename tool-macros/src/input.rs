//! What was annotated: attributes, visibility, signature. The body stays tokens, so half-typed code still expands.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Attribute, FnArg, Signature, Token, Visibility,
    parse::{Parse, ParseStream},
};

/// A function, free or a method.
pub(crate) struct FnInput {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
}

impl Parse for FnInput {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            signature: input.parse()?,
            body: body(input)?,
        })
    }
}

fn body(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    if input.peek(Token![;]) {
        return Err(input.error("a tool needs a body"));
    }
    let body: Group = input.parse()?;
    match body.delimiter() {
        Delimiter::Brace => Ok(body.into_token_stream()),
        _ => Err(syn::Error::new(body.span(), "expected the body of a function")),
    }
}

/// Attributes of a parameter that the macro reads, and the compiler must not see.
const OURS: [&str; 5] = ["arg", "inject", "serde", "schemars", "doc"];

/// Whether an attribute is one of those.
pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    OURS.iter().any(|name| attribute.path().is_ident(name))
}

impl FnInput {
    /// The function as it was written, without the attributes that only the macro reads.
    pub(crate) fn function(&self) -> TokenStream {
        let Self { attrs, vis, signature, body } = self;
        let mut signature = signature.clone();
        for parameter in &mut signature.inputs {
            let attrs = match parameter {
                FnArg::Receiver(receiver) => &mut receiver.attrs,
                FnArg::Typed(typed) => &mut typed.attrs,
            };
            attrs.retain(|attribute| !is_ours(attribute));
        }
        quote! { #(#attrs)* #vis #signature #body }
    }
}
