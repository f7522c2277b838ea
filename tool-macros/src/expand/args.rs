//! The argument struct, the constants of its parameters, and how it is read.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, ExprLit, Lit, Visibility, spanned::Spanned};

use super::paths::Paths;
use crate::{
    attr::{ArgAttr, DefaultAttr, Doc},
    model::{ParameterModel, Role, ToolModel},
};

/// The argument struct, with the fields that `keep` wants, and the handle.
pub(super) fn types(
    model: &ToolModel,
    vis: &Visibility,
    paths: &Paths,
    keep: impl Fn(&ParameterModel) -> bool,
) -> TokenStream {
    let (cfgs, args, handle) = (&model.cfgs, &model.args, &model.handle);
    let fields = model.arguments().filter(|argument| keep(argument)).map(|argument| {
        let ident = &argument.ident;
        let ty = argument.held(&paths.private);
        let doc = match &argument.attr.doc {
            Some(doc) => doc.tokens(),
            None => Doc::Text(format!("The argument `{}`.", argument.name)).tokens(),
        };
        quote! { #[doc = #doc] pub #ident: #ty, }
    });
    let about_args = format!("The arguments of the tool `{}`.", model.name);
    let about_handle = format!("The tool `{}`, to be added to a registry.", model.name);
    quote! {
        #(#cfgs)*
        #[doc = #about_args]
        #vis struct #args { #(#fields)* }
        #(#cfgs)*
        #[doc = #about_handle]
        #vis struct #handle;
    }
}

/// The constants that the rest refers to. They hold every bound on the user's types: one a parameter, one a value from
/// the context, one for the return type.
pub(super) fn constants(model: &ToolModel) -> TokenStream {
    let bounds = bounds(model, |_| true);
    let output = returns(model);
    let fields = (0..model.arguments().count()).map(constant);
    let requirements =
        model.has_receiver.then(|| quote!(__SELF)).into_iter().chain(injected(model).map(|(index, _)| {
            let name = format_ident!("__C{index}");
            quote!(#name)
        }));
    quote! {
        #bounds
        #output
        const __FIELDS: &[__p::Field] = &[#(#fields.field()),*];
        const __REQUIRES: &[fn() -> __p::Option<__p::Requirement>] = &[#(#requirements.requirement()),*];
    }
}

/// The bound on the return type.
pub(super) fn returns(model: &ToolModel) -> TokenStream {
    let output = &model.output;
    quote_spanned!(output.span()=> const __RETURNS: __p::Returns<#output> = __p::returns::<#output>();)
}

/// The bounds on the types of those parameters that `keep` wants.
pub(super) fn bounds(model: &ToolModel, keep: impl Fn(&ParameterModel) -> bool) -> TokenStream {
    let private = quote!(__p);
    let arguments = model
        .arguments()
        .enumerate()
        .filter(|(_, argument)| keep(argument))
        .map(|(index, argument)| parameter(index, argument, &private));
    let owner = model
        .owner
        .iter()
        .filter(|_| model.has_receiver)
        .map(|owner| quote_spanned!(owner.span()=> const __SELF: __p::Shared<#owner> = __p::shared::<#owner>();));
    let context = injected(model).map(|(index, parameter)| {
        let name = format_ident!("__C{index}");
        match &parameter.role {
            Role::Shared(ty) => {
                quote_spanned!(ty.span()=> const #name: __p::Shared<#ty> = __p::shared::<#ty>();)
            }
            Role::Owned | Role::Argument(_) => {
                let ty = &parameter.ty;
                quote_spanned!(ty.span()=> const #name: __p::Owned<#ty> = __p::owned::<#ty>();)
            }
        }
    });
    let is_freeform = model.attr.grammar.get().is_some() && model.arguments().count() == 1;
    let freeform = model.arguments().find(|argument| is_freeform && keep(argument));
    let freeform = freeform.map(|argument| {
        let held = argument.held(&private);
        quote_spanned!(held.span()=> const _: () = __p::freeform_text::<#held>();)
    });
    quote! {
        #(#arguments)*
        #(#owner)*
        #(#context)*
        #freeform
    }
}

fn constant(index: usize) -> Ident {
    format_ident!("__P{index}")
}

/// The parameters that come from the context, numbered.
pub(super) fn injected(model: &ToolModel) -> impl Iterator<Item = (usize, &ParameterModel)> {
    model.parameters.iter().filter(|parameter| !matches!(parameter.role, Role::Argument(_))).enumerate()
}

fn parameter(index: usize, argument: &ParameterModel, private: &TokenStream) -> TokenStream {
    let (constant, name, attr) = (constant(index), &argument.name, &argument.attr);
    let held = argument.held(private);
    let description = attr.doc.as_ref().map_or_else(|| quote!(""), Doc::tokens);
    let wrapper = format_ident!("__W{index}");
    let (ty, wrap) =
        if attr.passed_on.is_empty() { (held.clone(), quote!()) } else { (quote!(#wrapper), quote!(#wrapper)) };
    let declared = (!attr.passed_on.is_empty()).then(|| wrapped(&wrapper, &held, attr));
    let aliases = (!attr.aliases.is_empty()).then(|| {
        let aliases = &attr.aliases;
        quote!(.aliases(&[#(#aliases),*]))
    });
    let default = attr.default.get().map(|default| {
        let function = format_ident!("__default{index}");
        let value = default_value(default);
        let declared = quote! { fn #function() -> #held { #value } };
        let wrapped = if wrap.is_empty() { quote!(#function) } else { quote!(|| #wrap(#function())) };
        (declared, quote!(.default(#wrapped, || __p::default_json(&#function()))))
    });
    let (default_function, default) = default.unzip();
    let overridden = (!attr.passed_on.is_empty()).then(|| quote!(.overridden()));
    let constraints = constraints(&held, attr);
    quote_spanned! { held.span()=>
        #declared
        #default_function
        const #constant: __p::Param<#ty> = __p::param::<#ty>(#name, #description) #aliases #default #constraints #overridden;
    }
}

/// A type around the parameter's, for `#[serde(…)]` and `#[schemars(…)]` that are passed on.
fn wrapped(wrapper: &Ident, held: &TokenStream, attr: &ArgAttr) -> TokenStream {
    let passed_on = &attr.passed_on;
    quote! {
        #[derive(__p::serde::Deserialize, __p::schemars::JsonSchema)]
        #[serde(crate = "__p::serde", transparent)]
        #[schemars(crate = "__p::schemars", transparent)]
        struct #wrapper(#(#passed_on)* #held);
    }
}

fn default_value(default: &DefaultAttr) -> TokenStream {
    match default {
        DefaultAttr::OfType => quote!(__p::Default::default()),
        DefaultAttr::Function(path) => quote!(#path()),
        DefaultAttr::Value(value) => match &**value {
            // A text stands for a `String` too.
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => quote_spanned!(text.span()=> __p::default_text(#text)),
            value => quote!(#value),
        },
    }
}

fn constraints(held: &TokenStream, attr: &ArgAttr) -> Option<TokenStream> {
    let at = held.span();
    let range = attr.range.get().map(|range| quote_spanned!(at=> .range::<#held>(#range)));
    let length = attr.length.get().map(|length| quote_spanned!(at=> .length::<#held>(#length)));
    let pattern = attr.pattern.get().map(|pattern| quote_spanned!(at=> .pattern::<#held>(#pattern)));
    let format = attr.format.get().map(|format| quote_spanned!(at=> .format::<#held>(#format)));
    let examples = attr.examples.iter().map(|example| quote!(.example(#example)));
    let all = quote!(#range #length #pattern #format #(#examples)*);
    (!all.is_empty()).then(|| quote!(.constraints(|| __p::Constraints::new() #all)))
}

/// From JSON text to the argument struct.
pub(super) fn decode(model: &ToolModel) -> TokenStream {
    let args = &model.args;
    let source = Ident::new("source", Span::mixed_site());
    let count = model.arguments().count();
    let slots: Vec<Ident> = (0..count).map(|index| format_ident!("slot{index}", span = Span::mixed_site())).collect();
    let constants: Vec<Ident> = (0..count).map(constant).collect();
    let fields = model.arguments().zip(slots.iter().zip(&constants)).map(|(argument, (slot, constant))| {
        let ident = &argument.ident;
        let unwrap = (!argument.attr.passed_on.is_empty()).then(|| quote!(.0));
        quote!(#ident: #constant.take(#slot)? #unwrap)
    });
    quote! {
        fn decode(#source: &mut __p::Source<'_>) -> __p::Result<#args, __p::Mismatch> {
            #(let mut #slots = #constants.slot();)*
            #source.fill(&mut [#(&mut #slots),*])?;
            __p::Ok(#args { #(#fields),* })
        }
    }
}

/// The patterns for the permission, where a parameter gives them.
pub(super) fn patterns(model: &ToolModel) -> Option<TokenStream> {
    let args = &model.args;
    let pattern = model.attr.pattern.get()?;
    Some(quote_spanned! { pattern.span()=>
        fn patterns(args: &#args, ctx: &__p::ToolContext) -> __p::Vec<__p::String> {
            __p::Patterns::patterns(&args.#pattern, ctx)
        }
    })
}
