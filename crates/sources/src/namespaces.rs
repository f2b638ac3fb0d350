//! Namespaces of one kind (`net`, `ipc` …): which there are, and a process through which each
//! can be read.
//!
//! A namespace that no process is in (`ip netns add` alone) is not seen: nothing works in it.
//! Six sources ask for the same lists within a sample; they share one. For a recorder, whose sources are
//! read at different samples, what was seen of a process holds until the next pass over all of them: only
//! who is new is looked at, and who has gone over to another namespace meanwhile is seen a minute late.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use heldup_hostfs::{Host, HostError, monotonic_ns};
use heldup_model::Missing;

use crate::kernel_text::count;

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

/// The inode in a link such as `net:[4026531833]`.
pub fn parse_namespace(link: &str) -> Option<i64> {
    let (_, rest) = link.split_once(":[")?;
    count(rest.strip_suffix(']')?.as_bytes())
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
    /// Everybody who lives, kernel threads included.
    alive: Option<(u64, Arc<[i64]>)>,
    others: BTreeMap<&'static str, (u64, Arc<OtherNamespaces>)>,
    seen: Option<(u64, Arc<[Seen]>)>,
    /// What is known of each process since the last pass, for a recorder; taken while somebody looks.
    known: HashMap<i64, KnownNamespaces>,
    is_of_recorder: bool,
}

/// What a recorder knows of a process.
#[derive(Clone, Copy, Debug, Default)]
struct KnownNamespaces {
    /// It has a program: it is no kernel thread, and has not ended.
    has_program: bool,
    /// In the order of [`SEEN_KINDS`].
    namespaces: [Option<i64>; 3],
}

impl Namespaces {
    /// Lists for a recorder: what is seen of a process is kept until the next pass over all of them
    /// ([`Namespaces::note`]), which the recorder's source of processes makes once a minute.
    pub fn for_recorder() -> Namespaces {
        let lists = Lists { is_of_recorder: true, ..Lists::default() };
        Namespaces { lists: Arc::new(Mutex::new(lists)) }
    }

    /// Every other namespace, each once. Costs about 3 µs a process, and nothing soon after.
    pub fn others(&self, host: &Host, kind: &'static str) -> Arc<OtherNamespaces> {
        if let Some(known) = self.lock().others.get(kind).and_then(|list| fresh(host, list)) {
            return known;
        }
        let processes = self.processes(host);
        let at = SEEN_KINDS.iter().position(|seen| *seen == kind);
        let mut known = self.take_known(host);
        // Not under the lock: the source that lists may be stopped in the kernel.
        let namespace_of = |pid| {
            let slot = at.map(|at| &mut known.entry(pid).or_default().namespaces[at]);
            if let Some(Some(inode)) = slot {
                return Ok(Some(*inode));
            }
            let inode = parse_namespace(&host.read_link(format!("/proc/{pid}/ns/{kind}"))?);
            slot.into_iter().for_each(|slot| *slot = inode);
            Ok(inode)
        };
        let others = others(host, kind, &processes, namespace_of);
        let made = (monotonic_ns(), Arc::new(others));
        let mut lists = self.lock();
        lists.give_back(known);
        lists.others.insert(kind, made.clone());
        made.1
    }

    /// Processes other than kernel threads, which all are in the first namespaces and hold no
    /// files, in the order of their ids.
    pub fn processes(&self, host: &Host) -> Arc<[i64]> {
        if let Some(known) = self.lock().processes.as_ref().and_then(|list| fresh(host, list)) {
            return known;
        }
        let alive = self.lock().alive.as_ref().and_then(|list| fresh(host, list));
        let listed = |alive: Arc<[i64]>| alive.to_vec();
        let mut pids = alive.map_or_else(|| host.list_numbers("/proc").unwrap_or_default(), listed);
        let mut known = self.take_known(host);
        if host.is_live() {
            known.retain(|pid, _| pids.binary_search(pid).is_ok());
            pids.retain(|pid| {
                let entry = known.entry(*pid);
                entry
                    .or_insert_with(|| KnownNamespaces {
                        has_program: has_program(host, *pid),
                        ..KnownNamespaces::default()
                    })
                    .has_program
            });
        }
        let made = (monotonic_ns(), pids.into());
        let mut lists = self.lock();
        lists.give_back(known);
        lists.processes = Some(made.clone());
        made.1
    }

