//! `timeout = "1m30s"`.

/// The milliseconds a text like `500ms`, `30s`, `2m` or `1h30m` stands for.
pub(super) fn milliseconds(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total = 0_u64;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let count: u64 = rest[..digits].parse().ok()?;
        let unit = &rest[digits..];
        let length = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
        let scale = match &unit[..length] {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        total = total.checked_add(count.checked_mul(scale)?)?;
        rest = unit[length..].trim_start();
    }
    (total > 0).then_some(total)
}
