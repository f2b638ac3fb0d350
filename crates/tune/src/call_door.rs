//! By which calls a setting without a file is read and written.

use serde::Deserialize;

/// By which calls a setting is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallDoor {
    /// Limits of a control group, by the files of the version that its controller is in.
    Cgroup,
    /// `ioctl(SIOCETHTOOL)`, of a network interface.
    Ethtool,
    /// Folders and files of control groups: a group of ours, and what the groups below another have.
    Group,
    /// mount(2), of a mount.
    Mount,
    /// setpriority(2), sched_setscheduler(2), sched_setaffinity(2), ioprio_set(2), prlimit(2), files of
    /// `/proc/PID`, of a process with all its threads, or of one thread.
    Process,
}

impl CallDoor {
    /// The first part of ids and keys.
    pub(crate) fn word(self) -> &'static str {
        match self {
            CallDoor::Cgroup => "cgroup",
            CallDoor::Ethtool => "ethtool",
            CallDoor::Group => "group",
            CallDoor::Mount => "mount",
            CallDoor::Process => "process",
        }
    }

    /// Whether an id is of its settings.
    pub(crate) fn is_of(self, id: &str) -> bool {
        id.strip_prefix(self.word()).is_some_and(|rest| rest.starts_with('.'))
    }

    /// The one that ids begin with.
    pub(crate) fn of_word(word: &str) -> Option<CallDoor> {
        let all = [CallDoor::Cgroup, CallDoor::Ethtool, CallDoor::Group, CallDoor::Mount, CallDoor::Process];
        all.into_iter().find(|door| door.word() == word)
    }
}
