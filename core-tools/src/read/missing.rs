//! What is said of a file that is not there.

use crate::workspace::{Place, Workspace};

/// How many names are suggested (opencode).
const SUGGESTIONS: usize = 3;

/// `File not found`, and what may have been meant: files beside it whose name is in the name asked for, or the other way
/// round, in any case of letters (opencode). The order is that of the names, for that of a directory changes.
pub(super) async fn message(workspace: &dyn Workspace, place: &Place) -> String {
    let mut message = format!("File not found: {}", place.path.display());
    let (Some(folder), Some(wanted)) = (place.path.parent(), place.path.file_name()) else { return message };
    let Some(real_folder) = place.real.parent() else { return message };
    let wanted = wanted.to_string_lossy().to_lowercase();
    let mut names: Vec<String> = workspace
        .list(real_folder)
        .await
        .unwrap_or_default()
        .into_iter()
        .map(|entry| entry.name.to_string_lossy().into_owned())
        .filter(|name| {
            let name = name.to_lowercase();
            name.contains(&wanted) || wanted.contains(&name)
        })
        .collect();
    names.sort();
    names.truncate(SUGGESTIONS);
    if !names.is_empty() {
        message.push_str("\n\nDid you mean one of these?");
        for name in names {
            message.push('\n');
            message.push_str(&folder.join(name).to_string_lossy());
        }
    }
    message
}
