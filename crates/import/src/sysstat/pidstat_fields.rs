//! What the headings of `pidstat` mean: data, and nothing else.
//!
//! Of a process the kernel counts CPU, faults and I/O for all of its threads, but switches, waits for a
//! CPU and what the scheduler knows only for the first of them: these are the thread's of that number. Sections of `-T CHILD` (`usr-ms`, `minflt-nr`) are of a
//! process and its children that ended together: no column has them.

use heldup_model::tables::{ProcessRow, ThreadRow};
use heldup_model::{Record, TableDef};

use crate::table::columns::Amount::{Derived, Level, Rate, Share, Total};
use crate::table::columns::{Field, field};

const PROCESS: &TableDef = ProcessRow::DEF;
const THREAD: &TableDef = ThreadRow::DEF;
const KIB: f64 = 1024.0;
/// A tick of the kernel, as delays are printed.
const TICK_S: f64 = 0.01;

/// Rows of processes. `%usr` is without guests.
pub const OF_PROCESS: &[Field] = &[
    field("UID", PROCESS, "uid", Level(1.0)),
    field("%user", PROCESS, "user_s", Share),
    field("%usr", PROCESS, "user_s", Share),
    field("%guest", PROCESS, "user_s", Share),
    field("%system", PROCESS, "system_s", Share),
    field("minflt/s", PROCESS, "minor_faults", Rate(1.0)),
    field("majflt/s", PROCESS, "major_faults", Rate(1.0)),
    field("VSZ", PROCESS, "virtual_bytes", Level(KIB)),
    field("RSS", PROCESS, "resident_bytes", Level(KIB)),
    field("kB_rd/s", PROCESS, "read_bytes", Rate(KIB)),
    field("kB_wr/s", PROCESS, "write_bytes", Rate(KIB)),
    field("kB_ccwr/s", PROCESS, "cancelled_write_bytes", Rate(KIB)),
    field("threads", PROCESS, "threads", Level(1.0)),
    field("%CPU", PROCESS, "user_s", Derived),
    field("%MEM", PROCESS, "resident_bytes", Derived),
];

/// What rows of processes tell of their first thread.
pub const OF_FIRST_THREAD: &[Field] = &[
    field("%wait", THREAD, "run_delay_s", Share),
    field("CPU", THREAD, "cpu_idx", Level(1.0)),
    field("cswch/s", THREAD, "voluntary_switches", Rate(1.0)),
    field("nvcswch/s", THREAD, "involuntary_switches", Rate(1.0)),
    field("prio", THREAD, "realtime_priority", Level(1.0)),
];

/// Rows of threads (`-t`).
pub const OF_THREAD: &[Field] = &[
    field("%user", THREAD, "user_s", Share),
    field("%usr", THREAD, "user_s", Share),
    field("%guest", THREAD, "user_s", Share),
    field("%system", THREAD, "system_s", Share),
    field("%wait", THREAD, "run_delay_s", Share),
    field("CPU", THREAD, "cpu_idx", Level(1.0)),
    field("minflt/s", THREAD, "minor_faults", Rate(1.0)),
    field("majflt/s", THREAD, "major_faults", Rate(1.0)),
    field("kB_rd/s", THREAD, "device_read_bytes", Rate(KIB)),
    field("kB_wr/s", THREAD, "device_write_bytes", Rate(KIB)),
    field("iodelay", THREAD, "block_io_delay_s", Total(TICK_S)),
    field("cswch/s", THREAD, "voluntary_switches", Rate(1.0)),
    field("nvcswch/s", THREAD, "involuntary_switches", Rate(1.0)),
    field("prio", THREAD, "realtime_priority", Level(1.0)),
    field("%CPU", THREAD, "user_s", Derived),
];

/// Headings that are read otherwise.
pub const OWN: [&str; 6] = ["PID", "TGID", "TID", "USER", "policy", "Command"];

/// Policies as `pidstat` prints them, and as the table has them.
pub const POLICIES: [(&str, &str); 6] = [
    ("NORMAL", "other"),
    ("FIFO", "fifo"),
    ("RR", "rr"),
    ("BATCH", "batch"),
    ("IDLE", "idle"),
    ("DEADLN", "deadline"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_column() {
        use heldup_model::ColumnType;
        for field in [OF_PROCESS, OF_FIRST_THREAD, OF_THREAD].into_iter().flatten() {
            let column = field.table.position(field.column).map(|at| field.table.columns[at]);
            let column = column.unwrap_or_else(|| panic!("{}: no such column", field.column));
            assert!(matches!(column.ty, ColumnType::Int | ColumnType::Float), "{}", field.heading);
        }
    }
}
