//! What the macro knows of a tool: the attributes and the signature brought together, nothing emitted yet.

mod parameter;
mod rename;
mod types;

use proc_macro2::{Ident, Span, TokenStream};
use quote::format_ident;
use syn::{Attribute, FnArg, ReturnType, Type};

pub(crate) use self::{
    parameter::{Borrowed, ParameterModel, Role},
    rename::RenameRule,
    types::{has_lifetime, replace_self, replace_self_in_attrs},
};
use crate::{
    attr::{ToolAttr, doc},
    errors::Errors,
    input::FnInput,
};

/// One tool.
pub(crate) struct ToolModel {
    pub(crate) attr: ToolAttr,
    /// The function's own name.
    pub(crate) function: Ident,
    /// The name the model calls.
    pub(crate) name: String,
    pub(crate) description: Option<TokenStream>,
    /// `WeatherArgs`.
    pub(crate) args: Ident,
    /// `WeatherTool`.
    pub(crate) handle: Ident,
    pub(crate) is_async: bool,
    pub(crate) output: Type,
    pub(crate) parameters: Vec<ParameterModel>,
    /// Whether it takes `self`.
    pub(crate) has_receiver: bool,
    /// The type behind `&self`, in a toolset.
    pub(crate) owner: Option<Type>,
    /// Whether it has parameters that no type outside it can name.
    pub(crate) is_generic: bool,
    /// Whether the compiler would warn of its use.
    pub(crate) is_deprecated: bool,
    /// `#[cfg]`s of the function, which hold for all that is made of it.
    pub(crate) cfgs: Vec<Attribute>,
}

impl ToolModel {
    /// Brings attributes and signature together. `owner` is the type of the toolset the function is a method of.
    pub(crate) fn of(attr: ToolAttr, input: &FnInput, owner: Option<&Type>, errors: &mut Errors) -> Self {
        let signature = &input.signature;
        let bare = bare(&signature.ident);
        let stem = match owner {
            Some(owner) => format!("{}{}", types::last_name(owner).unwrap_or_default(), pascal(&bare)),
            None => pascal(&bare),
        };
        // Found where the function is, but made by the macro: lints on written code leave it alone.
        let span = Span::call_site().located_at(signature.ident.span());
        let rename_all = attr.rename_all.get().copied();
        let mut parameters = Vec::new();
        for input in &signature.inputs {
            if let FnArg::Typed(typed) = input {
                parameters.extend(ParameterModel::of(typed, rename_all, owner, errors));
            }
        }
        let output = match &signature.output {
            ReturnType::Default => syn::parse_quote_spanned!(signature.ident.span()=> ()),
            ReturnType::Type(_, output) => replace_self(output, owner),
        };
        let description = match attr.description.get() {
            Some(text) if text.value().trim().is_empty() => None,
            Some(text) => Some(quote::quote!(#text)),
            None => doc(&input.attrs).map(|doc| doc.tokens()),
        };
        Self {
            name: attr.name.get().map_or(bare, syn::LitStr::value),
            function: signature.ident.clone(),
            description,
            args: format_ident!("{stem}Args", span = span),
            handle: format_ident!("{stem}Tool", span = span),
            is_async: signature.asyncness.is_some(),
            output,
            parameters,
            is_deprecated: input.attrs.iter().any(|attribute| attribute.path().is_ident("deprecated")),
            is_generic: !signature.generics.params.is_empty(),
            has_receiver: signature.receiver().is_some(),
            owner: owner.cloned(),
            cfgs: input.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect(),
            attr,
        }
    }

    /// The parameters that the model gives.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &ParameterModel> {
        self.parameters.iter().filter(|parameter| matches!(parameter.role, Role::Argument(_)))
    }
}

/// A name without `r#`.
pub(crate) fn bare(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

fn pascal(name: &str) -> String {
    name.split('_')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
        })
        .collect()
}
