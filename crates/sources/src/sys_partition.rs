//! `/sys/class/block`: where devices begin and how that fits what is below (table `partition`).
//!
//! A partition's own `alignment_offset` says it, for the blocks and chunks of its disk:
//! `queue_limit_alignment_offset` of block/blk-settings.c. It is computed here instead, from
//! the partition's begin and the disk's limits, because the file counts towards the next
//! boundary and an old kernel lacks it; a device that is put together from
//! others says -1 when theirs do not fit each other. Read once: none of it changes.

use heldup_hostfs::{Host, SmallFiles};
use heldup_model::tables::PartitionRow;
use heldup_model::{Record, RowSet, TableDef, Text};

use crate::kernel_text::signed;
use crate::source::{ReadContext, Reading, Schedule, Source};
use crate::sys_block::{files, kind, number, parent, size_bytes, word};

const PATH: &str = "/sys/class/block";
const SECTOR_BYTES: i64 = 512;
/// At most so many devices are read: about a dozen small files each.
const MAX_DEVICES: usize = 2000;

/// What a whole device says of its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Limits {
    logical: Option<i64>,
    physical: Option<i64>,
    minimum: Option<i64>,
    optimal: Option<i64>,
    alignment: Option<i64>,
}

impl Limits {
    fn read(files: &mut SmallFiles) -> Limits {
        let alignment = files.read_text("alignment_offset").ok();
        let mut positive = |file: &str| number(files, &format!("queue/{file}")).filter(|n| *n > 0);
        Limits {
            logical: positive("logical_block_size"),
            physical: positive("physical_block_size"),
            minimum: positive("minimum_io_size"),
            optimal: positive("optimal_io_size"),
            alignment: alignment.and_then(|text| signed(text.trim().as_bytes())),
        }
    }

    /// What a request should not straddle.
    fn boundary(self) -> Option<i64> {
        self.physical.max(self.minimum)
    }

    /// The full stripe; disks behind some USB bridges and controllers name sizes here that
    /// are no multiple of their blocks, and mean nothing.
    fn stripe(self) -> Option<i64> {
        let boundary = self.boundary()?;
        self.optimal.filter(|optimal| *optimal > boundary && optimal % boundary == 0)
    }
}

/// The source.
#[derive(Debug, Default)]
pub struct SysPartition;

impl Source for SysPartition {
    fn name(&self) -> &'static str {
        "sys_partition"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[PartitionRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::once()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        match host.list(PATH) {
            Ok(names) => {
                let rows = names.iter().take(MAX_DEVICES).filter_map(|name| row(host, name));
                reading.rows.push(RowSet::totals(rows));
            }
            Err(error) => reading.lacks("partition", &error, "mount sysfs on /sys"),
        }
        reading
    }
}

/// Devices without a size (unused loop devices) and RAM disks are left out.
fn row(host: &Host, name: &str) -> Option<PartitionRow> {
    let mut files = files(host, name);
    let size_bytes = size_bytes(&mut files).filter(|size| *size > 0 && !name.starts_with("ram"))?;
    let kind = kind(&mut files, name)?;
    let mut row = PartitionRow {
        // sysfs writes the slash of a name as an exclamation mark.
        device: Some(name.replace('!', "/").into()),
        kind: Some(kind.into()),
        size_bytes: Some(size_bytes),
        ..PartitionRow::default()
    };
    let limits = if kind == "partition" {
        row.parent = parent(host, name).map(|disk| Text::from(disk.replace('!', "/")));
        row.start_bytes =
            number(&mut files, "start").and_then(|n| n.checked_mul(SECTOR_BYTES)).filter(|start| *start >= 0);
        let disk = row.parent.as_deref().map(|disk| crate::sys_block::files(host, disk));
        disk.map_or_else(Limits::default, |mut disk| Limits::read(&mut disk))
    } else {
        Limits::read(&mut files)
    };
    row.logical_block_bytes = limits.logical;
    row.physical_block_bytes = limits.physical;
    row.minimum_io_bytes = limits.minimum;
    row.optimal_io_bytes = limits.optimal;
    row.alignment_offset_bytes = limits.alignment.filter(|offset| *offset >= 0);
    align(&mut row, limits);
    if files.exists("md") {
        row.raid_level = word(&mut files, "md/level");
        row.raid_devices = number(&mut files, "md/raid_disks");
        row.chunk_bytes = number(&mut files, "md/chunk_size").filter(|chunk| *chunk > 0);
    }
    row.dm_name = word(&mut files, "dm/name");
    row.dm_uuid = word(&mut files, "dm/uuid");
    Some(row)
}

