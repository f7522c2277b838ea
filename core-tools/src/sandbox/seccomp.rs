//! The system calls that confined commands do not get, as a filter that the kernel runs.
//!
//! Landlock and mounts say which files may be written. What is refused here gets round files: other processes, other
//! namespaces, the kernel's own settings, and sockets, of which the filter sees the family alone. What is refused gives
//! EPERM, so that a program can tell it; a program for another kind of processor is killed (SIGSYS), since its calls
//! have other numbers.

use std::{collections::BTreeMap, io, sync::OnceLock};

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpArgLen::Qword, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

use super::{
    calls::{ATTRIBUTES, MODES, NAMESPACES, REFUSED, SHARED_MEMORY, THROUGH_READING, TYPING},
    program::{self, Instruction},
};

/// What a filter leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Allowed {
    /// Allowed of the internet's families; where there is no network they lead nowhere.
    pub(super) internet: bool,
    /// Unix sockets.
    pub(super) unix: bool,
    /// System V's and POSIX's shared memory and queues, which in the machine's own namespace are anybody's.
    pub(super) shared_memory: bool,
    /// To change a file's mode, owner, times and further attributes, of any file: that is not Landlock's to say.
    pub(super) attributes: bool,
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The bits of a socket's type that are its type.
const TYPE: u64 = 0xf;

/// The program, made once for each choice.
pub(super) fn filter(allowed: Allowed) -> io::Result<&'static BpfProgram> {
    static PROGRAMS: [OnceLock<BpfProgram>; 16] = [const { OnceLock::new() }; 16];
    let Allowed { internet, unix, shared_memory, attributes } = allowed;
    let at = [internet, unix, shared_memory, attributes].iter().fold(0, |at, bit| at << 1 | usize::from(*bit));
    if let Some(made) = PROGRAMS[at].get() {
        return Ok(made);
    }
    let made = make(allowed).map_err(io::Error::other)?;
    Ok(PROGRAMS[at].get_or_init(|| made))
}

/// Restricts the calling thread, and all it starts from then on.
pub(super) fn enforce(allowed: Allowed) -> io::Result<()> {
    seccompiler::apply_filter(filter(allowed)?).map_err(io::Error::other)
}

fn make(allowed: Allowed) -> Result<BpfProgram, seccompiler::Error> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    if !allowed.attributes {
        rules.extend(ATTRIBUTES.iter().map(|call| (*call, Vec::new())));
    }
    if !allowed.shared_memory {
        rules.extend(SHARED_MEMORY.iter().map(|call| (*call, Vec::new())));
    }
    for flag in NAMESPACES {
        let flag = u64::from(flag.unsigned_abs());
        refuse(&mut rules, libc::SYS_clone, [(0, SeccompCmpOp::MaskedEq(flag), flag)])?;
    }
    for request in TYPING.into_iter().chain(THROUGH_READING) {
        refuse(&mut rules, libc::SYS_ioctl, [(1, SeccompCmpOp::Eq, request)])?;
    }
    for (call, argument) in MODES.into_iter().filter(|_| allowed.attributes) {
        // A program that runs with its owner's rights is a way out for later.
        let setuid = u64::from(libc::S_ISUID);
        refuse(&mut rules, call, [(argument, SeccompCmpOp::MaskedEq(setuid), setuid)])?;
    }
    own_directory(&mut rules)?;
    // The limits of another process.
    refuse(&mut rules, libc::SYS_prlimit64, [(0, SeccompCmpOp::Ne, 0)])?;
    own_limit(&mut rules)?;
    sockets(&mut rules, allowed)?;

    let arch: TargetArch = std::env::consts::ARCH.try_into()?;
    let mut cases = Vec::new();
    let mut parts = Vec::new();
    for (call, rules) in rules {
        let number = u32::try_from(call).unwrap_or(u32::MAX);
        if rules.is_empty() {
            cases.push((number, Instruction::REFUSE));
            continue;
        }
        let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let part = SeccompFilter::new([(call, rules)].into(), SeccompAction::Allow, refused, arch)?;
        cases.push((number, Instruction::jump(parts.len())));
        parts.push(BpfProgram::try_from(part)?);
    }
    Ok(program::joined(arch, &cases, parts))
}

/// New namespaces are refused. That a thread has a working directory of its own is none, and saves who starts commands a
/// copy of itself for each.
fn own_directory(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let directory = u64::from(libc::CLONE_FS.unsigned_abs());
    let is_more = SeccompCondition::new(0, Qword, SeccompCmpOp::Ne, directory)?;
    rules.entry(libc::SYS_unshare).or_default().push(SeccompRule::new(vec![is_more])?);
    Ok(())
}

/// The limit that tells a command's processes from all others, of which a daemon would rid itself to outlive the command.
fn own_limit(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let limit = u64::from(libc::RLIMIT_RTTIME);
    refuse(rules, libc::SYS_setrlimit, [(0, SeccompCmpOp::Eq, limit)])?;
    // To look at it, with no new one, is free. The address is looked at in whole.
    let is_it = SeccompCondition::new(1, Dword, SeccompCmpOp::Eq, limit)?;
    let is_new = SeccompCondition::new(2, Qword, SeccompCmpOp::Ne, 0)?;
    rules.entry(libc::SYS_prlimit64).or_default().push(SeccompRule::new(vec![is_it, is_new])?);
    Ok(())
}

/// Sockets by their families. What was connected when it was made needs no address, and stays; a datagram socket could be
/// given another one.
fn sockets(rules: &mut Rules, allowed: Allowed) -> Result<(), seccompiler::Error> {
    let route = libc::NETLINK_ROUTE.unsigned_abs().into();
    let mut families = Vec::new();
    if allowed.internet {
        families.extend([libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]);
        let netlink = u64::from(libc::AF_NETLINK.unsigned_abs());
        refuse(rules, libc::SYS_socket, [(0, SeccompCmpOp::Eq, netlink), (2, SeccompCmpOp::Ne, route)])?;
    }
    if allowed.unix {
        families.push(libc::AF_UNIX);
    }
    if families.is_empty() {
        rules.insert(libc::SYS_socket, Vec::new());
    } else {
        let others = families.into_iter().map(|family| (0, SeccompCmpOp::Ne, family.unsigned_abs().into()));
        refuse(rules, libc::SYS_socket, others)?;
    }
    let unix = u64::from(libc::AF_UNIX.unsigned_abs());
    refuse(rules, libc::SYS_socketpair, [(0, SeccompCmpOp::Ne, unix)])?;
    if !allowed.unix {
        for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
            let kind = u64::from(kind.unsigned_abs());
            refuse(rules, libc::SYS_socketpair, [(1, SeccompCmpOp::MaskedEq(TYPE), kind)])?;
        }
    }
    Ok(())
}

/// One more case in which a call is refused: when all of it holds.
fn refuse(
    rules: &mut Rules,
    call: c_long,
    when: impl IntoIterator<Item = (u8, SeccompCmpOp, u64)>,
) -> Result<(), seccompiler::Error> {
    let conditions = when.into_iter().map(|(argument, how, value)| SeccompCondition::new(argument, Dword, how, value));
    let rule = SeccompRule::new(conditions.collect::<Result<_, _>>()?)?;
    rules.entry(call).or_default().push(rule);
    Ok(())
}
