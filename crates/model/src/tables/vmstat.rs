//! `vmstat`: paging, reclaim, refaults, compaction and writeback.
crate::table! {
    /// Counters of the memory management in one sample.
    VmstatRow = "vmstat", grain "one row a sample", origin "/proc/vmstat", born_at_zero false;
    counter page_in_bytes: Int, Bytes, "Read from block devices (pgpgin)";
    counter page_out_bytes: Int, Bytes, "Written to block devices (pgpgout)";
    counter swap_in_pages: Int, Pages, "Read from swap (pswpin)";
    counter swap_out_pages: Int, Pages, "Written to swap (pswpout)";
    counter faults: Int, Count, "Page faults (pgfault)";
    counter major_faults: Int, Count, "Major page faults: they read a device (pgmajfault)";
    counter scan_kswapd_pages: Int, Pages, "Pages scanned by kswapd (pgscan_kswapd)";
    counter scan_direct_pages: Int, Pages, "Pages scanned in direct reclaim (pgscan_direct)";
    counter steal_kswapd_pages: Int, Pages, "Pages reclaimed by kswapd (pgsteal_kswapd)";
    counter steal_direct_pages: Int, Pages, "Pages reclaimed in direct reclaim (pgsteal_direct)";
    counter allocation_stalls: Int, Count, "Direct reclaims (allocstall, all zones)";
    counter compaction_stalls: Int, Count, "Direct compactions (compact_stall)";
    counter compaction_failures: Int, Count, "Failed compactions (compact_fail)";
    counter refault_anon_pages: Int, Pages, "Anonymous pages evicted and swapped in again (workingset_refault_anon)";
    counter refault_file_pages: Int, Pages, "File pages evicted and read again (workingset_refault_file; workingset_refault before 5.9)";
    counter activate_file_pages: Int, Pages, "Refaulted pages that belong to the working set (workingset_activate_file)";
    gauge dirty_pages: Int, Pages, "Dirty pages (nr_dirty)";
    gauge writeback_pages: Int, Pages, "Pages under writeback (nr_writeback)";
    gauge dirty_threshold_pages: Int, Pages, "Writers are throttled above this (nr_dirty_threshold)";
    gauge dirty_background_threshold_pages: Int, Pages, "Background writeback starts above this (nr_dirty_background_threshold)";
    counter dirtied_pages: Int, Pages, "Pages made dirty (nr_dirtied)";
    counter written_pages: Int, Pages, "Pages written back (nr_written)";
    counter oom_kills: Int, Count, "Processes killed by the OOM killer (oom_kill)";
    counter numa_miss: Int, Count, "Pages allocated on another node than intended (numa_miss)";
    counter numa_foreign: Int, Count, "Pages intended for one node, allocated on another (numa_foreign)";
    counter thp_fault_allocations: Int, Count, "Huge pages allocated at a fault (thp_fault_alloc)";
    counter thp_fault_fallbacks: Int, Count, "Huge page allocations that failed (thp_fault_fallback)";
}
