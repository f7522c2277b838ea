//! One parameter, and where its value comes from.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::{Pat, PatType, Type, TypeReference, spanned::Spanned};

use super::{RenameRule, bare, replace_self, replace_self_in_attrs, types::last_name};
use crate::{attr::ArgAttr, errors::Errors};

/// One parameter.
pub(crate) struct ParameterModel {
    /// The name in Rust.
    pub(crate) ident: Ident,
    /// The name in the schema.
    pub(crate) name: String,
    pub(crate) attr: ArgAttr,
    pub(crate) role: Role,
    /// The type as it is written.
    pub(crate) ty: Type,
}

/// Where a parameter's value comes from.
pub(crate) enum Role {
    /// From the model.
    Argument(Borrowed),
    /// From the context, by reference: the type behind the `&`.
    Shared(Box<Type>),
    /// From the context, by value.
    Owned,
}

/// Whether the function borrows an argument from the argument struct.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Borrowed {
    No,
    /// `&str`, held as `String`.
    Text,
    /// `&[T]`, held as `Vec<T>`.
    Slice,
    /// `&Path`, held as `PathBuf`.
    Path,
}

impl ParameterModel {
    pub(super) fn of(
        typed: &PatType,
        rename_all: Option<RenameRule>,
        owner: Option<&Type>,
        errors: &mut Errors,
    ) -> Option<Self> {
        let attr = ArgAttr::read(&replace_self_in_attrs(&typed.attrs, owner), errors);
        let ident = match &*typed.pat {
            Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => pattern.ident.clone(),
            other => {
                errors.at(
                    other,
                    "a tool's parameter needs a name",
                    "name the parameter, since the name stands in the schema; take it apart in the body",
                );
                return None;
            }
        };
        let ty = replace_self(&typed.ty, owner);
        let role = role(&ty, &attr, errors);
        let bare = bare(&ident);
        let name = match (attr.rename.get(), rename_all) {
            (Some(name), _) => name.value(),
            (None, Some(rule)) => rule.apply(&bare),
            (None, None) => bare,
        };
        Some(Self { ident, name, attr, role, ty })
    }

    /// The type in the argument struct.
    pub(crate) fn held(&self, private: &TokenStream) -> TokenStream {
        let ty = &self.ty;
        match (&self.role, ty) {
            (Role::Argument(Borrowed::Text), _) => quote_spanned!(ty.span()=> #private::String),
            (Role::Argument(Borrowed::Path), _) => quote_spanned!(ty.span()=> #private::PathBuf),
            (Role::Argument(Borrowed::Slice), Type::Reference(TypeReference { elem, .. })) => match &**elem {
                Type::Slice(slice) => {
                    let item = &slice.elem;
                    quote_spanned!(ty.span()=> #private::Vec<#item>)
                }
                other => quote::quote!(#other),
            },
            _ => quote::quote!(#ty),
        }
    }

    pub(crate) fn is_borrowed(&self) -> bool {
        matches!(self.role, Role::Argument(Borrowed::Text | Borrowed::Slice | Borrowed::Path))
    }
}

fn role(ty: &Type, attr: &ArgAttr, errors: &mut Errors) -> Role {
    let injected = attr.inject.is_some();
    let Type::Reference(TypeReference { elem, mutability, .. }) = ty else {
        return if injected { Role::Owned } else { Role::Argument(Borrowed::No) };
    };
    if let Some(mutability) = mutability {
        errors.at(
            mutability,
            "a tool cannot take a mutable reference",
            "calls may run side by side: take `&T`, and put what changes behind a `Mutex` or an atomic",
        );
    }
    // The grammar's own three: any other reference is a value of the host's.
    let borrowed = match &**elem {
        Type::Slice(_) => Borrowed::Slice,
        elem => match last_name(elem).as_deref() {
            Some("str") => Borrowed::Text,
            Some("Path") => Borrowed::Path,
            _ => Borrowed::No,
        },
    };
    if injected || borrowed == Borrowed::No { Role::Shared(elem.clone()) } else { Role::Argument(borrowed) }
}
