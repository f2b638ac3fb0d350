//! Which block devices of a capture stand on which: the view `disk_stack`.
//!
//! A listing of disks counts each request once for every layer that it passes: partition, device mapper, multipath,
//! md, drive. A live capture has the layers of each device. Of a recording they follow from what it says (`parent`,
//! `backing`), from the names of partitions and slices, and from figures: what went through two devices is the same
//! in each interval, or one drive got all that went through the devices above it. Two drives with the same figures
//! (a mirror) do not stand on each other. Where nothing of this holds, nothing is concluded.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, Int64Array, RecordBatch, StringArray};
use heldup_model::Capture;

/// Drives that share the work of one device above them, at most: paths of a multipath device, members of a stripe.
const MOST_SHARING: i64 = 8;
/// So much may the sums of two devices differ that are one: requests are counted where they end.
const TOLERANCE: f64 = 0.05;
/// The same where there are fewer intervals than `FEW`: chance is likelier.
const TOLERANCE_OF_FEW: f64 = 0.01;
const FEW: usize = 3;
/// Most pairs of the view.
const MOST_PAIRS: usize = 20_000;
/// Major numbers of drives: SCSI, DASD, smart arrays, Xen, NVMe. Those of device mapper and virtio are given out
/// by the kernel as it starts, and overlap.
const DRIVE_MAJORS: [std::ops::RangeInclusive<i64>; 7] =
    [8..=8, 65..=71, 94..=94, 104..=111, 128..=135, 202..=202, 259..=259];
/// Of these a disk has 16 numbers, of which the first is the disk's own.
const SCSI_MAJORS: [std::ops::RangeInclusive<i64>; 3] = [8..=8, 65..=71, 128..=135];

/// What went through a device in each interval.
#[derive(Default)]
struct Device {
    kind: Option<String>,
    below: BTreeSet<String>,
    /// By time: bytes, and requests.
    moved: BTreeMap<i64, (f64, f64)>,
    /// The same of all intervals.
    total: (f64, f64),
}

impl Device {
    fn add(&mut self, time: i64, moved: (f64, f64)) {
        let of_time = self.moved.entry(time).or_default();
        *of_time = (of_time.0 + moved.0, of_time.1 + moved.1);
        self.total = (self.total.0 + moved.0, self.total.1 + moved.1);
    }
}

/// Every device of a recording with every device below it.
pub(super) fn pairs(capture: &Capture) -> Vec<(String, String)> {
    let mut devices = BTreeMap::new();
    for batch in capture.tables.get("disk").into_iter().flatten() {
        read(batch, &mut devices);
    }
    let mut below: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, device) in &devices {
        let said = device.below.iter().map(String::as_str);
        below.entry(name).or_default().extend(said.chain(partitioned(name, &devices)));
    }
    by_figures(&devices, &mut below);
    let mut pairs = Vec::new();
    for name in devices.keys() {
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        let mut left: Vec<&str> = vec![name];
        while let Some(next) = left.pop() {
            let lower = below.get(next).into_iter().flatten().filter(|lower| *lower != name);
            left.extend(lower.filter(|lower| reached.insert(lower)));
        }
        pairs.extend(reached.into_iter().map(|under| (name.clone(), under.to_owned())));
        if pairs.len() >= MOST_PAIRS {
            break;
        }
    }
    pairs
}

