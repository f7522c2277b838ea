//! Every mistake of one item, each with its token and what to do about it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// A collection of mistakes. It must be read before it is dropped: an error that nobody sees is worse than a panic.
#[derive(Default)]
pub(crate) struct Errors {
    found: Vec<(Span, Span, String)>,
    read: bool,
}

impl Errors {
    /// A mistake at these tokens, and what to do.
    pub(crate) fn at(&mut self, tokens: &impl ToTokens, problem: impl AsRef<str>, help: impl AsRef<str>) {
        let mut tokens = tokens.to_token_stream().into_iter();
        let start = tokens.next().map_or_else(Span::call_site, |token| token.span());
        let end = tokens.last().map_or(start, |token| token.span());
        self.push(start, end, problem.as_ref(), help.as_ref());
    }

    /// What the parser found.
    pub(crate) fn syntax(&mut self, error: &syn::Error, help: &str) {
        for error in error.clone() {
            self.push(error.span(), error.span(), &error.to_string(), help);
        }
    }

    fn push(&mut self, start: Span, end: Span, problem: &str, help: &str) {
        self.found.push((start, end, format!("{problem}\nhelp: {help}")));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The mistakes as code that the compiler reports.
    pub(crate) fn into_tokens(mut self) -> TokenStream {
        self.read = true;
        let found = std::mem::take(&mut self.found);
        found
            .into_iter()
            .map(|(start, end, message)| {
                // The compiler underlines from the first token's span to the last one's.
                let mut tokens = quote_spanned!(start=> ::core::compile_error!);
                tokens.extend(quote_spanned!(end=> { #message }));
                tokens
            })
            .collect()
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if !self.read && !self.found.is_empty() && !std::thread::panicking() {
            panic!("compile errors were dropped unread");
        }
    }
}
