//! What is said beside that a path is not there.

use std::io;

use super::{Place, Workspace};

/// How many names are suggested (opencode).
const SUGGESTIONS: usize = 3;

/// Whether an error says that there is nothing at a path.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What may have been meant by a path at which there is nothing, to stand behind the message that says so: what is beside
/// it and has a name that is in the name asked for, or the other way round, in any case of letters (opencode). The order
/// is that of the names, for that of a directory changes.
pub(crate) async fn suggestions(workspace: &dyn Workspace, place: &Place) -> String {
    let mut message = String::new();
    let (Some(folder), Some(wanted)) = (place.path.parent(), place.path.file_name()) else { return message };
    let Some(real_folder) = place.real.parent() else { return message };
    let wanted = wanted.to_string_lossy().to_lowercase();
    let mut names: Vec<String> = workspace
        .list(real_folder)
        .await
        .unwrap_or_default()
        .into_iter()
        .map(|entry| entry.shown())
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
