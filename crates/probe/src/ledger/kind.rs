//! The kinds of time that the BPF half distinguishes, and the public class of each.
//!
//! A kind is what the kernel knows for free when a task leaves the CPU. For most it
//! settles the class. For some a stack or an object has to speak first; the class here
//! is then what is assumed until it does.

use heldup_model::Class;

/// Number of kinds; the list below is `enum ledger_kind` of `bpf/ledger.h`.
pub(crate) const KINDS: usize = DEFAULTS.len();
/// Kinds below this one are decided by a late stack.
pub(crate) const STACKED: usize = 14;
/// Kinds below this one have late records, with an object.
pub(crate) const LATE: usize = 20;

/// Kinds that are treated on their own.
pub(crate) const FUTEX_TWO: u8 = 15;
pub(crate) const PEER: u8 = 17;
pub(crate) const FUTEX_PARK: u8 = 21;
/// In the run queue while a CPU that the task may use was idle.
pub(crate) const QUEUE_IDLE: u8 = 38;
/// The first kind from [`LATE`] on that is no sleep.
pub(crate) const STOPPED: u8 = 36;

const DEFAULTS: [(&str, Class); 41] = [
    ("read_io", Class::DiskRead),
    ("write_io", Class::DiskWrite),
    ("sync", Class::DiskSync),
    ("fault_io", Class::DiskFault),
    // Without I/O a page fault waits for the lock of the address space.
    ("fault", Class::LockMmap),
    // Directories, inodes and extents that open, stat and unlink read.
    ("other_io", Class::DiskRead),
    // A read or write call blocks without I/O on the lock of the inode, as a rule.
    ("read_blocked", Class::LockInode),
    ("write_blocked", Class::LockInode),
    ("other_blocked", Class::LockKernel),
    ("file_sleep", Class::Unknown),
    ("other_sleep", Class::Unknown),
    ("memstall", Class::MemReclaim),
    ("kthread_io", Class::DiskWrite),
    ("kthread_blocked", Class::LockKernel),
    ("futex_lock", Class::LockUser),
    ("futex_two", Class::LockUser),
    ("futex_condition", Class::LockUser),
    ("peer", Class::Read),
    ("file_lock", Class::LockFile),
    ("async", Class::DiskAsync),
    ("async_idle", Class::Poll),
    ("futex_park", Class::Park),
    ("poll", Class::Poll),
    ("timer", Class::Timer),
    ("child", Class::Child),
    ("accept", Class::Accept),
    ("connect", Class::Peer),
    ("socket_read", Class::Read),
    ("socket_write", Class::Peer),
    ("pipe_read", Class::Read),
    ("pipe_write", Class::Peer),
    ("device", Class::Read),
    ("event", Class::Park),
    ("ipc", Class::Park),
    ("signal", Class::Park),
    ("kthread_idle", Class::Park),
    ("stopped", Class::Stopped),
    ("queue", Class::CpuQueue),
    ("queue_idle", Class::CpuQueue),
    ("throttled", Class::CpuThrottled),
    ("unknown", Class::Unknown),
];

/// Whether only threads of the kernel wait so.
pub(crate) fn is_of_kernel_thread(kind: u8) -> bool {
    DEFAULTS.get(usize::from(kind)).is_some_and(|(name, _)| name.starts_with("kthread_"))
}

/// The class of a kind when nothing more is known.
pub(crate) fn default_class(kind: u8) -> Class {
    DEFAULTS.get(usize::from(kind)).map_or(Class::Unknown, |(_, class)| *class)
}

/// The class of a kind by its name, for those who do not get kinds from the kernel.
pub(crate) fn class_of_kind(name: &str) -> Class {
    let known = DEFAULTS.iter().find(|(known, _)| *known == name);
    debug_assert!(known.is_some(), "`{name}` is no kind");
    known.map_or(Class::Unknown, |(_, class)| *class)
}

/// The name of a kind, as in the C source.
#[cfg(test)]
pub(crate) fn name(kind: u8) -> &'static str {
    DEFAULTS.get(usize::from(kind)).map_or("?", |(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The C enumeration, in order, in lower case without its prefix.
    fn kinds_of_the_header() -> Vec<String> {
        let header = include_str!("../../../../bpf/ledger.h");
        let body = header.split("enum ledger_kind {").nth(1).and_then(|rest| rest.split("};").next());
        let lines = body.expect("enum ledger_kind").lines().map(str::trim);
        let names = lines.filter_map(|line| line.strip_prefix("KIND_")?.split([' ', ',']).next());
        names.map(str::to_lowercase).collect()
    }

    #[test]
    fn kinds_are_those_of_the_c_half() {
        let ours: Vec<String> = (0..KINDS as u8).map(|kind| name(kind).to_owned()).collect();
        assert_eq!(kinds_of_the_header(), ours);
        assert_eq!(name(STACKED as u8), "futex_lock");
        assert_eq!(name(LATE as u8), "async_idle");
        assert_eq!(name(FUTEX_TWO), "futex_two");
        assert_eq!(name(PEER), "peer");
        assert_eq!(name(FUTEX_PARK), "futex_park");
        assert_eq!(name(QUEUE_IDLE), "queue_idle");
        assert_eq!((name(STOPPED - 1), name(STOPPED)), ("kthread_idle", "stopped"));
    }
}
