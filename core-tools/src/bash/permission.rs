//! What is asked before a command runs.
//!
//! The whole text of a command is one pattern for now: it is not taken apart, so a rule or an approval for `ls *` also
//! covers what follows a `;`.

use tool_core::{ToolContext, ToolError, permission::PermissionRequest};

use crate::workspace::{Place, Project, Workspace, ask_external};

/// Asks for the directory, where it is outside the project, then for the command.
///
/// # Errors
/// When leave is not given.
pub(crate) async fn ask(
    ctx: &ToolContext,
    workspace: &dyn Workspace,
    project: &Project,
    place: &Place,
    command: &str,
) -> Result<(), ToolError> {
    ask_external(ctx, workspace, project, place).await?;
    let request = PermissionRequest::new("bash", [command]).always(prefix(command)).with("command", command);
    let request = request.with("workdir", project.relative(&place.path));
    ctx.ask(request).await
}

/// What "always" allows: the first word with any arguments. A word with wildcards in it would allow too much, and
/// the very command alone is remembered then.
fn prefix(command: &str) -> Option<String> {
    let word = command.split_whitespace().next()?;
    (!word.contains(['*', '?'])).then(|| format!("{word} *"))
}

#[cfg(test)]
mod tests {
    use super::prefix;

    #[test]
    fn always_is_the_first_word() {
        assert_eq!(prefix("  git\tpush origin").as_deref(), Some("git *"));
        assert_eq!(prefix("* x"), None);
        assert_eq!(prefix(" "), None);
    }
}
