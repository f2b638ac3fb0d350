//! Namespaces of one kind (`net`, `ipc` …): which there are, and a process through which each
//! can be read.
//!
//! A namespace that no process is in (`ip netns add` alone) is not seen: nothing works in it.

use std::collections::HashSet;

use heldup_hostfs::Host;
use heldup_model::Missing;

use crate::proc_pid::parse_namespace;

/// At most so many namespaces are read: hosts with thousands of containers exist.
pub const MAX_NAMESPACES: usize = 200;

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

/// Every other namespace, each once. Costs about 2 µs a process.
pub fn others(host: &Host, kind: &str) -> OtherNamespaces {
    let mut seen: HashSet<i64> = own(host, kind).into_iter().collect();
    let mut others = OtherNamespaces::default();
    for pid in host.list_numbers("/proc").unwrap_or_default() {
        let inode = match host.read_link(format!("/proc/{pid}/ns/{kind}")) {
            Ok(link) => parse_namespace(&link),
            Err(error) => {
                others.denied += usize::from(error.is_denied());
                None
            }
        };
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
