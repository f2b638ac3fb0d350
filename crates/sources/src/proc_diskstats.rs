//! `/proc/diskstats`: requests, bytes and times of every block device (table `disk`).
//!
//! The counters are read at every sample; what a device is and how its queue is set
//! ([`crate::sys_block`]) only when the device is first seen. Devices without a size that
//! never served a request (unused loop and RAM disks) are left out.
//!
//! Times are milliseconds in 32 bits (`%u` in `diskstats_show`, block/genhd.c): after 49 days of one
//! request, or a day of fifty at once, they begin anew.

use std::collections::HashMap;

use heldup_hostfs::{Host, KeptFiles};
use heldup_model::tables::DiskRow;
use heldup_model::{Record, RowSet, TableDef, Text};

use crate::kernel_text::{ParseError, Parsed, fields, lines};
use crate::source::{ReadContext, Reading, Schedule, Source};
use crate::sys_block::{self, BlockDevice, Surroundings, block_device, size_bytes};
use crate::wrapping::Wide;

const PATH: &str = "/proc/diskstats";
/// The unit of every sector count of the kernel, whatever the device's block size is.
const SECTOR_BYTES: i64 = 512;

/// More than any kernel writes; the rest of a garbled line is not looked at.
const MAX_FIELDS: usize = 64;

/// One line: counters since boot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiskStat {
    /// major:minor.
    pub dev_id: String,
    /// Kernel name, as the file has it (`cciss/c0d0`).
    pub device: String,
    /// Reads completed.
    pub reads: Option<i64>,
    /// Reads merged.
    pub reads_merged: Option<i64>,
    /// Sectors read.
    pub read_sectors: Option<i64>,
    /// Milliseconds of all reads.
    pub read_ms: Option<i64>,
    /// Writes completed.
    pub writes: Option<i64>,
    /// Writes merged.
    pub writes_merged: Option<i64>,
    /// Sectors written.
    pub write_sectors: Option<i64>,
    /// Milliseconds of all writes.
    pub write_ms: Option<i64>,
    /// Requests in flight.
    pub in_flight: Option<i64>,
    /// Milliseconds with a request in flight.
    pub busy_ms: Option<i64>,
    /// Milliseconds weighted by requests in flight.
    pub queue_ms: Option<i64>,
    /// Discards completed (4.18).
    pub discards: Option<i64>,
    /// Sectors discarded (4.18).
    pub discard_sectors: Option<i64>,
    /// Milliseconds of all discards (4.18).
    pub discard_ms: Option<i64>,
    /// Flushes completed (5.5).
    pub flushes: Option<i64>,
    /// Milliseconds of all flushes (5.5).
    pub flush_ms: Option<i64>,
}

impl DiskStat {
    /// All times.
    fn times(&mut self) -> [&mut Option<i64>; 6] {
        let DiskStat { read_ms, write_ms, busy_ms, queue_ms, discard_ms, flush_ms, .. } = self;
        [read_ms, write_ms, busy_ms, queue_ms, discard_ms, flush_ms]
    }

    /// Requests of all kinds since boot.
    fn requests(&self) -> i64 {
        let kinds = [self.reads, self.writes, self.discards, self.flushes];
        kinds.into_iter().flatten().fold(0, i64::saturating_add)
    }
}

/// Reads the file. Lines have 11 numbers after the name, since 4.18 with discards 15, since
/// 5.5 with flushes 17, and partitions before 2.6.25 only 4 (Documentation/admin-guide/iostats.rst).
pub fn parse(text: &[u8]) -> Parsed<Vec<DiskStat>> {
    let mut parsed: Parsed<Vec<_>> = Parsed::default();
    for (number, line) in lines(parsed.whole_lines(text)) {
        let fields: Vec<&[u8]> = fields(line).take(MAX_FIELDS).collect();
        let [major, minor, device, numbers @ ..] = &fields[..] else {
            parsed.error(ParseError::new(
                number,
                "device",
                line,
                "major, minor, name and 4 or at least 11 numbers",
            ));
            continue;
        };
        let dev_id = [*major, *minor].map(String::from_utf8_lossy).join(":");
        let device = String::from_utf8_lossy(device).into_owned();
        let stat = DiskStat { dev_id, device, ..DiskStat::default() };
        match numbers.len() {
            4 => {
                let stat = old_partition(&mut parsed, number, numbers, stat);
                parsed.value.push(stat);
            }
            11.. => {
                let stat = whole_line(&mut parsed, number, numbers, stat);
                parsed.value.push(stat);
            }
            _ => parsed.error(ParseError::new(
                number,
                "numbers",
                line,
                "4 or at least 11 numbers after the name",
            )),
        }
    }
    parsed
}

