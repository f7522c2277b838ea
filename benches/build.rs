//! Writes the thousand tools that `registry` links.

use std::{fmt::Write as _, path::Path};

/// How many.
const TOOLS: usize = 1_000;

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

fn main() {
    let mut source = String::new();
    for number in 0..TOOLS {
        let [a, b, c] = SHAPES[number % SHAPES.len()];
        writeln!(
            source,
            "/// Tool {number} of many.\n#[tool(read_only)]\nfn tool_{number}(\n/// What it is for.\nfirst: {a},\n\
             /// How much of it.\nsecond: {b},\n/// Whatever else.\nthird: {c}) -> String {{\n\
             format!(\"{{first:?}} {{second:?}} {{third:?}}\")\n}}"
        )
        .expect("a text takes everything");
    }
    let directory = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&directory).join("tools.rs"), source).expect("cargo's folder can be written to");
    println!("cargo::rerun-if-changed=build.rs");
}