    /// What is known of processes by now: since the last pass for a recorder, else by one of this sample.
    fn take_known(&self, host: &Host) -> HashMap<i64, KnownNamespaces> {
        let mut lists = self.lock();
        if lists.is_of_recorder {
            return std::mem::take(&mut lists.known);
        }
        let seen = lists.seen.as_ref().and_then(|list| fresh(host, list));
        seen.iter().flat_map(|seen| seen.iter()).map(Seen::known).collect()
    }

    /// Takes over who lives, by number, from who knows it without listing `/proc`.
    pub fn note_alive(&self, pids: impl Iterator<Item = i64>) {
        self.lock().alive = Some((monotonic_ns(), pids.collect()));
    }

    /// Takes over what a pass over all processes saw, in the order of their ids.
    pub fn note(&self, seen: Vec<Seen>) {
        let now = monotonic_ns();
        let mut lists = self.lock();
        lists.processes = Some((now, seen.iter().map(|one| one.pid).collect()));
        if lists.is_of_recorder {
            // The kernel's threads stay what they are, which a pass does not tell.
            lists.known.retain(|_, known| !known.has_program);
            lists.known.extend(seen.iter().map(Seen::known));
        } else {
            lists.seen = Some((now, seen.into()));
        }
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

impl Lists {
    /// Keeps what was found out of processes meanwhile; a pass over all of them knows better.
    fn give_back(&mut self, known: HashMap<i64, KnownNamespaces>) {
        if self.is_of_recorder && self.known.is_empty() {
            self.known = known;
        }
    }
}

impl Seen {
    fn known(&self) -> (i64, KnownNamespaces) {
        (self.pid, KnownNamespaces { has_program: true, namespaces: self.namespaces })
    }
}

/// Only kernel threads and what has ended have no program. Recorded trees do not have the link.
fn has_program(host: &Host, pid: i64) -> bool {
    !host.read_link(format!("/proc/{pid}/exe")).is_err_and(|error| error.is_absent())
}

/// `namespace_of` gives the inode of a process's namespace.
fn others(
    host: &Host,
    kind: &str,
    processes: &[i64],
    mut namespace_of: impl FnMut(i64) -> Result<Option<i64>, HostError>,
) -> OtherNamespaces {
    let mut seen: HashSet<i64> = own(host, kind).into_iter().collect();
    let mut others = OtherNamespaces::default();
    for &pid in processes {
        let inode = namespace_of(pid);
        others.denied += usize::from(inode.as_ref().is_err_and(HostError::is_denied));
        let inode = inode.ok().flatten().filter(|inode| !seen.contains(inode));
        // Through one that has ended since it was looked at nothing can be read.
        let Some(inode) = inode.filter(|_| !host.is_live() || has_program(host, pid)) else { continue };
        seen.insert(inode);
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
        let why = format!("{kind} namespaces of {} processes not readable: denied", others.denied);
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
    fn a_recorder_looks_at_who_is_new() {
        let (host, lists) = (Host::live(), Namespaces::for_recorder());
        let own = heldup_hostfs::own_pid();
        let seen = |pid| Seen { pid, namespaces: [Some(7), None, None] };
        // No process has the number 0.
        lists.note(vec![seen(0), seen(own)]);
        let again = || {
            let mut lists = lists.lock();
            (lists.processes, lists.others) = (None, BTreeMap::new());
        };
        again();
        let all = lists.processes(&host);
        assert!(all.contains(&own) && all.contains(&1) && !all.contains(&0), "as /proc lists them: {all:?}");
        assert!(lists.lock().known.get(&1).is_some_and(|first| first.has_program), "it was looked at");
        assert_eq!(lists.others(&host, "net").namespaces, [Namespace { inode: 7, pid: own }]);
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        lists.lock().known.insert(child.id().into(), seen(0).known().1);
        child.kill().expect("killed");
        let is_zombie = || {
            let stat =
                host.read_text(format!("/proc/{}/stat", child.id())).expect("it is not waited for yet");
            stat.contains(") Z ")
        };
        while !is_zombie() {}
        again();
        lists.lock().known.remove(&own);
        assert_eq!(lists.others(&host, "net").namespaces, [], "nothing is read through a zombie");
        child.wait().expect("ended");
        again();
        lists.processes(&host);
        assert!(!lists.lock().known.contains_key(&i64::from(child.id())), "who has ended is forgotten");
    }

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
