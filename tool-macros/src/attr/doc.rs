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
    let mut parts: Vec<TokenStream> = Vec::new();
    for attribute in attrs.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => lines.extend(plain(&text.value())),
            other => {
                let before: String = lines.drain(..).map(|line: String| line + "\n").collect();
                parts.push(quote!(#before, #other));
            }
        }
    }
    let text = lines.join("\n").trim().to_owned();
    if parts.is_empty() {
        return (!text.is_empty()).then_some(Doc::Text(text));
    }
    let text = if text.is_empty() { text } else { format!("\n{text}") };
    Some(Doc::Expression(Box::new(syn::parse_quote!(::core::concat!(#(#parts, "\n",)* #text)))))
}

/// The lines of one comment, without what only marks them as such.
fn plain(text: &str) -> Vec<String> {
    let starred = text.lines().count() > 1
        && text.lines().skip(1).all(|line| line.trim().is_empty() || line.trim_start().starts_with('*'));
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = match line.trim_start().strip_prefix('*') {
            Some(rest) if starred && index > 0 => rest,
            _ => line,
        };
        lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
    }
    lines
}
