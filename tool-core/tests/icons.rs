//! Pictures that clients may show beside a tool.
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use serde_json::{Value, json};
use tool_core::{
    ToolSpec,
    prelude::*,
    registry::TOOL_SEARCH,
    testing::{Bench, Snapshot},
    tool::{FnTool, Icon, IconSize, IconTheme, Icons, InvalidIcon, InvalidTool},
    wire::{Provider, declaration},
};

const EMBEDDED: &str = concat!("data:image/svg+xml,", "%3Csvg/%3E", "\n");

/// What time it is.
#[tool(
    register = false,
    icon = "https://example.com/clock.png",
    icon(src = "data:image/png;base64,iVBORw0KGgo=", mime_type = "image/png", sizes("48x48", "96x96"), theme = "dark"),
    icon(src = EMBEDDED, sizes = "any", theme = "light")
)]
fn clock() -> &'static str {
    "noon"
}

/// What time it is.
#[tool(register = false)]
fn plain() -> &'static str {
    "noon"
}

fn icons_of_clock() -> Value {
    json!([
        { "src": "https://example.com/clock.png" },
        {
            "src": "data:image/png;base64,iVBORw0KGgo=", "mimeType": "image/png", "sizes": ["48x48", "96x96"],
            "theme": "dark",
        },
        { "src": "data:image/svg+xml,%3Csvg/%3E", "sizes": ["any"], "theme": "light" },
    ])
}

fn spec(tool: impl Tool) -> ToolSpec {
    tool.spec().clone()
}

fn made() -> FnTool {
    FnTool::raw("clock", "What time it is.", json!({ "type": "object" }), |_, _| async { "noon" }).unwrap()
}

#[test]
fn an_annotated_function_has_the_icons_it_is_given() {
    let registry = Registry::builder().add(ClockTool).add(PlainTool).build().unwrap();
    let clock = registry.get("clock").unwrap().spec();
    assert_eq!(serde_json::to_value(clock).unwrap()["icons"], icons_of_clock());
    assert_eq!(&*clock.icons[1].sizes, [IconSize::pixels(48, 48), IconSize::pixels(96, 96)]);
    let plain = registry.get("plain").unwrap().spec();
    assert!(plain.icons.is_empty());
    assert_eq!(serde_json::to_value(plain).unwrap().get("icons"), None);
}

#[test]
fn a_tool_made_at_run_time_has_icons_and_an_error_for_a_wrong_one() {
    let make = |src: &'static str| -> Result<FnTool, InvalidTool> { Ok(made().icons([Icon::new(src)?])) };
    let tool = make("https://example.com/a.png").unwrap();
    assert_eq!(tool.spec().icons[0].src(), "https://example.com/a.png");
    let error = make("http://example.com/a.png").err().unwrap();
    assert!(matches!(error, InvalidTool::Icon(InvalidIcon::Source(_))), "{error:?}");
    assert!(error.to_string().contains("`https://…` address or a `data:…,…` URI"), "{error}");
}

#[test]
fn sources_are_those_that_every_client_takes() {
    for good in [
        "https://example.com/a.png",
        "HTTPS://example.com",
        " https://example.com/a?b#c\n",
        "data:image/png;base64,iVBORw0KGgo=",
        "Data:,x",
        "data:image/svg+xml;utf8,<svg viewBox='0 0 1 1'/>",
    ] {
        assert_eq!(Icon::new(good).unwrap().src(), good.trim());
    }
    for bad in [
        "",
        "https:",
        "https://",
        "https:///a.png",
        "https://?a",
        "https://example.com/a b.png",
        "https://example.com/\u{7f}",
        "http://example.com/a.png",
        "javascript:alert(1)//https://",
        "java\nscript:alert(1)",
        "file:///a.png",
        "ftp://example.com/a.png",
        "ws://example.com",
        "data:image/png",
        "data:image /png,x",
        "a.png",
        "//example.com/a.png",
        "htt",
        "é",
    ] {
        assert!(matches!(Icon::new(bad), Err(InvalidIcon::Source(_))), "{bad}");
    }
    let long = Icon::new("x".repeat(1 << 20)).unwrap_err();
    assert!(long.to_string().len() < 300, "a long source is not shown whole");
}

