//! `/sys/class/block`: what a block device is, what it stands on, and how its queue is set.
//!
//! Read once for each device: some twenty small files. The counters are elsewhere
//! ([`crate::proc_diskstats`]). A partition has no queue of its own; its settings are
//! those of its disk and stay NULL here.

use std::collections::{HashMap, HashSet};

use heldup_hostfs::{Host, SmallFiles};
use heldup_model::Text;

use crate::mountinfo::{self, Mount, mount_of};

/// At most so many mount points are named: hosts of containers bind one device a thousand times.
const MAX_MOUNTS: usize = 8;

/// Topology and settings of one device.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockDevice {
    /// Kernel name.
    pub name: Text,
    /// major:minor.
    pub dev_id: Text,
    /// disk, partition, loop, dm, md or zram; none where sysfs is not there to tell.
    pub kind: Option<Text>,
    /// Disk of a partition.
    pub parent: Option<Text>,
    /// Devices directly below.
    pub backing: Option<Text>,
    /// Name of device mapper, or model.
    pub label_name: Option<Text>,
    /// Mount points, shortest first.
    pub mounts: Option<Text>,
    /// Whether it says that it rotates.
    pub rotational: Option<bool>,
    /// Scheduler in use.
    pub scheduler: Option<Text>,
    /// write back or write through.
    pub write_cache: Option<Text>,
    /// Requests that the queue holds.
    pub nr_requests: Option<i64>,
    /// Read-ahead, bytes.
    pub read_ahead_bytes: Option<i64>,
    /// Largest request, bytes.
    pub max_request_bytes: Option<i64>,
    /// Logical block, bytes.
    pub logical_block_bytes: Option<i64>,
    /// Physical block, bytes.
    pub physical_block_bytes: Option<i64>,
    /// Size, bytes.
    pub size_bytes: Option<i64>,
}

/// What tells the devices below files and the mounts above devices.
#[derive(Debug)]
pub struct Surroundings<'a> {
    mounts: Vec<Mount>,
    /// Kernel names by major:minor.
    names: HashMap<&'a str, &'a str>,
    known: HashSet<&'a str>,
    /// Mount points by kernel name, shortest first.
    points: HashMap<&'a str, Vec<String>>,
}

impl<'a> Surroundings<'a> {
    /// Reads the mounts; `names` are kernel names by major:minor.
    pub fn read(host: &Host, names: HashMap<&'a str, &'a str>) -> Surroundings<'a> {
        // Without mounts the devices are still described, only without their mount points;
        // the source `filesystem` says what is wrong with the file.
        let mounts = host.mount_table().map(|text| mountinfo::parse(&text).value);
        Surroundings::new(mounts.unwrap_or_default(), names)
    }

    fn new(mounts: Vec<Mount>, names: HashMap<&'a str, &'a str>) -> Surroundings<'a> {
        let known = names.values().copied().collect();
        let mut around = Surroundings { mounts, names, known, points: HashMap::new() };
        let mut points: HashMap<&'a str, Vec<String>> = HashMap::new();
        for mount in &around.mounts {
            if let Some(device) = around.device_of(mount) {
                points.entry(device).or_default().push(mount.point.clone());
            }
        }
        for points in points.values_mut() {
            points.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
            points.dedup();
            points.truncate(MAX_MOUNTS);
        }
        around.points = points;
        around
    }

    /// Kernel name of the device that a mount's file system is on. btrfs and overlays have
    /// numbers of no device (major 0); there the source names it, if it is a device.
    fn device_of(&self, mount: &Mount) -> Option<&'a str> {
        self.names.get(mount.dev_id.as_str()).copied().or_else(|| self.device_of_path(&mount.source))
    }

    fn device_of_path(&self, path: &str) -> Option<&'a str> {
        self.known.get(path.strip_prefix("/dev/")?).copied()
    }

    fn mounts_of(&self, device: &str) -> Option<Text> {
        Some(self.points.get(device)?.join(" ").into())
    }
}

/// The files about a device.
pub(crate) fn files<'h>(host: &'h Host, device: &str) -> SmallFiles<'h> {
    host.values_in(folder(device))
}

/// Size of a device; `None` where sysfs does not tell.
pub(crate) fn size_bytes(files: &mut SmallFiles) -> Option<i64> {
    number(files, "size").and_then(|sectors| sectors.checked_mul(512))
}

