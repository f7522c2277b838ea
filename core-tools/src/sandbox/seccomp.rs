//! The system calls that confined commands do not get, as a filter that the kernel runs.
//!
//! Landlock and mounts say which files may be written. What is refused here gets round files: other processes, other
//! namespaces, the kernel's own settings, and sockets, of which the filter sees the family alone. What is refused gives
//! EPERM, so that a program can tell it; a program for another kind of processor is killed (SIGSYS), since its calls
//! have other numbers.

use std::{collections::BTreeMap, io, sync::OnceLock};

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};

use super::calls::{ATTRIBUTES, MODES, NAMESPACES, REFUSED, SHARED_MEMORY, TYPING};

/// So many calls are compared with one after the other. The kernel runs a new filter once for every call there is, so a
/// list of all would take as long as starting a process.
const COMPARED: usize = 8;

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

// Instructions, as the kernel numbers them.
const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The bits of a socket's type that are its type.
const TYPE: u64 = 0xf;

/// The program, made once for each choice.
pub(super) fn program(allowed: Allowed) -> io::Result<&'static BpfProgram> {
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
    seccompiler::apply_filter(program(allowed)?).map_err(io::Error::other)
}

/// The program as the kernel and bubblewrap read it from a file.
pub(super) fn bytes(program: &BpfProgram) -> Vec<u8> {
    let instruction = |one: &sock_filter| {
        let [k0, k1, k2, k3] = one.k.to_ne_bytes();
        let [c0, c1] = one.code.to_ne_bytes();
        [c0, c1, one.jt, one.jf, k0, k1, k2, k3]
    };
    program.iter().flat_map(instruction).collect()
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
    for request in TYPING {
        refuse(&mut rules, libc::SYS_ioctl, [(1, SeccompCmpOp::Eq, request)])?;
    }
    for (call, argument) in MODES.into_iter().filter(|_| allowed.attributes) {
        // A program that runs with its owner's rights is a way out for later.
        let setuid = u64::from(libc::S_ISUID);
        refuse(&mut rules, call, [(argument, SeccompCmpOp::MaskedEq(setuid), setuid)])?;
    }
    // The limits of another process.
    refuse(&mut rules, libc::SYS_prlimit64, [(0, SeccompCmpOp::Ne, 0)])?;
    sockets(&mut rules, allowed)?;

    let mut parts = Vec::new();
    while let Some((first, _)) = rules.first_key_value() {
        let first = *first;
        let next = rules.keys().nth(COMPARED).copied();
        let rest = next.map(|next| rules.split_off(&next)).unwrap_or_default();
        parts.push((first, part(std::mem::replace(&mut rules, rest))?));
    }
    Ok(joined(parts))
}

fn part(rules: Rules) -> Result<BpfProgram, seccompiler::Error> {
    let arch = std::env::consts::ARCH.try_into()?;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, refused, arch)?.try_into()?)
}

/// One program of several that are for different calls: each from its first on.
fn joined(parts: Vec<(i64, BpfProgram)>) -> BpfProgram {
    let mut all = Vec::from(unknown_calls());
    let jump = |ahead: usize| sock_filter { code: JUMP, jt: 0, jf: 0, k: u32::try_from(ahead).unwrap_or(u32::MAX) };
    // Two instructions a part, but one for the last: from the first of them, so far to the part's own.
    let mut ahead = 2 * parts.len().saturating_sub(1) + 1;
    for pair in parts.windows(2) {
        let next = u32::try_from(pair[1].0).unwrap_or(u32::MAX);
        all.push(sock_filter { code: JUMP_IF_AT_LEAST, jt: 1, jf: 0, k: next });
        all.push(jump(ahead - 2));
        ahead = ahead - 2 + pair[0].1.len();
    }
    all.push(jump(ahead - 1));
    all.extend(parts.into_iter().flat_map(|(_, program)| program));
    all
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

/// What comes before: calls that "do not exist". `clone3` has its flags where no filter sees them, and programs then take
/// `clone`; numbers from here on are x86-64's second set (x32), which would pass under other numbers.
fn unknown_calls() -> [sock_filter; 4] {
    const SECOND_SET: u32 = 0x4000_0000;
    let clone3 = u32::try_from(libc::SYS_clone3).unwrap_or(u32::MAX);
    let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    [
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 1, jf: 0, k: SECOND_SET },
        sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf: 1, k: clone3 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: unknown },
    ]
}
