//! Files of the local machine, changed in small steps. Everything here blocks.

use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::{
        fd::AsFd,
        unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown},
    },
    path::{Path, PathBuf},
};

use super::{Existing, FileInfo, FileKind};

/// Attributes that would let new content run with another's rights.
const RIGHTS: &[u8] = b"security.capability";
/// The longest attribute that is taken over.
const MAX_ATTRIBUTE: usize = 64 * 1024;

/// A regular file, opened without waiting, and its facts. Looks before it opens, for opening alone can set a device going,
/// and again at what it has got.
pub(super) fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<(File, Metadata)> {
    regular(&fs::metadata(path)?)?;
    let no_wait = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = options.custom_flags(no_wait).open(path)?;
    let metadata = file.metadata()?;
    regular(&metadata)?;
    Ok((file, metadata))
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    match FileInfo::from(metadata).kind {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(io::ErrorKind::IsADirectory.into()),
        kind => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind}"))),
    }
}

pub(super) fn open_at(path: &Path, offset: u64) -> io::Result<File> {
    let (mut file, _) = open_regular(path, File::options().read(true))?;
    if offset > 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    Ok(file)
}

pub(super) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open_regular(path, File::options().read(true))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(metadata.len().min(most)).unwrap_or(usize::MAX))?;
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A regular file that may be written, and is a file of a disk: writing to what the kernel shows as files is no edit.
pub(super) fn open_writable(path: &Path) -> io::Result<(File, Metadata)> {
    let (file, metadata) = open_regular(path, File::options().write(true))?;
    if is_of_kernel(&file)? {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a file of a disk, but a view of the kernel",
        ));
    }
    Ok((file, metadata))
}

#[cfg(target_os = "linux")]
fn is_of_kernel(file: &File) -> io::Result<bool> {
    // From the kernel's `magic.h`: proc, sysfs, cgroup2, debugfs, tracefs, securityfs.
    const KERNEL: [i128; 6] = [0x9fa0, 0x6265_6572, 0x6367_7270, 0x6462_6720, 0x7472_6163, 0x7363_6673];
    let kind = i128::from(rustix::fs::fstatfs(file)?.f_type);
    Ok(KERNEL.contains(&kind))
}

#[cfg(not(target_os = "linux"))]
fn is_of_kernel(_: &File) -> io::Result<bool> {
    Ok(false)
}

pub(super) fn create(path: &Path, content: &[u8], like: Option<&Path>) -> io::Result<()> {
    let open = |like| open_regular(like, File::options().read(true)).or_else(|_| open_writable(like));
    let like = like.map(open).transpose()?;
    // Until it is as the other one, nobody else has a look at it.
    let mode = if like.is_some() { 0o600 } else { 0o666 };
    let mut file = File::options().write(true).create_new(true).mode(mode).open(path)?;
    let filled = fill(&mut file, content, like.as_ref());
    if filled.is_err() {
        drop(file);
        let _ = fs::remove_file(path);
    }
    filled
}

fn fill(file: &mut File, content: &[u8], like: Option<&(File, Metadata)>) -> io::Result<()> {
    file.write_all(content)?;
    if let Some((old, metadata)) = like {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (metadata.uid(), metadata.gid()) {
            // A file of somebody else's stays theirs: only root may give one away.
            fchown(&*file, Some(metadata.uid()), Some(metadata.gid()))?;
        }
        copy_attributes(old, file);
        file.set_permissions(Permissions::from_mode(metadata.mode() & 0o1777))?;
    }
    file.sync_all()
}

/// Access lists, labels and the like, as far as they may be set.
fn copy_attributes(from: &File, to: &File) {
    let mut names = vec![0; MAX_ATTRIBUTE];
    let Ok(len) = rustix::fs::flistxattr(from.as_fd(), names.as_mut_slice()) else { return };
    let mut value = Vec::new();
    for name in names[..len].split(|byte| *byte == 0).filter(|name| !name.is_empty() && *name != RIGHTS) {
        value.resize(MAX_ATTRIBUTE, 0);
        if let Ok(len) = rustix::fs::fgetxattr(from.as_fd(), name, value.as_mut_slice()) {
            let _ = rustix::fs::fsetxattr(to.as_fd(), name, &value[..len], rustix::fs::XattrFlags::empty());
        }
    }
}

pub(super) fn overwrite(path: &Path, content: &[u8]) -> io::Result<()> {
    let (mut file, metadata) = open_writable(path)?;
    let (before, after) = (metadata.len(), content.len() as u64);
    if after > before
        && let Err(error) = reserve(&file, after)
    {
        file.set_len(before)?;
        return Err(error);
    }
    file.write_all(content)?;
    file.set_len(after)?;
    file.sync_all()
}

/// Has room for so many bytes, where the file system can promise that.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        Ok(()) | Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn rename(from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
    match existing {
        Existing::Replace => fs::rename(from, to)?,
        // A second name is refused where there is one already; a rename would not be.
        Existing::Refuse => match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            Err(_) if fs::symlink_metadata(to).is_ok() => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to)?,
        },
    }
    sync_folder(to);
    if from.parent() != to.parent() {
        sync_folder(from);
    }
    Ok(())
}

/// Makes what was done to the names in a path's directory last. Not every file system has that.
fn sync_folder(path: &Path) {
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        let _ = folder.sync_all();
    }
}

pub(super) fn make_dirs(path: &Path) -> io::Result<Vec<PathBuf>> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| fs::symlink_metadata(folder).is_err()).collect();
    let mut made: Vec<PathBuf> = Vec::new();
    for folder in missing.into_iter().rev() {
        match fs::create_dir(folder) {
            Ok(()) => made.push(folder.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            Err(error) => {
                made.iter().rev().for_each(|made| fs::remove_dir(made).unwrap_or_default());
                return Err(error);
            }
        }
    }
    if fs::metadata(path)?.is_dir() { Ok(made) } else { Err(io::ErrorKind::NotADirectory.into()) }
}
