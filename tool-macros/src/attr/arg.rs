//! The attributes of a parameter: `#[arg(…)]`, `#[inject]`, and what is passed on to serde and schemars.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Expr, LitStr, Meta, Path};

use super::{
    Doc, Slot, doc,
    keys::{Given, keys, unknown},
};
use crate::{errors::Errors, input::is_ours};

/// Where a default comes from.
pub(crate) enum DefaultAttr {
    /// `default`: the type's own.
    OfType,
    /// `default = expression`.
    Value(Box<Expr>),
    /// `#[serde(default = "path")]`: a function.
    Function(Path),
}

/// Everything a parameter's attributes say.
#[derive(Default)]
pub(crate) struct ArgAttr {
    pub(crate) doc: Option<Doc>,
    pub(crate) default: Slot<DefaultAttr>,
    pub(crate) rename: Slot<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) range: Slot<Expr>,
    pub(crate) length: Slot<Expr>,
    pub(crate) pattern: Slot<LitStr>,
    pub(crate) format: Slot<LitStr>,
    pub(crate) examples: Vec<Expr>,
    pub(crate) inject: Option<Attribute>,
    /// `#[serde(…)]` and `#[schemars(…)]` that are not understood here, for a type that wraps the parameter's.
    pub(crate) passed_on: Vec<TokenStream>,
}

const KEYS: [&str; 8] = ["default", "rename", "alias", "range", "length", "pattern", "format", "example"];

impl ArgAttr {
    pub(crate) fn read(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut attr = Self { doc: doc(attrs), ..Self::default() };
        for attribute in attrs.iter().filter(|attribute| is_ours(attribute)) {
            if attribute.path().is_ident("inject") {
                attr.inject(attribute, errors);
            } else if attribute.path().is_ident("arg") {
                for (key, given) in list(attribute, errors) {
                    attr.key(key, given, errors);
                }
            } else if attribute.path().is_ident("serde") {
                attr.serde(attribute, errors);
            } else if let (true, Meta::List(list)) = (attribute.path().is_ident("schemars"), &attribute.meta) {
                let tokens = &list.tokens;
                attr.passed_on.push(quote::quote!(#[schemars(#tokens)]));
            }
        }
        attr
    }

    fn inject(&mut self, attribute: &Attribute, errors: &mut Errors) {
        if !matches!(attribute.meta, Meta::Path(_)) {
            errors.at(attribute, "`inject` takes nothing", "write `#[inject]`");
        }
        self.inject = Some(attribute.clone());
    }

    fn key(&mut self, key: Ident, given: Given, errors: &mut Errors) {
        macro_rules! put {
            ($slot:ident, $value:expr) => {{
                let value = $value;
                self.$slot.set(key, value, errors);
            }};
        }
        match key.to_string().as_str() {
            "default" => match given {
                Given::Nothing => self.default.set(key, Some(DefaultAttr::OfType), errors),
                given => {
                    let value = given.value::<Expr>(&key, "default = 10", errors);
                    put!(default, value.map(|value| DefaultAttr::Value(Box::new(value))));
                }
            },
            "rename" => put!(rename, given.value(&key, "rename = \"filePath\"", errors)),
            "alias" => self.aliases.extend(given.value::<LitStr>(&key, "alias = \"path\"", errors)),
            "range" => put!(range, given.inner(&key, "range(1..=10)", errors)),
            "length" => put!(length, given.inner(&key, "length(1..=80)", errors)),
            "pattern" => put!(pattern, given.either(&key, "pattern(\"^[a-z]+$\")", errors)),
            "format" => put!(format, given.value(&key, "format = \"date\"", errors)),
            "example" => self.examples.extend(given.value::<Expr>(&key, "example = \"Lisbon\"", errors)),
            _ => unknown(&key, &KEYS, errors),
        }
    }

    /// serde's `rename`, `alias` and `default` mean what `#[arg]`'s do; what concerns the value is passed on.
    fn serde(&mut self, attribute: &Attribute, errors: &mut Errors) {
        for (key, given) in list(attribute, errors) {
            match (key.to_string().as_str(), given) {
                ("default", given @ Given::Value(_)) => {
                    let path = given.value::<LitStr>(&key, "default = \"path\"", errors);
                    match path.map(|path| path.parse::<Path>()) {
                        Some(Ok(path)) => self.default.set(key, Some(DefaultAttr::Function(path)), errors),
                        Some(Err(error)) => errors.syntax(&error, "name a function, as for serde"),
                        None => {}
                    }
                }
                ("default" | "rename" | "alias", given) => self.key(key, given, errors),
                ("flatten" | "skip" | "skip_deserializing" | "borrow", _) => errors.at(
                    &key,
                    format!("`{key}` does not work on a tool's parameter"),
                    "put it on a field of a struct, and take the struct as the parameter",
                ),
                (_, Given::Nothing) => self.passed_on.push(quote::quote!(#[serde(#key)])),
                (_, Given::Value(value)) => self.passed_on.push(quote::quote!(#[serde(#key = #value)])),
                (_, Given::List(value)) => self.passed_on.push(quote::quote!(#[serde(#key(#value))])),
            }
        }
    }

    /// The first key that makes no sense on an injected parameter.
    pub(crate) fn first_key(&self) -> Option<&Ident> {
        let slots = [self.default.key(), self.rename.key(), self.range.key(), self.length.key()];
        slots.into_iter().chain([self.pattern.key(), self.format.key()]).flatten().next()
    }
}

fn list(attribute: &Attribute, errors: &mut Errors) -> Vec<(Ident, Given)> {
    match &attribute.meta {
        Meta::List(list) => keys(list.tokens.clone(), errors),
        _ => {
            errors.at(attribute, "this attribute needs a list", "write `#[arg(default = 10)]`");
            Vec::new()
        }
    }
}
