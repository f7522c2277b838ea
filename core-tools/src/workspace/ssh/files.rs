//! What a workspace does with files, in terms of SFTP requests.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    io,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use futures_util::future::join_all;
use rustix::io::Errno;

use super::sftp::{Answer, Attrs, FileStream, Handle, Refused, Sftp, open};
use crate::workspace::{ByteStream, Entry, Existing, FileInfo, FileKind};

/// The longest path that is sent: what Linux takes.
const MAX_PATH: usize = 4096;
/// How much is written by one request: what every server takes.
const CHUNK: usize = 32 * 1024;
/// How many of them are under way at once.
const UNDER_WAY: usize = 64;
/// How many requests for the next names of a directory are under way at once.
const LISTING: usize = 4;

/// A path as the server gets it. A NUL byte in one, or one that is too long, would end the session.
pub(super) fn bytes(path: &Path) -> io::Result<&[u8]> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.contains(&0) {
        return Err(Errno::INVAL.into());
    }
    if bytes.len() > MAX_PATH { Err(Errno::NAMETOOLONG.into()) } else { Ok(bytes) }
}

pub(super) async fn stat(sftp: &Sftp, path: &Path) -> io::Result<FileInfo> {
    match sftp.stat(bytes(path)?).attrs().await {
        Ok(attrs) => Ok(attrs.info()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing(sftp, error, path).await),
        Err(error) => Err(error),
    }
}

/// The server says the same of a path that leads through a file.
async fn missing(sftp: &Sftp, error: io::Error, path: &Path) -> io::Error {
    let above = path.ancestors().skip(1).filter_map(|above| Some(sftp.stat(bytes(above).ok()?).attrs()));
    match join_all(above).await.into_iter().find_map(Result::ok) {
        Some(attrs) if attrs.kind() != FileKind::Directory => Errno::NOTDIR.into(),
        _ => error,
    }
}

pub(super) async fn list(sftp: &Sftp, path: &Path) -> io::Result<Vec<Entry>> {
    let folder = match sftp.open_dir(bytes(path)?).handle().await {
        Ok(folder) => folder,
        // Nothing else is told of what is no directory.
        Err(error) => {
            let kind = stat(sftp, path).await?.kind;
            return Err(if kind == FileKind::Directory { error } else { Errno::NOTDIR.into() });
        }
    };
    let mut entries = Vec::new();
    let mut links = Vec::new();
    let mut asked: VecDeque<Answer> = (0..LISTING).map(|_| sftp.read_dir(&folder)).collect();
    while let Some(answer) = asked.pop_front() {
        let Some(names) = answer.names().await? else { break };
        asked.push_back(sftp.read_dir(&folder));
        for (name, attrs) in names {
            let name: &OsStr = OsStr::from_bytes(&name);
            if name == "." || name == ".." {
                continue;
            }
            if attrs.is_link() {
                links.push((entries.len(), sftp.stat(bytes(&path.join(name))?)));
            }
            entries.push(Entry::new(name, attrs.kind()));
        }
    }
    let (places, targets): (Vec<_>, Vec<_>) = links.into_iter().map(|(place, target)| (place, target.attrs())).unzip();
    for (place, target) in places.into_iter().zip(join_all(targets).await) {
        entries[place].kind = target.map_or(FileKind::Other, |attrs| attrs.kind());
    }
    Ok(entries)
}

/// A regular file. Looked at before it is opened, for that alone could wait for ever, and after it.
async fn open_regular(sftp: &Sftp, path: &Path, how: u32) -> io::Result<(Handle, Attrs)> {
    regular(&sftp.stat(bytes(path)?).attrs().await?)?;
    let file = sftp.open(bytes(path)?, how, &Attrs::default()).handle().await;
    let file = match file {
        Ok(file) => file,
        Err(error) => return Err(explain(sftp, error, path, 0).await),
    };
    let attrs = sftp.fstat(&file).attrs().await?;
    regular(&attrs)?;
    Ok((file, attrs))
}

fn regular(attrs: &Attrs) -> io::Result<()> {
    match attrs.kind() {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(Errno::ISDIR.into()),
        kind => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind}"))),
    }
}

pub(super) async fn open_at(sftp: &Sftp, path: &Path, offset: u64) -> io::Result<ByteStream> {
    let (file, attrs) = open_regular(sftp, path, open::READ).await?;
    Ok(Box::new(FileStream::new(sftp, file, offset, attrs.size.unwrap_or(0))))
}

