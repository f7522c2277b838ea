//! Long lists, a page at a time.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use rmcp::model::{ErrorData, PaginatedRequestParams};

/// What a cursor says, before the key of the last that was listed. Clients are not to read it.
const PREFIX: &str = "after:";

/// One page of a list.
pub(super) struct Page<T> {
    pub(super) items: Vec<T>,
    pub(super) next: Option<String>,
}

/// The page that a request asks for, of a list in the order of its keys. Where the list has changed since the page
/// before, it goes on behind the last that was listed.
///
/// # Errors
/// When the cursor is none of this server's.
pub(super) fn page<T>(
    items: Vec<T>,
    request: Option<&PaginatedRequestParams>,
    size: usize,
    key: impl Fn(&T) -> &str,
) -> Result<Page<T>, ErrorData> {
    let start = match request.and_then(|request| request.cursor.as_deref()) {
        None => 0,
        Some(cursor) => {
            let after = read(cursor).ok_or_else(|| {
                let message = "the cursor is none that this server gave: pass `nextCursor` as it came, or none";
                ErrorData::invalid_params(message, None)
            })?;
            items.partition_point(|item| key(item) <= after.as_str())
        }
    };
    let rest = items.len().saturating_sub(start);
    let mut items: Vec<T> = items.into_iter().skip(start).take(size).collect();
    let next = if rest > size { items.last().map(|last| write(key(last))) } else { None };
    items.shrink_to_fit();
    Ok(Page { items, next })
}

fn write(after: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{PREFIX}{after}"))
}

fn read(cursor: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    String::from_utf8(bytes).ok()?.strip_prefix(PREFIX).map(str::to_owned)
}
