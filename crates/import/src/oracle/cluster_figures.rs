//! Numbers that reports of a cluster have of each instance: what the headings of their tables mean, and nothing else.

use crate::oracle::row::{Row, scaled, size_bytes};

const MIB: f64 = 1_048_576.0;

/// One number: its name, its factor, and in which headings it stands. Of several its sum.
pub struct Figure {
    name: &'static str,
    factor: f64,
    /// Ways to know a heading; each finds one column, the leftmost.
    of: &'static [Heading],
}

/// How a heading is known; they are squashed, with that of their group before them.
pub enum Heading {
    /// It ends so, and is no share.
    Ends(&'static str),
    /// The same of a share.
    Share(&'static str),
    /// It has all the first words and none of the others in it.
    Has(&'static [&'static str], &'static [&'static str]),
}

use Heading::{Ends, Has, Share};

/// What a table has, and in which unit.
pub type Columns = &'static [Figure];

/// The numbers of the table with this title, in small letters; none where it has others.
pub fn columns(title: &str) -> Option<Columns> {
    Some(match title {
        "cache sizes" => SIZES,
        "os statistics by instance" | "os stat" => SYSTEM,
        "time model" => TIMES,
        "system statistics - per second" | "sysstat per sec" => RATES,
        "global cache efficiency percentages" => SHARES,
        "global cache and enqueue workload characteristics" => MEANS,
        _ if title.starts_with("sysstat and") && title.contains("(per sec)") => MESSAGES,
        _ => return None,
    })
}

const fn figure(name: &'static str, factor: f64, of: &'static [Heading]) -> Figure {
    Figure { name, factor, of }
}

/// Megabytes where nothing else is said. The end is printed where it differs from the begin.
const SIZES: Columns = &[
    figure("buffer_cache_bytes", MIB, &[Has(&["cache", "end"], &[])]),
    figure("buffer_cache_bytes", MIB, &[Has(&["dbcache"], &["end"])]),
    figure("shared_pool_bytes", MIB, &[Has(&["sharedpool", "end"], &[])]),
    figure("shared_pool_bytes", MIB, &[Has(&["sharedpool"], &["end"])]),
];

const SYSTEM: Columns = &[
    figure("os_num_cpus", 1.0, &[Ends("cpus")]),
    figure("os_num_cpu_cores", 1.0, &[Ends("cores")]),
    figure("os_load", 1.0, &[Ends("loadend")]),
    figure("os_busy_s", 1.0, &[Has(&["busy"], &["%"])]),
    figure("os_idle_s", 1.0, &[Has(&["idle"], &["%"])]),
    figure("os_physical_memory_bytes", MIB, &[Ends("memorym")]),
    figure("os_physical_memory_bytes", MIB, &[Has(&["memory", "mb"], &["end"])]),
];

/// PL/SQL: execution, compilation and calls from outside together.
const TIMES: Columns = &[
    figure("db_time_s", 1.0, &[Ends("dbtimes")]),
    figure("db_cpu_s", 1.0, &[Ends("dbcpus")]),
    figure("sql_execute_elapsed_time_s", 1.0, &[Ends("sqlexecelas")]),
    figure("parse_time_elapsed_s", 1.0, &[Has(&["parseelas"], &["hard", "%"])]),
    figure("hard_parse_elapsed_time_s", 1.0, &[Ends("hardparseelas")]),
    figure("pl_sql_elapsed_time_s", 1.0, &[Ends("plsqlelas")]),
    figure("java_execution_elapsed_time_s", 1.0, &[Ends("javaelas")]),
    figure("background_elapsed_time_s", 1.0, &[Ends("bgtimes")]),
    figure("background_cpu_time_s", 1.0, &[Ends("bgcpus")]),
];

const RATES: Columns = &[
    figure("logical_reads_per_s", 1.0, &[Ends("logicalreadss")]),
    figure("physical_reads_per_s", 1.0, &[Ends("physicalreadss")]),
    figure("physical_writes_per_s", 1.0, &[Ends("physicalwritess")]),
    figure("redo_bytes_per_s", 1024.0, &[Ends("redosizeks")]),
    figure("block_changes_per_s", 1.0, &[Ends("blockchangess")]),
    figure("user_calls_per_s", 1.0, &[Ends("callss")]),
    figure("executes_per_s", 1.0, &[Ends("execss")]),
    figure("parses_per_s", 1.0, &[Ends("parsess")]),
    figure("logons_per_s", 1.0, &[Ends("logonss")]),
    figure("transactions_per_s", 1.0, &[Ends("txnss")]),
];

const SHARES: Columns = &[
    figure("global_cache_local_ratio", 0.01, &[Share("local%")]),
    figure("global_cache_remote_ratio", 0.01, &[Share("remote%")]),
    figure("global_cache_disk_ratio", 0.01, &[Share("disk%")]),
];

