//! `icon = "https://…"`, `icon(src = "data:…", mime_type = "image/svg+xml", sizes("any"), theme = "dark")`.

use proc_macro2::{Ident, TokenStream};
use syn::{Expr, ExprLit, Lit, LitStr};

use super::{
    Slot,
    keys::{Given, Strings, keys, unknown},
};
use crate::errors::Errors;

const EXAMPLE: &str = "icon = \"https://example.com/icon.png\"";

/// One icon of a tool.
pub(crate) struct IconAttr {
    /// An expression of type `&'static str`. A literal is looked at here, with its span; the rest by the constant that is
    /// made of it.
    pub(crate) src: Expr,
    pub(crate) mime_type: Option<LitStr>,
    pub(crate) sizes: Vec<SizeAttr>,
    pub(crate) theme: Option<ThemeAttr>,
}

/// A size that an icon can be shown in.
#[derive(Clone, Copy)]
pub(crate) enum SizeAttr {
    Any,
    Pixels(u32, u32),
}

/// The background that an icon is for.
#[derive(Clone, Copy)]
pub(crate) enum ThemeAttr {
    Light,
    Dark,
}

impl IconAttr {
    pub(super) fn read(given: Given, key: &Ident, errors: &mut Errors) -> Option<Self> {
        match given {
            Given::List(list) => Self::of_list(list, key, errors),
            given => {
                let src = source(given.value(key, EXAMPLE, errors)?, errors)?;
                Some(Self { src, mime_type: None, sizes: Vec::new(), theme: None })
            }
        }
    }

    fn of_list(list: TokenStream, key: &Ident, errors: &mut Errors) -> Option<Self> {
        let (mut src, mut mime_type, mut sizes, mut theme) =
            (Slot::default(), Slot::default(), Slot::default(), Slot::default());
        for (inner, given) in keys(list, errors) {
            match inner.to_string().as_str() {
                "src" => {
                    let given = given.value(&inner, "src = \"https://example.com/icon.png\"", errors);
                    let value = given.and_then(|value| source(value, errors));
                    src.set(inner, value, errors);
                }
                "mime_type" => {
                    let value = given.value(&inner, "mime_type = \"image/png\"", errors);
                    let value = value.and_then(|value| image(value, errors));
                    mime_type.set(inner, value, errors);
                }
                "sizes" => {
                    let given = given.either::<Strings>(&inner, "sizes(\"48x48\", \"any\")", errors);
                    let value = given.map(|sizes| sizes.0.iter().filter_map(|text| size(text, errors)).collect());
                    sizes.set(inner, value, errors);
                }
                "theme" => {
                    let value = given.value(&inner, "theme = \"dark\"", errors);
                    let value = value.and_then(|value| background(&value, errors));
                    theme.set(inner, value, errors);
                }
                _ => unknown(&inner, &["src", "mime_type", "sizes", "theme"], errors),
            }
        }
        if src.key().is_none() {
            errors.at(key, "an `icon` without a `src`", format!("write `{EXAMPLE}`, or `icon(src = \"…\", …)`"));
        }
        Some(Self {
            src: src.take()?,
            mime_type: mime_type.take(),
            sizes: sizes.take().unwrap_or_default(),
            theme: theme.take(),
        })
    }
}

fn source(value: Expr, errors: &mut Errors) -> Option<Expr> {
    match &value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if !is_source(text.value().trim_ascii()) => errors.at(
            text,
            "not a source that clients take an icon from",
            "give an `https://…` address or a `data:…,…` URI; clients refuse all else",
        ),
        Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => return Some(value),
        Expr::Lit(other) => errors.at(other, "not a value for an icon", format!("write `{EXAMPLE}`")),
        _ => return Some(value),
    }
    None
}

/// The rule of `tool_core::tool::Icon`.
fn is_source(src: &str) -> bool {
    let behind = |scheme: &str| {
        let (begin, rest) = src.split_at_checked(scheme.len())?;
        begin.eq_ignore_ascii_case(scheme).then_some(rest)
    };
    let is_plain = |text: &str| !text.bytes().any(|byte| byte <= b' ' || byte == 0x7f);
    if let Some(address) = behind("https://") {
        return is_plain(address) && !address.is_empty() && !address.starts_with(['/', '?', '#']);
    }
    behind("data:").and_then(|rest| rest.split_once(',')).is_some_and(|(media_type, _)| is_plain(media_type))
}

fn image(text: LitStr, errors: &mut Errors) -> Option<LitStr> {
    if text.value().starts_with("image/") {
        return Some(text);
    }
    errors.at(
        &text,
        format!("`{}` is not the media type of a picture", text.value()),
        "write one such as \"image/png\", \"image/jpeg\", \"image/svg+xml\" or \"image/webp\"",
    );
    None
}

/// The rule of `tool_core::tool::IconSize`.
fn size(text: &LitStr, errors: &mut Errors) -> Option<SizeAttr> {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let side = |text: &str| text.parse::<u32>().ok().filter(|pixels| *pixels > 0 && is_number(text));
    let value = text.value();
    let pixels = value.split_once('x').and_then(|(width, height)| Some(SizeAttr::Pixels(side(width)?, side(height)?)));
    let size = pixels.or((value == "any").then_some(SizeAttr::Any));
    if size.is_none() {
        errors.at(
            text,
            format!("`{value}` is not the size of an icon"),
            "write the width and the height in pixels, as \"48x48\", or \"any\"",
        );
    }
    size
}

fn background(text: &LitStr, errors: &mut Errors) -> Option<ThemeAttr> {
    match text.value().as_str() {
        "light" => Some(ThemeAttr::Light),
        "dark" => Some(ThemeAttr::Dark),
        other => {
            errors.at(
                text,
                format!("`{other}` is not a background that an icon can be for"),
                "write \"light\" or \"dark\", or leave it out for any",
            );
            None
        }
    }
}
