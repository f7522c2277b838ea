//! What is emitted: the argument struct, the handle, a table of facts, and one call.
//!
//! ```text
//! #[tool(read_only)]
//! /// Look up the weather.
//! async fn weather(city: String, ctx: &ToolContext) -> String { … }
//! ```
//! becomes, behind the function itself:
//! ```text
//! pub struct WeatherArgs { pub city: String }
//! pub struct WeatherTool;
//! const _: () = {
//!     use ::tool_core::__private as __p;
//!     const __P0: __p::Param<String> = __p::param::<String>("city", "");
//!     const __C0: __p::Shared<ToolContext> = __p::shared::<ToolContext>();
//!     const __RETURNS: __p::Returns<String> = __p::returns::<String>();
//!     impl __p::TypedTool for WeatherTool { /* FACTS, decode, call */ }
//!     __p::submit! { __p::LinkedTool(<WeatherTool as __p::TypedTool>::FACTS) }
//! };
//! ```

mod args;
mod call;
mod facts;
mod fallback;
mod icons;
mod paths;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Visibility;

use self::paths::Paths;
use crate::{errors::Errors, model::ToolModel};

/// Everything behind the function; with errors, only what keeps other code compiling.
pub(crate) fn tool(model: &ToolModel, vis: &Visibility, errors: Errors) -> TokenStream {
    let paths = Paths::of(model);
    if !errors.is_empty() {
        let stand_in = fallback::stand_in(model, vis, &paths);
        let errors = errors.into_tokens();
        return quote! { #stand_in #errors };
    }
    let types = args::types(model, vis, &paths, |_| true);
    let cfgs = &model.cfgs;
    let private = &paths.private;
    let handle = &model.handle;
    let constants = args::constants(model);
    let icons = icons::constant(model);
    let facts = facts::facts(model);
    let decode = args::decode(model);
    let patterns = args::patterns(model);
    let call = call::call(model);
    let args = &model.args;
    let register = (model.attr.register.get() != Some(&false)).then(|| {
        quote! { __p::submit! { __p::LinkedTool(<#handle as __p::TypedTool>::FACTS) } }
    });
    let quiet = model.is_deprecated.then(|| quote!(#[allow(deprecated)]));
    quote! {
        #types
        #(#cfgs)*
        #quiet
        const _: () = {
            use #private as __p;
            #constants
            #icons
            #[automatically_derived]
            impl __p::TypedTool for #handle {
                type Args = #args;
                const FACTS: &'static __p::ToolFacts = &#facts;
                #decode
                #patterns
                #call
            }
            #register
        };
    }
}
