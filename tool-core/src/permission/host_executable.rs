//! codex's `host_executable`: which files a program's name stands for in prefix rules.
//!
//! A command that names a program by its path is not covered by a rule for the name alone: who can write a file called
//! `git` somewhere could have it run. Where an operator lists a path under the name, rules for the name count for it.

use super::{
    config::{Node, Path, excerpt, expected, once},
    prefix::plain_word,
};

const KEYS: [&str; 2] = ["name", "paths"];

/// Programs by their names, with the paths that count as them.
#[derive(Debug, Default)]
pub(super) struct HostExecutables(Vec<(String, Vec<String>)>);

impl HostExecutables {
    /// Reads the list under `host_executables`.
    pub(super) fn read(node: &Node, at: &Path<'_>) -> Result<Self, String> {
        let Node::List(nodes) = node else { return Err(expected(at, "a list of programs", node)) };
        let each = nodes.iter().enumerate().map(|(index, node)| program(node, &Path::Index(at, index)));
        Ok(Self(each.collect::<Result<_, _>>()?))
    }

    /// The paths that count as a program of this name.
    pub(super) fn of<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s String> {
        self.0.iter().filter(move |(known, _)| known == name).flat_map(|(_, paths)| paths)
    }
}

fn program(node: &Node, at: &Path<'_>) -> Result<(String, Vec<String>), String> {
    let Node::Map(entries) = node else {
        return Err(expected(at, "a program: a map with `name` and `paths`", node));
    };
    once(entries.iter(), at)?;
    if let Some((key, _)) = entries.iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        return Err(format!("{}: a program has `name` and `paths` alone", Path::Key(at, key)));
    }
    let member = |key: &str| {
        let found = entries.iter().find(|(known, _)| known == key).map(|(_, node)| node);
        found.ok_or_else(|| format!("{at}: a program needs `{key}`"))
    };
    let name_at = Path::Key(at, "name");
    let name = plain_word(member("name")?, &name_at)?;
    if name.contains('/') {
        return Err(format!("{name_at}: expected a name without `/`, got {:?}", excerpt(&name)));
    }
    let paths_at = Path::Key(at, "paths");
    let Node::List(paths) = member("paths")? else {
        return Err(expected(&paths_at, "a list of paths", member("paths")?));
    };
    let path = |(index, node): (usize, &Node)| {
        let at = Path::Index(&paths_at, index);
        let path = plain_word(node, &at)?;
        if !path.starts_with('/') && !path.starts_with("~/") {
            let path = excerpt(&path);
            return Err(format!("{at}: expected an absolute path, or one that starts with `~/`, got {path:?}"));
        }
        Ok(path)
    };
    Ok((name, paths.iter().enumerate().map(path).collect::<Result<_, _>>()?))
}