fn old_partition(
    parsed: &mut Parsed<Vec<DiskStat>>,
    line: usize,
    numbers: &[&[u8]],
    stat: DiskStat,
) -> DiskStat {
    let mut at = |index: usize, item| parsed.count(line, item, numbers.get(index).copied());
    DiskStat {
        reads: at(0, "reads"),
        read_sectors: at(1, "sectors read"),
        writes: at(2, "writes"),
        write_sectors: at(3, "sectors written"),
        ..stat
    }
}

fn whole_line(
    parsed: &mut Parsed<Vec<DiskStat>>,
    line: usize,
    numbers: &[&[u8]],
    stat: DiskStat,
) -> DiskStat {
    let mut at = |index: usize, item| {
        // Numbers that this kernel does not have yet are NULL, not an error.
        numbers.get(index).and_then(|field| parsed.count(line, item, Some(field)))
    };
    DiskStat {
        reads: at(0, "reads"),
        reads_merged: at(1, "reads merged"),
        read_sectors: at(2, "sectors read"),
        read_ms: at(3, "time reading"),
        writes: at(4, "writes"),
        writes_merged: at(5, "writes merged"),
        write_sectors: at(6, "sectors written"),
        write_ms: at(7, "time writing"),
        // A signed count printed as unsigned: some drivers before 4.20 let it fall below zero.
        in_flight: at(8, "in flight").filter(|n| *n <= i64::from(i32::MAX)),
        busy_ms: at(9, "time busy"),
        queue_ms: at(10, "weighted time"),
        discards: at(11, "discards"),
        discard_sectors: at(13, "sectors discarded"),
        discard_ms: at(14, "time discarding"),
        flushes: at(15, "flushes"),
        flush_ms: at(16, "time flushing"),
        ..stat
    }
}

/// A device that was looked at.
#[derive(Debug)]
struct KnownDevice {
    /// `None`: without a size, and never used.
    device: Option<BlockDevice>,
    /// Requests since boot when it was looked at.
    requests: i64,
    /// Requests when it was read last.
    last_requests: i64,
    /// Its times, in the order of [`DiskStat::times`].
    times: [Option<Wide>; 6],
}

impl KnownDevice {
    /// A loop device without a file has no size; when it serves requests again, it has got one. And
    /// where there were more requests before, it is another device of the same name.
    fn is_outdated(&self, stat: &DiskStat) -> bool {
        let empty = self.device.as_ref().is_none_or(|device| device.size_bytes == Some(0));
        (empty && stat.requests() != self.requests) || stat.requests() < self.last_requests
    }

    /// Makes of its times totals that go on where the kernel's begin anew.
    fn widen(&mut self, stat: &mut DiskStat) {
        self.last_requests = stat.requests();
        for (cell, wide) in stat.times().into_iter().zip(&mut self.times) {
            let Some(now) = cell.and_then(|ms| u32::try_from(ms).ok()) else {
                *wide = None;
                continue;
            };
            *cell = Some(wide.get_or_insert(Wide::new(now)).total(now));
        }
    }
}

/// The source: counters at every sample, topology when a device is first seen.
#[derive(Debug, Default)]
pub struct ProcDiskstats {
    known: HashMap<String, KnownDevice>,
    files: KeptFiles,
    text: Vec<u8>,
}