#[test]
fn bytes_are_embedded() {
    let icon = Icon::embedded("image/png", [1, 2, 3]).unwrap();
    assert_eq!(icon.src(), "data:image/png;base64,AQID");
    assert_eq!(icon.mime_type.as_deref(), Some("image/png"));
    for bad in ["image/p ng", "image/png,"] {
        assert!(matches!(Icon::embedded(bad, [1, 2, 3]), Err(InvalidIcon::Source(_))), "{bad}");
    }
}

#[test]
fn sizes_are_read_as_they_are_written() {
    for (text, size) in [("any", IconSize::Any), ("48x32", IconSize::pixels(48, 32))] {
        assert_eq!(text.parse::<IconSize>().unwrap(), size);
        assert_eq!(size.to_string(), text);
        assert_eq!(serde_json::from_value::<IconSize>(json!(text)).unwrap(), size);
    }
    for bad in ["", "48", "x", "48x", "0x1", "48x-1", "48x48x48", "4294967296x1", "Any", "+48x+48", "48x+48"] {
        assert!(matches!(bad.parse::<IconSize>(), Err(InvalidIcon::Size(_))), "{bad}");
    }
}

#[test]
fn declarations_of_others_lose_the_icons_that_are_refused() {
    let declared = |icons: Value| -> ToolSpec {
        serde_json::from_value(json!({ "name": "t", "inputSchema": { "type": "object" }, "icons": icons })).unwrap()
    };
    let spec = declared(icons_of_clock());
    assert_eq!(serde_json::to_value(&spec).unwrap()["icons"], icons_of_clock());
    let again: ToolSpec = serde_json::from_value(serde_json::to_value(&spec).unwrap()).unwrap();
    assert_eq!(again, spec);
    let mixed = json!([
        { "src": "http://example.com/a.png" }, { "theme": "dark" }, 5, null,
        { "src": "https://example.com/a.png", "sizes": "any", "theme": "blue", "mimeType": null, "more": 1 },
    ]);
    assert_eq!(&*declared(mixed).icons, [Icon::new("https://example.com/a.png").unwrap()]);
    for none in [json!([]), json!({}), json!("https://example.com/a.png"), Value::Null] {
        assert!(declared(none.clone()).icons.is_empty(), "{none}");
    }
    let alone = serde_json::from_value::<Icon>(json!({ "src": "http://example.com/a.png" }));
    assert!(alone.unwrap_err().to_string().contains("cannot be the source of an icon"));
}

#[test]
fn mcp_alone_carries_icons() {
    let with = spec(made().icons(
        icons_of_clock().as_array().unwrap().iter().map(|icon| serde_json::from_value::<Icon>(icon.clone()).unwrap()),
    ));
    let without = spec(made());
    assert_eq!(declaration(&with, Provider::Mcp, false).unwrap()["icons"], icons_of_clock());
    assert_eq!(declaration(&without, Provider::Mcp, false).unwrap().get("icons"), None);
    for provider in [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini] {
        for strict in [false, true] {
            let declared = |spec| declaration(spec, provider, strict).unwrap();
            assert_eq!(declared(&with), declared(&without), "{provider:?}");
        }
    }
}

#[tokio::test]
async fn a_search_for_tools_tells_a_model_nothing_of_icons() {
    let tools = Registry::builder().add(ClockTool).defer("*").add(PlainTool).build().unwrap();
    let executor = Executor::builder(tools).build().unwrap();
    let call = ToolCall::new("1", TOOL_SEARCH, r#"{"query":"clock"}"#);
    let outcome = executor.call(&Session::new("/"), call).await;
    let found = outcome.output().unwrap();
    assert!(found.contains("\"clock\"") && !found.contains("icon") && !found.contains("data:"), "{found}");
}

#[test]
fn another_icon_breaks_no_caller() {
    let snapshot = |icons: Icons| {
        let tool = made().icons(icons.iter().cloned());
        Snapshot::of(&Registry::builder().add(tool).build().unwrap())
    };
    let icon = Icon::new("https://example.com/a.png").unwrap().theme(IconTheme::Dark);
    assert_eq!(snapshot(Icons::default()), snapshot([icon].into_iter().collect()));
}

#[test]
fn a_spec_is_cloned_without_its_pictures() {
    let picture = Icon::embedded("image/png", vec![0; 1 << 16]).unwrap();
    let spec = spec(made().icons([picture]));
    let clone = spec.clone();
    assert!(std::ptr::eq(&*spec.icons, &*clone.icons));
}

#[tokio::test]
async fn a_tool_with_icons_is_called_as_any_other() {
    assert_eq!(Bench::new(ClockTool).call("clock", "{}").await.output(), Some("noon"));
}
