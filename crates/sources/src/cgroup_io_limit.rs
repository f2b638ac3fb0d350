//! Limits on the block I/O of control groups: `io.max` of version 2, `blkio.throttle.*` of version 1
//! (table `cgroup_io_limit`).
//!
//! The kernel counts neither how often nor how long such a limit held a request back, so all that
//! can be said is how near to its limit a group is. Few groups have one: all are looked at
//! once, and read again are only those that had a limit then.

use std::collections::BTreeMap;

use heldup_hostfs::{Host, KeptFolders};
use heldup_model::tables::CgroupIoLimitRow;
use heldup_model::{Record, RowSet, TableDef, Text};

use crate::cgroup::{Hierarchy, groups, hierarchies};
use crate::kernel_text::{ParseError, Parsed, count, fields, lines, text};
use crate::mountinfo;
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};

/// Reads the limits of groups that have any.
#[derive(Default)]
pub struct CgroupIoLimit {
    limited: Vec<Group>,
    /// Readings until the next look at all.
    until_look: usize,
    buffer: Vec<u8>,
}

/// Readings from one look at all groups to the next, at least: a limit of the last third of a short
/// window is to be seen there.
const LEAST_READINGS: usize = 3;
/// Groups whose files are read for each reading that passes: some 10 µs each.
const GROUPS_A_READING: usize = 20;

/// A group with a limit.
#[derive(Clone, Debug)]
struct Group {
    path: String,
    folder: String,
    unified: bool,
}

/// Rows of one group by `major:minor`.
type Devices = BTreeMap<String, CgroupIoLimitRow>;

