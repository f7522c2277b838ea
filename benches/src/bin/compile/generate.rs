//! The crates: the same tools, written in each library's way.

use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

/// One way of writing the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// A `main` that depends on the floor's libraries: what cargo and the linker cost by themselves.
    Empty,
    /// Argument structs with derives, the functions, and a `main` that reads and describes each struct.
    Floor,
    /// The floor, and what it takes to call the functions by name: a table written by hand.
    ByHand,
    /// `#[tool]`.
    ToolCore,
    ToolsRs,
    LlmTool,
    Rmcp,
}

/// Three parameters each, in turn.
const SHAPES: [[&str; 3]; 8] = [
    ["String", "u32", "Option<bool>"],
    ["String", "Option<String>", "i64"],
    ["Vec<String>", "bool", "f64"],
    ["u64", "String", "Option<Vec<String>>"],
    ["bool", "Option<u32>", "String"],
    ["f64", "i64", "String"],
    ["Option<String>", "Vec<i64>", "u8"],
    ["String", "String", "Option<i64>"],
];

impl Variant {
    pub(crate) const ALL: [Self; 7] =
        [Self::Empty, Self::Floor, Self::ByHand, Self::ToolCore, Self::ToolsRs, Self::LlmTool, Self::Rmcp];

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Floor => "floor",
            Self::ByHand => "by-hand",
            Self::ToolCore => "tool-core",
            Self::ToolsRs => "tools-rs",
            Self::LlmTool => "llm-tool",
            Self::Rmcp => "rmcp",
        }
    }

    /// The package's name, which may not be that of what it depends on.
    pub(crate) fn package(&self) -> String {
        format!("tools-with-{}", self.name())
    }

    fn dependencies(self) -> String {
        let derives = "serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\nschemars = \"1\"\n";
        let (own, derives) = match self {
            Self::Empty | Self::Floor | Self::ByHand => (String::new(), derives),
            Self::ToolCore => {
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tool-core");
                (format!("tool-core = {{ path = {:?} }}\n", path.display().to_string()), "")
            }
            Self::ToolsRs => {
                // Its macros name their own crates.
                let own = "tools_rs = { package = \"tools-rs\", version = \"0.3.3\" }\ntools_core = \"0.3.3\"\ntools_macros = \"0.3.0\"\ninventory = \"0.3\"\n";
                (own.to_owned(), derives)
            }
            Self::LlmTool => ("llm_tool = { package = \"llm-tool\", version = \"0.10.5\" }\n".to_owned(), derives),
            Self::Rmcp => {
                let features = "default-features = false, features = [\"server\", \"macros\"]";
                (format!("rmcp = {{ version = \"3.9.0\", {features} }}\n"), derives)
            }
        };
        format!("{own}{derives}")
    }

    fn source(self, tools: usize) -> String {
        let all = |one: fn(usize) -> String| (0..tools).map(one).collect::<String>();
        match self {
            Self::Empty => "fn main() {}\n".to_owned(),
            Self::Floor => {
                let uses = all(|tool| {
                    format!(
                        "    sink(&serde_json::from_str::<Args{tool}>(text).is_ok());\n    sink(&schemars::schema_for!(Args{tool}));\n"
                    )
                });
                format!(
                    "#![allow(dead_code)]\n{}{SINK}fn main() {{\n    let text = &std::env::args().next().unwrap_or_default();\n{uses}}}\n",
                    all(|tool| format!("{}{}", structure(tool), function(tool, "", true)))
                )
            }
            Self::ByHand => {
                let rows = all(|tool| {
                    let [a, b, c] = ["args.a", "args.b", "args.c"];
                    format!(
                        "    Tool {{ name: \"tool_{tool}\", schema: || schemars::schema_for!(Args{tool}), call: |text| {{\n        let args: Args{tool} = serde_json::from_str(text)?;\n        Ok(Box::pin(tool_{tool}({a}, {b}, {c})))\n    }} }},\n"
                    )
                });
                format!(
                    "{}{BY_HAND}const TOOLS: &[Tool] = &[\n{rows}];\n",
                    all(|tool| { format!("{}{}", structure(tool), function(tool, "", true)) })
                )
            }
            Self::ToolCore => {
                format!("use tool_core::prelude::*;\n{}{TOOL_CORE}", all(|tool| function(tool, "#[tool]\n", true)))
            }
            Self::ToolsRs => format!(
                "use tools_rs::tool;\n{}fn main() {{\n    println!(\"{{}}\", tools_rs::collect_tools().json().is_ok());\n}}\n",
                // It has no place for the description of a parameter.
                all(|tool| function(tool, "#[tool]\n", false))
            ),
            Self::LlmTool => {
                let adds = all(|tool| format!("    registry.register(Tool{tool});\n"));
                format!(
                    "use llm_tool::llm_tool;\n{}fn main() {{\n    let mut registry = llm_tool::ToolRegistry::new();\n{adds}    println!(\"{{}}\", registry.definitions().len());\n}}\n",
                    all(|tool| function(tool, "#[llm_tool]\n", true))
                )
            }
            Self::Rmcp => {
                let methods = all(|tool| {
                    format!(
                        "    /// Does task number {tool}.\n    #[tool]\n    async fn tool_{tool}(&self, Parameters(args): Parameters<Args{tool}>) -> String {{\n        format!(\"{{:?}} {{:?}} {{:?}}\", args.a, args.b, args.c)\n    }}\n"
                    )
                });
                format!(
                    "use rmcp::{{handler::server::wrapper::Parameters, tool, tool_router}};\n{}struct Server;\n#[tool_router]\nimpl Server {{\n{methods}}}\nfn main() {{\n    println!(\"{{}}\", Server::tool_router().list_all().len());\n}}\n",
                    all(structure)
                )
            }
        }
    }
}

