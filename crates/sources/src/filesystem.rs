//! File systems: how large and how full each mounted one is (table `filesystem`), from
//! `/proc/self/mountinfo` and `statvfs`.
//!
//! One row for each file system: of several mounts of the same (bind mounts) the one with
//! the shortest path. Those without a size (proc, sysfs and the like) are left out. A file
//! server that does not answer must not hang the run: all of them are asked at once, with a
//! time limit, and those that stay silent are named and not asked again. Nothing is mounted
//! by looking: what automount would mount is not asked at all.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use heldup_hostfs::{FileSystemSize, Host, HostError};
use heldup_model::tables::FilesystemRow;
use heldup_model::{Flaw, Missing, Record, RowSet, TableDef};

use crate::mountinfo::{self, Mount};
use crate::source::{ReadContext, Reading, Schedule, Source};

const PATH: &str = "/proc/self/mountinfo";
/// How long file servers may take to answer.
const TIME_LIMIT: Duration = Duration::from_secs(1);
/// File systems whose answer comes over a network or from a program; besides, all of FUSE.
const REMOTE: [&str; 13] = [
    "9p", "afs", "beegfs", "ceph", "cifs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs",
];
/// Without a device, but with a size worth a look.
const SIZED: [&str; 5] = ["btrfs", "devtmpfs", "overlay", "tmpfs", "zfs"];

/// The source; remembers servers that did not answer.
#[derive(Debug, Default)]
pub struct Filesystem {
    silent: HashSet<String>,
}