impl Source for CgroupIoLimit {
    fn name(&self) -> &'static str {
        "cgroup_io_limit"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[CgroupIoLimitRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // Settings of a group.
        Schedule::every_sample().pace(Pace::SLOW)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let looked_at = match self.until_look {
            0 => {
                let all = all_groups(host, &mut reading);
                self.until_look = readings_between(all.len());
                all
            }
            _ => std::mem::take(&mut self.limited),
        };
        self.until_look -= 1;
        let mut limited = Vec::new();
        let mut rows = Vec::new();
        for group in looked_at {
            let devices = self.devices(host, &group, &mut reading);
            if devices.is_empty() {
                continue;
            }
            rows.extend(devices.into_iter().map(|(dev_id, row)| CgroupIoLimitRow {
                path: Some(group.path.as_str().into()),
                device: Some(name_of(host, &dev_id)),
                version: Some(if group.unified { "v2" } else { "v1" }.into()),
                ..row
            }));
            limited.push(group);
        }
        self.limited = limited;
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl CgroupIoLimit {
    /// What one group has limits on, with its counters; empty where it has none or is gone.
    fn devices(&mut self, host: &Host, group: &Group, reading: &mut Reading) -> Devices {
        let mut devices = Devices::new();
        let mut read =
            |file: &str, devices: &mut Devices, parse: fn(&[u8], &str, &mut Devices) -> Parsed<()>| {
                let path = format!("{}/{file}", group.folder);
                if host.read_into(&path, &mut self.buffer).is_ok() {
                    reading.take(&path, parse(&self.buffer, file, devices));
                }
            };
        if group.unified {
            read("io.max", &mut devices, limits_v2);
            if !devices.is_empty() {
                read("io.stat", &mut devices, counters_v2);
            }
            return devices;
        }
        for file in LIMITS_V1 {
            read(file, &mut devices, limits_v1);
        }
        if !devices.is_empty() {
            read("blkio.throttle.io_service_bytes", &mut devices, counters_v1);
            read("blkio.throttle.io_serviced", &mut devices, counters_v1);
        }
        devices
    }
}

/// So that a look at all groups costs the same, divided by the readings, however many they are.
fn readings_between(groups: usize) -> usize {
    groups.div_ceil(GROUPS_A_READING).max(LEAST_READINGS)
}

/// Every group in a tree that limits block I/O.
fn all_groups(host: &Host, reading: &mut Reading) -> Vec<Group> {
    let mounts = match host.mount_table() {
        Ok(mounts) => mounts,
        Err(error) => {
            reading.lacks("cgroup_io_limit", &error, "mount proc on /proc");
            return Vec::new();
        }
    };
    let limits_io = |tree: &Hierarchy| {
        let names = || host.read_text(format!("{}/cgroup.controllers", tree.point)).unwrap_or_default();
        if tree.unified {
            names().split_ascii_whitespace().any(|name| name == "io")
        } else {
            tree.controllers.iter().any(|name| name == "blkio")
        }
    };
    let trees: Vec<Hierarchy> =
        // What is wrong with the file as such is told by the source `filesystem`.
        hierarchies(&mountinfo::parse(&mounts).value).into_iter().filter(limits_io).collect();
    let mut found = Vec::new();
    for (path, in_trees) in groups(host, &trees, &mut KeptFolders::default()) {
        for tree in in_trees.iter().filter_map(|at| trees.get(*at)) {
            let folder = tree.folder_of(&path);
            found.push(Group { path: path.clone(), folder, unified: tree.unified });
        }
    }
    found
}

/// The kernel's name of a device, or its numbers when it is gone.
fn name_of(host: &Host, dev_id: &str) -> Text {
    let link = host.read_link(format!("/sys/dev/block/{dev_id}")).ok();
    let name = link.as_deref().and_then(|link| link.rsplit('/').next()).unwrap_or(dev_id);
    // A device in a folder has `!` for its slash, as in /proc/diskstats.
    name.replace('!', "/").into()
}

/// Files of limits of version 1: a line `8:0 1048576` for each limited device.
const LIMITS_V1: [&str; 4] = [
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
    "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device",
];

fn limits_v1(content: &[u8], file: &str, devices: &mut Devices) -> Parsed<()> {
    let mut parsed = Parsed::<()>::default();
    for (line, words) in lines(parsed.whole_lines(content)) {
        let mut words = fields(words);
        let dev_id = text(words.next().unwrap_or_default()).into_owned();
        let Some(limit) = parsed.count(line, "limit", words.next()) else { continue };
        let row = devices.entry(dev_id).or_default();
        let column = match file {
            "blkio.throttle.read_bps_device" => &mut row.read_limit_bytes,
            "blkio.throttle.write_bps_device" => &mut row.write_limit_bytes,
            "blkio.throttle.read_iops_device" => &mut row.read_limit,
            _ => &mut row.write_limit,
        };
        *column = Some(limit);
    }
    parsed
}

/// `8:0 Read 4096`; devices without a limit are passed over.
fn counters_v1(content: &[u8], file: &str, devices: &mut Devices) -> Parsed<()> {
    let mut parsed = Parsed::<()>::default();
    let is_bytes = file.ends_with("bytes");
    for (line, words) in lines(parsed.whole_lines(content)) {
        let mut words = fields(words);
        let dev_id = text(words.next().unwrap_or_default());
        let Some(row) = devices.get_mut(dev_id.as_ref()) else { continue };
        let column = match (words.next(), is_bytes) {
            (Some(b"Read"), true) => &mut row.read_bytes,
            (Some(b"Write"), true) => &mut row.write_bytes,
            (Some(b"Read"), false) => &mut row.reads,
            (Some(b"Write"), false) => &mut row.writes,
            _ => continue,
        };
        *column = parsed.count(line, "value", words.next());
    }
    parsed
}

/// `8:16 rbps=2097152 wbps=max riops=max wiops=120`.
fn limits_v2(content: &[u8], _: &str, devices: &mut Devices) -> Parsed<()> {
    let mut parsed = Parsed::<()>::default();
    for (line, words) in lines(parsed.whole_lines(content)) {
        let mut words = fields(words);
        let dev_id = text(words.next().unwrap_or_default()).into_owned();
        for (name, value) in words.filter_map(split) {
            if value == b"max" {
                continue;
            }
            let Some(limit) = count(value) else {
                parsed.error(ParseError::new(line, "limit", value, "a number, or max"));
                continue;
            };
            let row = devices.entry(dev_id.clone()).or_default();
            let column = match name {
                b"rbps" => &mut row.read_limit_bytes,
                b"wbps" => &mut row.write_limit_bytes,
                b"riops" => &mut row.read_limit,
                b"wiops" => &mut row.write_limit,
                _ => continue,
            };
            *column = Some(limit);
        }
    }
    parsed
}

/// `8:16 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6`; devices without a limit are passed over.
fn counters_v2(content: &[u8], _: &str, devices: &mut Devices) -> Parsed<()> {
    let mut parsed = Parsed::<()>::default();
    for (line, words) in lines(parsed.whole_lines(content)) {
        let mut words = fields(words);
        let dev_id = text(words.next().unwrap_or_default());
        let Some(row) = devices.get_mut(dev_id.as_ref()) else { continue };
        for (name, value) in words.filter_map(split) {
            let column = match name {
                b"rbytes" => &mut row.read_bytes,
                b"wbytes" => &mut row.write_bytes,
                b"rios" => &mut row.reads,
                b"wios" => &mut row.writes,
                _ => continue,
            };
            *column = parsed.count(line, "value", Some(value));
        }
    }
    parsed
}

/// `name=value`.
fn split(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = word.iter().position(|byte| *byte == b'=')?;
    Some((&word[..at], &word[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_counters_of_version_2() {
        let mut devices = Devices::new();
        let parsed = limits_v2(
            b"8:16 rbps=2097152 wbps=max riops=max wiops=120\n8:0 rbps=max wbps=max riops=some wiops=max\n",
            "io.max",
            &mut devices,
        );
        assert_eq!((parsed.errors.len(), parsed.errors[0].line), (1, 2));
        counters_v2(b"8:0 rbytes=9\n8:16 rbytes=10 wbytes=20 rios=1 wios=2\n", "io.stat", &mut devices);
        let expected = CgroupIoLimitRow {
            read_limit_bytes: Some(2_097_152),
            write_limit: Some(120),
            read_bytes: Some(10),
            write_bytes: Some(20),
            reads: Some(1),
            writes: Some(2),
            ..CgroupIoLimitRow::default()
        };
        assert_eq!(devices, Devices::from([("8:16".to_owned(), expected)]));
    }

    #[test]
    fn many_groups_are_looked_at_less_often() {
        assert_eq!(readings_between(0), LEAST_READINGS);
        assert_eq!(readings_between(60), LEAST_READINGS);
        assert_eq!(readings_between(1000), 50);
    }

    #[test]
    fn a_damaged_limit_of_version_1_is_named_and_the_rest_is_read() {
        let mut devices = Devices::new();
        let parsed = limits_v1(b"8:0 much\n8:16 50\n", "blkio.throttle.write_iops_device", &mut devices);
        assert_eq!((parsed.errors.len(), parsed.errors[0].line), (1, 1));
        assert_eq!(devices["8:16"].write_limit, Some(50));
        assert_eq!(devices.len(), 1);
    }
}
