//! The classes of time: at every instant a task is in exactly one of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A class of task time. The names are public: they are the values of
/// `class_name` in the tables and of `class` in the JSON of `examine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Class {
    /// On a CPU, in user mode.
    User,
    /// On a CPU, in the kernel.
    Kernel,
    /// A CPU serving interrupts and softirqs; time of the host, not of a task.
    Irq,
    /// Run queue: runnable and waiting for a CPU.
    CpuQueue,
    /// Throttled: runnable, but its control group has used up its CPU quota.
    CpuThrottled,
    /// Waiting for a block device to read.
    DiskRead,
    /// Waiting for a block device to write.
    DiskWrite,
    /// Waiting for fsync, a synchronous write or a journal commit.
    DiskSync,
    /// Page-in: a page fault on a file, waiting for the device.
    DiskFault,
    /// Async I/O: waiting for a ring or AIO context with block requests in flight.
    DiskAsync,
    /// Delayed by a limit on block I/O (wbt, iocost, iolatency).
    DiskThrottle,
    /// Direct reclaim or compaction.
    MemReclaim,
    /// Swap-in: waiting for a page from swap.
    MemSwapIn,
    /// Dirty throttling: waiting until dirty pages are written.
    MemDirty,
    /// Waiting for a user-space lock (futex with waiters).
    LockUser,
    /// Waiting for a lock inside the kernel.
    LockKernel,
    /// Waiting for an inode lock.
    LockInode,
    /// Waiting for an mmap lock (address space).
    LockMmap,
    /// Waiting for a file lock (flock, fcntl).
    LockFile,
    /// Waiting for the kernel to finish something for all CPUs or all work: an RCU grace period, the end of its own
    /// work, a stopped queue. These have no holder.
    KernelWait,
    /// Waiting for a remote file system (NFS, CIFS, FUSE).
    RemoteFs,
    /// Waiting for a connected peer after sending to it.
    Peer,
    /// Sleeping until a time.
    Timer,
    /// Waiting for any of several files (poll, select, epoll).
    Poll,
    /// Waiting for a connection.
    Accept,
    /// Reading a socket, pipe or terminal without a request of its own.
    Read,
    /// Waiting for a child process.
    Child,
    /// Parked: a condition variable, a signal, a kernel thread without work.
    Park,
    /// Stopped or traced.
    Stopped,
    /// Unknown; shown, never ranked.
    Unknown,
}

/// The five groups of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// On a CPU.
    Running,
    /// Active but not running.
    Waiting,
    /// Waiting for a service elsewhere.
    Peer,
    /// No work.
    Idle,
    /// Shown, never ranked.
    Other,
}

impl Class {
    /// All classes, in the order in which they are documented.
    pub const ALL: [Class; 30] = [
        Class::User,
        Class::Kernel,
        Class::Irq,
        Class::CpuQueue,
        Class::CpuThrottled,
        Class::DiskRead,
        Class::DiskWrite,
        Class::DiskSync,
        Class::DiskFault,
        Class::DiskAsync,
        Class::DiskThrottle,
        Class::MemReclaim,
        Class::MemSwapIn,
        Class::MemDirty,
        Class::LockUser,
        Class::LockKernel,
        Class::LockInode,
        Class::LockMmap,
        Class::LockFile,
        Class::KernelWait,
        Class::RemoteFs,
        Class::Peer,
        Class::Timer,
        Class::Poll,
        Class::Accept,
        Class::Read,
        Class::Child,
        Class::Park,
        Class::Stopped,
        Class::Unknown,
    ];

