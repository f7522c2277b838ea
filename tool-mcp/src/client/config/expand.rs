//! `${…}` in a configuration.

use std::path::{Path, PathBuf};

use crate::client::Environment;

/// What a configuration may speak of: variables, the project's directory, the home directory.
///
/// ```
/// use tool_mcp::client::{Environment, config::Surroundings};
///
/// let here = Surroundings::new("/project").environment(Environment::of_process());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub(crate) workspace: PathBuf,
    pub(crate) environment: Environment,
    pub(crate) home: Option<PathBuf>,
}

impl Surroundings {
    /// A project's directory, absolute; no variables, and no home directory.
    #[must_use]
    pub fn new(workspace: impl Into<PathBuf>) -> Self {
        Self { workspace: workspace.into(), ..Self::default() }
    }

    /// With these variables.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// With this home directory.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Puts in what a text speaks of. A `$` that begins nothing is itself.
    ///
    /// # Errors
    /// Everything in it that stands for nothing.
    pub(super) fn expand(&self, text: &str) -> Result<String, String> {
        let (mut expanded, mut faults, mut rest) = (String::new(), Vec::new(), text);
        while let Some(start) = rest.find("${") {
            expanded.push_str(&rest[..start]);
            let Some(length) = rest[start..].find('}') else {
                rest = &rest[start..];
                break;
            };
            let inside = &rest[start + 2..start + length];
            match self.value(inside) {
                Ok(value) => expanded.push_str(&value),
                Err(fault) => faults.push(fault),
            }
            rest = &rest[start + length + 1..];
        }
        expanded.push_str(rest);
        if faults.is_empty() { Ok(expanded) } else { Err(faults.join("; ")) }
    }

    fn value(&self, inside: &str) -> Result<String, String> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        match inside {
            "workspaceFolder" => return Ok(path(&self.workspace)),
            "workspaceFolderBasename" => {
                return Ok(self.workspace.file_name().map(|name| path(Path::new(name))).unwrap_or_default());
            }
            "userHome" => return self.home.as_deref().map(path).ok_or("${userHome} is not known".to_owned()),
            "pathSeparator" | "/" => return Ok(std::path::MAIN_SEPARATOR.to_string()),
            _ => {}
        }
        if let Some(input) = inside.strip_prefix("input:") {
            return Err(format!(
                "${{input:{input}}} asks a person, which is not supported: put the value in a variable, and write ${{env:NAME}}"
            ));
        }
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        match (self.environment.get(name), default) {
            (Some(value), _) if !(value.is_empty() && default.is_some()) => Ok(value.to_owned()),
            (_, Some(default)) => Ok(default.to_owned()),
            _ => Err(format!("the variable {name} is not set: set it, or write ${{{name}:-default}}")),
        }
    }
}
