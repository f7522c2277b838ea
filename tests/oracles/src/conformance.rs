//! What the official conformance suite found, read from the reports that it writes.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

/// The length of what the suite appends to the name of a scenario: `-2026-11-21T11-31-01-187Z`.
const STAMP: usize = 25;

/// The checks of one run, by scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The suite's own verdict: 0 where all that it scores has passed.
    pub code: Option<i32>,
    /// What it printed.
    pub printed: String,
    /// Each scenario's result; one that made no check of its own is here with none.
    pub scenarios: BTreeMap<String, Tally>,
}

/// The checks of one scenario. Those that the suite skipped, or only tells about, are not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many passed.
    pub passed: usize,
    /// What did not pass, each with the suite's reason. A warning, which is a "should", counts like a "must".
    pub failed: Vec<String>,
}

impl Report {
    pub(crate) fn read(folder: &Path, code: Option<i32>, printed: String) -> Self {
        let mut scenarios = BTreeMap::new();
        for file in reports(folder) {
            let text = fs::read_to_string(&file).expect("the suite wrote it");
            let checks: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            let place = file.parent().and_then(|place| place.strip_prefix(folder).ok()).expect("below the folder");
            let name = place.to_string_lossy().replace('\\', "/");
            let name = &name[..name.len().saturating_sub(STAMP)];
            let tally: &mut Tally =
                scenarios.entry(name.strip_prefix("server-").unwrap_or(name).to_owned()).or_default();
            for check in &checks {
                let word = |key: &str| check[key].as_str().unwrap_or_default();
                match word("status") {
                    "SUCCESS" => tally.passed += 1,
                    "FAILURE" | "WARNING" => tally.failed.push(reason(check)),
                    _ => {}
                }
            }
        }
        Self { code, printed, scenarios }
    }

    /// How many checks passed.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.scenarios.values().map(|tally| tally.passed).sum()
    }

    /// How many checks did not pass.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.scenarios.values().map(|tally| tally.failed.len()).sum()
    }

    /// The scenarios that did not pass: a check failed, or none was made at all, for which the suite would count a
    /// program that does nothing as conforming.
    #[must_use]
    pub fn lost(&self) -> Vec<&str> {
        let lost = self.scenarios.iter().filter(|(_, tally)| !tally.failed.is_empty() || tally.passed == 0);
        lost.map(|(name, _)| name.as_str()).collect()
    }
}

/// Every check that did not pass, and the sum.
impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, tally) in &self.scenarios {
            for failed in &tally.failed {
                writeln!(out, "{name}: {failed}")?;
            }
            if tally.passed == 0 && tally.failed.is_empty() {
                writeln!(out, "{name}: nothing was checked")?;
            }
        }
        let (passed, failed) = (self.passed(), self.failed());
        write!(out, "{passed} of {} checks passed, in {} scenarios", passed + failed, self.scenarios.len())
    }
}

fn reason(check: &Value) -> String {
    let told = check["errorMessage"].as_str().map_or_else(|| check["details"].to_string(), str::to_owned);
    format!("{}: {}", check["id"].as_str().unwrap_or_default(), told.chars().take(1000).collect::<String>())
}

/// Every `checks.json` below a folder, in the order of their paths.
fn reports(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(reports(&path)),
            false if path.ends_with("checks.json") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}