fn read(batch: &RecordBatch, devices: &mut BTreeMap<String, Device>) {
    let text = |name: &str| {
        let column = batch.column_by_name(name)?.as_dictionary_opt::<Int32Type>()?;
        let typed = column.downcast_dict::<StringArray>()?;
        Some(typed.into_iter().collect::<Vec<Option<&str>>>())
    };
    let number = |name: &str| batch.column_by_name(name)?.as_primitive_opt::<Int64Type>().cloned();
    let (Some(names), Some(times)) = (text("device"), number("time")) else { return };
    let (kinds, parents, backings) = (text("kind"), text("parent"), text("backing"));
    let columns = |names: &[&str]| names.iter().filter_map(|name| number(name)).collect::<Vec<_>>();
    let bytes = columns(&["read_bytes", "write_bytes"]);
    let (requests, all_requests) = (columns(&["reads", "writes"]), columns(&["requests"]));
    for (row, name) in names.iter().enumerate() {
        let Some(name) = name else { continue };
        let said = |column: &Option<Vec<Option<&str>>>| {
            column.as_ref().and_then(|column| *column.get(row)?).map(str::to_owned)
        };
        let sum = |columns: &[Int64Array]| {
            let values = columns.iter().filter(|column| column.is_valid(row)).map(|column| column.value(row));
            values.map(|value| value as f64).sum::<f64>()
        };
        if !devices.contains_key(*name) {
            devices.insert((*name).to_owned(), Device::default());
        }
        let Some(device) = devices.get_mut(*name) else { continue };
        device.kind = said(&kinds).or(device.kind.take());
        let lower = [said(&parents), said(&backings)].into_iter().flatten();
        for lower in lower {
            device.below.extend(lower.split_whitespace().map(str::to_owned));
        }
        let moved = (sum(&bytes), sum(&requests).max(sum(&all_requests)));
        if moved.1 > 0.0 || moved.0 > 0.0 {
            device.add(times.value(row), moved);
        }
    }
}

/// The disk of a partition or slice, by its name: `sda1`, `nvme0n1p2`, `dev8-17`, `c0t0d0s3`, `sd1,a`, `disk3_p2`.
fn partitioned<'d>(name: &str, devices: &'d BTreeMap<String, Device>) -> Option<&'d str> {
    let disk = match numbered(name) {
        Some((major, minor)) => {
            let is_scsi = SCSI_MAJORS.iter().any(|majors| majors.contains(&major));
            (is_scsi && minor % 16 > 0).then(|| format!("dev{major}-{}", minor - minor % 16))
        }
        None => disk_of(name).map(str::to_owned),
    }?;
    devices.get_key_value(&disk).map(|(name, _)| name.as_str())
}

fn disk_of(name: &str) -> Option<&str> {
    if let Some((disk, slice)) = name.rsplit_once(',') {
        return (slice.len() == 1 && slice.bytes().all(|byte| byte.is_ascii_lowercase())).then_some(disk);
    }
    let base = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
    if base.len() == name.len() || base.is_empty() {
        return None;
    }
    if let Some(disk) = base.strip_suffix("_p").or(base.strip_suffix('p')).or(base.strip_suffix('s'))
        && disk.ends_with(|sign: char| sign.is_ascii_digit())
    {
        // A slice has an `s` behind its disk, and `cmds1` is no slice of `cmd`.
        return (!base.ends_with('s') || disk.starts_with('c')).then_some(disk);
    }
    is_lettered(base).then_some(base)
}

/// `sda`, `hdb`, `vdc`, `xvdaa`, `dasda`.
fn is_lettered(name: &str) -> bool {
    ["sd", "hd", "vd", "xvd", "dasd"].iter().any(|begin| {
        name.strip_prefix(begin)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_lowercase()))
    })
}

