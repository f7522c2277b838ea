//! The table of facts, in the words of `ToolFacts`' const builder.

use proc_macro2::TokenStream;
use quote::quote;

use super::icons;
use crate::{
    attr::{GrammarAttr, KeepAttr, UnknownAttr},
    model::ToolModel,
};

/// `ToolFacts::new::<Self>(…)` and what differs from the defaults.
pub(super) fn facts(model: &ToolModel) -> TokenStream {
    let attr = &model.attr;
    let name = &model.name;
    let description = model.description.clone().unwrap_or_else(|| quote!(""));
    let title = attr.title.get().map(|title| quote!(.title(#title)));
    let annotations = annotations(model);
    let concurrency = match (attr.parallel.get(), attr.exclusive.get()) {
        (Some(true), _) => Some(quote!(.concurrency(__p::Concurrency::Parallel))),
        (_, Some(true)) | (Some(false), _) => Some(quote!(.concurrency(__p::Concurrency::Exclusive))),
        _ => None,
    };
    let timeout = attr.timeout.get().map(|milliseconds| quote!(.timeout_ms(#milliseconds)));
    let keep = attr.keep.get().map(|keep| {
        let keep = match keep {
            KeepAttr::Head => quote!(Head),
            KeepAttr::Tail => quote!(Tail),
            KeepAttr::Middle => quote!(Middle),
            KeepAttr::All => quote!(All),
        };
        quote!(.keep(__p::Keep::#keep))
    });
    let lines = attr.lines.get().map(|lines| quote!(.lines(#lines)));
    let bytes = attr.bytes.get().map(|bytes| quote!(.bytes(#bytes)));
    let sets = attr.set.get().map(|sets| quote!(.sets(&[#(#sets),*])));
    let tags = attr.tags.get().map(|tags| quote!(.tags(&[#(#tags),*])));
    let permission = attr.permission.get().map(|permission| quote!(.permission(#permission)));
    let asks = attr.asks.get().map(|permission| quote!(.asks(#permission)));
    let unknown = (attr.unknown.get() == Some(&UnknownAttr::Ignore)).then(|| quote!(.ignore_unknown()));
    let describe = attr.describe.get().map(|path| quote!(.describe(|audience| __p::describe(#path(audience)))));
    let format_error = attr.format_error.get().map(|path| quote!(.format_error(#path)));
    let grammar = attr.grammar.get().map(|grammar| match grammar {
        GrammarAttr::Lark(definition) => quote!(.lark(#definition)),
        GrammarAttr::Regex(definition) => quote!(.regex(#definition)),
    });
    let icons = icons::fact(model);
    quote! {
        __p::ToolFacts::new::<Self>(
            #name,
            #description,
            __p::Location { file: __p::file!(), line: __p::line!(), module: __p::module_path!() },
        )
        .fields(__FIELDS)
        .requires(__REQUIRES)
        .returns(&__RETURNS)
        #title #annotations #concurrency #timeout #keep #lines #bytes #sets #tags #permission #asks #unknown
        #describe #format_error #grammar #icons
    }
}

fn annotations(model: &ToolModel) -> Option<TokenStream> {
    let attr = &model.attr;
    let hints = [&attr.read_only, &attr.destructive, &attr.idempotent, &attr.open_world];
    let hints = hints.map(|slot| slot.get().copied().unwrap_or_default());
    let [read_only, destructive, idempotent, open_world] = hints;
    hints
        .contains(&true)
        .then(|| quote!(.annotations(__p::Annotations::new(#read_only, #destructive, #idempotent, #open_world))))
}
