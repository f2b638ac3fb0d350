//! Network namespaces: which there are, and a process through which each can be read.

use std::sync::Arc;

use heldup_hostfs::Host;

pub use crate::namespaces::OtherNamespaces;
use crate::namespaces::{self, Namespaces};

/// Inode of our own namespace; of a recorded tree that of its first process.
pub fn own(host: &Host) -> Option<i64> {
    namespaces::own(host, "net")
}

/// Where the interfaces of a namespace are read: as ourselves, or through a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// Inode number; not known of our own where `/proc` hides it.
    pub netns: Option<i64>,
    /// A process in it; none for our own.
    pub pid: Option<i64>,
}

impl Door {
    /// Its folder of network files.
    pub fn folder(self) -> String {
        self.pid.map_or_else(|| "/proc/net".to_owned(), |pid| format!("/proc/{pid}/net"))
    }
}

/// Our own namespace first, then every other.
pub fn doors(host: &Host, namespaces: &Namespaces) -> (Vec<Door>, Arc<OtherNamespaces>) {
    let others = others(host, namespaces);
    let mut doors = vec![Door { netns: own(host), pid: None }];
    doors.extend(others.namespaces.iter().map(|one| Door { netns: Some(one.inode), pid: Some(one.pid) }));
    (doors, others)
}

/// Every other namespace, each once.
pub fn others(host: &Host, namespaces: &Namespaces) -> Arc<OtherNamespaces> {
    namespaces.others(host, "net")
}
