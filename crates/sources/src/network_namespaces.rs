//! Network namespaces: which there are, and a process through which each can be read.

use heldup_hostfs::Host;

use crate::namespaces;
pub use crate::namespaces::{MAX_NAMESPACES, OtherNamespaces};

/// Inode of our own namespace; of a recorded tree that of its first process.
pub fn own(host: &Host) -> Option<i64> {
    namespaces::own(host, "net")
}

/// Every other namespace, each once. Costs about 2 µs a process.
pub fn others(host: &Host) -> OtherNamespaces {
    namespaces::others(host, "net")
}
