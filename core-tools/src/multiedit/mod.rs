//! `multiedit`: several texts of a file replaced at once (pi's `edit`, under the name of opencode's older tool, which
//! took each edit against what the one before had left, and kept the first ones where a later one failed).
//!
//! All edits are looked for in the file as it is, and made together or not at all. What is wrong with several of them is
//! told at once.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Value, json};
use tool_core::{
    ToolContext, ToolError, ToolOutput,
    schemars::{JsonSchema, Schema, SchemaGenerator},
    tool,
    tool::{Audience, Description, TypedTool},
};

use crate::{
    edit::{Problem, Refused, Replacement, Target, Unfit, cannot, in_lines},
    workspace::ActiveWorkspace,
};

/// One replacement.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(crate = "tool_core::schemars")]
pub struct FileEdit {
    /// The text to replace. It stands in one place of the file, and no other edit touches it.
    #[serde(alias = "oldText", alias = "old_string", alias = "old_str")]
    old_string: String,
    /// The text to put in its place.
    #[serde(alias = "newText", alias = "new_string", alias = "new_str")]
    new_string: String,
    /// Replace every occurrence of oldString.
    #[serde(default, alias = "replace_all")]
    replace_all: bool,
}

/// The replacements, in any form that models send them in: a list, or one alone; each, or all of them, also as the JSON
/// text of it (pi takes all but a text inside a list).
#[derive(Debug, Clone, Default, Serialize)]
pub struct FileEdits(Vec<FileEdit>);

impl JsonSchema for FileEdits {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<FileEdit>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<FileEdit>::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for FileEdits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Edit(FileEdit),
            List(Vec<Form>),
            Text(String),
        }
        fn collect(form: Form, edits: &mut Vec<FileEdit>) -> Result<(), serde_json::Error> {
            match form {
                Form::Edit(edit) => edits.push(edit),
                Form::List(forms) => forms.into_iter().try_for_each(|form| collect(form, edits))?,
                Form::Text(text) => collect(serde_json::from_str(&text)?, edits)?,
            }
            Ok(())
        }
        let mut edits = Vec::new();
        collect(Form::deserialize(deserializer)?, &mut edits).map_err(D::Error::custom)?;
        Ok(Self(edits))
    }
}

/// Replace several texts in one file, all or none.
///
/// Each `oldString` has to be the text as it stands in the file before any of the edits, with its indentation, without
/// line numbers, and in one place only, unless `replaceAll` is set; read the file first. The edits must not overlap: make
/// one edit of changes that touch the same lines. `newString` is taken literally. Line endings are kept as the file has
/// them. If one edit cannot be made, none is, and the error says what is wrong with each.
#[tool(rename_all = "camelCase", describe = describe, asks = "edit", destructive, set("pi", "coding"))]
#[expect(clippy::missing_errors_doc, reason = "the documentation is what a model is told")]
pub async fn multiedit(
    /// Path of the file: absolute, or relative to the working directory.
    #[arg(alias = "path", alias = "file_path")]
    file_path: String,
    /// The replacements, at least one.
    #[arg(default)]
    edits: FileEdits,
    /// For a single replacement, without edits: the text to replace.
    #[arg(alias = "oldText", alias = "old_string", alias = "old_str")]
    old_string: Option<String>,
    /// For a single replacement, without edits: the text to put in its place.
    #[arg(alias = "newText", alias = "new_string", alias = "new_str")]
    new_string: Option<String>,
    /// For a single replacement, without edits: replace every occurrence.
    #[arg(default, alias = "replace_all")]
    replace_all: bool,
    ctx: &ToolContext,
    #[inject] workspace: ActiveWorkspace,
) -> Result<ToolOutput, ToolError> {
    let mut edits: Vec<Replacement> = edits
        .0
        .into_iter()
        .map(|edit| Replacement { old: edit.old_string, new: edit.new_string, all: edit.replace_all })
        .collect();
    // Older conversations have a single replacement beside `edits`.
    match (old_string, new_string) {
        (Some(old), Some(new)) => edits.push(Replacement { old, new, all: replace_all }),
        (None, None) => {}
        _ => {
            return Err(ToolError::failed(
                "Edit tool input is invalid. oldString and newString belong together: give both, in edits.",
            ));
        }
    }
    if file_path.is_empty() {
        return Err(ToolError::failed("filePath is required: give the path of the file to edit."));
    }
    if edits.is_empty() {
        return Err(ToolError::failed("Edit tool input is invalid. edits must contain at least one replacement."));
    }
    let count = edits.len();
    let target = Target::of(ctx, workspace, &file_path).await?;
    let edited = target.replace(edits).await.map_err(|refused| worded(refused, &file_path, count))?;
    let text = match edited.found.iter().map(|(_, places)| places).sum::<usize>() {
        places if places == count => format!("Successfully replaced {count} block(s) in {file_path}."),
        places => format!("Successfully replaced {count} block(s) in {file_path}, in {places} places."),
    };
    Ok(edited.into_output(text, |number| name(number, count)))
}

