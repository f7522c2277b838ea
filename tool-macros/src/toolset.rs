//! `#[toolset]` on an `impl` block: the pipeline for each method that is marked `#[tool]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Attribute, Generics, Meta, Token, Type, braced,
    parse::{Parse, ParseStream, discouraged::Speculative},
};

use crate::{
    attr::ToolAttr,
    check::check,
    errors::Errors,
    expand,
    input::FnInput,
    model::{ToolModel, replace_self_in_attrs},
};

pub(crate) fn expand(attribute: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let shared = ToolAttr::of_toolset(attribute, &mut errors);
    let input: ImplInput = match syn::parse2(item.clone()) {
        Ok(input) => input,
        Err(error) => {
            errors.syntax(&error, "`#[toolset]` goes on an `impl` block");
            let errors = errors.into_tokens();
            return quote! { #item #errors };
        }
    };
    input.check(&mut errors);
    let ImplInput { attrs, generics, owner, items } = &input;
    let mut members = TokenStream::new();
    let mut made = TokenStream::new();
    let mut tools = 0;
    for item in items {
        match item {
            Member::Other(tokens) => members.extend(tokens.clone()),
            Member::Function(function) => match tool_attribute(&function.attrs) {
                None => members.extend(function.function()),
                Some((at, tokens)) => {
                    tools += 1;
                    let mut method = FnInput {
                        attrs: function.attrs.clone(),
                        vis: function.vis.clone(),
                        signature: function.signature.clone(),
                        body: function.body.clone(),
                    };
                    method.attrs.remove(at);
                    let tokens = replace_self_in_attrs(&function.attrs, Some(owner))
                        .into_iter()
                        .nth(at)
                        .and_then(|attribute| attribute.meta.require_list().map(|list| list.tokens.clone()).ok())
                        .unwrap_or(tokens);
                    members.extend(method.function());
                    let mut own = Errors::default();
                    let attr = ToolAttr::of_tool(tokens, &mut own).or(&shared);
                    let model = ToolModel::of(attr, &method, Some(owner), &mut own);
                    check(&model, &method.signature, &mut own);
                    made.extend(expand::tool(&model, &method.vis, own));
                }
            },
        }
    }
    if tools == 0 {
        errors.at(owner, "a toolset without tools", "mark its methods with `#[tool]`");
    }
    let errors = errors.into_tokens();
    quote! { #(#attrs)* impl #generics #owner { #members } #made #errors }
}

/// An `impl` block whose methods' bodies stay tokens.
struct ImplInput {
    attrs: Vec<Attribute>,
    generics: Generics,
    owner: Type,
    items: Vec<Member>,
}

enum Member {
    Function(Box<FnInput>),
    Other(TokenStream),
}

impl Parse for ImplInput {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        input.parse::<Token![impl]>()?;
        let generics: Generics = input.parse()?;
        let owner: Type = input.parse()?;
        if input.peek(Token![for]) {
            return Err(input.error("the methods of a trait cannot be tools"));
        }
        let content;
        braced!(content in input);
        let mut items = Vec::new();
        while !content.is_empty() {
            let ahead = content.fork();
            if let Ok(function) = ahead.parse::<FnInput>() {
                content.advance_to(&ahead);
                items.push(Member::Function(Box::new(function)));
            } else {
                items.push(Member::Other(content.parse::<syn::ImplItem>()?.into_token_stream()));
            }
        }
        Ok(Self { attrs, generics, owner, items })
    }
}

impl ImplInput {
    fn check(&self, errors: &mut Errors) {
        if let Some(generic) = self.generics.params.first() {
            errors.at(
                generic,
                "a toolset cannot be generic",
                "a model calls one tool with one schema: write the `impl` for one type",
            );
        }
        if !matches!(self.owner, Type::Path(_)) {
            errors.at(&self.owner, "a toolset needs a named type", "write `impl MyTools { … }`");
        }
    }
}

/// The `#[tool]` among a method's attributes: its place and its keys.
fn tool_attribute(attrs: &[Attribute]) -> Option<(usize, TokenStream)> {
    attrs.iter().enumerate().find_map(|(at, attribute)| {
        let is_tool = attribute.path().segments.last().is_some_and(|segment| segment.ident == "tool");
        let tokens = match &attribute.meta {
            Meta::List(list) => list.tokens.clone(),
            Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
        };
        is_tool.then_some((at, tokens))
    })
}
