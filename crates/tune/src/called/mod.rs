//! Settings without a file: which interface, mount or task, and which of its settings; read and written
//! by calls, as text like any other.
//!
//! Each has a place, `DOOR:OWNER:SETTING`, that stands where a file's path stands, in plans and in the
//! log. A mount is named with its device and a task with its start, so that what has taken the name of
//! either since is not touched: it is then gone.

mod ethtool;
pub(crate) mod group;
mod mount;
pub(crate) mod process;

use heldup_hostfs::{Host, HostError, is_root};
use serde::Deserialize;

use crate::instance::{Instance, fits};
use crate::tunable::Tunable;

/// By which calls a setting is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallDoor {
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
    fn word(self) -> &'static str {
        match self {
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

    fn of_word(word: &str) -> Option<CallDoor> {
        let all = [CallDoor::Ethtool, CallDoor::Group, CallDoor::Mount, CallDoor::Process];
        all.into_iter().find(|door| door.word() == word)
    }
}

/// The parts of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place<'p> {
    door: CallDoor,
    /// Interface; group and where its members go (`/sys/fs/cgroup/heldup-1//sys/fs/cgroup`); mount point and device (`/srv@253:1`); task and start (`812@90210`).
    owner: &'p str,
    setting: &'p str,
}

impl<'p> Place<'p> {
    /// The parts of a path that is a place; none of a file's.
    pub fn of(path: &'p str) -> Option<Place<'p>> {
        let (door, rest) = path.split_once(':')?;
        let (owner, setting) = rest.rsplit_once(':')?;
        Some(Place { door: CallDoor::of_word(door)?, owner, setting })
    }

    /// The kind of namespace that the owner's name belongs to, as `/proc/self/ns` has it.
    pub fn namespace(self) -> &'static str {
        match self.door {
            CallDoor::Ethtool => "net",
            CallDoor::Group => "cgroup",
            CallDoor::Mount => "mnt",
            CallDoor::Process => "pid",
        }
    }

    /// Another setting of the same owner; none where it does not have that.
    pub fn beside(self, host: &Host, other: &Tunable, door: CallDoor) -> Option<Instance> {
        let at = instance(door, self.owner, setting(other, door));
        let is_here = || Place::of(&at.path).is_some_and(|place| place.read(host).is_ok());
        (self.door == door && is_here()).then_some(at)
    }

    /// The setting's value. An owner that is gone is absent.
    pub fn read(self, host: &Host) -> Result<String, HostError> {
        match self.door {
            CallDoor::Ethtool => ethtool::read(host, self.owner, self.setting),
            CallDoor::Group => group::read(host, self.owner, self.setting),
            CallDoor::Mount => mount::read(host, self.owner, self.setting),
            CallDoor::Process => process::read(host, self.owner, self.setting),
        }
    }

    /// Whether it could be written, as far as rights tell.
    pub fn may_write(self, host: &Host) -> Result<(), HostError> {
        let denied = host.is_live() && !is_root();
        if denied { Err(HostError::Denied { path: self.owner.into() }) } else { Ok(()) }
    }

    /// Gives it a value, in one call or one for each thread.
    pub fn write(self, host: &Host, value: &str) -> Result<(), HostError> {
        match self.door {
            CallDoor::Ethtool => ethtool::write(host, self.owner, self.setting, value),
            CallDoor::Group => group::write(host, self.owner, self.setting, value),
            CallDoor::Mount => mount::write(host, self.owner, self.setting, value),
            CallDoor::Process => process::write(host, self.owner, self.setting, value),
        }
    }
}

/// The instances of a tunable that calls reach; of tasks none, which are too many to look at.
pub(crate) fn instances(host: &Host, tunable: &Tunable, door: CallDoor) -> Vec<Instance> {
    let setting = setting(tunable, door);
    let owners = match door {
        CallDoor::Ethtool => ethtool::owners(host),
        CallDoor::Mount => mount::owners(host, setting),
        CallDoor::Group | CallDoor::Process => Vec::new(),
    };
    let all = owners.iter().map(|owner| instance(door, owner, setting));
    // What a driver does not tell is not there.
    all.filter(|at| Place::of(&at.path).is_some_and(|place| place.read(host).is_ok())).collect()
}

