//! `memory_event`: direct reclaim and compaction by process. Page faults are in
//! `process` and `thread`; refaults have no trace point and are known of control groups and the
//! machine only (`cgroup`, `vmstat`).
crate::table! {
    /// Direct reclaim and compaction of one process in one sample.
    MemoryEventRow = "memory_event", grain "one row for each process that reclaimed, compacted or was throttled, and sample; eBPF only", origin "mm_vmscan_*_reclaim, mm_vmscan_throttled, mm_compaction", born_at_zero false;
    key pid: Int, None, "Process id; kernel threads (kswapd, kcompactd) are processes too";
    label name: Text(Name), None, "Name (comm) of its first thread";
    counter direct_reclaims: Int, Count, "Direct reclaims: allocations that had to reclaim memory of the machine first";
    counter direct_reclaim_s: Float, Seconds, "Time in them, all threads together";
    counter direct_reclaimed_pages: Int, Pages, "Pages freed by them";
    counter group_reclaims: Int, Count, "Reclaims because a control group was at its limit";
    counter group_reclaim_s: Float, Seconds, "Time in them, all threads together";
    counter group_reclaimed_pages: Int, Pages, "Pages freed by them";
    counter compactions: Int, Count, "Compactions of a zone";
    counter compaction_s: Float, Seconds, "Time in them, all threads together";
    counter throttles: Int, Count, "Throttled reclaims: waits for writeback or for other reclaimers; NULL before Linux 5.16";
    counter throttled_s: Float, Seconds, "Time in them, all threads together; part of the reclaim time";
}
