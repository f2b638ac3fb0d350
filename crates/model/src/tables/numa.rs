//! `numa`: each NUMA node: its CPUs, its memory, local and remote allocations.
crate::table! {
    /// One node over the window.
    NumaRow = "numa", grain "one row for each NUMA node, at the end of the window", origin "/sys/devices/system/node/node*", born_at_zero false;
    key node_idx: Int, None, "NUMA node";
    label cpus: Text(Word), None, "Online CPUs (0-15,32-47); empty for a memory-only node (cpulist)";
    label distances: Text(Word), None, "Distances to each online node; 10 is local (distance)";
    counter numa_hit: Int, Count, "Pages allocated on this node as intended (numa_hit)";
    counter numa_miss: Int, Count, "Pages allocated here but intended for another node (numa_miss)";
    counter numa_foreign: Int, Count, "Pages intended for this node, allocated elsewhere (numa_foreign)";
    counter interleave_hit: Int, Count, "Pages allocated here by an interleave policy (interleave_hit)";
    counter local_node: Int, Count, "Pages allocated for tasks on this node (local_node)";
    counter other_node: Int, Count, "Pages allocated for tasks on another node (other_node)";
    counter promoted_pages: Int, Pages, "Pages promoted from slower memory (pgpromote_success, 5.18)";
    counter demoted_pages: Int, Pages, "Pages demoted to slower memory (pgdemote_*, 5.18)";
    gauge memory_bytes: Int, Bytes, "Memory of the node (MemTotal)";
    gauge free_bytes: Int, Bytes, "Free (MemFree)";
    gauge active_anon_bytes: Int, Bytes, "Active anonymous memory (Active(anon))";
    gauge inactive_anon_bytes: Int, Bytes, "Inactive anonymous memory (Inactive(anon))";
    gauge active_file_bytes: Int, Bytes, "Active page cache (Active(file))";
    gauge inactive_file_bytes: Int, Bytes, "Inactive page cache (Inactive(file))";
    gauge unevictable_bytes: Int, Bytes, "Cannot be reclaimed (Unevictable)";
    gauge dirty_bytes: Int, Bytes, "Dirty memory (Dirty)";
    gauge writeback_bytes: Int, Bytes, "Memory under writeback (Writeback)";
    gauge mapped_bytes: Int, Bytes, "Mapped files (Mapped)";
    gauge anon_bytes: Int, Bytes, "Mapped anonymous memory (AnonPages)";
    gauge shmem_bytes: Int, Bytes, "Shared memory and tmpfs (Shmem)";
    gauge slab_reclaimable_bytes: Int, Bytes, "Reclaimable slab (SReclaimable)";
    gauge slab_unreclaimable_bytes: Int, Bytes, "Unreclaimable slab (SUnreclaim)";
    gauge kernel_stack_bytes: Int, Bytes, "Kernel stacks (KernelStack)";
    gauge page_tables_bytes: Int, Bytes, "Page tables (PageTables)";
    gauge anon_huge_bytes: Int, Bytes, "Anonymous memory in huge pages (AnonHugePages)";
}