impl Source for Filesystem {
    fn name(&self) -> &'static str {
        "filesystem"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[FilesystemRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let text = match host.read(PATH) {
            Ok(text) => text,
            Err(error) => {
                reading.lacks("filesystem", &error, "mount proc on /proc");
                return reading;
            }
        };
        let mounts = one_each(reading.take(PATH, mountinfo::parse(&text)));
        let mut rows = Vec::new();
        let sizes = if host.is_live() { self.sizes(host, &mounts, &mut reading) } else { Vec::new() };
        for (at, mount) in mounts.iter().enumerate() {
            match sizes.get(at) {
                Some(Some(size)) if size.size_bytes == 0 => {}
                Some(Some(size)) => rows.push(row(host, mount, Some(size))),
                _ if has_a_size(mount) => rows.push(row(host, mount, None)),
                _ => {}
            }
        }
        if !host.is_live() {
            let error = HostError::NotLive { what: "statvfs" };
            reading.lacks("filesystem.size_bytes", &error, "run it on the machine itself");
        }
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl Filesystem {
    /// Size of each mount; `None` where it could not be told, which is said.
    fn sizes(&mut self, host: &Host, mounts: &[Mount], reading: &mut Reading) -> Vec<Option<FileSystemSize>> {
        let remote: Vec<String> = mounts
            .iter()
            .filter(|mount| is_remote(mount) && !self.silent.contains(&mount.point))
            .map(|mount| mount.point.clone())
            .collect();
        let answers = host.file_system_sizes_within(&remote, TIME_LIMIT);
        let mut answers: HashMap<String, _> = remote.into_iter().zip(answers).collect();
        let mut denied = 0;
        let sizes = mounts.iter().map(|mount| {
            let answer = match () {
                () if mount.fs_type == "autofs" || self.silent.contains(&mount.point) => return None,
                () if is_remote(mount) => answers.remove(&mount.point).flatten(),
                () => Some(host.file_system_size(&mount.point)),
            };
            match answer {
                Some(Ok(size)) => return Some(size),
                // Unmounted meanwhile, or hidden below another mount.
                Some(Err(error)) if error.is_absent() => {}
                Some(Err(error)) if error.is_denied() => denied += 1,
                Some(Err(error)) => {
                    reading.flaws.push(Flaw { place: mount.point.clone(), what: error.to_string() })
                }
                None => {
                    let what = format!("{} from {}: no answer within a second", mount.fs_type, mount.source);
                    reading.flaws.push(Flaw { place: mount.point.clone(), what });
                    self.silent.insert(mount.point.clone());
                }
            }
            None
        });
        let sizes = sizes.collect();
        if denied > 0 {
            reading.missing.push(Missing {
                what: "filesystem.size_bytes".to_owned(),
                why: format!("{denied} mount(s) lie in folders that this user may not enter"),
                how: "run as root".to_owned(),
            });
        }
        sizes
    }
}

/// Of mounts on the same point the last, which hides the others; of mounts of the same file
/// system the one with the shortest path.
fn one_each(mounts: Vec<Mount>) -> Vec<Mount> {
    let mut by_point: HashMap<String, Mount> = HashMap::new();
    for mount in mounts {
        by_point.insert(mount.point.clone(), mount);
    }
    let mut visible: Vec<Mount> = by_point.into_values().collect();
    visible.sort_by(|a, b| (a.point.len(), &a.point).cmp(&(b.point.len(), &b.point)));
    let mut seen = HashSet::new();
    visible.retain(|mount| seen.insert(mount.dev_id.clone()));
    visible.sort_by(|a, b| a.point.cmp(&b.point));
    visible
}

fn is_remote(mount: &Mount) -> bool {
    let fuse = matches!(mount.fs_type.split('.').next(), Some("fuse" | "fuseblk"));
    fuse || REMOTE.contains(&mount.fs_type.as_str())
}

fn has_a_size(mount: &Mount) -> bool {
    is_remote(mount) || mount.source.starts_with('/') || SIZED.contains(&mount.fs_type.as_str())
}

fn row(host: &Host, mount: &Mount, size: Option<&FileSystemSize>) -> FilesystemRow {
    // More than eight exabytes is what a program behind FUSE made up.
    let number = |value: fn(&FileSystemSize) -> u64| size.and_then(|size| i64::try_from(value(size)).ok());
    let inodes = number(|size| size.inodes).filter(|inodes| *inodes > 0);
    FilesystemRow {
        mount: Some(mount.point.as_str().into()),
        dev_id: Some(mount.dev_id.as_str().into()),
        device: Some(device(host, mount).into()),
        fs_type: Some(mount.fs_type.as_str().into()),
        options: Some(options(mount).into()),
        read_only: Some(options(mount).split(',').any(|option| option == "ro")),
        size_bytes: number(|size| size.size_bytes),
        free_bytes: number(|size| size.free_bytes),
        available_bytes: number(|size| size.available_bytes),
        inodes,
        inodes_free: number(|size| size.inodes_free).filter(|_| inodes.is_some()),
    }
}

/// Kernel name of the block device, else what is mounted.
pub(crate) fn device(host: &Host, mount: &Mount) -> String {
    // What has no disk has the major number 0: half of all mounts, and no need to look.
    let has_disk = !mount.dev_id.starts_with("0:");
    let link = has_disk.then(|| host.read_link(format!("/sys/dev/block/{}", mount.dev_id)).ok()).flatten();
    let by_number = link.as_deref().and_then(|target| target.rsplit('/').next());
    // btrfs has a number of its own; its source is a device.
    let is_device = |name: &&str| !name.contains('/') && host.exists(format!("/sys/class/block/{name}"));
    let by_source = mount.source.strip_prefix("/dev/").filter(is_device);
    by_number.or(by_source).unwrap_or(&mount.source).to_owned()
}

/// Options of the mount, then those of the file system that are not among them.
fn options(mount: &Mount) -> String {
    let mut options: Vec<&str> = mount.options.split(',').collect();
    for option in mount.super_options.split(',') {
        // A file system that is writable may be mounted read-only.
        if !options.contains(&option) && option != "rw" && !option.is_empty() {
            options.push(option);
        }
    }
    options.retain(|option| *option != "rw" || !mount.super_options.split(',').any(|other| other == "ro"));
    options.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespaces::Namespaces;

    fn mounts(text: &str) -> Vec<Mount> {
        mountinfo::parse(text.as_bytes()).value
    }

    #[test]
    fn each_file_system_once() {
        let mounts = mounts(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 8:1 /var/x /srv/bind rw - ext4 /dev/sda1 rw\n\
             3 1 0:9 / /dev/shm rw - tmpfs first rw\n4 3 0:10 / /dev/shm rw - tmpfs second rw\n",
        );
        let kept: Vec<_> =
            one_each(mounts).into_iter().map(|m| format!("{} {}", m.point, m.source)).collect();
        assert_eq!(kept, ["/ /dev/sda1", "/dev/shm second"]);
    }

    #[test]
    fn read_only_is_what_either_says() {
        let shown = |line: &str| options(&mounts(line)[0]);
        assert_eq!(shown("1 0 8:1 / / ro,relatime - ext4 /dev/sda1 rw,discard\n"), "ro,relatime,discard");
        assert_eq!(shown("1 0 8:1 / / rw,relatime - ext4 /dev/sda1 ro\n"), "relatime,ro");
        assert_eq!(shown("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"), "rw");
    }

    #[test]
    fn the_root_has_a_size() {
        let reading = Filesystem::default().read(&ReadContext::new(&Host::live(), &Namespaces::default()));
        let sizes = reading.rows[0].ints("size_bytes");
        assert!(sizes.iter().flatten().any(|size| *size > 0), "{reading:?}");
    }
}
