//! `docs/COMPARISON.md` names the tests that show what it says; each of them exists.

use std::{collections::HashMap, fs, path::Path};

/// The test functions of every file of tests, by the file's name.
fn tests() -> HashMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests", "tool-core/tests", "core-tools/tests", "tool-cli/tests", "tool-cli/tests/cli"];
    let mut tests: HashMap<String, String> = HashMap::new();
    for folder in folders {
        for entry in fs::read_dir(root.join(folder)).expect("a folder of tests") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                // Files of one name in two crates are searched together.
                tests.entry(name).or_default().push_str(&fs::read_to_string(&path).expect("text"));
            }
        }
    }
    tests
}

#[test]
fn every_row_is_shown_by_tests_that_exist() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/COMPARISON.md")).expect("the page");
    let tests = tests();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() >= 20, "the table is short: {}", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [aspect, codex, pi, opencode, shown] = cells.as_slice() else { panic!("not five cells: {row}") };
        for cell in [codex, pi, opencode] {
            assert!(cell.starts_with("works: "), "{aspect}: {cell}");
        }
        let named: Vec<&str> = shown.split(", ").map(|name| name.trim_matches('`')).collect();
        for name in named {
            let (file, test) = name.split_once("::").unwrap_or_else(|| panic!("{aspect}: no test in `{name}`"));
            let source = tests.get(file).unwrap_or_else(|| panic!("{aspect}: no file {file}"));
            assert!(source.contains(&format!("fn {test}(")), "{aspect}: no test {name}");
        }
    }
}
