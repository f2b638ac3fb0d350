//! What the headings of `iostat` mean: data, and nothing else.

use heldup_model::tables::{CpuRow, DiskRow};
use heldup_model::{Record, TableDef};

use crate::table::columns::Amount::{Derived, EachMs, Rate, Share, Total};
use crate::table::columns::{Field, field};

const CPU: &TableDef = CpuRow::DEF;
const DISK: &TableDef = DiskRow::DEF;
const SECTOR: f64 = 512.0;
const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

/// The block of the CPU; `%system` has interrupts in it.
pub const CPU_FIELDS: [Field; 7] = [
    field("%user", CPU, "user_s", Share),
    field("%nice", CPU, "nice_s", Share),
    field("%system", CPU, "system_s", Share),
    field("%sys", CPU, "system_s", Share),
    field("%iowait", CPU, "iowait_s", Share),
    field("%steal", CPU, "steal_s", Share),
    field("%idle", CPU, "idle_s", Share),
];

/// Devices. What follows from other columns (mean sizes, svctm, shares of merges) is no column.
pub const DISK_FIELDS: [Field; 54] = [
    field("tps", DISK, "requests", Rate(1.0)),
    field("r/s", DISK, "reads", Rate(1.0)),
    field("w/s", DISK, "writes", Rate(1.0)),
    field("d/s", DISK, "discards", Rate(1.0)),
    field("f/s", DISK, "flushes", Rate(1.0)),
    field("rrqm/s", DISK, "reads_merged", Rate(1.0)),
    field("wrqm/s", DISK, "writes_merged", Rate(1.0)),
    field("drqm/s", DISK, "discards", Derived),
    field("rsec/s", DISK, "read_bytes", Rate(SECTOR)),
    field("wsec/s", DISK, "write_bytes", Rate(SECTOR)),
    field("dsec/s", DISK, "discard_bytes", Rate(SECTOR)),
    field("rkB/s", DISK, "read_bytes", Rate(KIB)),
    field("wkB/s", DISK, "write_bytes", Rate(KIB)),
    field("dkB/s", DISK, "discard_bytes", Rate(KIB)),
    field("rMB/s", DISK, "read_bytes", Rate(MIB)),
    field("wMB/s", DISK, "write_bytes", Rate(MIB)),
    field("dMB/s", DISK, "discard_bytes", Rate(MIB)),
    field("Blk_read/s", DISK, "read_bytes", Rate(SECTOR)),
    field("Blk_wrtn/s", DISK, "write_bytes", Rate(SECTOR)),
    field("Blk_dscd/s", DISK, "discard_bytes", Rate(SECTOR)),
    field("kB_read/s", DISK, "read_bytes", Rate(KIB)),
    field("kB_wrtn/s", DISK, "write_bytes", Rate(KIB)),
    field("kB_dscd/s", DISK, "discard_bytes", Rate(KIB)),
    field("MB_read/s", DISK, "read_bytes", Rate(MIB)),
    field("MB_wrtn/s", DISK, "write_bytes", Rate(MIB)),
    field("MB_dscd/s", DISK, "discard_bytes", Rate(MIB)),
    field("Blk_read", DISK, "read_bytes", Total(SECTOR)),
    field("Blk_wrtn", DISK, "write_bytes", Total(SECTOR)),
    field("Blk_dscd", DISK, "discard_bytes", Total(SECTOR)),
    field("kB_read", DISK, "read_bytes", Total(KIB)),
    field("kB_wrtn", DISK, "write_bytes", Total(KIB)),
    field("kB_dscd", DISK, "discard_bytes", Total(KIB)),
    field("MB_read", DISK, "read_bytes", Total(MIB)),
    field("MB_wrtn", DISK, "write_bytes", Total(MIB)),
    field("MB_dscd", DISK, "discard_bytes", Total(MIB)),
    field("r_await", DISK, "read_s", EachMs(&["r/s"])),
    field("w_await", DISK, "write_s", EachMs(&["w/s"])),
    field("d_await", DISK, "discard_s", EachMs(&["d/s"])),
    field("f_await", DISK, "flush_s", EachMs(&["f/s"])),
    field("avgqu-sz", DISK, "queue_s", Rate(1.0)),
    field("aqu-sz", DISK, "queue_s", Rate(1.0)),
    field("%util", DISK, "busy_s", Share),
    field("await", DISK, "queue_s", Derived),
    field("svctm", DISK, "busy_s", Derived),
    field("avgrq-sz", DISK, "read_bytes", Derived),
    field("areq-sz", DISK, "read_bytes", Derived),
    field("rareq-sz", DISK, "read_bytes", Derived),
    field("wareq-sz", DISK, "write_bytes", Derived),
    field("dareq-sz", DISK, "discard_bytes", Derived),
    field("%rrqm", DISK, "reads_merged", Derived),
    field("%wrqm", DISK, "writes_merged", Derived),
    field("%drqm", DISK, "discards", Derived),
    field("Device", DISK, "reads", Derived),
    field("Device:", DISK, "reads", Derived),
];

/// What both halves of a pair say, the sum and what it is a second: the interval follows.
pub const SUMS: [(&str, &str); 6] = [
    ("kB_read", "kB_read/s"),
    ("kB_wrtn", "kB_wrtn/s"),
    ("Blk_read", "Blk_read/s"),
    ("Blk_wrtn", "Blk_wrtn/s"),
    ("MB_read", "MB_read/s"),
    ("MB_wrtn", "MB_wrtn/s"),
];
