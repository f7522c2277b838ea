#![allow(unused)]

use tool_core::prelude::*;

/// Sources that clients refuse, or that are none.
#[tool(
    icon = "http://example.com/icon.png",
    icon = "file:///icon.png",
    icon = "javascript:alert(1)",
    icon = "https://",
    icon = "data:image/png",
    icon = "/icon.png",
    icon = 5,
    icon,
    icon()
)]
fn sources() {}

/// Good sources, and the rest wrong.
#[tool(
    icon(src = "https://example.com/a.png", mime_type = "png", sizes("48", "0x48", "+48x48", "48x48"), theme = "blue"),
    icon(src = "https://example.com/b.png", src = "https://example.com/c.png", size = "any"),
    icon("https://example.com/d.png", sizes = "any"),
    icon(mime_type = "image/png")
)]
fn values() {}

fn main() {
    let _ = Registry::builder().add(SourcesTool).add(ValuesTool);
}
