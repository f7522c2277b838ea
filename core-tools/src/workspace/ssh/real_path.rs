//! A remote path with its links followed, as far as it exists.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use super::{
    files::{bytes, path as path_of},
    sftp::Sftp,
};

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// Follows every link of an absolute path. The server does so where all of it exists but perhaps the last part; for what
/// does not, the deepest part that it knows is found, and the link that stands behind it, if any, followed here.
///
/// # Errors
/// When a part may not be looked at, or there are too many links.
pub(super) async fn real_path(sftp: &Sftp, path: &Path) -> io::Result<PathBuf> {
    if let Ok(real) = sftp.real_path(bytes(path)?).name().await {
        return Ok(path_of(&real));
    }
    let mut path = path.to_owned();
    for _ in 0..=MAX_LINKS {
        let Some((real, rest)) = deepest(sftp, &path).await? else { return Ok(path) };
        let mut parts = rest.components();
        let Some(next) = parts.next() else { return Ok(real) };
        let next = real.join(next);
        let attrs = match sftp.lstat(bytes(&next)?).attrs().await {
            Ok(attrs) => attrs,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(join(real, &rest)),
            Err(error) => return Err(error),
        };
        if !attrs.is_link() {
            return Ok(join(next, parts.as_path()));
        }
        let target = path_of(&sftp.read_link(bytes(&next)?).name().await?);
        path = join(real, &target.join(parts.as_path()));
    }
    Err(io::Error::other("too many links, perhaps in a circle"))
}

/// The deepest directory above that the server can tell the real path of, and what is left.
async fn deepest(sftp: &Sftp, path: &Path) -> io::Result<Option<(PathBuf, PathBuf)>> {
    let asked =
        path.ancestors().map(|above| Ok((above, sftp.real_path(bytes(above)?)))).collect::<io::Result<Vec<_>>>()?;
    for (above, answer) in asked {
        if let Ok(real) = answer.name().await {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            return Ok(Some((path_of(&real), rest.to_owned())));
        }
    }
    Ok(None)
}

/// What is behind a real path, in the text: none of it exists, so none of it is a link.
fn join(mut real: PathBuf, rest: &Path) -> PathBuf {
    for part in rest.components() {
        match part {
            Component::ParentDir => {
                real.pop();
            }
            Component::Normal(part) => real.push(part),
            Component::RootDir => real = PathBuf::from("/"),
            Component::CurDir | Component::Prefix(_) => {}
        }
    }
    real
}
