//! Control groups of our own: made, given members, and removed.
//!
//! Their limits are files like any other (`write_setting`). No group is made or removed that does not
//! bear our name.

use std::fs::{DirBuilder, File};
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::Duration;

use crate::error::HostError;
use crate::files::Host;

/// Where control groups are mounted.
const TREES: &str = "/sys/fs/cgroup";
/// How the names of ours begin.
const STEM: &str = "heldup-";
/// A group whose last member is on its way out is busy for a moment.
const ATTEMPTS: u32 = 50;
const LOOK_AGAIN: Duration = Duration::from_millis(20);

impl Host {
    /// Makes a group of ours, unless it is there.
    pub fn make_control_group(&self, folder: &str) -> Result<(), HostError> {
        let located = self.locate(Path::new(ours(folder)?));
        match DirBuilder::new().mode(0o755).create(located) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(HostError::from_io(folder, error)),
            _ => Ok(()),
        }
    }

    /// Removes a group of ours, whose members have left; one that is not there is removed.
    pub fn remove_control_group(&self, folder: &str) -> Result<(), HostError> {
        let located = self.locate(Path::new(ours(folder)?));
        for attempt in 1.. {
            match std::fs::remove_dir(&located) {
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) && attempt < ATTEMPTS => {
                    std::thread::sleep(LOOK_AGAIN);
                }
                removed => return removed.map_err(|error| HostError::from_io(folder, error)),
            }
        }
        Ok(())
    }

    /// Moves a process with all its threads into a group, which may be anybody's.
    pub fn move_to_control_group(&self, folder: &str, pid: i64) -> Result<(), HostError> {
        let path = format!("{}/cgroup.procs", inside(folder)?.trim_end_matches('/'));
        let fail = |error| HostError::from_io(&path, error);
        let mut file = File::options().write(true).open(self.locate(Path::new(&path))).map_err(fail)?;
        // One write is one process.
        file.write_all(format!("{pid}\n").as_bytes()).map_err(fail)
    }
}

fn inside(folder: &str) -> Result<&str, HostError> {
    // The tree of v2 may be mounted there itself: that is a group too.
    let below = folder.strip_prefix(TREES).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if below && !folder.split('/').any(|part| part == "..") {
        return Ok(folder);
    }
    Err(HostError::from_io(folder, Error::new(ErrorKind::InvalidInput, "not a control group")))
}

fn ours(folder: &str) -> Result<&str, HostError> {
    let is_ours = folder.rsplit('/').next().is_some_and(|name| name.starts_with(STEM));
    if is_ours {
        return inside(folder);
    }
    Err(HostError::from_io(folder, Error::new(ErrorKind::InvalidInput, "not a control group of heldup")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_alone_are_made_and_removed() {
        let root = std::env::temp_dir().join(format!("heldup-groups-{}", std::process::id()));
        std::fs::create_dir_all(root.join("sys/fs/cgroup/a")).expect("a folder");
        let host = Host::recorded(&root);
        let folder = "/sys/fs/cgroup/a/heldup-1";
        host.make_control_group(folder).expect("made");
        host.make_control_group(folder).expect("it is there");
        std::fs::write(root.join("sys/fs/cgroup/a/heldup-1/cgroup.procs"), "").expect("a file");
        host.move_to_control_group(folder, 7).expect("moved");
        let members = host.read_text("/sys/fs/cgroup/a/heldup-1/cgroup.procs").expect("members");
        assert_eq!(members, "7");
        std::fs::remove_file(root.join("sys/fs/cgroup/a/heldup-1/cgroup.procs")).expect("removed");
        host.remove_control_group(folder).expect("removed");
        host.remove_control_group(folder).expect("it is gone");
        for other in ["/sys/fs/cgroup/a", "/etc/heldup-1", "/sys/fs/cgroup/../../heldup-1"] {
            assert!(host.make_control_group(other).is_err(), "{other}");
            assert!(host.remove_control_group(other).is_err(), "{other}");
        }
        std::fs::write(root.join("sys/fs/cgroup/cgroup.procs"), "").expect("a file");
        host.move_to_control_group("/sys/fs/cgroup", 8).expect("moved to the first of all groups");
        for other in ["/etc", "/sys/fs/cgroups/a"] {
            assert!(host.move_to_control_group(other, 7).is_err(), "{other}");
        }
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
