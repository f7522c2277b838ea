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
/// old one's mode and owner; further names of the old file (hard links) keep the old content. Where no file can be made
/// in the directory, none can be given to the old one's owner, or none can take its place, but the old one can be
/// written, it is written over. A new file gets the mode 0666 less the umask. Missing directories are made.
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
    let made = tempfile::Builder::new().prefix(".tmp-").permissions(mode).tempfile_in(folder);
    let mut new = match (made, &old) {
        (Ok(new), _) => new,
        (Err(error), Some((old, _))) if cannot_replace(&error) => return write_over(old, content),
        (Err(error), _) => return Err(error.kind().into()),
    };
    if let Some((old, metadata)) = &old {
        let is_own = (metadata.uid(), metadata.gid()) == owner(new.as_file())?;
        // A file of somebody else's stays theirs: only root may give one away.
        if !is_own && fchown(new.as_file(), Some(metadata.uid()), Some(metadata.gid())).is_err() {
            return write_over(old, content);
        }
        // New content runs with nobody else's rights.
        new.as_file().set_permissions(Permissions::from_mode(metadata.mode() & 0o1777))?;
    }
    new.write_all(content)?;
    new.as_file().sync_all()?;
    match (new.persist(path), old) {
        (Ok(_), _) => Ok(()),
        (Err(error), Some((old, _))) if cannot_replace(&error.error) => write_over(&old, content),
        (Err(error), _) => Err(error.error),
    }
}

/// Whether a file may still be written where it stands: its directory is closed or sticky, or it is mounted by itself,
/// as containers do.
fn cannot_replace(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ResourceBusy)
}

fn owner(file: &File) -> io::Result<(u32, u32)> {
    file.metadata().map(|metadata| (metadata.uid(), metadata.gid()))
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

/// Writes where the old content stands. The room is reserved before anything is changed, so that a full disk changes
/// nothing.
fn write_over(mut old: &File, content: &[u8]) -> io::Result<()> {
    let (before, after) = (old.metadata()?.len(), content.len() as u64);
    if after > before
        && let Err(error) = reserve(old, after)
    {
        old.set_len(before)?;
        return Err(error);
    }
    old.write_all(content)?;
    old.set_len(after)?;
    old.sync_all()
}

/// Has room for so many bytes, where the file system can promise that.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        Ok(()) | Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