/// `dev8-17`: major and minor number.
fn numbered(name: &str) -> Option<(i64, i64)> {
    let (major, minor) = name.strip_prefix("dev")?.split_once('-')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Whether a name is that of a drive, as the system that runs sees it.
fn is_drive(name: &str, kind: Option<&str>) -> bool {
    if let Some(kind) = kind {
        return kind == "disk";
    }
    if let Some((major, _)) = numbered(name) {
        return DRIVE_MAJORS.iter().any(|majors| majors.contains(&major));
    }
    let base = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let is_numbered = base.len() < name.len();
    is_lettered(name)
        || is_numbered
            && matches!(base, "sd" | "ssd" | "hdisk" | "disk" | "cmdk" | "dad" | "blkdev" | "da" | "ada")
        // What is below these is no block device, or not one of this listing.
        || is_numbered && matches!(base, "loop" | "nbd" | "rbd" | "ram" | "zram")
        || is_numbered
            && ["nvme", "mmcblk", "cciss", "c"].iter().any(|begin| {
                // c0t0d0, c1d0, nvme0n1
                name.strip_prefix(begin)
                    .is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
            })
}

/// Devices that nothing stands on: drives of removable media, and remote file systems among the disks of `iostat`.
fn is_apart(name: &str) -> bool {
    let base = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
    matches!(base, "sr" | "scd" | "cd" | "fd" | "st") || name.contains(':')
}

/// What follows from figures.
fn by_figures<'d>(devices: &'d BTreeMap<String, Device>, below: &mut BTreeMap<&'d str, BTreeSet<&'d str>>) {
    let is_told = |name: &str, below: &BTreeMap<&str, BTreeSet<&str>>| {
        below.get(name).is_some_and(|lower| !lower.is_empty())
    };
    let moved = devices.iter().filter(|(_, device)| !device.moved.is_empty());
    let free: Vec<(&str, &Device)> = moved
        .map(|(name, device)| (name.as_str(), device))
        .filter(|(name, _)| !is_told(name, below) && !is_apart(name))
        .collect();
    let (drives, uppers): (Vec<_>, Vec<_>) =
        free.iter().partition(|(name, device)| is_drive(name, device.kind.as_deref()));
    let uppers: Vec<(&str, &Device)> =
        uppers.into_iter().filter(|(_, device)| device.kind.as_deref() != Some("partition")).collect();
    for (at, (name, upper)) in uppers.iter().enumerate() {
        // Of two devices that are no drives the one with the lower number was there first.
        let lower = uppers
            .iter()
            .enumerate()
            .filter(|(other, (under, _))| *other != at && (under.len(), *under) < (name.len(), *name));
        let same = lower.map(|(_, one)| one).filter(|(_, under)| is_times(upper, under, 1)).map(|one| one.0);
        below.entry(name).or_default().extend(same);
        for times in 1..=MOST_SHARING {
            let sharing: Vec<&str> =
                drives.iter().filter(|(_, drive)| is_times(upper, drive, times)).map(|one| one.0).collect();
            if times == 1 || sharing.len() as i64 == times {
                below.entry(name).or_default().extend(sharing);
            }
        }
    }
    // One drive, and what went through the devices above adds up to what it got.
    let apart: Vec<&(&str, &Device)> = uppers.iter().filter(|(name, _)| !is_told(name, below)).collect();
    if let ([(drive, figures)], [_, _, ..]) = (drives.as_slice(), apart.as_slice()) {
        let mut together = Device::default();
        for (time, moved) in apart.iter().flat_map(|(_, device)| &device.moved) {
            together.add(*time, *moved);
        }
        if is_times(&together, figures, 1) {
            for (name, _) in apart {
                below.entry(name).or_default().insert(drive);
            }
        }
    }
}

