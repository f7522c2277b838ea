//! The packets of SFTP version 3 (draft-ietf-secsh-filexfer-02, and OpenSSH's `PROTOCOL`), as bytes. Names are bytes as
//! well: neither the protocol nor a Unix disk knows of an encoding, which is why no crate that takes them as text does here.

use std::{
    io,
    time::{Duration, UNIX_EPOCH},
};

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::workspace::{FileInfo, FileKind, Owner};

/// Packets that are sent.
pub(super) mod request {
    pub(crate) const INIT: u8 = 1;
    pub(crate) const OPEN: u8 = 3;
    pub(crate) const CLOSE: u8 = 4;
    pub(crate) const READ: u8 = 5;
    pub(crate) const WRITE: u8 = 6;
    pub(crate) const LSTAT: u8 = 7;
    pub(crate) const FSTAT: u8 = 8;
    pub(crate) const SETSTAT: u8 = 9;
    pub(crate) const FSETSTAT: u8 = 10;
    pub(crate) const OPENDIR: u8 = 11;
    pub(crate) const READDIR: u8 = 12;
    pub(crate) const REMOVE: u8 = 13;
    pub(crate) const MKDIR: u8 = 14;
    pub(crate) const RMDIR: u8 = 15;
    pub(crate) const REALPATH: u8 = 16;
    pub(crate) const STAT: u8 = 17;
    pub(crate) const RENAME: u8 = 18;
    pub(crate) const READLINK: u8 = 19;
    pub(crate) const EXTENDED: u8 = 200;
}

/// Packets that come.
pub(super) mod reply {
    pub(crate) const VERSION: u8 = 2;
    pub(crate) const STATUS: u8 = 101;
    pub(crate) const HANDLE: u8 = 102;
    pub(crate) const DATA: u8 = 103;
    pub(crate) const NAME: u8 = 104;
    pub(crate) const ATTRS: u8 = 105;
    pub(crate) const EXTENDED: u8 = 201;
}

/// How a file is opened.
pub(in crate::workspace::ssh) mod open {
    pub(crate) const READ: u32 = 1;
    pub(crate) const WRITE: u32 = 2;
    pub(crate) const CREATE: u32 = 8;
    /// Not where there is something already.
    pub(crate) const EXCLUSIVE: u32 = 32;
}

/// The names of OpenSSH's extensions that are used where the server has them.
pub(super) mod extension {
    pub(crate) const POSIX_RENAME: &str = "posix-rename@openssh.com";
    pub(crate) const HARDLINK: &str = "hardlink@openssh.com";
    pub(crate) const FSYNC: &str = "fsync@openssh.com";
    pub(crate) const STATVFS: &str = "statvfs@openssh.com";
}

/// A packet in the making: its length, its kind, then what is added.
pub(in crate::workspace::ssh) struct Packet(BytesMut);

impl Packet {
    pub(super) fn new(kind: u8) -> Self {
        let mut bytes = BytesMut::with_capacity(64);
        bytes.put_u32(0);
        bytes.put_u8(kind);
        Self(bytes)
    }

    pub(in crate::workspace::ssh) fn u32(mut self, value: u32) -> Self {
        self.0.put_u32(value);
        self
    }

    pub(in crate::workspace::ssh) fn u64(mut self, value: u64) -> Self {
        self.0.put_u64(value);
        self
    }

    /// Bytes with their length; a path, say. What is longer than a packet can be is refused by the server.
    pub(in crate::workspace::ssh) fn bytes(mut self, value: &[u8]) -> Self {
        self.0.put_u32(u32::try_from(value.len()).unwrap_or(u32::MAX));
        self.0.put_slice(value);
        self
    }

    pub(in crate::workspace::ssh) fn attrs(self, attrs: &Attrs) -> Self {
        let owner = attrs.owner.map_or(0, |_| Attrs::OWNER);
        let mode = attrs.mode.map_or(0, |_| Attrs::MODE);
        let size = attrs.size.map_or(0, |_| Attrs::SIZE);
        let mut packet = self.u32(size | owner | mode);
        if let Some(size) = attrs.size {
            packet = packet.u64(size);
        }
        if let Some(owner) = attrs.owner {
            packet = packet.u32(owner.user).u32(owner.group);
        }
        if let Some(mode) = attrs.mode {
            packet = packet.u32(mode);
        }
        packet
    }

