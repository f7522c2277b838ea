//! opencode's wildcards, for permission names and for patterns.

/// Whether `pattern` matches all of `text`.
///
/// `*` is any run of characters, `/` and line breaks among them; `?` is one character; everything else is itself, by
/// case. A pattern that ends in ` *` also matches without the blank and what follows. A backslash is a slash.
///
/// ```
/// use tool_core::permission::matches;
/// assert!(matches("git *", "git push origin"));
/// assert!(matches("git *", "git"));
/// assert!(!matches("git *", "gitk"));
/// assert!(matches("*.env", "config/prod.env"));
/// ```
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    // Whatever is in it, a pattern matches itself.
    pattern == "*"
        || pattern == text
        || glob(pattern, text)
        || pattern.strip_suffix(" *").is_some_and(|bare| glob(bare, text))
}

/// Greedy with one step back to the last `*`: linear for one star, never exponential.
fn glob(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().map(slash).collect();
    let text: Vec<char> = text.chars().map(slash).collect();
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    p = at + 1;
                    t = from + 1;
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

fn slash(c: char) -> char {
    if c == '\\' { '/' } else { c }
}
