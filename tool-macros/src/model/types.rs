//! Questions about types that can be answered from their tokens.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Meta, Type};

/// The type with `Self` written out, since it is used outside the `impl`.
pub(crate) fn replace_self(ty: &Type, owner: Option<&Type>) -> Type {
    let Some(owner) = owner else { return ty.clone() };
    let replaced = replace(ty.to_token_stream(), &owner.to_token_stream());
    syn::parse2(replaced).unwrap_or_else(|_| ty.clone())
}

/// Attributes of a method with `Self` written out in them.
pub(crate) fn replace_self_in_attrs(attrs: &[Attribute], owner: Option<&Type>) -> Vec<Attribute> {
    let mut attrs = attrs.to_vec();
    for attribute in &mut attrs {
        if let (Some(owner), Meta::List(list)) = (owner, &mut attribute.meta) {
            list.tokens = replace(std::mem::take(&mut list.tokens), &owner.to_token_stream());
        }
    }
    attrs
}

fn replace(tokens: TokenStream, owner: &TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(ident) if ident == "Self" => owner.clone(),
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace(group.stream(), owner));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        })
        .collect()
}

/// Whether a type borrows, other than for `'static`.
pub(crate) fn has_lifetime(ty: &Type) -> bool {
    fn search(tokens: TokenStream) -> bool {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match &token {
                TokenTree::Group(group) if search(group.stream()) => return true,
                TokenTree::Punct(punct) if punct.as_char() == '\'' => match tokens.peek() {
                    Some(TokenTree::Ident(name)) if name == "static" => {}
                    _ => return true,
                },
                TokenTree::Punct(punct) if punct.as_char() == '&' => {
                    let mut ahead = tokens.clone();
                    let is_static = matches!(ahead.next(), Some(TokenTree::Punct(tick)) if tick.as_char() == '\'')
                        && matches!(ahead.next(), Some(TokenTree::Ident(name)) if name == "static");
                    if !is_static {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
    search(ty.to_token_stream())
}

/// The last name of a path type.
pub(super) fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| super::bare(&segment.ident)),
        _ => None,
    }
}