/// Whether so many times what went through one device went through another, in each interval.
fn is_times(upper: &Device, under: &Device, times: i64) -> bool {
    let has_bytes = upper.total.0 > 0.0 && under.total.0 > 0.0;
    let (all, part) = if has_bytes { (upper.total.0, under.total.0) } else { (upper.total.1, under.total.1) };
    let factor = times as f64;
    if part <= 0.0 || (factor * part - all).abs() > TOLERANCE * all {
        return false;
    }
    let intervals: BTreeSet<i64> = upper.moved.keys().chain(under.moved.keys()).copied().collect();
    let amount = |device: &Device, time: &i64| {
        device.moved.get(time).map_or(0.0, |moved| if has_bytes { moved.0 } else { moved.1 })
    };
    let off: f64 =
        intervals.iter().map(|time| (factor * amount(under, time) - amount(upper, time)).abs()).sum();
    let tolerance = if intervals.len() < FEW { TOLERANCE_OF_FEW } else { TOLERANCE };
    off <= tolerance * all
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::DiskRow;
    use heldup_model::{Method, Record, RowSet, Span, Stamp};

    use super::*;

    /// A recording of these devices: in each interval so many bytes.
    fn recording(devices: &[(&str, &[i64])]) -> Capture {
        let mut batches = Vec::new();
        let intervals = devices.iter().map(|(_, moved)| moved.len()).max().unwrap_or(0);
        for at in 0..intervals {
            let row = |(name, moved): &(&str, &[i64])| {
                let bytes = *moved.get(at)?;
                Some(DiskRow {
                    device: Some((*name).into()),
                    requests: Some(bytes / 4096),
                    read_bytes: Some(bytes),
                    write_bytes: Some(0),
                    ..DiskRow::default()
                })
            };
            let rows = RowSet::increases(devices.iter().filter_map(row));
            let stamp = Stamp { time_ms: 1000 * (1 + at as i64), secs: Some(1.0), host: "box".into() };
            batches.push(rows.to_batch(&stamp).expect("a batch"));
        }
        Capture {
            host: "box".to_owned(),
            span: Span { since_ms: 0, until_ms: 1000 * intervals as i64 },
            method: Method::Imported,
            coverage: 0.0,
            untold: Vec::new(),
            timing: heldup_model::Timing::default(),
            tables: [(DiskRow::DEF.name.to_owned(), batches)].into(),
            missing: Vec::new(),
            flaws: Vec::new(),
        }
    }

    fn told(devices: &[(&str, &[i64])]) -> Vec<String> {
        pairs(&recording(devices)).into_iter().map(|(top, under)| format!("{top} on {under}")).collect()
    }

    const A: &[i64] = &[4_096_000, 8_192_000, 409_600, 81_920_000];
    const B: &[i64] = &[409_600, 8_192_000, 40_960_000, 4_096_000];
    const C: &[i64] = &[819_200, 819_200, 12_288_000, 2_048_000];

    #[test]
    fn partitions_by_their_names() {
        assert_eq!(told(&[("sda", A), ("sda1", B), ("sdb1", B)]), ["sda1 on sda"]);
        assert_eq!(told(&[("nvme0n1", A), ("nvme0n1p2", B), ("nvme0n10", C)]), ["nvme0n1p2 on nvme0n1"]);
        assert_eq!(told(&[("dev8-16", A), ("dev8-17", B), ("dev8-32", C)]), ["dev8-17 on dev8-16"]);
        assert_eq!(told(&[("c0t0d0", A), ("c0t0d0s3", B), ("c0t0d1", C)]), ["c0t0d0s3 on c0t0d0"]);
        assert_eq!(told(&[("sd1", A), ("sd1,a", B), ("sd10", C)]), ["sd1,a on sd1"]);
        assert_eq!(told(&[("hdisk1", A), ("hdisk10", B), ("hdisk11", C)]), [""; 0]);
    }

    #[test]
    fn a_device_with_the_figures_of_a_drive_stands_on_it() {
        assert_eq!(told(&[("dm-0", A), ("sda", B), ("sdb", A)]), ["dm-0 on sdb"]);
        let nearly: Vec<i64> = A.iter().map(|bytes| bytes + bytes / 50).collect();
        assert_eq!(told(&[("dev253-0", A), ("dev8-0", &nearly), ("dev8-16", B)]), ["dev253-0 on dev8-0"]);
        // The same sum, at other times.
        let turned: Vec<i64> = A.iter().rev().copied().collect();
        assert_eq!(told(&[("dm-0", A), ("sda", B), ("sdb", &turned)]), [""; 0]);
    }

    #[test]
    fn mirrors_and_equal_disks_do_not_stand_on_each_other() {
        assert_eq!(told(&[("sda", A), ("sdb", A)]), [""; 0]);
        assert_eq!(told(&[("md0", A), ("sda", A), ("sdb", A)]), ["md0 on sda", "md0 on sdb"]);
    }

    #[test]
    fn paths_share_the_work_of_one_device() {
        let half: Vec<i64> = A.iter().map(|bytes| bytes / 2).collect();
        let devices = [("mpatha", A), ("sda", B), ("sdb", &half[..]), ("sdc", &half[..])];
        assert_eq!(told(&devices), ["mpatha on sdb", "mpatha on sdc"]);
        // One disk that gets half of it is none of two paths.
        assert_eq!(told(&[("mpatha", A), ("sda", B), ("sdb", &half)]), [""; 0]);
    }

    #[test]
    fn volumes_that_add_up_to_the_only_drive_stand_on_it() {
        let sum: Vec<i64> = A.iter().zip(B).map(|(a, b)| a + b).collect();
        assert_eq!(told(&[("dm-0", A), ("dm-1", B), ("sda", &sum)]), ["dm-0 on sda", "dm-1 on sda"]);
        assert_eq!(told(&[("dm-0", A), ("dm-1", B), ("sda", &sum), ("sdb", C)]), [""; 0]);
        assert_eq!(told(&[("dm-0", A), ("dm-1", B), ("sda", C)]), [""; 0]);
    }

    #[test]
    fn what_stands_on_a_partition_stands_on_its_disk() {
        assert_eq!(told(&[("dm-0", A), ("sda", A), ("sda2", A)]), ["dm-0 on sda", "sda2 on sda"]);
    }
}
