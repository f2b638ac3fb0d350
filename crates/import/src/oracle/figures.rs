//! The figures at the beginning of a report that stand behind labels: load profile, efficiencies, sizes. They are recognised by
//! their labels, wherever in a line they stand: releases, and people who copy reports, align them differently.

use crate::document::Document;
use crate::oracle::report_state::ReportState;
use crate::oracle::row::{scaled, size_bytes};

/// The load profile: what a second had. `(label, name, factor)`.
const RATES: [(&str, &str, f64); 39] = [
    ("DB Time(s):", "db_time_per_s", 1.0),
    ("DB time(s):", "db_time_per_s", 1.0),
    ("DB CPU(s):", "db_cpu_per_s", 1.0),
    ("Redo size:", "redo_bytes_per_s", 1.0),
    ("Redo size (bytes):", "redo_bytes_per_s", 1.0),
    ("Logical reads:", "logical_reads_per_s", 1.0),
    ("Logical read (blocks):", "logical_reads_per_s", 1.0),
    ("Block changes:", "block_changes_per_s", 1.0),
    ("Physical reads:", "physical_reads_per_s", 1.0),
    ("Physical read (blocks):", "physical_reads_per_s", 1.0),
    ("Physical writes:", "physical_writes_per_s", 1.0),
    ("Physical write (blocks):", "physical_writes_per_s", 1.0),
    ("Read IO requests:", "read_requests_per_s", 1.0),
    ("Write IO requests:", "write_requests_per_s", 1.0),
    ("Read IO (MB):", "read_bytes_per_s", 1_048_576.0),
    ("Write IO (MB):", "write_bytes_per_s", 1_048_576.0),
    ("User calls:", "user_calls_per_s", 1.0),
    ("Hard parses:", "hard_parses_per_s", 1.0),
    ("Hard parses (SQL):", "hard_parses_per_s", 1.0),
    ("Parses:", "parses_per_s", 1.0),
    ("Parses (SQL):", "parses_per_s", 1.0),
    ("Sorts:", "sorts_per_s", 1.0),
    ("W/A MB processed:", "work_area_bytes_per_s", 1_048_576.0),
    ("SQL Work Area (MB):", "work_area_bytes_per_s", 1_048_576.0),
    ("Logons:", "logons_per_s", 1.0),
    ("Executes:", "executes_per_s", 1.0),
    ("Executes (SQL):", "executes_per_s", 1.0),
    ("Rollbacks:", "rollbacks_per_s", 1.0),
    ("Transactions:", "transactions_per_s", 1.0),
    ("Global Cache blocks received:", "global_cache_blocks_received_per_s", 1.0),
    ("Global Cache blocks served:", "global_cache_blocks_served_per_s", 1.0),
    ("GCS/GES messages received:", "global_messages_received_per_s", 1.0),
    ("GCS/GES messages sent:", "global_messages_sent_per_s", 1.0),
    ("DBWR Fusion writes:", "fusion_writes_per_s", 1.0),
    ("Estd Interconnect traffic (KB):", "interconnect_bytes_per_s", 1024.0),
    ("Estd Interconnect traffic (KB)", "interconnect_bytes_per_s", 1024.0),
    // Sizes as 8i prints them, in bytes.
    ("log_buffer:", "log_buffer_bytes", 1.0),
    ("db_block_size:", "block_bytes", 1.0),
    ("shared_pool_size:", "shared_pool_bytes", 1.0),
];

/// Means of a cluster's cache and locks.
const MEANS: [(&str, &str, f64); 6] = [
    ("Avg global enqueue get time (ms):", "global_enqueue_get_mean_s", 1e-3),
    ("Avg global enqueue get time (us):", "global_enqueue_get_mean_s", 1e-6),
    ("Avg global cache cr block receive time (ms):", "global_cache_cr_receive_mean_s", 1e-3),
    ("Avg global cache cr block receive time (us):", "global_cache_cr_receive_mean_s", 1e-6),
    ("Avg global cache current block receive time (ms):", "global_cache_current_receive_mean_s", 1e-3),
    ("Avg global cache current block receive time (us):", "global_cache_current_receive_mean_s", 1e-6),
];

