//! A file replaced in one step.

use std::{
    fs::{self, File, Permissions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown},
    path::Path,
};

/// Puts `content` at `path`, which should have no links left in it: a link there would be replaced itself.
///
/// The content goes to a new file in the same directory, is synced, and takes the old one's place by renaming, with the
/// old one's mode and, as far as that is allowed, owner; further names of the old file (hard links) keep the old content.
/// Where no file can be made in the directory, or none can take the old one's place, but that can be written, it is
/// written over. A new file gets the mode 0666 less the umask. Missing directories are made.
///
/// # Errors
/// When the old file may not be written (its directory's leave to replace it is not used to get round that), or is not a
/// regular file; when there is no room.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::IsADirectory)?;
    let old = match open_old(path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder)?;
            None
        }
        Err(error) => return Err(error),
    };
    let mode = Permissions::from_mode(0o666);
    let mut new = match (tempfile::Builder::new().prefix(".tmp-").permissions(mode).tempfile_in(folder), old.as_ref()) {
        (Ok(new), _) => new,
        (Err(error), Some((old, _))) if error.kind() == io::ErrorKind::PermissionDenied => {
            return write_over(old, content);
        }
        (Err(error), _) => return Err(error),
    };
    new.write_all(content)?;
    if let Some((_, metadata)) = &old {
        // Only root may give a file away; for anyone else the owner is the same, or becomes the writer.
        let _ = fchown(new.as_file(), Some(metadata.uid()), Some(metadata.gid()));
        new.as_file().set_permissions(metadata.permissions())?;
    }
    new.as_file().sync_all()?;
    match (new.persist(path), old) {
        (Ok(_), _) => Ok(()),
        // A file that is mounted by itself, as containers do, cannot be renamed over.
        (Err(error), Some((old, _))) if error.error.kind() == io::ErrorKind::ResourceBusy => write_over(&old, content),
        (Err(error), _) => Err(error.error),
    }
}

/// The file that is there, if it may be written. Nothing of it is changed yet.
fn open_old(path: &Path) -> io::Result<(File, fs::Metadata)> {
    let no_wait = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let old = File::options().write(true).custom_flags(no_wait).open(path)?;
    Ok((old, metadata))
}

fn write_over(mut old: &File, content: &[u8]) -> io::Result<()> {
    old.set_len(0)?;
    old.write_all(content)?;
    old.sync_all()
}
