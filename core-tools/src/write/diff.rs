//! What would change, for the person who is asked.

use std::time::Duration;

use similar::TextDiff;
use tokio::task::spawn_blocking;

/// After this time the diff gets coarse instead of exact.
const DEADLINE: Duration = Duration::from_millis(500);

/// A unified diff with three lines of context; empty where nothing changes.
pub(super) async fn unified(name: &str, old: String, new: String) -> String {
    let name = name.to_owned();
    let work = spawn_blocking(move || {
        let diff = TextDiff::configure().timeout(DEADLINE).diff_lines(&old, &new);
        diff.unified_diff().context_radius(3).header(&name, &name).to_string()
    });
    work.await.unwrap_or_else(|error| format!("(no diff: {error})"))
}