/// Where it begins within the blocks and stripes of its device.
fn align(row: &mut PartitionRow, limits: Limits) {
    let (Some(boundary), Some(alignment)) = (limits.boundary(), limits.alignment) else { return };
    if alignment < 0 {
        row.misaligned = Some(true);
        return;
    }
    // A whole device begins where it begins: boundaries are counted from there.
    let Some(start) = row.start_bytes.or((row.kind.as_deref() != Some("partition")).then_some(alignment))
    else {
        return;
    };
    // Boundaries lie at `alignment`, `alignment` + `boundary` and so on.
    let beyond = (start - alignment).rem_euclid(boundary);
    row.misaligned = Some(beyond != 0);
    row.misaligned_bytes = Some(beyond);
    row.stripe_misaligned_bytes = limits.stripe().map(|stripe| (start - alignment).rem_euclid(stripe));
    if row.start_bytes.is_some() {
        row.alignment_offset_bytes = Some((boundary - beyond) % boundary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(start: i64, limits: Limits) -> PartitionRow {
        let mut row = PartitionRow {
            kind: Some("partition".into()),
            start_bytes: Some(start),
            ..PartitionRow::default()
        };
        align(&mut row, limits);
        row
    }

    const DISK_4K: Limits = Limits {
        logical: Some(512),
        physical: Some(4096),
        minimum: Some(4096),
        optimal: None,
        alignment: Some(0),
    };

    #[test]
    fn a_begin_at_sector_63_is_beside_the_blocks_of_4_kb() {
        let row = partition(63 * 512, DISK_4K);
        assert_eq!((row.misaligned, row.misaligned_bytes), (Some(true), Some(3584)));
        assert_eq!(row.alignment_offset_bytes, Some(512), "what the kernel's own file says there");
        let row = partition(2048 * 512, DISK_4K);
        assert_eq!((row.misaligned, row.misaligned_bytes), (Some(false), Some(0)));
    }

    #[test]
    fn a_disk_made_for_sector_63_has_its_boundaries_there() {
        // Jumpered disks: logical block 7 begins a physical block.
        let disk = Limits { alignment: Some(3584), ..DISK_4K };
        assert_eq!(partition(63 * 512, disk).misaligned, Some(false));
        assert_eq!(partition(2048 * 512, disk).misaligned_bytes, Some(512));
    }

    #[test]
    fn stripes_are_told_apart_from_chunks() {
        let raid = Limits { minimum: Some(512 << 10), optimal: Some(3 * (512 << 10)), ..DISK_4K };
        let row = partition(1 << 20, raid);
        assert_eq!((row.misaligned, row.stripe_misaligned_bytes), (Some(false), Some(1 << 20)));
        // 33,553,920 bytes: 65,535 sectors, which a bridge calls its optimum.
        let bridge = Limits { optimal: Some(65_535 * 512), ..DISK_4K };
        assert_eq!(partition(1 << 20, bridge).stripe_misaligned_bytes, None);
    }

    #[test]
    fn layers_that_do_not_fit_each_other_and_limits_that_are_not_told() {
        let row = partition(1 << 20, Limits { alignment: Some(-1), ..DISK_4K });
        assert_eq!((row.misaligned, row.misaligned_bytes), (Some(true), None));
        assert_eq!(partition(1 << 20, Limits::default()).misaligned, None);
    }
}
