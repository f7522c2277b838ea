//! Reading `key`, `key = value` and `key(…)` lists so that one bad key leaves the others readable.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{
    Token,
    ext::IdentExt,
    parse::{Parse, ParseStream, Parser},
    token::Paren,
};

use crate::errors::Errors;

/// What follows a key.
pub(super) enum Given {
    Nothing,
    Value(TokenStream),
    List(TokenStream),
}

/// Splits a list at its commas into keys with what follows them.
pub(super) fn keys(tokens: TokenStream, errors: &mut Errors) -> Vec<(Ident, Given)> {
    let mut keys = Vec::new();
    for part in split(tokens) {
        match key.parse2(part.clone()) {
            Ok(key) => keys.push(key),
            Err(error) => errors.syntax(&error, "write `key`, `key = value` or `key(…)`"),
        }
    }
    keys
}

/// The parts between commas, without empty ones. A comma between `::<` and `>` belongs to a path.
fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    let (mut generics, mut colon) = (0_usize, false);
    for token in tokens {
        let punct = match &token {
            TokenTree::Punct(punct) => Some(punct.as_char()),
            _ => None,
        };
        match punct {
            Some(',') if generics == 0 => {
                parts.push(TokenStream::new());
                continue;
            }
            Some('<') if generics > 0 || colon => generics += 1,
            Some('>') => generics = generics.saturating_sub(1),
            _ => {}
        }
        colon = punct == Some(':');
        if let Some(part) = parts.last_mut() {
            part.extend([token]);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn key(input: ParseStream<'_>) -> syn::Result<(Ident, Given)> {
    let key = input.call(Ident::parse_any)?;
    let given = if input.is_empty() {
        Given::Nothing
    } else if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        if input.is_empty() {
            return Err(syn::Error::new(key.span(), format!("`{key} =` has no value")));
        }
        Given::Value(input.parse()?)
    } else if input.peek(Paren) {
        let content;
        syn::parenthesized!(content in input);
        let list = Given::List(content.parse()?);
        if !input.is_empty() {
            return Err(input.error("expected a comma"));
        }
        list
    } else {
        return Err(input.error(format!("expected `=`, `(` or a comma after `{key}`")));
    };
    Ok((key, given))
}

impl Given {
    /// The value after `=`.
    pub(super) fn value<T: Parse>(self, key: &Ident, example: &str, errors: &mut Errors) -> Option<T> {
        match self {
            Self::Value(tokens) => parsed(&tokens, key, example, errors),
            Self::Nothing | Self::List(_) => {
                errors.at(key, format!("`{key}` needs a value"), format!("write `{example}`"));
                None
            }
        }
    }

    /// The value in brackets.
    pub(super) fn inner<T: Parse>(self, key: &Ident, example: &str, errors: &mut Errors) -> Option<T> {
        match self {
            Self::List(tokens) if !tokens.is_empty() => parsed(&tokens, key, example, errors),
            _ => {
                errors.at(key, format!("`{key}` needs a value in brackets"), format!("write `{example}`"));
                None
            }
        }
    }

    /// The value after `=`, or in brackets.
    pub(super) fn either<T: Parse>(self, key: &Ident, example: &str, errors: &mut Errors) -> Option<T> {
        match self {
            Self::List(_) => self.inner(key, example, errors),
            _ => self.value(key, example, errors),
        }
    }

    /// `key`, `key = true` or `key = false`.
    pub(super) fn flag(self, key: &Ident, errors: &mut Errors) -> Option<bool> {
        match self {
            Self::Nothing => Some(true),
            Self::Value(tokens) => {
                parsed::<syn::LitBool>(&tokens, key, &format!("{key} = true"), errors).map(|flag| flag.value)
            }
            Self::List(_) => {
                errors.at(key, format!("`{key}` takes no list"), format!("write `{key}`"));
                None
            }
        }
    }
}

fn parsed<T: Parse>(tokens: &TokenStream, key: &Ident, example: &str, errors: &mut Errors) -> Option<T> {
    match syn::parse2::<T>(tokens.clone()) {
        Ok(value) => Some(value),
        Err(_) => {
            errors.at(tokens, format!("not a value for `{key}`"), format!("write `{example}`"));
            None
        }
    }
}

/// A list of string literals.
pub(super) struct Strings(pub(super) Vec<syn::LitStr>);

impl Parse for Strings {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let strings = input.parse_terminated(<syn::LitStr as Parse>::parse, Token![,])?;
        Ok(Self(strings.into_iter().collect()))
    }
}

/// Reports a key that there is not.
pub(super) fn unknown(key: &Ident, known: &[&str], errors: &mut Errors) {
    const ALIKE: f64 = 0.8;
    let name = key.to_string();
    let alike = |known: &str| strsim::jaro_winkler(known, &name);
    let near = known.iter().copied().max_by(|a, b| alike(a).total_cmp(&alike(b))).filter(|near| alike(near) >= ALIKE);
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", known.join(", ")),
    };
    errors.at(key, format!("unknown key `{key}`"), help);
}
