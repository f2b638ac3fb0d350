//! What the headings of `sar` of Solaris, AIX and HP-UX mean: data, and nothing else.
//!
//! Blocks are of 512 bytes. Lengths of lines (`runq-sz`, `avque`) are means of the time in which there was a
//! line, not of the interval, and tasks that run are not in them: no column takes them. Pages of memory have the
//! size of the machine's, which the banner tells of some.

use heldup_model::tables::{CpuRow, DiskRow, MemoryRow, SystemRow, VmstatRow};
use heldup_model::{Record, TableDef};

use crate::document::banner::System;
use crate::table::columns::Amount::{Derived, EachMs, Level, Rate, Share};
use crate::table::columns::{Field, field};

const CPU: &TableDef = CpuRow::DEF;
const DISK: &TableDef = DiskRow::DEF;
const MEMORY: &TableDef = MemoryRow::DEF;
const SYSTEM: &TableDef = SystemRow::DEF;
const VMSTAT: &TableDef = VmstatRow::DEF;
const BLOCK: f64 = 512.0;
/// Pages of `swap_in_pages` where a tool counts in other units, as of vmstat.
const PAGE_BYTES: f64 = 4096.0;

/// What a section's rows are about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows {
    /// The machine: one row a sample.
    Machine,
    /// CPUs, where the heading `cpu` is there; else all of them together.
    Cpu,
    /// Devices, a row each.
    Device,
}

/// One section.
pub struct Section {
    /// Headings that only it has; all of them stand in its line.
    pub told_by: &'static [&'static str],
    /// What its rows are about.
    pub rows: Rows,
    /// What its headings mean; none where no column takes any.
    pub fields: &'static [Field],
}

/// All sections whose headings are known.
pub static SECTIONS: &[Section] = &[
    Section { told_by: &["%usr", "%sys", "%idle"], rows: Rows::Cpu, fields: CPU_TIMES },
    Section { told_by: &["device", "%busy", "avque"], rows: Rows::Device, fields: DEVICES },
    Section { told_by: &["runq-sz", "%runocc"], rows: Rows::Machine, fields: &[] },
    Section { told_by: &["bread/s", "lread/s"], rows: Rows::Machine, fields: &[] },
    Section { told_by: &["swpin/s", "pswch/s"], rows: Rows::Machine, fields: SWITCHES },
    Section { told_by: &["scall/s", "sread/s"], rows: Rows::Machine, fields: CALLS },
    Section { told_by: &["iget/s", "dirbk/s"], rows: Rows::Machine, fields: &[] },
    Section { told_by: &["iget/s", "dirblk/s"], rows: Rows::Machine, fields: &[] },
    Section { told_by: &["rawch/s", "canch/s"], rows: Rows::Machine, fields: &[] },
    Section { told_by: &["proc-sz", "inod-sz"], rows: Rows::Machine, fields: &[] },
    Section { told_by: &["text-sz", "proc-sz"], rows: Rows::Machine, fields: &[] },
    Section { told_by: &["msg/s", "sema/s"], rows: Rows::Machine, fields: &[] },
    Section { told_by: &["atch/s", "pgin/s"], rows: Rows::Machine, fields: FAULTS },
    Section { told_by: &["pgout/s", "pgscan/s"], rows: Rows::Machine, fields: SCANS },
    Section { told_by: &["freemem", "freeswap"], rows: Rows::Machine, fields: FREE },
    Section { told_by: &["sml_mem", "lg_mem"], rows: Rows::Machine, fields: &[] },
    // AIX.
    Section { told_by: &["slots", "cycle/s", "fault/s"], rows: Rows::Machine, fields: SLOTS },
    Section { told_by: &["ksched/s", "kproc-ov"], rows: Rows::Machine, fields: &[] },
    // AIX before 4.
    Section { told_by: &["pswch/s"], rows: Rows::Machine, fields: SWITCHES },
];

const CPU_TIMES: &[Field] = &[
    field("%usr", CPU, "user_s", Share),
    field("%sys", CPU, "system_s", Share),
    field("%wio", CPU, "iowait_s", Share),
    field("%idle", CPU, "idle_s", Share),
    field("cpu", CPU, "user_s", Derived),
];

/// HP-UX tells reads and writes apart where it is asked to (`-R`).
const REQUESTS: &[&str] = &["r+w/s", "r/s", "w/s"];

/// What was in flight follows from how long each request waited and was served.
const DEVICES: &[Field] = &[
    field("%busy", DISK, "busy_s", Share),
    field("r+w/s", DISK, "requests", Rate(1.0)),
    field("r/s", DISK, "reads", Rate(1.0)),
    field("w/s", DISK, "writes", Rate(1.0)),
    field("avwait", DISK, "queue_s", EachMs(REQUESTS)),
    field("avserv", DISK, "queue_s", EachMs(REQUESTS)),
    field("avque", DISK, "queue_s", Derived),
    field("device", DISK, "requests", Derived),
];

const SWITCHES: &[Field] = &[
    field("pswch/s", SYSTEM, "context_switches", Rate(1.0)),
    field("bswin/s", VMSTAT, "swap_in_pages", Rate(BLOCK / PAGE_BYTES)),
    field("bswot/s", VMSTAT, "swap_out_pages", Rate(BLOCK / PAGE_BYTES)),
    field("swpin/s", VMSTAT, "swap_in_pages", Derived),
    field("swpot/s", VMSTAT, "swap_out_pages", Derived),
];

const CALLS: &[Field] = &[field("fork/s", SYSTEM, "forks", Rate(1.0))];

/// Solaris: faults of protection and of translation.
const FAULTS: &[Field] =
    &[field("pflt/s", VMSTAT, "faults", Rate(1.0)), field("vflt/s", VMSTAT, "faults", Rate(1.0))];

const SCANS: &[Field] = &[field("pgscan/s", VMSTAT, "scan_kswapd_pages", Rate(1.0))];

/// `freemem` counts pages, which become bytes where their size is known.
const FREE: &[Field] = &[
    field("freeswap", MEMORY, "swap_free_bytes", Level(BLOCK)),
    field("freemem", MEMORY, "free_bytes", Level(1.0)),
];

/// AIX: free pages of 4 KB in paging space.
const SLOTS: &[Field] = &[
    field("slots", MEMORY, "swap_free_bytes", Level(4096.0)),
    field("fault/s", VMSTAT, "faults", Rate(1.0)),
];

/// The heading of free pages of the machine's own size.
pub const FREE_PAGES: &str = "freemem";

/// The section of a line of headings. That of switches of AIX has the same as one of Linux.
pub fn section(words: &[&str], system: Option<System>) -> Option<&'static Section> {
    if matches!(words, ["cswch/s"] | ["cpu", "cswch/s"]) {
        return (system == Some(System::Aix)).then_some(&AIX_SWITCHES);
    }
    SECTIONS.iter().find(|section| section.told_by.iter().all(|heading| words.contains(heading)))
}

static AIX_SWITCHES: Section = Section {
    told_by: &["cswch/s"],
    rows: Rows::Machine,
    fields: &[field("cswch/s", SYSTEM, "context_switches", Rate(1.0))],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::assert_fields;

    #[test]
    fn every_field_has_a_column() {
        SECTIONS.iter().for_each(|section| assert_fields(section.fields));
    }

    #[test]
    fn no_section_of_linux_has_the_same_headings() {
        for one in SECTIONS {
            let linux = crate::sysstat::sar_rows::section(one.told_by);
            assert!(linux.is_none(), "{:?}", one.told_by);
        }
    }
}