    /// The public name.
    pub const fn name(self) -> &'static str {
        match self {
            Class::User => "user",
            Class::Kernel => "kernel",
            Class::Irq => "irq",
            Class::CpuQueue => "cpu_queue",
            Class::CpuThrottled => "cpu_throttled",
            Class::DiskRead => "disk_read",
            Class::DiskWrite => "disk_write",
            Class::DiskSync => "disk_sync",
            Class::DiskFault => "disk_fault",
            Class::DiskAsync => "disk_async",
            Class::DiskThrottle => "disk_throttle",
            Class::MemReclaim => "mem_reclaim",
            Class::MemSwapIn => "mem_swap_in",
            Class::MemDirty => "mem_dirty",
            Class::LockUser => "lock_user",
            Class::LockKernel => "lock_kernel",
            Class::LockInode => "lock_inode",
            Class::LockMmap => "lock_mmap",
            Class::LockFile => "lock_file",
            Class::KernelWait => "kernel_wait",
            Class::RemoteFs => "remote_fs",
            Class::Peer => "peer",
            Class::Timer => "timer",
            Class::Poll => "poll",
            Class::Accept => "accept",
            Class::Read => "read",
            Class::Child => "child",
            Class::Park => "park",
            Class::Stopped => "stopped",
            Class::Unknown => "unknown",
        }
    }

    /// What a person reads in place of the name.
    pub const fn label(self) -> &'static str {
        match self {
            Class::User => "user",
            Class::Kernel => "kernel",
            Class::Irq => "interrupts",
            Class::CpuQueue => "run queue",
            Class::CpuThrottled => "throttled",
            Class::DiskRead => "disk read",
            Class::DiskWrite => "disk write",
            Class::DiskSync => "sync",
            Class::DiskFault => "page-in",
            Class::DiskAsync => "async I/O",
            Class::DiskThrottle => "I/O limit",
            Class::MemReclaim => "reclaim",
            Class::MemSwapIn => "swap-in",
            Class::MemDirty => "dirty throttling",
            Class::LockUser => "lock (futex)",
            Class::LockKernel => "lock (kernel)",
            Class::LockInode => "lock (inode)",
            Class::LockMmap => "lock (mmap)",
            Class::LockFile => "lock (file)",
            Class::KernelWait => "kernel wait",
            Class::RemoteFs => "remote file system",
            Class::Peer => "remote peer",
            Class::Timer => "timer",
            Class::Poll => "poll",
            Class::Accept => "accept",
            Class::Read => "read",
            Class::Child => "waits for child",
            Class::Park => "parked",
            Class::Stopped => "stopped",
            Class::Unknown => "unknown",
        }
    }

    /// A letter for charts in a terminal.
    pub const fn letter(self) -> char {
        match self {
            Class::User => 'u',
            Class::Kernel => 'k',
            Class::Irq => 'i',
            Class::CpuQueue => 'q',
            Class::CpuThrottled => 'h',
            Class::DiskRead => 'r',
            Class::DiskWrite => 'w',
            Class::DiskSync => 's',
            Class::DiskFault => 'f',
            Class::DiskAsync => 'a',
            Class::DiskThrottle => 't',
            Class::MemReclaim => 'c',
            Class::MemSwapIn => 'p',
            Class::MemDirty => 'd',
            Class::LockUser => 'l',
            Class::LockKernel => 'K',
            Class::LockInode => 'n',
            Class::LockMmap => 'm',
            Class::LockFile => 'F',
            Class::KernelWait => 'W',
            Class::RemoteFs => 'R',
            Class::Peer => 'P',
            Class::Timer => 'T',
            Class::Poll => 'o',
            Class::Accept => 'A',
            Class::Read => 'e',
            Class::Child => 'C',
            Class::Park => 'x',
            Class::Stopped => 'S',
            Class::Unknown => '?',
        }
    }

    /// The label of a class's public name; a name that is no class's stays as it is.
    pub fn label_of(name: &str) -> &str {
        match Class::from_name(name) {
            Some(class) => class.label(),
            None => name,
        }
    }

    /// The class of a public name.
    pub fn from_name(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.name() == name)
    }

    /// The group that the class belongs to.
    pub const fn group(self) -> Group {
        match self {
            Class::User | Class::Kernel | Class::Irq => Group::Running,
            Class::Peer => Group::Peer,
            Class::Timer | Class::Poll | Class::Accept | Class::Read | Class::Child | Class::Park => {
                Group::Idle
            }
            Class::Stopped | Class::Unknown => Group::Other,
            _ => Group::Waiting,
        }
    }

    /// Whether a wait of this class is for a block device, whatever file is on it.
    pub const fn waits_for_device(self) -> bool {
        matches!(
            self,
            Class::DiskRead
                | Class::DiskWrite
                | Class::DiskSync
                | Class::DiskFault
                | Class::DiskAsync
                | Class::DiskThrottle
                | Class::MemSwapIn
                | Class::MemDirty
        )
    }

    /// Whether a wait of this class has a named object: a device, a lock, a file or a peer.
    /// Waits for a CPU, for the group's quota or for free memory have none, and the
    /// mmap lock is that of the process.
    pub const fn has_object(self) -> bool {
        match self {
            Class::DiskRead
            | Class::DiskWrite
            | Class::DiskSync
            | Class::DiskFault
            | Class::DiskAsync
            | Class::DiskThrottle
            | Class::MemSwapIn
            | Class::MemDirty
            | Class::LockUser
            | Class::LockKernel
            | Class::LockInode
            | Class::LockFile
            | Class::KernelWait
            | Class::RemoteFs
            | Class::Peer => true,
            Class::User
            | Class::Kernel
            | Class::Irq
            | Class::CpuQueue
            | Class::CpuThrottled
            | Class::MemReclaim
            | Class::LockMmap
            | Class::Timer
            | Class::Poll
            | Class::Accept
            | Class::Read
            | Class::Child
            | Class::Park
            | Class::Stopped
            | Class::Unknown => false,
        }
    }

    /// Why no rule explains time of this class; none if one does. A test of `diagnose` compares
    /// each class with the rules.
    pub const fn without_rule(self) -> Option<&'static str> {
        match self {
            Class::Irq => Some(
                "the CPUs' own and no task's: cpu.interrupt-imbalance reads it from the kernel's counters",
            ),
            Class::Timer => Some("idle: the task asked to sleep"),
            Class::Poll | Class::Accept | Class::Read => {
                Some("idle: nobody asked the task for anything; a wait for an answer is of class peer")
            }
            Class::Child => Some("idle: what the child waits for is in classes of its own"),
            Class::Park => Some("idle: the task waits until another has work for it"),
            Class::Stopped => Some("somebody stopped the task on purpose"),
            Class::Unknown => Some("unknown time cannot be explained; it is shown, never ranked"),
            _ => None,
        }
    }
}

impl Group {
    /// The public name.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Running => "running",
            Group::Waiting => "waiting",
            Group::Peer => "peer",
            Group::Idle => "idle",
            Group::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found_again() {
        for class in Class::ALL {
            assert_eq!(Class::from_name(class.name()), Some(class));
        }
    }

    #[test]
    fn all_lists_every_class_in_order() {
        for (at, class) in Class::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, at);
        }
    }
}
