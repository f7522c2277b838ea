//! What tells a command's processes from all others, handed down from each to those that it starts.
//!
//! Two things carry it. A variable of the environment, which a program can throw away; and, on Linux, a limit that no
//! process reaches, on the time that a real-time process may take between two waits (`RLIMIT_RTTIME`): the kernel hands
//! limits down through every `fork` and `exec`, a process without rights cannot raise them again, and anybody may look
//! at them. A program that lowers that very limit and empties its environment carries neither.

use std::{
    ffi::{OsStr, OsString},
    fs,
    hash::{BuildHasher, RandomState},
};

use rustix::process::Pid;

/// Tells one command's processes from all others.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    variable: String,
    stamp: Option<Stamp>,
}

impl Mark {
    /// The variable that holds it.
    pub(super) const NAME: &str = "TOOL_PROCESS_TREE";

    /// One that no other command has.
    pub(super) fn new() -> Self {
        let random = RandomState::new();
        let variable = format!("{:016x}{:016x}", random.hash_one(1), random.hash_one(2));
        Self { variable, stamp: Stamp::new(random.hash_one(3)) }
    }

    /// The variable with it. A host that is itself such a command's child adds to what it has.
    pub(super) fn variable(&self, inherited: Option<&OsStr>) -> (&'static str, OsString) {
        let mut value = inherited.map(OsStr::to_owned).unwrap_or_default();
        if !value.is_empty() {
            value.push(":");
        }
        value.push(&self.variable);
        (Self::NAME, value)
    }

    /// Puts the limit on a process that has only just begun, and on what it may have started by then.
    pub(super) fn put_on(&self, leader: Pid) {
        if let Some(stamp) = &self.stamp {
            stamp.put_on(leader);
        }
    }

    /// Whether a process has it.
    pub(super) fn is_on(&self, pid: i32) -> bool {
        self.stamp.as_ref().is_some_and(|stamp| stamp.is_on(pid))
            || fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| self.is_in(&environment))
    }

    /// Whether an environment, as the kernel shows it, has the mark.
    fn is_in(&self, environment: &[u8]) -> bool {
        let variable = environment.split(|byte| *byte == 0).find_map(|entry| {
            let value = entry.strip_prefix(Self::NAME.as_bytes())?;
            value.strip_prefix(b"=")
        });
        variable.is_some_and(|value| value.split(|byte| *byte == b':').any(|mark| mark == self.variable.as_bytes()))
    }
}

/// Limits from here up to twice that are ours: more microseconds than the machine will run.
#[cfg(target_os = "linux")]
const FIRST: u64 = 1 << 61;
/// As many of them are one command's, so that a host among its processes can tell its own commands apart in turn.
#[cfg(target_os = "linux")]
const WIDTH: u64 = 1 << 30;

/// The limits that a command's processes have.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp(std::ops::RangeInclusive<u64>);

#[cfg(target_os = "linux")]
impl Stamp {
    /// One of its own, by chance, within what this process has itself.
    fn new(random: u64) -> Option<Self> {
        Self::within(rustix::process::getrlimit(rustix::process::Resource::Rttime).maximum, random)
    }

    /// `None` where limits are no longer wide enough to be told apart, or somebody has set one that is to be reached.
    fn within(own: Option<u64>, random: u64) -> Option<Self> {
        match own {
            Some(own) if (FIRST..2 * FIRST).contains(&own) => {
                let start = own & !(WIDTH - 1);
                // All but the last, which is the outer command's own.
                let one = start + random % (WIDTH - 1);
                (own == start + (WIDTH - 1)).then_some(Self(one..=one))
            }
            Some(own) if own < FIRST => None,
            _ => {
                let start = FIRST + random % (FIRST / WIDTH) * WIDTH;
                Some(Self(start..=start + (WIDTH - 1)))
            }
        }
    }

    fn put_on(&self, leader: Pid) {
        use rustix::process::{Resource, Rlimit, getrlimit, prlimit};

        let most = *self.0.end();
        let current = getrlimit(Resource::Rttime).current.unwrap_or(most).min(most);
        let limit = Rlimit { current: Some(current), maximum: Some(most) };
        let mut begun = vec![leader];
        while let Some(pid) = begun.pop() {
            // Where that is refused, as for a program with another's rights, the other signs are left.
            let _ = prlimit(Some(pid), Resource::Rttime, limit);
            // Only then: those that come later have it from their parent.
            let number = pid.as_raw_pid();
            let children = fs::read_to_string(format!("/proc/{number}/task/{number}/children")).unwrap_or_default();
            begun.extend(children.split_ascii_whitespace().filter_map(|child| Pid::from_raw(child.parse().ok()?)));
        }
    }

    fn is_on(&self, pid: i32) -> bool {
        fs::read_to_string(format!("/proc/{pid}/limits")).is_ok_and(|limits| self.is_in(&limits))
    }

    /// Whether limits, as the kernel shows them, have it.
    fn is_in(&self, limits: &str) -> bool {
        let line = limits.lines().find_map(|line| line.strip_prefix("Max realtime timeout"));
        let most = line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok());
        most.is_some_and(|most: u64| self.0.contains(&most))
    }
}

/// Elsewhere limits are not to be seen from outside.
#[cfg(not(target_os = "linux"))]
#[derive(Debug, Clone)]
enum Stamp {}

#[cfg(not(target_os = "linux"))]
impl Stamp {
    fn new(_: u64) -> Option<Self> {
        None
    }

    fn put_on(&self, _: Pid) {
        match *self {}
    }

    fn is_on(&self, _: i32) -> bool {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_among_others_and_in_whole_only() {
        let mark = Mark::new();
        let of = |variable: &str| Mark { variable: variable.to_owned(), stamp: None };
        let (name, value) = mark.variable(Some(OsStr::new("outer")));
        let environment = format!("A=1\0{name}={}\0B=2\0", value.to_string_lossy());
        assert!(mark.is_in(environment.as_bytes()));
        assert!(of("outer").is_in(environment.as_bytes()));
        assert!(!of("oute").is_in(environment.as_bytes()));
        assert!(!mark.is_in(format!("OTHER={}\0", mark.variable).as_bytes()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_stamp_holds_those_within_it_and_no_other() {
        let limits = |most: u64| format!("Max file locks  1 2 locks\nMax realtime timeout      1  {most}  us\n");
        let outer = Stamp::within(None, 7).expect("nothing is in the way");
        let inner = Stamp::within(Some(*outer.0.end()), u64::MAX).expect("there is room for one more");
        assert!(outer.is_in(&limits(*outer.0.end())) && outer.is_in(&limits(*inner.0.end())));
        assert!(inner.is_in(&limits(*inner.0.end())) && !inner.is_in(&limits(*outer.0.end())));
        assert!(!Stamp::within(None, 8).expect("nothing is in the way").is_in(&limits(*outer.0.end())));
        assert_eq!(Stamp::within(Some(*inner.0.end()), 7), None, "there is no room below");
        assert_eq!(Stamp::within(Some(200_000), 7), None, "that one is meant");
        assert!(!outer.is_in("Max realtime timeout  unlimited  unlimited  us\n"));
    }
}