/// What models are shown leaves out the form that is only still accepted.
async fn describe(_: &Audience) -> Description {
    let tool = <MultieditTool as TypedTool>::FACTS.tool();
    let mut schema = tool.spec().input_schema.clone();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.shift_remove("oldString");
        properties.shift_remove("newString");
        properties.shift_remove("replaceAll");
        if let Some(edits) = properties.get_mut("edits").and_then(Value::as_object_mut) {
            edits.shift_remove("default");
        }
    }
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("required".to_owned(), json!(["filePath", "edits"]));
    }
    Description::from(tool.spec().description.clone()).with_schema(schema)
}

fn worded(refused: Refused, path: &str, count: usize) -> ToolError {
    match refused {
        Refused::Other(error) => error,
        Refused::File(Unfit::Missing) => {
            ToolError::failed(format!("Could not edit file: {path}. Error code: ENOENT. There is no such file."))
        }
        Refused::File(Unfit::Directory) => {
            ToolError::failed(format!("Could not edit file: {path}. Error code: EISDIR. It is a directory."))
        }
        Refused::File(Unfit::Other(error)) => cannot(path, &error),
        Refused::File(Unfit::NotText(error)) => cannot(path, &error),
        Refused::Edits(problems) => {
            let mut told: Vec<String> =
                problems.iter().map(|(number, problem)| told(*number, problem, path, count)).collect();
            if told.len() > 1 {
                told.insert(0, format!("{} of {count} edits cannot be made:", told.len()));
            }
            told.push("Nothing was changed.".to_owned());
            ToolError::failed(told.join("\n"))
        }
    }
}

fn name(number: usize, count: usize) -> String {
    if count == 1 { "oldString".to_owned() } else { format!("edits[{number}].oldString") }
}

/// In pi's words, and with more of them.
fn told(number: usize, problem: &Problem, path: &str, count: usize) -> String {
    let (it, name) = match count {
        1 => ("the text".to_owned(), "oldString".to_owned()),
        _ => (format!("edits[{number}]"), format!("edits[{number}].oldString")),
    };
    match problem {
        Problem::Empty => format!("{name} must not be empty in {path}."),
        Problem::Absent(likeness) => {
            let what = if count == 1 { "the exact text" } else { &*it };
            format!(
                "Could not find {what} in {path}. The old text must match exactly, with all whitespace and line breaks. \
                 {likeness}"
            )
        }
        Problem::Ambiguous { strategy, count: places, lines } => format!(
            "Found {places} occurrences of {it} in {path}{}, {}. Each text must be unique: give more of the lines around \
             it, or set replaceAll.",
            strategy.by(),
            in_lines(lines, *places)
        ),
        Problem::TooLarge { strategy, lines } => format!(
            "Refusing replacement because the matched span is much larger than {name}: the strategy `{strategy}` found \
             lines {}-{} of {path}. Read them, and give all of the text that is to be replaced.",
            lines.start,
            lines.end - 1
        ),
        Problem::Overlap { with, line } => format!(
            "edits[{with}] and edits[{number}] overlap in {path}, in line {line}. Merge them into one edit, or make them \
             apply to separate text."
        ),
        Problem::Unchanged if count == 1 => format!(
            "No changes made to {path}. The replacement produced identical content: the file is already as newString has \
             it, or only line endings differ, which are kept."
        ),
        Problem::Unchanged => format!("No changes made to {path}. The replacements produced identical content."),
    }
}
