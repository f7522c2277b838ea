//! "Did you mean": the nearest of a few known names.

/// How alike two names must be, from 0 to 1, to be suggested for each other.
const ALIKE: f64 = 0.7;
/// The longest name, in bytes, that anything is suggested for or taken for another; a longer one is no slip.
pub(crate) const LONGEST: usize = 256;

/// The known name that `name` was most likely meant to be: the same but for case and separators, or the most similar
/// (Jaro-Winkler, from 0.7 on). `None` where none is alike, or `name` is longer than 256 bytes.
///
/// ```
/// use tool_core::suggest::nearest;
///
/// assert_eq!(nearest("filepath", ["file_path", "limit"].into_iter()), Some("file_path"));
/// assert_eq!(nearest("colour", ["file_path", "limit"].into_iter()), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let folded = fold(name);
    known
        .map(|candidate| {
            let alike = if fold(candidate) == folded { 1.0 } else { strsim::jaro_winkler(name, candidate) };
            (alike, candidate)
        })
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// How alike two names must be, by edits, from 0 to 1, for the one to be taken for the other, misspelt.
const SLIP: f64 = 0.8;

/// Whether `name` is `known`, misspelt: the same but for case and separators, or for an edit in each five letters
/// (Damerau-Levenshtein). It is stricter than [`nearest`]: for where something depends on it, and is not only suggested.
///
/// ```
/// use tool_core::suggest::is_slip;
///
/// assert!(is_slip("enabled_tols", "enabled_tools") && is_slip("enabledTools", "enabled_tools"));
/// assert!(!is_slip("roots", "tools") && !is_slip("disabled_prompts", "disabled_tools"));
/// ```
#[must_use]
pub fn is_slip(name: &str, known: &str) -> bool {
    name.len() <= LONGEST && (fold(name) == fold(known) || strsim::normalized_damerau_levenshtein(name, known) >= SLIP)
}

/// A name without case and separators: `file_path`, `file-path` and `filePath` are one.
pub(crate) fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
