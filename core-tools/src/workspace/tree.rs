//! All that a command has started, wherever it went.
//!
//! A process group holds those that did not leave it. Who made a session of its own, or was left by its parent, is known
//! by three things: its session, its parents, and a mark that every command has in its environment and hands down. What
//! is not found: a process that left its group, whose parents have ended, and that threw its environment away or wrote
//! over it. (A group of the kernel's own, a cgroup, would have it too, but is not to be had without rights; to take in
//! orphans is a choice for a whole process, which a library has no business to make.)

use std::{
    collections::HashSet,
    ffi::{OsStr, OsString},
    fs,
    hash::{BuildHasher, RandomState},
};

use rustix::process::{Pid, Signal, getpid, kill_process};

/// How often new children are looked for while all are killed: one that starts others may win some of the races.
const ROUNDS: usize = 16;

/// What tells a command's processes from all others.
#[derive(Debug, Clone)]
pub(super) struct Mark(String);

impl Mark {
    /// The variable that holds it.
    pub(super) const NAME: &str = "TOOL_PROCESS_TREE";

    /// One that no other command has.
    pub(super) fn new() -> Self {
        let random = RandomState::new();
        Self(format!("{:016x}{:016x}", random.hash_one(1), random.hash_one(2)))
    }

    /// The variable with it. A host that is itself such a command's child adds to what it has.
    pub(super) fn variable(&self, inherited: Option<&OsStr>) -> (&'static str, OsString) {
        let mut value = inherited.map(OsStr::to_owned).unwrap_or_default();
        if !value.is_empty() {
            value.push(":");
        }
        value.push(&self.0);
        (Self::NAME, value)
    }

    /// Whether an environment, as the kernel shows it, has the mark.
    fn is_in(&self, environment: &[u8]) -> bool {
        let variable = environment.split(|byte| *byte == 0).find_map(|entry| {
            let value = entry.strip_prefix(Self::NAME.as_bytes())?;
            value.strip_prefix(b"=")
        });
        variable.is_some_and(|value| value.split(|byte| *byte == b':').any(|mark| mark == self.0.as_bytes()))
    }
}

/// A command's first process and its descent.
#[derive(Debug)]
pub(super) struct Tree {
    leader: Pid,
    mark: Mark,
    /// Whether the leader's number is its own still.
    has_leader: bool,
}

impl Tree {
    /// What this process, which leads a group and a session, has started under this mark.
    pub(super) fn new(leader: Pid, mark: Mark) -> Self {
        Self { leader, mark, has_leader: true }
    }

    /// The first process; its group and session have the same number.
    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// The first process has ended and was waited for: others may get its number.
    pub(super) fn leader_is_gone(&mut self) {
        self.has_leader = false;
    }

    /// Signals all there are. What a kill finds is looked for until nothing new comes.
    pub(super) fn signal_all(&self, signal: Signal) {
        let mut signalled = HashSet::new();
        let rounds = if signal == Signal::KILL { ROUNDS } else { 1 };
        for _ in 0..rounds {
            let mut found = self.members();
            found.retain(|pid| signalled.insert(*pid));
            if found.is_empty() {
                break;
            }
            for pid in found {
                let _ = kill_process(pid, signal);
                if signal == Signal::TERM {
                    let _ = kill_process(pid, Signal::CONT);
                }
            }
        }
    }

    /// Those that run. Where the kernel shows no processes there are none to be found.
    pub(super) fn members(&self) -> Vec<Pid> {
        let own = getpid().as_raw_pid();
        let all: Vec<Seen> = numbers().filter(|pid| *pid != own).filter_map(Seen::of).collect();
        let mut members: HashSet<i32> =
            all.iter().filter(|seen| self.is_near(seen) || self.has_mark(seen)).map(|seen| seen.pid).collect();
        // Parents need not come before their children.
        loop {
            let before = members.len();
            for seen in &all {
                if members.contains(&seen.parent) {
                    members.insert(seen.pid);
                }
            }
            if members.len() == before {
                break;
            }
        }
        let running = all.iter().filter(|seen| seen.runs && members.contains(&seen.pid));
        running.filter_map(|seen| Pid::from_raw(seen.pid)).collect()
    }

    fn is_near(&self, seen: &Seen) -> bool {
        let leader = self.leader.as_raw_pid();
        self.has_leader && [seen.pid, seen.group, seen.session].contains(&leader)
    }

    fn has_mark(&self, seen: &Seen) -> bool {
        fs::read(format!("/proc/{}/environ", seen.pid)).is_ok_and(|environment| self.mark.is_in(&environment))
    }
}

fn numbers() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A process as the kernel tells of it.
struct Seen {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    /// It has not ended.
    runs: bool,
}

impl Seen {
    fn of(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // Its name comes before, in brackets, and may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let runs = !matches!(fields.next()?, "Z" | "X" | "x");
        let mut number = || fields.next()?.parse().ok();
        Some(Self { pid, parent: number()?, group: number()?, session: number()?, runs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_among_others_and_in_whole_only() {
        let mark = Mark::new();
        let (name, value) = mark.variable(Some(OsStr::new("outer")));
        let environment = format!("A=1\0{name}={}\0B=2\0", value.to_string_lossy());
        assert!(mark.is_in(environment.as_bytes()));
        assert!(Mark("outer".to_owned()).is_in(environment.as_bytes()));
        assert!(!Mark("oute".to_owned()).is_in(environment.as_bytes()));
        assert!(!mark.is_in(format!("OTHER={}\0", mark.0).as_bytes()));
    }
}
