//! Doc comments as descriptions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// What doc comments say.
pub(crate) enum Doc {
    /// Plain text.
    Text(String),
    /// `#[doc = include_str!(…)]` and the like: known to the compiler alone.
    Expression(Box<Expr>),
}

impl Doc {
    /// The text as an expression of type `&'static str`.
    pub(crate) fn tokens(&self) -> TokenStream {
        match self {
            Self::Text(text) => quote!(#text),
            Self::Expression(expression) => quote!(#expression),
        }
    }
}

/// The doc comments among some attributes; `None` where they say nothing.
pub(crate) fn doc(attrs: &[Attribute]) -> Option<Doc> {
    let mut lines = Vec::new();
    for attribute in attrs.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                lines.extend(text.value().lines().map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()));
            }
            other => return Some(Doc::Expression(Box::new(other.clone()))),
        }
    }
    let text = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n").trim().to_owned();
    (!text.is_empty()).then_some(Doc::Text(text))
}
