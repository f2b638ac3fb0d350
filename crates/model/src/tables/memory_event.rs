//! `memory_event`: what processes had to do themselves to get memory. Their page faults are in
//! `process` and `thread`; refaults have no trace point and are known of control groups and the
//! machine only (`cgroup`, `vmstat`).
crate::table! {
    /// What one process had to do for memory in one sample.
    MemoryEventRow = "memory_event", grain "one row for each process that reclaimed, compacted or was throttled, and sample; eBPF only", origin "mm_vmscan_*_reclaim, mm_vmscan_throttled, mm_compaction", born_at_zero false;
    key pid: Int, None, "Process id; kernel threads (kswapd, kcompactd) are processes too";
    label name: Text(Name), None, "Name (comm) of its first thread";
    counter direct_reclaims: Int, Count, "Times an allocation had to reclaim memory of the machine first";
    counter direct_reclaim_s: Float, Seconds, "Time in them, of all threads together";
    counter direct_reclaimed_pages: Int, Pages, "Pages that they freed";
    counter group_reclaims: Int, Count, "Times memory was reclaimed because a control group was at its limit";
    counter group_reclaim_s: Float, Seconds, "Time in them, of all threads together";
    counter group_reclaimed_pages: Int, Pages, "Pages that they freed";
    counter compactions: Int, Count, "Times a zone was compacted";
    counter compaction_s: Float, Seconds, "Time in them, of all threads together";
    counter throttles: Int, Count, "Times it was made to wait while it reclaimed: for writeback, or because others reclaim; NULL before Linux 5.16";
    counter throttled_s: Float, Seconds, "Time in them, of all threads together; part of the reclaim";
}
