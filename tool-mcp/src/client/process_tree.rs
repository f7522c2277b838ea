//! All processes that a server has started.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// How often what is left is looked for: a process that is just being started is found the next time.
const ROUNDS: usize = 4;

/// A process that leads a session, and what it has started: its session, in whatever groups, and on Linux what has left
/// the session as well, as long as its parents live.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProcessTree(Pid);

impl ProcessTree {
    /// The tree of a process that leads a session.
    pub(super) fn of(leader: u32) -> Option<Self> {
        i32::try_from(leader).ok().and_then(Pid::from_raw).map(Self)
    }

    /// Asks all of it to end.
    pub(super) fn terminate(self) {
        self.signal(Signal::TERM);
    }

    /// Ends all of it.
    pub(super) fn kill(self) {
        for _ in 0..ROUNDS {
            if !self.signal(Signal::KILL) {
                break;
            }
        }
    }

    /// Says whether there was anything to signal.
    fn signal(self, signal: Signal) -> bool {
        let members = members(self.0);
        // Processes may be gone meanwhile.
        let group = kill_process_group(self.0, signal).is_ok();
        let signalled = members.into_iter().filter(|member| kill_process(*member, signal).is_ok()).count();
        group || signalled > 0
    }
}

/// Processes of the leader's session, and those whose parents are among them; none that is dead already.
#[cfg(target_os = "linux")]
fn members(leader: Pid) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let all: Vec<Stat> = ids.filter_map(Stat::of).collect();
    let leader = leader.as_raw_nonzero().get();
    let mut members: Vec<i32> = all.iter().filter(|stat| stat.session == leader).map(|stat| stat.id).collect();
    let mut looked_at = 0;
    while looked_at < members.len() {
        let parent = members[looked_at];
        looked_at += 1;
        let children = all.iter().filter(|stat| stat.parent == parent).map(|stat| stat.id);
        let fresh: Vec<i32> = children.filter(|child| !members.contains(child)).collect();
        members.extend(fresh);
    }
    members.into_iter().filter_map(Pid::from_raw).collect()
}

#[cfg(not(target_os = "linux"))]
fn members(_: Pid) -> Vec<Pid> {
    Vec::new()
}

/// What `/proc/PID/stat` says.
#[cfg(target_os = "linux")]
struct Stat {
    id: i32,
    parent: i32,
    session: i32,
}

#[cfg(target_os = "linux")]
impl Stat {
    fn of(id: i32) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The program's name, in brackets, may have anything in it.
        let (_, fields) = text.rsplit_once(')')?;
        let mut fields = fields.split_whitespace();
        let is_dead = matches!(fields.next()?, "Z" | "X");
        let mut number = || fields.next()?.parse().ok();
        let (parent, _group, session): (i32, i32, i32) = (number()?, number()?, number()?);
        (!is_dead).then_some(Self { id, parent, session })
    }
}
