//! Which settings are a namespace's and not the machine's (namespaces(7)): in another one the same
//! file holds another value.

use crate::called::Place;

/// Settings of System V IPC and of message queues, below `/proc/sys` (ipc_namespaces(7)).
const IPC: [&str; 5] = ["kernel/auto_msgmni", "kernel/msg", "kernel/sem", "kernel/shm", "fs/mqueue/"];

/// The kind of namespace that a file belongs to, as `/proc/self/ns` has it.
pub(crate) fn of(path: &str) -> Option<&'static str> {
    if let Some(place) = Place::of(path) {
        return Some(place.namespace());
    }
    if path.starts_with("/proc/sys/net/") || path.starts_with("/sys/class/net/") {
        return Some("net");
    }
    let below = path.strip_prefix("/proc/sys/")?;
    IPC.iter().any(|start| below.starts_with(start)).then_some("ipc")
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn settings_of_namespaces_are_told_from_the_machines() {
        assert_eq!(of("/proc/sys/net/core/somaxconn"), Some("net"));
        assert_eq!(of("/proc/sys/kernel/msgmni"), Some("ipc"));
        assert_eq!(of("/proc/sys/kernel/sem"), Some("ipc"));
        assert_eq!(of("/proc/sys/fs/mqueue/msg_max"), Some("ipc"));
        assert_eq!(of("/proc/sys/vm/swappiness"), None);
        assert_eq!(of("process:7@900:nice"), Some("pid"));
        assert_eq!(of("/proc/sys/kernel/sched_rt_runtime_us"), None);
    }
}
