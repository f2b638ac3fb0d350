//! Settings without a file: which interface, mount or task, and which of its settings; read and written
//! by calls, as text like any other.
//!
//! Each has a place, `DOOR:OWNER:SETTING`, that stands where a file's path stands, in plans and in the
//! log. A mount is named with its device and a task with its start, so that what has taken the name of
//! either since is not touched: it is then gone.

pub(crate) mod cgroup;
mod ethtool;
pub(crate) mod group;
mod mount;
pub(crate) mod process;

use heldup_hostfs::{Host, HostError, is_root};

use crate::call_door::CallDoor;
use crate::instance::Instance;
use crate::objection::Objection;
use crate::setting_path::fits;
use crate::tunable::Tunable;

/// The parts of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place<'p> {
    door: CallDoor,
    /// Group with the number of its folder (`/system.slice/a.service@4711`); interface; group of ours and where its members go (`/sys/fs/cgroup/heldup-1//sys/fs/cgroup`); mount point and device (`/srv@253:1`); task and start (`812@90210`).
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
            CallDoor::Cgroup | CallDoor::Group => "cgroup",
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
            CallDoor::Cgroup => cgroup::read(host, self.owner, self.setting),
            CallDoor::Ethtool => ethtool::read(host, self.owner, self.setting),
            CallDoor::Group => group::read(host, self.owner, self.setting),
            CallDoor::Mount => mount::read(host, self.owner, self.setting),
            CallDoor::Process => process::read(host, self.owner, self.setting),
        }
    }

    /// Whether it could be written, as far as permissions say.
    pub fn may_write(self, host: &Host) -> Result<(), HostError> {
        let denied = host.is_live() && !is_root();
        if denied { Err(HostError::Denied { path: self.owner.into() }) } else { Ok(()) }
    }

    /// Gives it a value, in one call or one for each thread.
    pub fn write(self, host: &Host, value: &str) -> Result<(), HostError> {
        match self.door {
            CallDoor::Cgroup => cgroup::write(host, self.owner, self.setting, value),
            CallDoor::Ethtool => ethtool::write(host, self.owner, self.setting, value),
            CallDoor::Group => group::write(host, self.owner, self.setting, value),
            CallDoor::Mount => mount::write(host, self.owner, self.setting, value),
            CallDoor::Process => process::write(host, self.owner, self.setting, value),
        }
    }
}

/// The instances of a tunable that calls reach; of tasks and control groups none, which are too many to look at.
pub(crate) fn instances(host: &Host, tunable: &Tunable, door: CallDoor) -> Vec<Instance> {
    let setting = setting(tunable, door);
    let owners = match door {
        CallDoor::Ethtool => ethtool::owners(host),
        CallDoor::Mount => mount::owners(host, setting),
        CallDoor::Cgroup | CallDoor::Group | CallDoor::Process => Vec::new(),
    };
    let all = owners.iter().map(|owner| instance(door, owner, setting));
    // What a driver does not tell is not there.
    all.filter(|at| Place::of(&at.path).is_some_and(|place| place.read(host).is_ok())).collect()
}

/// The tasks or control groups that a name means, as they are now; none of a name that means none, and of
/// settings whose owners are listed.
pub(crate) fn owned(host: &Host, tunable: &Tunable, name: &str) -> Option<Result<Vec<Instance>, HostError>> {
    match tunable.door? {
        CallDoor::Cgroup => {
            let setting = setting(tunable, CallDoor::Cgroup);
            let group = cgroup::group_of_key(name, setting)?;
            let all = |owners: Vec<String>| {
                owners.iter().map(|owner| instance(CallDoor::Cgroup, owner, setting)).collect()
            };
            Some(cgroup::owners(host, group, setting).map(all))
        }
        CallDoor::Process => of_task(host, tunable, name).map(|one| one.map(|one| vec![one])),
        _ => None,
    }
}

/// What speaks against a value of a place, beyond what the catalogue knows.
pub(crate) fn objections(host: &Host, path: &str, value: &str) -> Vec<Objection> {
    match Place::of(path) {
        Some(place) if place.door == CallDoor::Cgroup => {
            cgroup::objections(host, place.owner, place.setting, value)
        }
        _ => Vec::new(),
    }
}

/// The command that makes a value of a place last, where another program owns it.
pub(crate) fn lasting(path: &str, value: &str) -> Option<String> {
    let place = Place::of(path).filter(|place| place.door == CallDoor::Cgroup)?;
    cgroup::lasting(place.owner, place.setting, value)
}

/// The task that a name means (`process.812.nice`, `/proc/812/oom_score_adj`), as it is now.
fn of_task(host: &Host, tunable: &Tunable, name: &str) -> Option<Result<Instance, HostError>> {
    let setting = setting(tunable, CallDoor::Process);
    let by_key = name.strip_prefix("process.").and_then(|rest| rest.strip_suffix(setting)?.strip_suffix('.'));
    let by_path = || name.strip_prefix("/proc/")?.split('/').next();
    let tid = by_key.or_else(by_path)?.parse().ok()?;
    Some(process::owner(host, tid).map(|owner| instance(CallDoor::Process, &owner, setting)))
}

/// Whether a key or a place can be one of a tunable's.
pub(crate) fn covers(tunable: &Tunable, door: CallDoor, name: &str) -> bool {
    let setting = setting(tunable, door);
    // Names of groups may have colons.
    if door == CallDoor::Cgroup && cgroup::group_of_key(name, setting).is_some() {
        return true;
    }
    match Place::of(name) {
        Some(place) => place.door == door && place.setting == setting,
        None => fits(&format!("{}.*.{setting}", door.word()), name),
    }
}

/// A wanted value in the form in which it is read: a limit with the one up to which it may be raised,
/// a list of CPUs in its shortest form, a size in bytes.
pub(crate) fn completed(path: &str, now: Option<&str>, to: &str) -> String {
    match Place::of(path) {
        Some(Place { door: CallDoor::Cgroup, setting, .. }) => cgroup::completed(setting, to),
        Some(Place { door: CallDoor::Process, setting, .. }) => process::completed(setting, now, to),
        _ => to.to_owned(),
    }
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
    let key = match door {
        CallDoor::Cgroup => cgroup::key(name, setting),
        _ => format!("{}.{name}.{setting}", door.word()),
    };
    Instance { path: format!("{}:{owner}:{setting}", door.word()), key }
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
