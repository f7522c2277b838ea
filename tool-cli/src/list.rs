//! `list`: what there is.

use std::{io::IsTerminal, process::ExitCode};

use anstyle::Style;
use tool_core::{
    Registry, ToolSpec,
    tool::{Annotations, Audience},
};

use crate::{args::ListArgs, failure::Failure, print, visible};

/// How much of a description fits beside the names on a terminal.
const DESCRIPTION_WIDTH: usize = 72;

pub(crate) async fn list(registry: &Registry, args: &ListArgs) -> Result<ExitCode, Failure> {
    let chosen = match &args.set {
        Some(set) => select(registry, set)?,
        None => registry.clone(),
    };
    let specs = chosen.specs_for(&Audience::new()).await;
    if args.json {
        print::json_pretty(&specs)?;
        return Ok(ExitCode::SUCCESS);
    }
    if specs.is_empty() {
        print::note("no tools are linked into this program; name their crate in it: `use my_tools as _;`");
    }
    table(&specs)?;
    Ok(ExitCode::SUCCESS)
}

/// The tools of a set.
///
/// # Errors
/// When there is no such set.
pub(crate) fn select(registry: &Registry, set: &str) -> Result<Registry, Failure> {
    let sets = registry.sets();
    if set == "all" || sets.contains(&set) {
        return Ok(registry.set(set));
    }
    let known = std::iter::once("all").chain(sets).collect::<Vec<_>>().join(", ");
    Err(Failure::Usage(format!("there is no set named `{set}`; the sets are: {known}")))
}

fn table(specs: &[ToolSpec]) -> Result<bool, Failure> {
    let is_terminal = std::io::stdout().is_terminal();
    let rows: Vec<[String; 3]> = specs
        .iter()
        .map(|spec| {
            let about = about(spec);
            [spec.name.to_string(), hints(spec.annotations), if is_terminal { cut(&about) } else { about }]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (name_width, hint_width) = (width(0), width(1));
    let (bold, dim) = match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => (Style::new(), Style::new()),
        _ => (Style::new().bold(), Style::new().dimmed()),
    };
    print::stdout(|out| {
        for [name, hints, about] in &rows {
            let line = format!("{bold}{name:name_width$}{bold:#}  {dim}{hints:hint_width$}{dim:#}  {about}");
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    })
}

/// The title, where there is one, and the first line of the description.
fn about(spec: &ToolSpec) -> String {
    let first = spec.description.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    visible::line(&match &spec.title {
        Some(title) if first.is_empty() => title.to_string(),
        Some(title) => format!("{title}: {first}"),
        None => first.to_owned(),
    })
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(DESCRIPTION_WIDTH) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

fn hints(annotations: Annotations) -> String {
    let Annotations { read_only, destructive, idempotent, open_world, .. } = annotations;
    let named = [
        (read_only, "read-only"),
        (destructive, "destructive"),
        (idempotent, "idempotent"),
        (open_world, "open-world"),
    ];
    named.iter().filter(|(given, _)| *given).map(|(_, name)| *name).collect::<Vec<_>>().join(",")
}