/// A regular file that may be written, and is one of a disk.
async fn open_writable(sftp: &Sftp, path: &Path) -> io::Result<(Handle, Attrs)> {
    let (file, attrs) = open_regular(sftp, path, open::WRITE).await?;
    // What the kernel shows as files is on a file system that holds nothing.
    if ["/proc", "/sys"].iter().any(|view| path.starts_with(view))
        && sftp.file_system(bytes(path)?).await.is_ok_and(|system| system.blocks == 0)
    {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a file of a disk, but a view of the kernel",
        ));
    }
    Ok((file, attrs))
}

pub(super) async fn check_writable(sftp: &Sftp, path: &Path) -> io::Result<()> {
    open_writable(sftp, path).await.map(drop)
}

pub(super) async fn create(sftp: &Sftp, path: &Path, content: &Bytes, like: Option<&Path>) -> io::Result<()> {
    let like = match like {
        Some(like) => {
            let attrs = sftp.stat(bytes(like)?).attrs().await?;
            regular(&attrs)?;
            Some(attrs)
        }
        None => None,
    };
    // Nobody else is to look at what may be another's secret before it has its owner and mode.
    let first = if like.is_some() { Attrs::of_mode(0o600) } else { Attrs::default() };
    let how = open::WRITE | open::CREATE | open::EXCLUSIVE;
    let file = match sftp.open(bytes(path)?, how, &first).handle().await {
        Ok(file) => file,
        Err(error) if sftp.lstat(bytes(path)?).attrs().await.is_ok() => {
            return Err(if Refused::is(&error) { Errno::EXIST.into() } else { error });
        }
        Err(error) => return Err(explain(sftp, error, path, 0).await),
    };
    match fill(sftp, file, content, like.as_ref()).await {
        Ok(()) => Ok(()),
        Err(error) => {
            let error = explain(sftp, error, path, content.len() as u64).await;
            let _ = sftp.remove(bytes(path)?).done().await;
            Err(error)
        }
    }
}

async fn fill(sftp: &Sftp, file: Handle, content: &Bytes, like: Option<&Attrs>) -> io::Result<()> {
    write(sftp, &file, 0, content).await?;
    if let Some(like) = like {
        let own = sftp.fstat(&file).attrs().await?;
        if let Some(owner) = like.owner
            && own.owner != like.owner
        {
            sftp.set_fstat(&file, &Attrs::of_owner(owner)).done().await?;
        }
        if let Some(mode) = like.mode {
            sftp.set_fstat(&file, &Attrs::of_mode(mode & 0o1777)).done().await?;
        }
    }
    finish(sftp, file).await
}

/// Writes bytes from this place on; several requests are under way at once.
async fn write(sftp: &Sftp, file: &Handle, offset: u64, content: &[u8]) -> io::Result<()> {
    let mut under_way: VecDeque<Answer> = VecDeque::new();
    let mut at = offset;
    let mut written = Ok(());
    for chunk in content.chunks(CHUNK) {
        if under_way.len() == UNDER_WAY
            && let Some(oldest) = under_way.pop_front()
        {
            written = oldest.done().await;
        }
        if written.is_err() {
            break;
        }
        under_way.push_back(sftp.write(file, at, chunk));
        at += chunk.len() as u64;
    }
    // All are waited for, so that nothing is written any more once this has returned.
    for answer in under_way {
        let done = answer.done().await;
        written = written.and(done);
    }
    written
}

/// Syncs and closes.
async fn finish(sftp: &Sftp, file: Handle) -> io::Result<()> {
    if let Some(synced) = sftp.sync(&file) {
        synced.done().await?;
    }
    sftp.close(file).done().await
}

/// What is longer than before is written first: a full disk stops that, and the old content is still whole.
pub(super) async fn overwrite(sftp: &Sftp, path: &Path, content: &Bytes) -> io::Result<()> {
    let (file, attrs) = open_writable(sftp, path).await?;
    let (before, after) = (attrs.size.unwrap_or(0), content.len() as u64);
    let common = usize::try_from(before).unwrap_or(usize::MAX).min(content.len());
    if let Err(error) = write(sftp, &file, before, &content[common..]).await {
        sftp.set_fstat(&file, &Attrs::of_size(before)).done().await?;
        return Err(explain(sftp, error, path, after - before).await);
    }
    write(sftp, &file, 0, &content[..common]).await?;
    if after < before {
        sftp.set_fstat(&file, &Attrs::of_size(after)).done().await?;
    }
    finish(sftp, file).await
}

