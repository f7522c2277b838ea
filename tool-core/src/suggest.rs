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

/// A name without case and separators: `file_path`, `file-path` and `filePath` are one.
pub(crate) fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