/// The task that a name means (`process.812.nice`, `/proc/812/oom_score_adj`), as it is now.
pub(crate) fn of_task(host: &Host, tunable: &Tunable, name: &str) -> Option<Result<Instance, HostError>> {
    let setting = setting(tunable, CallDoor::Process);
    let by_key = name.strip_prefix("process.").and_then(|rest| rest.strip_suffix(setting)?.strip_suffix('.'));
    let by_path = || name.strip_prefix("/proc/")?.split('/').next();
    let tid = by_key.or_else(by_path)?.parse().ok()?;
    Some(process::owner(host, tid).map(|owner| instance(CallDoor::Process, &owner, setting)))
}

/// Whether a key or a place can be one of a tunable's.
pub(crate) fn covers(tunable: &Tunable, door: CallDoor, name: &str) -> bool {
    let setting = setting(tunable, door);
    match Place::of(name) {
        Some(place) => place.door == door && place.setting == setting,
        None => fits(&format!("{}.*.{setting}", door.word()), name),
    }
}

/// A wanted value in the form in which it is read: a limit with the one up to which it may be raised,
/// a list of CPUs in its shortest form.
pub(crate) fn completed(path: &str, now: Option<&str>, to: &str) -> String {
    let place = Place::of(path).filter(|place| place.door == CallDoor::Process);
    place.map_or_else(|| to.to_owned(), |place| process::completed(place.setting, now, to))
}

/// The part of a value that the catalogue judges.
pub(crate) fn judged<'v>(path: &str, value: &'v str) -> &'v str {
    let Some(place) = Place::of(path) else { return value };
    let first = value.split(' ').next().unwrap_or(value);
    match place.setting {
        setting if setting.starts_with("rlimit.") && first == process::UNLIMITED => "18446744073709551615",
        _ => first,
    }
}

/// Whether two values of a setting are one: threads that have ended since are not missed.
pub(crate) fn is_same(path: &str, now: &str, before: &str) -> bool {
    let is_task = || Place::of(path).is_some_and(|place| place.door == CallDoor::Process);
    now == before || (is_task() && process::is_same(now, before))
}

fn setting(tunable: &Tunable, door: CallDoor) -> &str {
    let id = tunable.id.as_str();
    id.strip_prefix(door.word()).and_then(|rest| rest.strip_prefix('.')).unwrap_or(id)
}

pub(crate) fn instance(door: CallDoor, owner: &str, setting: &str) -> Instance {
    let name = match door {
        CallDoor::Ethtool => owner,
        CallDoor::Group => owner.split("//").next().unwrap_or(owner),
        _ => owner.rsplit_once('@').map_or(owner, |(name, _)| name),
    };
    let door = door.word();
    Instance { path: format!("{door}:{owner}:{setting}"), key: format!("{door}.{name}.{setting}") }
}

/// Something that is not there, or is another one by now.
fn gone(owner: &str) -> HostError {
    HostError::NotFound { path: owner.into() }
}

/// A value that has no meaning here.
fn unfit(owner: &str, what: String) -> HostError {
    HostError::from_io(owner, std::io::Error::new(std::io::ErrorKind::InvalidInput, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_files() {
        let place = Place::of("mount:/srv/a:b@253:1:ext4.commit").expect("a place");
        assert_eq!((place.owner, place.setting), ("/srv/a:b@253:1", "ext4.commit"));
        assert_eq!(place.namespace(), "mnt");
        assert_eq!(Place::of("/sys/class/bdi/7:0/read_ahead_kb"), None);
        assert_eq!(Place::of("/proc/sys/vm/swappiness"), None);
    }

    #[test]
    fn values_are_judged_and_compared_by_what_they_mean() {
        assert_eq!(judged("process:1@2:rlimit.nofile", "unlimited hard=unlimited"), "18446744073709551615");
        assert_eq!(judged("process:1@2:nice", "5 12=3"), "5");
        assert_eq!(judged("/proc/sys/kernel/sem", "1 2 3 4"), "1 2 3 4");
        // A thread that had another value has ended.
        assert!(is_same("process:1@2:nice", "0", "0 12=5"));
        assert!(!is_same("process:1@2:nice", "0 12=5", "0"));
        assert!(!is_same("process:1@2:nice", "5", "0 12=5"));
        assert!(!is_same("/proc/sys/kernel/sem", "1", "1 2"));
    }
}