/// Of a table of which a heading has lost its unit nothing is known.
const MEANS: Columns = &[
    figure("global_enqueue_get_mean_s", 1e-3, &[Has(&["get", "ms"], &["%"])]),
    figure("global_enqueue_get_mean_s", 1e-6, &[Has(&["get", "us"], &["%"])]),
    figure("global_cache_cr_receive_mean_s", 1e-3, &[Has(&["cr", "ms", "receive"], &["current"])]),
    figure("global_cache_cr_receive_mean_s", 1e-6, &[Has(&["cr", "us", "receive"], &["current"])]),
    figure("global_cache_current_receive_mean_s", 1e-3, &[Has(&["current", "ms", "receive"], &[])]),
    figure("global_cache_current_receive_mean_s", 1e-6, &[Has(&["currentblocks", "us", "receive"], &[])]),
];

const MESSAGES: Columns = &[
    figure(
        "global_cache_blocks_received_per_s",
        1.0,
        &[Has(&["current", "block", "received"], &[]), Has(&["cr", "block", "received"], &["current"])],
    ),
    figure(
        "global_cache_blocks_served_per_s",
        1.0,
        &[Has(&["current", "block", "served"], &[]), Has(&["cr", "block", "served"], &["current"])],
    ),
    figure(
        "global_messages_received_per_s",
        1.0,
        &[Has(&["gcs", "received"], &[]), Has(&["ges", "received"], &["gcs"])],
    ),
    figure("global_messages_sent_per_s", 1.0, &[Has(&["gcs", "sent"], &[]), Has(&["ges", "sent"], &["gcs"])]),
    figure("global_cache_blocks_lost_per_s", 1.0, &[Has(&["lost"], &[])]),
];

impl Heading {
    fn is(&self, heading: &str) -> bool {
        match self {
            Ends(end) => heading.ends_with(end) && !heading.contains('%'),
            Share(end) => heading.ends_with(end),
            Has(all, none) => {
                all.iter().all(|word| heading.contains(word))
                    && !none.iter().any(|word| heading.contains(word))
            }
        }
    }
}

/// The numbers of a row, by name; nothing where none of the headings is there.
pub fn read(columns: Columns, row: &Row) -> Vec<(&'static str, Option<f64>)> {
    let mut found: Vec<(&'static str, Option<f64>)> = Vec::new();
    for figure in columns {
        let places: Option<Vec<usize>> =
            figure.of.iter().map(|one| row.place(|heading| one.is(heading))).collect();
        let Some(places) = places else { continue };
        let values: Option<Vec<f64>> = places.iter().map(|at| value(row.at(*at), figure.factor)).collect();
        let value = values.map(|values| values.iter().sum());
        match found.iter_mut().find(|(name, _)| *name == figure.name) {
            Some((_, before)) => *before = before.or(value),
            None => found.push((figure.name, value)),
        }
    }
    found
}

/// `424M` and `400M/424M` are sizes by themselves.
fn value(cell: &str, factor: f64) -> Option<f64> {
    let last = cell.rsplit('/').next().unwrap_or(cell);
    match size_bytes(last).filter(|_| factor == MIB) {
        Some(bytes) => Some(bytes),
        None => scaled(cell).map(|number| number * factor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::row::squash;

    fn told(title: &str, headings: &[&str], cells: &[&str]) -> Vec<(&'static str, Option<f64>)> {
        let headings: Vec<String> = headings.iter().map(|heading| squash(heading)).collect();
        let row = Row::of(&headings, cells.iter().map(|cell| (*cell).to_owned()).collect());
        read(columns(title).expect("a table"), &row)
    }

    #[test]
    fn sizes_and_their_ends() {
        let headings = ["I#", "DB Cache Begin", "DB Cache End", "Shared Pool Begin", "Shared Pool End"];
        let found = told("cache sizes", &headings, &["1", "1,024", "", "512", "600"]);
        assert_eq!(
            found,
            [("buffer_cache_bytes", Some(1024.0 * MIB)), ("shared_pool_bytes", Some(600.0 * MIB))]
        );
        let found = told("cache sizes", &["I#", "DB Cache"], &["2", "400M/424M"]);
        assert_eq!(found, [("buffer_cache_bytes", Some(424.0 * MIB))]);
    }

    #[test]
    fn blocks_of_both_kinds_are_added() {
        let headings = ["I#", "GC Current Blocks Received/s", "GC CR Blocks Received/s", "GC Blks Lost/s"];
        let found = told("sysstat and ge misc (per sec) - rac", &headings, &["1", "10.5", "2", "0.1"]);
        assert_eq!(
            found,
            [
                ("global_cache_blocks_received_per_s", Some(12.5)),
                ("global_cache_blocks_lost_per_s", Some(0.1))
            ]
        );
        // Half of a sum is none.
        let found = told("sysstat and ge misc (per sec) - rac", &headings, &["1", "10.5", "#####", "0.1"]);
        assert_eq!(found[0], ("global_cache_blocks_received_per_s", None));
    }

    #[test]
    fn a_mean_without_a_unit_is_none() {
        let headings = ["I#", "CR Blocks Receive", "Current Blocks Time (us) Receive"];
        let found = told("global cache and enqueue workload characteristics", &headings, &["1", "9", "250"]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "global_cache_current_receive_mean_s");
        assert!((found[0].1.unwrap_or(0.0) - 250e-6).abs() < 1e-12);
    }
}
