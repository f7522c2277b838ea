//! All that a command has started, wherever it went.
//!
//! A process group holds those that did not leave it. Who made a session of its own, or was left by its parent, is known
//! by its session, its parents, and a `mark` that every command has and hands down. (A group of the kernel's own, a
//! cgroup, would have it too, but is not to be had without rights. To take in orphans, as a subreaper does, would not say
//! whose they are where several commands run, and would put all a host's other children in among them.) Where the kernel
//! shows no processes, as on macOS, those of the group are all that are found.

use std::{collections::HashSet, fs};

use rustix::process::{Pid, Signal, getpid, kill_process};

use super::mark::Mark;

/// How often new children are looked for while all are killed: one that starts others may win some of the races.
const ROUNDS: usize = 16;

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
            all.iter().filter(|seen| self.is_near(seen) || self.mark.is_on(seen.pid)).map(|seen| seen.pid).collect();
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