pub(super) async fn rename(sftp: &Sftp, from: &Path, to: &Path, existing: Existing) -> io::Result<()> {
    let (old, new) = (bytes(from)?, bytes(to)?);
    let folders = Folders::of(sftp, [Some(to), (from.parent() != to.parent()).then_some(from)])?;
    let renamed = match existing {
        Existing::Replace => sftp.replace(old, new)?.done().await,
        Existing::Refuse => sftp.rename(old, new).done().await,
    };
    let Err(error) = renamed else {
        folders.sync(sftp).await;
        return Ok(());
    };
    if !Refused::is(&error) {
        return Err(error);
    }
    if existing == Existing::Refuse && sftp.lstat(new).attrs().await.is_ok() {
        return Err(Errno::EXIST.into());
    }
    let systems = (folder_system(sftp, from).await, folder_system(sftp, to).await);
    if let (Ok(one), Ok(other)) = systems
        && one.id != other.id
    {
        return Err(Errno::XDEV.into());
    }
    Err(explain(sftp, error, to, 0).await)
}

pub(super) async fn link(sftp: &Sftp, from: &Path, to: &Path) -> io::Result<()> {
    match sftp.link(bytes(from)?, bytes(to)?)?.done().await {
        Err(error) if Refused::is(&error) && sftp.lstat(bytes(to)?).attrs().await.is_ok() => Err(Errno::EXIST.into()),
        done => done,
    }
}

pub(super) async fn remove(sftp: &Sftp, path: &Path) -> io::Result<()> {
    let folders = Folders::of(sftp, [Some(path), None])?;
    match sftp.remove(bytes(path)?).done().await {
        Ok(()) => {
            folders.sync(sftp).await;
            Ok(())
        }
        Err(error) => match sftp.lstat(bytes(path)?).attrs().await {
            Ok(attrs) if attrs.kind() == FileKind::Directory => Err(Errno::ISDIR.into()),
            _ => Err(explain(sftp, error, path, 0).await),
        },
    }
}

pub(super) async fn make_dirs(sftp: &Sftp, path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut missing = Vec::new();
    for folder in path.ancestors() {
        if sftp.lstat(bytes(folder)?).attrs().await.is_ok() {
            break;
        }
        missing.push(folder);
    }
    let mut made: Vec<PathBuf> = Vec::new();
    for folder in missing.into_iter().rev() {
        match sftp.make_dir(bytes(folder)?).done().await {
            Ok(()) => made.push(folder.to_owned()),
            Err(_) if stat(sftp, folder).await.is_ok_and(|info| info.kind == FileKind::Directory) => {}
            Err(error) => {
                for made in made.iter().rev() {
                    let _ = sftp.remove_dir(bytes(made)?).done().await;
                }
                return Err(explain(sftp, error, folder, 0).await);
            }
        }
    }
    if stat(sftp, path).await?.kind == FileKind::Directory { Ok(made) } else { Err(Errno::NOTDIR.into()) }
}

pub(super) async fn remove_dir(sftp: &Sftp, path: &Path) -> io::Result<()> {
    match sftp.remove_dir(bytes(path)?).done().await {
        Err(error) if Refused::is(&error) => match sftp.lstat(bytes(path)?).attrs().await {
            Ok(attrs) if attrs.kind() == FileKind::Directory => Err(Errno::NOTEMPTY.into()),
            Ok(_) => Err(Errno::NOTDIR.into()),
            Err(_) => Err(error),
        },
        done => done,
    }
}

pub(super) async fn set_mode(sftp: &Sftp, path: &Path, mode: u32) -> io::Result<()> {
    sftp.set_stat(bytes(path)?, &Attrs::of_mode(mode)).done().await
}

/// What stands behind a refusal, as far as the file system tells: it is read-only, or has no room.
async fn explain(sftp: &Sftp, error: io::Error, path: &Path, growth: u64) -> io::Error {
    if !Refused::is(&error) {
        return error;
    }
    match folder_system(sftp, path).await {
        Ok(system) if system.is_read_only => Errno::ROFS.into(),
        Ok(system) if system.blocks > 0 && system.room <= growth => Errno::NOSPC.into(),
        _ => error,
    }
}

async fn folder_system(sftp: &Sftp, path: &Path) -> io::Result<super::sftp::FileSystem> {
    sftp.file_system(bytes(path.parent().unwrap_or(path))?).await
}

/// The directories whose names change, being opened meanwhile, so that the change can be made to last.
struct Folders(Vec<Answer>);

impl Folders {
    fn of(sftp: &Sftp, changed: [Option<&Path>; 2]) -> io::Result<Self> {
        let folders = changed.into_iter().flatten().filter_map(Path::parent);
        folders
            .map(|folder| Ok(sftp.open(bytes(folder)?, open::READ, &Attrs::default())))
            .collect::<io::Result<_>>()
            .map(Self)
    }

    /// Not every server, nor every file system, has that.
    async fn sync(self, sftp: &Sftp) {
        for folder in self.0 {
            if let Ok(folder) = folder.handle().await
                && let Some(synced) = sftp.sync(&folder)
            {
                let _ = synced.done().await;
            }
        }
    }
}

/// An owned path of bytes that came.
pub(super) fn path(bytes: &Bytes) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}
