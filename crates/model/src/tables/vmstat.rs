//! `vmstat`: paging, reclaim, refaults, compaction and writeback.
crate::table! {
    /// Counters of the memory management in one sample.
    VmstatRow = "vmstat", grain "one row a sample", origin "/proc/vmstat", born_at_zero false;
    counter page_in_bytes: Int, Bytes, "Read from block devices (pgpgin)";
    counter page_out_bytes: Int, Bytes, "Written to block devices (pgpgout)";
    counter swap_in_pages: Int, Pages, "Read from swap (pswpin)";
    counter swap_out_pages: Int, Pages, "Written to swap (pswpout)";
    counter faults: Int, Count, "Page faults (pgfault)";
    counter major_faults: Int, Count, "Page faults that read a device (pgmajfault)";
    counter scan_kswapd_pages: Int, Pages, "Looked at by kswapd (pgscan_kswapd)";
    counter scan_direct_pages: Int, Pages, "Looked at by tasks in direct reclaim (pgscan_direct)";
    counter steal_kswapd_pages: Int, Pages, "Freed by kswapd (pgsteal_kswapd)";
    counter steal_direct_pages: Int, Pages, "Freed by tasks in direct reclaim (pgsteal_direct)";
    counter allocation_stalls: Int, Count, "Direct reclaims (allocstall, all zones)";
    counter compaction_stalls: Int, Count, "Direct compactions (compact_stall)";
    counter compaction_failures: Int, Count, "Compactions without success (compact_fail)";
    counter refault_anon_pages: Int, Pages, "Swapped in soon after they were dropped (workingset_refault_anon)";
    counter refault_file_pages: Int, Pages, "Read again soon after they were dropped (workingset_refault_file; workingset_refault before 5.9)";
    counter activate_file_pages: Int, Pages, "Refaulted pages that belong to the working set (workingset_activate_file)";
    gauge dirty_pages: Int, Pages, "Waiting to be written (nr_dirty)";
    gauge writeback_pages: Int, Pages, "Being written (nr_writeback)";
    gauge dirty_threshold_pages: Int, Pages, "Writers are held back above this (nr_dirty_threshold)";
    gauge dirty_background_threshold_pages: Int, Pages, "Writing starts above this (nr_dirty_background_threshold)";
    counter dirtied_pages: Int, Pages, "Pages made dirty (nr_dirtied)";
    counter written_pages: Int, Pages, "Pages written back (nr_written)";
    counter oom_kills: Int, Count, "Processes killed for memory (oom_kill)";
    counter numa_miss: Int, Count, "Allocated on another node than wanted (numa_miss)";
    counter numa_foreign: Int, Count, "Wanted here, allocated elsewhere (numa_foreign)";
    counter thp_fault_allocations: Int, Count, "Huge pages given at a fault (thp_fault_alloc)";
    counter thp_fault_fallbacks: Int, Count, "Huge pages that could not be given (thp_fault_fallback)";
}
