//! Namespaces of one kind (`net`, `ipc` …): which there are, and a process through which each
//! can be read.
//!
//! A namespace that no process is in (`ip netns add` alone) is not seen: nothing works in it.
//! Six sources ask for the same lists within a sample; they share one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heldup_hostfs::{Host, HostError, monotonic_ns};
use heldup_model::Missing;

use crate::proc_pid::parse_namespace;

/// At most so many namespaces are read: hosts with thousands of containers exist.
pub const MAX_NAMESPACES: usize = 200;
/// A list of the running machine serves the sources that are read within this time after it
/// was made: those of one sample.
const FRESH_NS: u64 = 500_000_000;

/// A namespace and a process in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Inode number.
    pub inode: i64,
    /// A process in it.
    pub pid: i64,
}

/// Namespaces other than our own, in the order of their oldest process id.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OtherNamespaces {
    /// The namespaces.
    pub namespaces: Vec<Namespace>,
    /// There are more than are listed.
    pub cut: bool,
    /// Processes whose namespace the rights do not allow to see.
    pub denied: usize,
}

/// Inode of our own namespace; of a recorded tree that of its first process.
pub fn own(host: &Host, kind: &str) -> Option<i64> {
    let link_of = |process: &str| host.read_link(format!("/proc/{process}/ns/{kind}"));
    let link = link_of("self").or_else(|_| link_of("1"));
    parse_namespace(&link.ok()?)
}

/// A process that a source has just looked into, which need not be done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Process id; not of a kernel thread, nor of what has ended.
    pub pid: i64,
    /// Inodes of its namespaces in the order of [`SEEN_KINDS`], where they were read.
    pub namespaces: [Option<i64>; 3],
}

/// Kinds of namespaces that a [`Seen`] process may tell.
pub const SEEN_KINDS: [&str; 3] = ["net", "ipc", "mnt"];

/// Lists of processes and namespaces, shared by its copies.
#[derive(Clone, Debug, Default)]
pub struct Namespaces {
    lists: Arc<Mutex<Lists>>,
}

/// Each with the monotonic time at which it was made.
#[derive(Debug, Default)]
struct Lists {
    processes: Option<(u64, Arc<[i64]>)>,
    others: BTreeMap<&'static str, (u64, Arc<OtherNamespaces>)>,
    seen: Option<(u64, Arc<[Seen]>)>,
}

impl Namespaces {
    /// Every other namespace, each once. Costs about 3 µs a process, and nothing soon after.
    pub fn others(&self, host: &Host, kind: &'static str) -> Arc<OtherNamespaces> {
        if let Some(known) = self.lock().others.get(kind).and_then(|list| fresh(host, list)) {
            return known;
        }
        // Not under the lock: the source that lists may be stopped in the kernel.
        let processes = self.processes(host);
        let seen = self.lock().seen.as_ref().and_then(|list| fresh(host, list));
        let known = seen.map(|seen| known(&seen, kind)).unwrap_or_default();
        let made = (monotonic_ns(), Arc::new(others(host, kind, &processes, &known)));
        self.lock().others.insert(kind, made.clone());
        made.1
    }

    /// Processes other than kernel threads, which all are in the first namespaces and hold no
    /// files, in the order of their ids.
    pub fn processes(&self, host: &Host) -> Arc<[i64]> {
        if let Some(known) = self.lock().processes.as_ref().and_then(|list| fresh(host, list)) {
            return known;
        }
        let made = (monotonic_ns(), processes(host).into());
        self.lock().processes = Some(made.clone());
        made.1
    }

    /// Takes over what a pass over all processes saw, in the order of their ids.
    pub fn note(&self, seen: Vec<Seen>) {
        let now = monotonic_ns();
        let mut lists = self.lock();
        lists.processes = Some((now, seen.iter().map(|one| one.pid).collect()));
        lists.seen = Some((now, seen.into()));
    }

    /// No code that can panic runs under the lock; what it holds is whole either way.
    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Recorded trees are changed between two readings as tests like it.
fn fresh<T: ?Sized>(host: &Host, (made_ns, list): &(u64, Arc<T>)) -> Option<Arc<T>> {
    let is_fresh = host.is_live() && monotonic_ns().saturating_sub(*made_ns) < FRESH_NS;
    is_fresh.then(|| Arc::clone(list))
}

/// Only kernel threads and what has ended have no program. Recorded trees do not have the link.
fn processes(host: &Host) -> Vec<i64> {
    let mut pids = host.list_numbers("/proc").unwrap_or_default();
    if host.is_live() {
        pids.retain(|pid| !host.read_link(format!("/proc/{pid}/exe")).is_err_and(|error| error.is_absent()));
    }
    pids
}

/// Inodes of a kind by process.
fn known(seen: &[Seen], kind: &str) -> HashMap<i64, i64> {
    let Some(at) = SEEN_KINDS.iter().position(|known| *known == kind) else { return HashMap::new() };
    seen.iter().filter_map(|one| Some((one.pid, one.namespaces[at]?))).collect()
}

fn others(host: &Host, kind: &str, processes: &[i64], known: &HashMap<i64, i64>) -> OtherNamespaces {
    let mut seen: HashSet<i64> = own(host, kind).into_iter().collect();
    let mut others = OtherNamespaces::default();
    for &pid in processes {
        let inode = known.get(&pid).copied().or_else(|| {
            let link = host.read_link(format!("/proc/{pid}/ns/{kind}"));
            others.denied += usize::from(link.as_ref().is_err_and(HostError::is_denied));
            parse_namespace(&link.ok()?)
        });
        let Some(inode) = inode.filter(|inode| seen.insert(*inode)) else { continue };
        if others.namespaces.len() == MAX_NAMESPACES {
            others.cut = true;
            break;
        }
        others.namespaces.push(Namespace { inode, pid });
    }
    others
}

/// What of the namespaces of a kind (`network`, `mount`) could not be seen.
pub fn unseen(others: &OtherNamespaces, kind: &str, what: &str) -> Option<Missing> {
    let (why, how) = if others.cut {
        let why = format!("more than {MAX_NAMESPACES} {kind} namespaces; the first were read");
        (why, "run it inside the container in question")
    } else if others.denied > 0 {
        let why = format!("{kind} namespaces of {} process(es): not allowed", others.denied);
        (why, "run as root, and with CAP_SYS_PTRACE")
    } else {
        return None;
    };
    Some(Missing { what: what.to_owned(), why, how: how.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pass_over_all_processes_saw_is_not_read_again() {
        let (host, lists) = (Host::live(), Namespaces::default());
        let own = heldup_hostfs::own_pid();
        lists.note(vec![Seen { pid: own, namespaces: [Some(7), None, Some(8)] }]);
        assert_eq!(lists.processes(&host)[..], [own]);
        let of = |kind| lists.others(&host, kind).namespaces.clone();
        assert_eq!(of("net"), [Namespace { inode: 7, pid: own }]);
        assert_eq!(of("mnt"), [Namespace { inode: 8, pid: own }]);
        assert_eq!(of("ipc"), [], "it is read, and is our own");
    }
}