/// Reads everything about one device; what is not there stays `None`.
pub(crate) fn block_device(
    files: &mut SmallFiles,
    around: &Surroundings,
    dev_id: &str,
    device: &str,
) -> BlockDevice {
    let kind = kind(files, device);
    let kilobytes =
        |files: &mut SmallFiles, file: &str| number(files, file).and_then(|kb| kb.checked_mul(1024));
    BlockDevice {
        name: device.into(),
        dev_id: dev_id.into(),
        kind: kind.map(Into::into),
        parent: (kind == Some("partition")).then(|| parent(files.host(), device)).flatten(),
        backing: backing(files, around, kind),
        label_name: word(files, "dm/name").or_else(|| word(files, "device/model")),
        mounts: around.mounts_of(device),
        rotational: number(files, "queue/rotational").map(|n| n != 0),
        scheduler: files.read_text("queue/scheduler").ok().and_then(|text| chosen(&text)),
        write_cache: word(files, "queue/write_cache"),
        nr_requests: number(files, "queue/nr_requests"),
        read_ahead_bytes: kilobytes(files, "queue/read_ahead_kb"),
        max_request_bytes: kilobytes(files, "queue/max_sectors_kb"),
        logical_block_bytes: number(files, "queue/logical_block_size"),
        physical_block_bytes: number(files, "queue/physical_block_size"),
        size_bytes: size_bytes(files),
    }
}

/// sysfs writes the slash of `cciss/c0d0` as an exclamation mark.
pub(crate) fn folder(device: &str) -> String {
    format!("/sys/class/block/{}", device.replace('/', "!"))
}

pub(crate) fn kind(files: &mut SmallFiles, device: &str) -> Option<&'static str> {
    let mut has = |file: &str| files.exists(file);
    Some(match () {
        () if has("partition") => "partition",
        () if has("dm") || device.starts_with("dm-") => "dm",
        () if has("md") => "md",
        () if device.starts_with("loop") => "loop",
        () if device.starts_with("zram") => "zram",
        () if has("size") => "disk",
        () => return None,
    })
}

/// The link of a partition leads to …/block/sda/sda1.
pub(crate) fn parent(host: &Host, device: &str) -> Option<Text> {
    if let Ok(target) = host.read_link(folder(device)) {
        return target.rsplit('/').nth(1).map(Into::into);
    }
    // A recorded tree may have lost its links: the disk is the one whose folder holds the partition.
    let disks = host.list("/sys/block").unwrap_or_default();
    disks.into_iter().find(|disk| host.exists(format!("/sys/block/{disk}/{device}"))).map(Into::into)
}

fn backing(files: &mut SmallFiles, around: &Surroundings, kind: Option<&str>) -> Option<Text> {
    if kind == Some("loop") {
        let file = files.read_text("loop/backing_file").ok()?;
        // A file that was removed after it was attached.
        let file = file.strip_suffix(" (deleted)").unwrap_or(&file);
        let device = around.device_of_path(file);
        return device.or_else(|| around.device_of(mount_of(&around.mounts, file)?)).map(Into::into);
    }
    let below = files.host().list(files.path().join("slaves")).unwrap_or_default();
    (!below.is_empty()).then(|| below.join(" ").into())
}

/// `none [mq-deadline] bfq` → `mq-deadline`; a single word stands for itself.
fn chosen(text: &str) -> Option<Text> {
    let bracketed = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(name, _)| name);
    let name = bracketed.unwrap_or(text).trim();
    (!name.is_empty()).then(|| name.into())
}

pub(crate) fn word(files: &mut SmallFiles, file: &str) -> Option<Text> {
    let text = files.read_text(file).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.into())
}

pub(crate) fn number(files: &mut SmallFiles, file: &str) -> Option<i64> {
    word(files, file)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_use_stands_in_brackets() {
        assert_eq!(chosen("none [mq-deadline] kyber").as_deref(), Some("mq-deadline"));
        assert_eq!(chosen("[none]").as_deref(), Some("none"));
        assert_eq!(chosen("none").as_deref(), Some("none"));
        assert_eq!(chosen("").as_deref(), None);
    }

    #[test]
    fn devices_below_mounts() {
        let text = b"1 0 254:1 / / rw - ext4 /dev/root rw\n\
            2 1 0:35 /@ /data rw - btrfs /dev/sdb rw\n\
            3 1 254:1 /x /srv/a rw - ext4 /dev/root rw\n\
            4 1 0:9 / /proc rw - proc proc rw\n";
        let names = HashMap::from([("254:1", "vda1"), ("8:16", "sdb")]);
        let around = Surroundings::new(mountinfo::parse(text).value, names);
        assert_eq!(around.mounts_of("vda1").as_deref(), Some("/ /srv/a"));
        assert_eq!(around.mounts_of("sdb").as_deref(), Some("/data"));
        assert_eq!(around.mounts_of("sdc"), None);
    }
}
