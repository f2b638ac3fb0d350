//! Shared memory, semaphores and message queues of System V, which outlive who made them: what a
//! load leaves of them is removed when this is dropped.

use std::collections::BTreeSet;
use std::fs;

/// Kinds, by the names of their files below `/proc/sysvipc`.
const KINDS: [&str; 3] = ["msg", "sem", "shm"];

/// Removes at its end what a user has made meanwhile. (Segments tell the process that made them,
/// semaphores and queues do not: no other test may work as that user at the same time.)
pub struct SysvLeftovers {
    user: u32,
    before: BTreeSet<(&'static str, i32)>,
}

impl SysvLeftovers {
    /// From now on; `user` is the id of who makes them.
    pub fn of(user: u32) -> SysvLeftovers {
        SysvLeftovers { user, before: made_by(user) }
    }
}

impl Drop for SysvLeftovers {
    fn drop(&mut self) {
        for (kind, id) in made_by(self.user).difference(&self.before) {
            // SAFETY: the calls take numbers; IPC_RMID looks at no buffer.
            let failed = unsafe {
                match *kind {
                    "msg" => libc::msgctl(*id, libc::IPC_RMID, std::ptr::null_mut()),
                    "sem" => libc::semctl(*id, 0, libc::IPC_RMID),
                    _ => libc::shmctl(*id, libc::IPC_RMID, std::ptr::null_mut()),
                }
            };
            if failed != 0 {
                eprintln!("left behind: System V {kind} {id}: {}", std::io::Error::last_os_error());
            }
        }
    }
}

/// Kind and id of what a user has made.
fn made_by(user: u32) -> BTreeSet<(&'static str, i32)> {
    let mut made = BTreeSet::new();
    for kind in KINDS {
        let text = fs::read_to_string(format!("/proc/sysvipc/{kind}")).unwrap_or_default();
        made.extend(ids(&text, user).into_iter().map(|id| (kind, id)));
    }
    made
}

/// Ids of the rows whose creator (`cuid`) is `user`; they stand in the second column.
fn ids(text: &str, user: u32) -> Vec<i32> {
    let mut lines = text.lines();
    let creator = lines.next().and_then(|line| line.split_whitespace().position(|name| name == "cuid"));
    let id = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let by: u32 = words.get(creator?)?.parse().ok()?;
        words.get(1)?.parse().ok().filter(|_| by == user)
    };
    lines.filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_user() {
        let text = "       key      msqid perms      cbytes       qnum lspid lrpid   uid   gid  cuid  cgid      stime\n\
                    \x20     2380          6   777           0          0     0     0     1     1 65534 65534          0\n\
                    \x20     2381          7   777           0          0     0     0 65534 65534     0     0          0\n";
        assert_eq!(ids(text, 65534), [6]);
        assert!(ids("", 0).is_empty());
    }

    #[test]
    fn what_was_made_meanwhile_is_removed() {
        // SAFETY: moves this thread into an empty namespace, in which nothing is anybody else's.
        if unsafe { libc::unshare(libc::CLONE_NEWIPC) } != 0 {
            let why = std::io::Error::last_os_error();
            return heldup_skip::skipped(&format!("no namespace of its own: {why}"));
        }
        // SAFETY: takes nothing, cannot fail.
        let user = unsafe { libc::geteuid() };
        let leftovers = SysvLeftovers::of(user);
        // SAFETY: takes numbers only.
        let made = unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, 0o600) };
        assert!(made_by(user).contains(&("shm", made)));
        drop(leftovers);
        assert!(!made_by(user).contains(&("shm", made)));
    }
}
