#![allow(unused)]

use tool_core::prelude::*;

struct Plain;

/// Ten mistakes and more in one item, each said once.
#[tool(name = "ten mistakes", colour = "red", parallel, exclusive, timeout = "soon", timeout = "1s", pattern = nothing)]
async fn ten(
    a: Plain,
    #[arg(defualt = 1)] b: u8,
    #[arg(default = "three")] c: u8,
    (d, e): (u8, u8),
    ctx: &ToolContext,
    again: &ToolContext,
) -> Plain {
    Plain
}

fn main() {
    let _ = Registry::builder().add(TenTool);
}