const SINK: &str = "fn sink(value: &dyn std::any::Any) {\n    std::hint::black_box(value);\n}\n";

const BY_HAND: &str = r#"
type Answer = std::pin::Pin<Box<dyn Future<Output = String> + Send>>;
struct Tool {
    name: &'static str,
    schema: fn() -> schemars::Schema,
    call: fn(&str) -> Result<Answer, serde_json::Error>,
}
fn main() {
    let text = std::env::args().next().unwrap_or_default();
    for tool in TOOLS {
        println!("{} {:?} {}", tool.name, (tool.schema)(), (tool.call)(&text).is_ok());
    }
}
"#;

const TOOL_CORE: &str = r#"
fn main() {
    let registry = Registry::linked().expect("the names differ");
    let executor = Executor::builder(registry).build().expect("the tools need nothing");
    println!("{}", executor.registry().specs().count());
    drop(executor.call(&Session::new("/"), ToolCall::new("1", "tool_0", "{}")));
}
"#;

fn structure(tool: usize) -> String {
    let mut out = format!(
        "/// What `tool_{tool}` takes.\n#[derive(serde::Deserialize, schemars::JsonSchema)]\nstruct Args{tool} {{\n"
    );
    for (name, ty) in ["a", "b", "c"].into_iter().zip(SHAPES[tool % SHAPES.len()]) {
        let _ = writeln!(out, "    /// The value of `{name}` for task number {tool}.\n    {name}: {ty},");
    }
    out + "}\n"
}

fn function(tool: usize, attribute: &str, documented: bool) -> String {
    let mut parameters = String::new();
    for (name, ty) in ["a", "b", "c"].into_iter().zip(SHAPES[tool % SHAPES.len()]) {
        if documented && !attribute.is_empty() {
            let _ = writeln!(parameters, "    /// The value of `{name}` for task number {tool}.");
        }
        let _ = writeln!(parameters, "    {name}: {ty},");
    }
    format!(
        "/// Does task number {tool}.\n{attribute}async fn tool_{tool}(\n{parameters}) -> String {{\n    format!(\"{{a:?}} {{b:?}} {{c:?}}\")\n}}\n"
    )
}

/// Writes the workspace; a file that would not change is left alone.
pub(crate) fn workspace(root: &Path, variants: &[Variant], tools: usize) -> io::Result<()> {
    let members: Vec<String> = variants.iter().map(Variant::package).collect();
    let manifest = format!("[workspace]\nmembers = {members:?}\nresolver = \"3\"\n\n[profile.release]\nstrip = true\n");
    write(root.join("Cargo.toml"), &manifest)?;
    // The versions that the other measurement uses.
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock"), root.join("Cargo.lock"))?;
    for variant in variants {
        let folder = root.join(variant.package());
        let manifest = format!(
            "[package]\nname = {:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{}",
            variant.package(),
            variant.dependencies()
        );
        write(folder.join("Cargo.toml"), &manifest)?;
        write(folder.join("src/main.rs"), &variant.source(tools))?;
    }
    Ok(())
}

fn write(path: PathBuf, text: &str) -> io::Result<()> {
    if fs::read_to_string(&path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(path, text)
}
