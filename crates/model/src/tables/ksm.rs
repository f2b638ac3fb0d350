//! `ksm`: kernel samepage merging: memory saved, and the scanner's work.
crate::table! {
    /// KSM over the window.
    KsmRow = "ksm", grain "one row a sample, at the end of the window", origin "/sys/kernel/mm/ksm, /proc/vmstat", born_at_zero false;
    label run: Text(Word), None, "stopped, running or unmerging (run: 0, 1, 2)";
    gauge shared_pages: Int, Pages, "Shared pages in use (pages_shared)";
    gauge sharing_pages: Int, Pages, "Pages saved by sharing (pages_sharing)";
    gauge unshared_pages: Int, Pages, "Pages scanned repeatedly without a duplicate (pages_unshared)";
    gauge volatile_pages: Int, Pages, "Pages that change too fast to be merged (pages_volatile)";
    counter scanned_pages: Int, Pages, "Pages scanned (pages_scanned, 6.6)";
    counter skipped_pages: Int, Pages, "Pages skipped because they never had a duplicate (pages_skipped, 6.7)";
    counter full_scans: Int, Count, "Passes over all mergeable memory (full_scans)";
    gauge zero_pages: Int, Pages, "Pages merged with the zero page (ksm_zero_pages, 6.6)";
    gauge profit_bytes: Int, Bytes, "Memory saved minus KSM's own metadata; can be negative (general_profit, 6.4)";
    counter unmerged_pages: Int, Pages, "Pages copied on a write to a merged page (cow_ksm, 5.17)";
    gauge scan_pages: Int, Pages, "Pages to scan before each sleep (pages_to_scan)";
    gauge sleep_s: Float, Seconds, "Sleep between scans (sleep_millisecs)";
    label merge_across_nodes: Bool, None, "Pages of different NUMA nodes are merged (merge_across_nodes, 3.9)";
}
