//! `ksm`: what merging of equal pages saves, and what the search for them does.
crate::table! {
    /// The merging over the window.
    KsmRow = "ksm", grain "one row a sample, at the end of the window", origin "/sys/kernel/mm/ksm, /proc/vmstat", born_at_zero false;
    label run: Text(Word), None, "stopped, running or unmerging (run: 0, 1, 2)";
    gauge shared_pages: Int, Pages, "Merged pages that are kept (pages_shared)";
    gauge sharing_pages: Int, Pages, "Pages that were saved by them (pages_sharing)";
    gauge unshared_pages: Int, Pages, "Looked at again and again without an equal (pages_unshared)";
    gauge volatile_pages: Int, Pages, "Changing too fast to be merged (pages_volatile)";
    counter scanned_pages: Int, Pages, "Looked at (pages_scanned, 6.6)";
    counter skipped_pages: Int, Pages, "Left out because they never had an equal (pages_skipped, 6.7)";
    counter full_scans: Int, Count, "Passes over all mergeable memory (full_scans)";
    gauge zero_pages: Int, Pages, "Merged with the kernel's page of zeros (ksm_zero_pages, 6.6)";
    gauge profit_bytes: Int, Bytes, "Saved, less what the search holds; negative when it costs more (general_profit, 6.4)";
    counter unmerged_pages: Int, Pages, "Copied again because somebody wrote (cow_ksm, 5.17)";
    gauge scan_pages: Int, Pages, "To look at before each sleep (pages_to_scan)";
    gauge sleep_s: Float, Seconds, "Sleep between (sleep_millisecs)";
    label merge_across_nodes: Bool, None, "Whether pages of different NUMA nodes are merged (merge_across_nodes, 3.9)";
}
