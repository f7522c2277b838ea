//! From directories to tools.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio::io::AsyncReadExt;
use tool_core::{
    Registry, Tool,
    registry::RegistryError,
    tool::{FnTool, ToolPolicy},
};

use super::{
    manifest::{CommandLine, Manifest, ManifestFault, PatternArgument},
    run::Program,
};
use crate::workspace::{FileKind, Workspace};

/// The longest manifest that is read, in bytes.
const MAX_MANIFEST: u64 = 1024 * 1024;

/// What was found in directories.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The tools, by directory and file name.
    pub tools: Vec<CustomTool>,
    /// Every file, and every directory, that could not be used.
    pub faults: Vec<LoadFault>,
}

/// A tool and the file that describes it.
#[derive(Clone)]
#[non_exhaustive]
pub struct CustomTool {
    /// The manifest.
    pub file: PathBuf,
    /// The tool.
    pub tool: Arc<dyn Tool>,
}

impl fmt::Debug for CustomTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomTool").field("file", &self.file).field("name", &self.tool.spec().name).finish()
    }
}

/// A file that gives no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {fault}", .file.display())]
#[non_exhaustive]
pub struct LoadFault {
    /// The manifest, or the directory.
    pub file: PathBuf,
    /// What is wrong with it.
    pub fault: ManifestFault,
}

impl Loaded {
    /// A registry with these tools; each takes the place of one with its name there (opencode does the same).
    ///
    /// # Errors
    /// None of its own: the names differ already.
    pub fn over(&self, registry: &Registry) -> Result<Registry, RegistryError> {
        let all = Registry::builder().extend(registry);
        self.tools.iter().fold(all, |all, custom| all.replace(custom.tool.clone())).build()
    }
}

/// Reads the manifests of these directories: all `*.json` and `*.toml` in each, by name, not those of directories in
/// it. Directories are absolute paths of the workspace. A tool of a later directory takes the place of an earlier one's
/// with the same name; within one directory, the second is a fault. What is faulty is reported, and the rest is there.
pub async fn load(workspace: &dyn Workspace, directories: &[PathBuf]) -> Loaded {
    let mut loaded = Loaded::default();
    for directory in directories {
        let mut of_directory: Vec<CustomTool> = Vec::new();
        let names = match workspace.list(directory).await {
            Ok(entries) => {
                let files = entries.into_iter().filter(|entry| entry.kind != FileKind::Directory);
                files.filter_map(|entry| entry.name.into_string().ok())
            }
            Err(error) => {
                loaded.faults.push(LoadFault { file: directory.clone(), fault: unreadable(&error) });
                continue;
            }
        };
        let mut names: Vec<String> = names.collect();
        names.sort();
        for name in names.iter().filter(|name| is_manifest(Path::new(name))) {
            let file = directory.join(name);
            let made = tool(workspace, directory, &file, &names).await.and_then(|tool| {
                let name = &tool.spec().name;
                match of_directory.iter().find(|other| other.tool.spec().name == *name) {
                    Some(other) => Err(ManifestFault::Collision {
                        name: name.clone(),
                        first: other.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                    }),
                    None => Ok(tool),
                }
            });
            match made {
                Ok(tool) => of_directory.push(CustomTool { file, tool: Arc::new(tool) }),
                Err(fault) => loaded.faults.push(LoadFault { file, fault }),
            }
        }
        loaded.tools.retain(|old| of_directory.iter().all(|new| new.tool.spec().name != old.tool.spec().name));
        loaded.tools.extend(of_directory);
    }
    loaded
}

fn is_manifest(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "json" || ending == "toml")
}

fn unreadable(error: &io::Error) -> ManifestFault {
    ManifestFault::Unreadable(error.to_string())
}

async fn tool(
    workspace: &dyn Workspace,
    directory: &Path,
    file: &Path,
    names: &[String],
) -> Result<FnTool, ManifestFault> {
    let text = read(workspace, file).await?;
    let manifest = Manifest::parse(&text, file.extension().is_some_and(|ending| ending == "toml"))?;
    let spec = manifest.spec(file)?;
    let policy: ToolPolicy = manifest.policy(&spec.name);
    let program = program(workspace, directory, file, names, &manifest).await?;
    let program = Arc::new(program);
    let tool = FnTool::declared(spec, move |arguments, ctx| {
        let program = program.clone();
        async move { program.run(&arguments, &ctx).await }
    })?;
    let tool = tool.policy(policy);
    Ok(match manifest.pattern {
        Some(PatternArgument::Text(argument)) => tool.pattern(argument),
        Some(PatternArgument::Path { path }) => tool.path_pattern(path),
        None => tool,
    })
}

async fn read(workspace: &dyn Workspace, file: &Path) -> Result<String, ManifestFault> {
    let content = workspace.open(file).await.map_err(|error| unreadable(&error))?;
    let mut text = String::new();
    content.take(MAX_MANIFEST + 1).read_to_string(&mut text).await.map_err(|error| unreadable(&error))?;
    if text.len() as u64 > MAX_MANIFEST {
        return Err(ManifestFault::TooLong(MAX_MANIFEST));
    }
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// What a manifest runs, with all that can be settled before the first call.
async fn program(
    workspace: &dyn Workspace,
    directory: &Path,
    file: &Path,
    names: &[String],
    manifest: &Manifest,
) -> Result<Program, ManifestFault> {
    let (program, args) = match &manifest.command {
        Some(CommandLine::Shell(text)) if text.trim().is_empty() => return Err(ManifestFault::NoCommand),
        Some(CommandLine::Shell(text)) => (PathBuf::from("/bin/sh"), vec!["-c".to_owned(), text.clone()]),
        Some(CommandLine::Program(words)) => {
            let [program, args @ ..] = words.as_slice() else { return Err(ManifestFault::NoCommand) };
            let program = match program.as_str() {
                "" => return Err(ManifestFault::NoCommand),
                // Meant from the manifest, wherever the call is.
                near if near.contains('/') || names.iter().any(|name| name == near) => directory.join(near),
                far => PathBuf::from(far),
            };
            (program, args.to_vec())
        }
        None => {
            let is_program = |name: &&String| {
                let path = Path::new(name);
                path.file_stem() == file.file_stem() && !is_manifest(path)
            };
            let mut beside = names.iter().filter(is_program);
            match (beside.next(), beside.next()) {
                (Some(only), None) => (directory.join(only), Vec::new()),
                _ => return Err(ManifestFault::NoProgram),
            }
        }
    };
    let is_there = || async { workspace.stat(&program).await.is_ok_and(|info| info.kind == FileKind::File) };
    if program.is_absolute() && !is_there().await {
        return Err(ManifestFault::Absent(program.display().to_string()));
    }
    let env = manifest.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let (directory, cwd, promises) = (directory.to_owned(), manifest.cwd.clone(), manifest.output_schema.is_some());
    Ok(Program { program, args, directory, cwd, env, promises })
}