impl Source for ProcDiskstats {
    fn name(&self) -> &'static str {
        "proc_diskstats"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[DiskRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::every_sample()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        if let Err(error) = self.files.read_into(host, PATH, &mut self.text) {
            reading.lacks("disk", &error, "mount proc on /proc");
            return reading;
        }
        let mut stats = reading.take(PATH, parse(&self.text));
        self.look_at_new(host, &stats);
        let rows = stats.iter_mut().filter_map(|stat| {
            let known = self.known.get_mut(&stat.device)?;
            known.widen(stat);
            Some(row(stat, known.device.as_ref()?))
        });
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl ProcDiskstats {
    fn look_at_new(&mut self, host: &Host, stats: &[DiskStat]) {
        let is_new =
            |stat: &&DiskStat| self.known.get(&stat.device).is_none_or(|known| known.is_outdated(stat));
        let new: Vec<&DiskStat> = stats.iter().filter(is_new).collect();
        if new.is_empty() {
            return;
        }
        let devices = stats.iter().map(|stat| (stat.dev_id.as_str(), stat.device.as_str())).collect();
        let surroundings = Surroundings::read(host, devices);
        for stat in new {
            let mut files = sys_block::files(host, &stat.device);
            let unused = stat.requests() == 0 && size_bytes(&mut files).unwrap_or(0) == 0;
            let device =
                (!unused).then(|| block_device(&mut files, &surroundings, &stat.dev_id, &stat.device));
            // Of another device under the name of one that is gone no time is that one's.
            let requests = stat.requests();
            let before = self.known.get(&stat.device).filter(|known| requests >= known.last_requests);
            let times = before.map_or([None; 6], |known| known.times);
            let known = KnownDevice { device, requests, last_requests: requests, times };
            self.known.insert(stat.device.clone(), known);
        }
    }
}

fn row(stat: &DiskStat, device: &BlockDevice) -> DiskRow {
    let bytes = |sectors: Option<i64>| sectors.and_then(|n| n.checked_mul(SECTOR_BYTES));
    let seconds = |ms: Option<i64>| ms.map(|ms| ms as f64 / 1000.0);
    let some = |text: &Option<Text>| text.clone();
    DiskRow {
        device: Some(device.name.clone()),
        dev_id: Some(device.dev_id.clone()),
        kind: some(&device.kind),
        parent: some(&device.parent),
        backing: some(&device.backing),
        label_name: some(&device.label_name),
        mounts: some(&device.mounts),
        reads: stat.reads,
        reads_merged: stat.reads_merged,
        read_bytes: bytes(stat.read_sectors),
        read_s: seconds(stat.read_ms),
        writes: stat.writes,
        writes_merged: stat.writes_merged,
        write_bytes: bytes(stat.write_sectors),
        write_s: seconds(stat.write_ms),
        discards: stat.discards,
        discard_bytes: bytes(stat.discard_sectors),
        discard_s: seconds(stat.discard_ms),
        flushes: stat.flushes,
        flush_s: seconds(stat.flush_ms),
        in_flight: stat.in_flight,
        busy_s: seconds(stat.busy_ms),
        queue_s: seconds(stat.queue_ms),
        rotational: device.rotational,
        scheduler: some(&device.scheduler),
        write_cache: some(&device.write_cache),
        nr_requests: device.nr_requests,
        read_ahead_bytes: device.read_ahead_bytes,
        max_request_bytes: device.max_request_bytes,
        logical_block_bytes: device.logical_block_bytes,
        physical_block_bytes: device.physical_block_bytes,
        size_bytes: device.size_bytes,
        requests: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generation_of_the_line() {
        let text = b"   8 1 sda1 10 20 30 40\n\
            8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n\
            8 16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n\
            259 0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n";
        let parsed = parse(text);
        assert_eq!(parsed.errors, []);
        let [old, base, discards, flushes] = &parsed.value[..] else { panic!("{parsed:?}") };
        assert_eq!((old.reads, old.read_sectors, old.read_ms), (Some(10), Some(20), None));
        assert_eq!((old.writes, old.write_sectors), (Some(30), Some(40)));
        assert_eq!((base.queue_ms, base.discards), (Some(11), None));
        assert_eq!((discards.discard_ms, discards.flushes), (Some(15), None));
        assert_eq!(
            (flushes.flushes, flushes.flush_ms, flushes.dev_id.as_str()),
            (Some(16), Some(17), "259:0")
        );
    }

    #[test]
    fn a_negative_depth_is_not_measured() {
        let parsed = parse(b"8 0 sda 1 2 3 4 5 6 7 8 4294967295 10 11\n");
        assert_eq!((parsed.value[0].in_flight, parsed.errors.len()), (None, 0));
    }

    #[test]
    fn a_cut_line_is_named_and_a_bad_number_is_null() {
        let parsed = parse(b"8 0 sda 1 2 3 4 5\n8 16 sdb 1 x 3 4 5 6 7 8 9 10 11\n8 3");
        assert_eq!(parsed.value.len(), 1);
        assert_eq!((parsed.value[0].reads, parsed.value[0].reads_merged), (Some(1), None));
        let lines: Vec<_> = parsed.errors.iter().map(|e| e.line).collect();
        assert_eq!(lines, [3, 1, 2], "the cut end of the file is seen first");
    }
}