    pub(super) fn finish(mut self) -> Bytes {
        let length = u32::try_from(self.0.len() - 4).unwrap_or(u32::MAX);
        self.0[..4].copy_from_slice(&length.to_be_bytes());
        self.0.freeze()
    }
}

/// What is in a packet that came, from its front.
pub(super) struct Fields(pub(super) Bytes);

impl Fields {
    pub(super) fn u8(&mut self) -> io::Result<u8> {
        self.0.try_get_u8().map_err(|_| cut_short())
    }

    pub(super) fn u32(&mut self) -> io::Result<u32> {
        self.0.try_get_u32().map_err(|_| cut_short())
    }

    pub(super) fn u64(&mut self) -> io::Result<u64> {
        self.0.try_get_u64().map_err(|_| cut_short())
    }

    pub(super) fn bytes(&mut self) -> io::Result<Bytes> {
        let length = self.u32()? as usize;
        if length > self.0.len() { Err(cut_short()) } else { Ok(self.0.split_to(length)) }
    }

    pub(super) fn attrs(&mut self) -> io::Result<Attrs> {
        let flags = self.u32()?;
        let mut attrs = Attrs::default();
        if flags & Attrs::SIZE != 0 {
            attrs.size = Some(self.u64()?);
        }
        if flags & Attrs::OWNER != 0 {
            attrs.owner = Some(Owner { user: self.u32()?, group: self.u32()? });
        }
        if flags & Attrs::MODE != 0 {
            attrs.mode = Some(self.u32()?);
        }
        if flags & Attrs::TIMES != 0 {
            let _accessed = self.u32()?;
            attrs.modified = Some(self.u32()?);
        }
        if flags & Attrs::EXTENDED != 0 {
            for _ in 0..self.u32()? {
                self.bytes()?;
                self.bytes()?;
            }
        }
        Ok(attrs)
    }
}

fn cut_short() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a packet is shorter than it says")
}

/// What is known of a file, or is to become of it.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::workspace::ssh) struct Attrs {
    pub(in crate::workspace::ssh) size: Option<u64>,
    pub(in crate::workspace::ssh) owner: Option<Owner>,
    /// Permission bits, and in what comes, the kind.
    pub(in crate::workspace::ssh) mode: Option<u32>,
    modified: Option<u32>,
}

impl Attrs {
    const SIZE: u32 = 1;
    const OWNER: u32 = 2;
    const MODE: u32 = 4;
    const TIMES: u32 = 8;
    const EXTENDED: u32 = 1 << 31;

    pub(in crate::workspace::ssh) fn of_mode(mode: u32) -> Self {
        Self { mode: Some(mode & 0o7777), ..Self::default() }
    }

    pub(in crate::workspace::ssh) fn of_owner(owner: Owner) -> Self {
        Self { owner: Some(owner), ..Self::default() }
    }

    pub(in crate::workspace::ssh) fn of_size(size: u64) -> Self {
        Self { size: Some(size), ..Self::default() }
    }

    pub(in crate::workspace::ssh) fn is_link(&self) -> bool {
        self.mode.is_some_and(|mode| mode & 0o170_000 == 0o120_000)
    }

    pub(in crate::workspace::ssh) fn kind(&self) -> FileKind {
        match self.mode.map(|mode| mode & 0o170_000) {
            Some(0o100_000) => FileKind::File,
            Some(0o040_000) => FileKind::Directory,
            Some(0o010_000) => FileKind::Fifo,
            Some(0o140_000) => FileKind::Socket,
            Some(0o020_000 | 0o060_000) => FileKind::Device,
            _ => FileKind::Other,
        }
    }

    pub(in crate::workspace::ssh) fn info(&self) -> FileInfo {
        let modified = self.modified.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds.into()));
        let mut info = FileInfo::new(self.kind(), self.size.unwrap_or(0), modified);
        info.mode = self.mode.map(|mode| mode & 0o7777);
        info.owner = self.owner;
        info
    }
}
