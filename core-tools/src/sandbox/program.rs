//! The filter as the kernel runs it: a call's number is found by halves, and what depends on its arguments is
//! [`seccompiler`]'s.
//!
//! The kernel runs a new filter for every number there is, to know which it need not be asked about again. Comparing with
//! one number after the other, that alone takes a good part of the time that a process takes to start.

use seccompiler::{BpfProgram, TargetArch, sock_filter};

/// So many numbers are compared with one after the other.
const COMPARED: usize = 2;

/// Where a call's number and the processor's kind are in what a filter sees.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;

/// Numbers from here on are x86-64's second set (x32), which would pass for other calls.
const SECOND_SET: u32 = 0x4000_0000;

/// What instructions are made of, as the kernel numbers them.
const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

/// One instruction.
pub(super) struct Instruction;

impl Instruction {
    /// The call gives EPERM.
    pub(super) const REFUSE: sock_filter = returns(libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs());
    /// The call gives ENOSYS, as one that the kernel does not have.
    const UNKNOWN: sock_filter = returns(libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs());
    const ALLOW: sock_filter = returns(libc::SECCOMP_RET_ALLOW);
    const KILL: sock_filter = returns(libc::SECCOMP_RET_KILL_PROCESS);

    /// Goes on with the part of this index.
    pub(super) fn jump(part: usize) -> sock_filter {
        sock_filter { code: JUMP, jt: 0, jf: 0, k: u32::try_from(part).unwrap_or(u32::MAX) }
    }
}

const fn returns(what: u32) -> sock_filter {
    sock_filter { code: RETURN, jt: 0, jf: 0, k: what }
}

const fn load(at: u32) -> sock_filter {
    sock_filter { code: LOAD, jt: 0, jf: 0, k: at }
}

/// If it is that number, the next instruction, else the one after.
const fn if_equal(number: u32) -> sock_filter {
    sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf: 1, k: number }
}

/// The program that does for each of these numbers, in their order, what stands beside it, and allows all others.
pub(super) fn joined(arch: TargetArch, cases: &[(u32, sock_filter)], parts: Vec<BpfProgram>) -> BpfProgram {
    let clone3 = u32::try_from(libc::SYS_clone3).unwrap_or(u32::MAX);
    let mut all = vec![
        load(ARCH),
        sock_filter { code: JUMP_IF_EQUAL, jt: 1, jf: 0, k: kind(arch) },
        Instruction::KILL,
        load(NUMBER),
        sock_filter { code: JUMP_IF_AT_LEAST, jt: 1, jf: 0, k: SECOND_SET },
        // Its flags are where no filter sees them; programs then take `clone`.
        sock_filter { code: JUMP_IF_EQUAL, jt: 0, jf: 1, k: clone3 },
        Instruction::UNKNOWN,
    ];
    all.extend(halves(cases));
    let mut starts = Vec::with_capacity(parts.len());
    let mut end = all.len();
    for part in &parts {
        starts.push(end);
        end += part.len();
    }
    for (at, jump) in all.iter_mut().enumerate().filter(|(_, one)| one.code == JUMP) {
        let start = usize::try_from(jump.k).ok().and_then(|part| starts.get(part));
        // Jumps are ahead, from the next instruction.
        jump.k = start.and_then(|start| u32::try_from(start - at - 1).ok()).unwrap_or(u32::MAX);
    }
    all.extend(parts.into_iter().flatten());
    all
}

fn halves(cases: &[(u32, sock_filter)]) -> BpfProgram {
    let (before, from) = cases.split_at(cases.len() / 2);
    if cases.len() > COMPARED
        && let Some((first, _)) = from.first()
    {
        let (before, from) = (halves(before), halves(from));
        // No jump that depends on something is longer; a kernel takes no program with one that leads elsewhere.
        let skip = u8::try_from(before.len()).unwrap_or(u8::MAX);
        let choice = sock_filter { code: JUMP_IF_AT_LEAST, jt: skip, jf: 0, k: *first };
        return [vec![choice], before, from].concat();
    }
    let compared = cases.iter().flat_map(|(number, what)| [if_equal(*number), what.clone()]);
    compared.chain([Instruction::ALLOW]).collect()
}

/// How the kernel numbers a kind of processor (`linux/audit.h`).
fn kind(arch: TargetArch) -> u32 {
    match arch {
        TargetArch::x86_64 => 0xc000_003e,
        TargetArch::aarch64 => 0xc000_00b7,
        TargetArch::riscv64 => 0xc000_00f3,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a call, by a reader of the few instructions used here; `None` for the part it is left to.
    fn run(program: &[sock_filter], number: u32) -> Option<u32> {
        let (mut at, mut value) = (0, 0);
        loop {
            let one = &program[at];
            at += 1;
            let jump = match one.code {
                LOAD => {
                    value = if one.k == ARCH { kind(TargetArch::x86_64) } else { number };
                    0
                }
                JUMP_IF_EQUAL => usize::from(if value == one.k { one.jt } else { one.jf }),
                JUMP_IF_AT_LEAST => usize::from(if value >= one.k { one.jt } else { one.jf }),
                JUMP => return None,
                RETURN => return Some(one.k),
                code => panic!("instruction {code}"),
            };
            at += jump;
        }
    }

    #[test]
    fn every_number_comes_to_its_own() {
        for count in [0, 1, 2, 3, 7, 100] {
            let part = count / 2;
            let what = |at| if at == part { Instruction::jump(0) } else { Instruction::REFUSE };
            let cases: Vec<_> = (0..count).map(|at| (3 * at + 1, what(at))).collect();
            let program = joined(TargetArch::x86_64, &cases, vec![vec![Instruction::ALLOW]]);
            for number in 0..3 * count + 3 {
                let wanted = match cases.iter().position(|(case, _)| *case == number) {
                    Some(at) if u32::try_from(at) == Ok(part) => None,
                    Some(_) => Some(Instruction::REFUSE.k),
                    None => Some(Instruction::ALLOW.k),
                };
                assert_eq!(run(&program, number), wanted, "{number} of {count}");
            }
            assert_eq!(run(&program, SECOND_SET), Some(Instruction::UNKNOWN.k));
        }
    }
}
