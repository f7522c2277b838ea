//! The tool's icons, as a constant: what is wrong with one that is no literal is found as the constant is made.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::{
    attr::{IconAttr, SizeAttr, ThemeAttr},
    model::ToolModel,
};

/// `const __ICONS`, where there are any.
pub(super) fn constant(model: &ToolModel) -> Option<TokenStream> {
    let icons = model.attr.icons.iter().map(icon);
    (!model.attr.icons.is_empty()).then(|| quote!(const __ICONS: &[__p::Icon] = &[#(#icons),*];))
}

/// Its place among the facts.
pub(super) fn fact(model: &ToolModel) -> Option<TokenStream> {
    (!model.attr.icons.is_empty()).then(|| quote!(.icons(__ICONS)))
}

fn icon(icon: &IconAttr) -> TokenStream {
    let src = &icon.src;
    let mime_type = match &icon.mime_type {
        Some(mime_type) => quote!(__p::Option::Some(#mime_type)),
        None => quote!(__p::None),
    };
    let sizes = icon.sizes.iter().map(|size| match size {
        SizeAttr::Any => quote!(__p::IconSize::Any),
        SizeAttr::Pixels(width, height) => quote!(__p::IconSize::Pixels { width: #width, height: #height }),
    });
    let theme = match icon.theme {
        Some(ThemeAttr::Light) => quote!(__p::Option::Some(__p::IconTheme::Light)),
        Some(ThemeAttr::Dark) => quote!(__p::Option::Some(__p::IconTheme::Dark)),
        None => quote!(__p::None),
    };
    quote_spanned!(src.span()=> __p::Icon::fixed(#src, #mime_type, &[#(#sizes),*], #theme))
}
