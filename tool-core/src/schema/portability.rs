//! Which tools which providers can use, and what they do not see as it was written.

use std::fmt;

use serde::Serialize;

use super::dialect::{Change, Dialect, Fit, Fitted, fit};
use crate::tool::{ToolName, ToolSpec};

/// A report per tool and dialect, made by [`Registry::portability`](crate::Registry::portability).
///
/// It serialises to JSON, and prints one line a tool and dialect with a line a change below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Portability {
    /// The tools, in the order they were given in.
    pub tools: Vec<ToolPortability>,
}

/// One tool in every dialect that was asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolPortability {
    /// The tool.
    pub name: ToolName,
    /// How it fits each.
    pub dialects: Vec<DialectFit>,
}

/// How a tool fits one dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DialectFit {
    /// The dialect that was asked about.
    pub dialect: Dialect,
    /// How the tool fits it.
    #[serde(flatten)]
    pub fit: Fit,
    /// What is said otherwise of its results, where the dialect says anything of them (MCP's `outputSchema`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub output_changes: Vec<Change>,
}

impl Portability {
    /// The report on these tools, as they would stand together in one request.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_core::{schema::{Dialect, Portability}, tool::{ToolName, ToolSpec}};
    /// let spec = ToolSpec::new(ToolName::new("now")?, "The time.", json!({ "type": "object" }));
    /// let report = Portability::of([&spec], &[Dialect::Mcp, Dialect::OpenAiStrict]);
    /// assert!(report.is_usable());
    /// assert_eq!(report.to_string(), "\
    /// now              mcp               as it is
    /// now              openai-strict     adapted
    ///     root: closed to other properties
    /// ");
    /// # Ok::<(), tool_core::tool::InvalidName>(())
    /// ```
    #[must_use]
    pub fn of<'s>(specs: impl IntoIterator<Item = &'s ToolSpec>, dialects: &[Dialect]) -> Self {
        let specs: Vec<&ToolSpec> = specs.into_iter().collect();
        let mut tools: Vec<ToolPortability> =
            specs.iter().map(|spec| ToolPortability { name: spec.name.clone(), dialects: Vec::new() }).collect();
        for &dialect in dialects {
            for (tool, fitted) in tools.iter_mut().zip(fit(specs.iter().copied(), dialect)) {
                let Fitted { fit, output_changes, .. } = fitted;
                tool.dialects.push(DialectFit { dialect, fit, output_changes });
            }
        }
        Self { tools }
    }

    /// Whether every tool can be used in every dialect, be it by falling back.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        let mut fits = self.tools.iter().flat_map(|tool| &tool.dialects);
        !fits.any(|fit| matches!(fit.fit, Fit::Unusable { .. }))
    }
}

impl fmt::Display for Portability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for tool in &self.tools {
            for DialectFit { dialect, fit, output_changes } in &tool.dialects {
                let name = tool.name.as_str();
                let (word, changes): (String, &[Change]) = match fit {
                    Fit::AsIs => ("as it is".to_owned(), &[]),
                    Fit::Adapted { changes } => ("adapted".to_owned(), changes),
                    Fit::FellBack { why, changes } => (format!("not strict: {why}"), changes),
                    Fit::Unusable { why } => {
                        (format!("CANNOT BE USED: {why}; it is left out of the declarations"), &[])
                    }
                };
                writeln!(f, "{name:<16} {dialect:<17} {word}")?;
                for change in changes {
                    // A description may go over several lines; a change is one.
                    writeln!(f, "    {}", change.to_string().replace('\n', " "))?;
                }
                for change in output_changes {
                    writeln!(f, "    result, {}", change.to_string().replace('\n', " "))?;
                }
            }
        }
        Ok(())
    }
}