/// Efficiencies, in percent.
const SHARES: [(&str, &str); 16] = [
    ("Buffer Nowait %:", "buffer_nowait_ratio"),
    ("Redo NoWait %:", "redo_nowait_ratio"),
    ("Buffer Hit %:", "buffer_hit_ratio"),
    ("In-memory Sort %:", "memory_sort_ratio"),
    ("Optimal W/A Exec %:", "optimal_work_area_ratio"),
    ("Library Hit %:", "library_hit_ratio"),
    ("Soft Parse %:", "soft_parse_ratio"),
    ("Execute to Parse %:", "execute_to_parse_ratio"),
    ("Latch Hit %:", "latch_hit_ratio"),
    ("Parse CPU to Parse Elapsed %:", "parse_cpu_ratio"),
    ("Parse CPU to Parse Elapsd %:", "parse_cpu_ratio"),
    ("% Non-Parse CPU:", "non_parse_cpu_ratio"),
    ("Rollback per transaction %:", "rollback_ratio"),
    ("Buffer access - local cache %:", "global_cache_local_ratio"),
    ("Buffer access - remote cache %:", "global_cache_remote_ratio"),
    ("Buffer access - disk %:", "global_cache_disk_ratio"),
];

/// Shares at the begin and at the end.
const LATER_SHARES: [(&str, &str); 3] = [
    ("Memory Usage %:", "shared_pool_used_ratio"),
    ("% SQL with executions>1:", "reused_statements_ratio"),
    ("% Memory for SQL w/exec>1:", "reused_statements_memory_ratio"),
];

/// Sizes with a letter, at the end or at the begin and the end.
const SIZES: [(&str, &str); 5] = [
    ("Buffer Cache:", "buffer_cache_bytes"),
    ("Shared Pool Size:", "shared_pool_bytes"),
    ("Shared Pool:", "shared_pool_bytes"),
    ("Std Block Size:", "block_bytes"),
    ("Log Buffer:", "log_buffer_bytes"),
];

/// Sizes in megabytes, at the begin and at the end.
const MEGABYTES: [(&str, &str); 3] =
    [("Host Mem (MB):", "host_memory_bytes"), ("SGA use (MB):", "sga_bytes"), ("PGA use (MB):", "pga_bytes")];

/// Takes every figure of a line, whose words stand one blank apart; whether there was one.
pub fn take(text: &str, told: &mut ReportState, document: &mut Document) -> bool {
    let mut found = Vec::new();
    let single = |label: &str| behind(text, label).and_then(|rest| scaled(rest.split_whitespace().next()?));
    for (label, name, factor) in RATES.into_iter().chain(MEANS) {
        found.extend(single(label).map(|value| (name, value * factor)));
    }
    for (label, name) in SHARES {
        found.extend(single(label).map(|value| (name, value / 100.0)));
    }
    for (label, name) in LATER_SHARES {
        found.extend(
            behind(text, label).and_then(|rest| last(rest, scaled)).map(|value| (name, value / 100.0)),
        );
    }
    for (label, name) in SIZES {
        found.extend(behind(text, label).and_then(|rest| last(rest, size_bytes)).map(|value| (name, value)));
    }
    for (label, name) in MEGABYTES {
        let value = behind(text, label).and_then(|rest| last(rest, scaled));
        found.extend(value.map(|value| (name, value * 1_048_576.0)));
    }
    for (name, value) in &found {
        if *name == "host_memory_bytes" {
            document.facts.memory_bytes = Some(*value as i64);
        }
        told.metric(name, *value, document);
    }
    !found.is_empty()
}

/// What stands behind a label, where the label is no end of another one.
fn behind<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let at = text.find(label)?;
    let before = text[..at].trim_end();
    let is_whole =
        at == 0 || before.ends_with(|sign: char| sign.is_ascii_digit() || matches!(sign, 'K' | 'M' | 'G'));
    is_whole.then(|| &text[at + label.len()..])
}

/// The second of two numbers, or the only one.
fn last(rest: &str, number: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    rest.split_whitespace().take(2).map_while(number).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_behind_labels() {
        let share = "Execute to Parse %: 99.94 Latch Hit %: 98.37";
        assert_eq!(behind(share, "Latch Hit %:"), Some(" 98.37"));
        assert_eq!(behind("Hard parses: 0.01 0.00", "Parses:"), None);
        assert_eq!(behind("Hard Parses: 0.01", "Parses:"), None);
        assert_eq!(last(" 84.48 87.07", scaled), Some(87.07));
        assert_eq!(last(" 6,144M Std Block", size_bytes), Some(6144.0 * 1_048_576.0));
        assert_eq!(behind("Buffer Cache: 424M 424M Std Block Size: 8K", "Std Block Size:"), Some(" 8K"));
    }
}
