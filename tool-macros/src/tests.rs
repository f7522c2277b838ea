//! What the macros emit, pretty-printed and compared; broken input included.

use proc_macro2::TokenStream;
use quote::quote;

fn pretty(tokens: &TokenStream) -> String {
    let file = syn::parse2(tokens.clone()).unwrap_or_else(|error| panic!("not Rust: {error}\n{tokens}"));
    prettyplease::unparse(&file)
}

#[test]
fn one_argument_and_the_context() {
    let expanded = pretty(&crate::tool::expand(
        quote!(read_only),
        &quote! {
            /// Look up the weather.
            pub async fn weather(
                /// City name.
                city: String,
                #[arg(default = 3, range(1..=14))] days: u8,
                ctx: &ToolContext,
            ) -> Result<String, WeatherError> {
                body
            }
        },
    ));
    insta::assert_snapshot!(expanded);
}

#[test]
fn every_key() {
    let expanded = pretty(&crate::tool::expand(
        quote!(
            name = "look_up",
            title = "Look up",
            description = "Look it up.",
            icon = "https://example.com/icon.png",
            icon(src = include_str!("icon.uri"), mime_type = "image/svg+xml", sizes("any", "48x96"), theme = "dark"),
            rename_all = "camelCase",
            destructive,
            idempotent,
            open_world,
            exclusive,
            set("a", "b"),
            tags = "t",
            permission = "read",
            pattern = file_path,
            timeout = "1m30s",
            truncate(lines = 10, bytes = 1 << 10, keep = tail),
            describe = a::describe,
            format_error = word,
            unknown = "ignore",
            register = false,
            crate = ::other::tool_core
        ),
        &quote! {
            async fn f(
                #[arg(alias = "path", pattern("^/"), format = "uri", length(1..), example = "/x")] file_path: &str,
                #[serde(with = "hex")] #[schemars(with = "String")] bytes: Vec<u8>,
                #[serde(deserialize_with = "lenient::<A, B>")] odd: u8,
                #[inject] token: CancellationToken,
            ) {}
        },
    ));
    insta::assert_snapshot!(expanded);
}

#[test]
fn a_grammar() {
    let expanded = pretty(&crate::tool::expand(
        quote!(grammar(lark = include_str!("query.lark"))),
        &quote! {
            /// Search.
            fn search(/** What for. */ query: &str) {}
        },
    ));
    insta::assert_snapshot!(expanded);
}

#[test]
fn a_blocking_method_of_a_toolset() {
    let expanded = pretty(&crate::toolset::expand(
        quote!(set = "counting"),
        &quote! {
            impl Counter {
                const START: u8 = 0;
                /// Count up.
                #[tool(blocking)]
                fn increment(&self, by: Self::Step) -> String { body }
                fn helper(&self) {}
            }
        },
    ));
    insta::assert_snapshot!(expanded);
}

#[test]
fn mistakes_leave_the_function_and_the_types() {
    let expanded = pretty(&crate::tool::expand(
        quote!(colour = "red"),
        &quote! {
            /// Wrong.
            fn wrong(a: u8, b: Option<&str>) {}
        },
    ));
    insta::assert_snapshot!(expanded);
}

#[test]
fn half_typed_code_stays_as_it_is() {
    // The body is never parsed, so that completion works inside it.
    let function = quote! { /** Half. */ fn half(a: u8) { let x = a. } };
    let expanded = crate::tool::expand(quote!(), &function).to_string();
    assert!(expanded.contains("let x = a ."), "{expanded}");
    let expanded = crate::tool::expand(quote!(), &quote!(fn broken)).to_string();
    assert!(expanded.contains("compile_error"), "{expanded}");
}

#[test]
fn durations() {
    let expanded = |timeout: &str| {
        crate::tool::expand(quote!(timeout = #timeout), &quote! { /** T. */ async fn t() {} }).to_string()
    };
    for (text, milliseconds) in [("500ms", 500), ("30s", 30_000), ("1m30s", 90_000), ("2h", 7_200_000)] {
        assert!(expanded(text).contains(&format!("timeout_ms ({milliseconds}u64)")), "{text}");
    }
    for text in ["", "5", "s", "5 parsecs", "0s", "99999999999999999999h"] {
        assert!(expanded(text).contains("is not a duration"), "{text}");
    }
}
