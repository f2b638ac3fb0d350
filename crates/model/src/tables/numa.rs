//! `numa`: each NUMA node: its CPUs, its memory, and for whom its pages were.
crate::table! {
    /// One node over the window.
    NumaRow = "numa", grain "one row for each NUMA node, at the end of the window", origin "/sys/devices/system/node/node*", born_at_zero false;
    key node_idx: Int, None, "Number of the NUMA node";
    label cpus: Text(Word), None, "Its online CPUs (0-15,32-47); empty for a node of memory only (cpulist)";
    label distances: Text(Word), None, "Relative cost of its reaching each online node, itself 10 (distance)";
    counter numa_hit: Int, Count, "Pages given to who wanted this node (numa_hit)";
    counter numa_miss: Int, Count, "Pages given to who wanted another node (numa_miss)";
    counter numa_foreign: Int, Count, "Pages wanted here and given elsewhere (numa_foreign)";
    counter interleave_hit: Int, Count, "Pages given as an interleaving policy wanted (interleave_hit)";
    counter local_node: Int, Count, "Pages given to tasks that ran on this node (local_node)";
    counter other_node: Int, Count, "Pages given to tasks that ran on another node (other_node)";
    counter promoted_pages: Int, Pages, "Moved here from slower memory (pgpromote_success, 5.18)";
    counter demoted_pages: Int, Pages, "Moved from here to slower memory (pgdemote_*, 5.18)";
    gauge memory_bytes: Int, Bytes, "Memory of the node (MemTotal)";
    gauge free_bytes: Int, Bytes, "Free (MemFree)";
    gauge active_anon_bytes: Int, Bytes, "Anonymous, in use (Active(anon))";
    gauge inactive_anon_bytes: Int, Bytes, "Anonymous, not used lately (Inactive(anon))";
    gauge active_file_bytes: Int, Bytes, "Page cache, in use (Active(file))";
    gauge inactive_file_bytes: Int, Bytes, "Page cache, not used lately (Inactive(file))";
    gauge unevictable_bytes: Int, Bytes, "Cannot be reclaimed (Unevictable)";
    gauge dirty_bytes: Int, Bytes, "Waiting to be written (Dirty)";
    gauge writeback_bytes: Int, Bytes, "Being written (Writeback)";
    gauge mapped_bytes: Int, Bytes, "Mapped files (Mapped)";
    gauge anon_bytes: Int, Bytes, "Mapped anonymous memory (AnonPages)";
    gauge shmem_bytes: Int, Bytes, "Shared memory and tmpfs (Shmem)";
    gauge slab_reclaimable_bytes: Int, Bytes, "Kernel objects that can be dropped (SReclaimable)";
    gauge slab_unreclaimable_bytes: Int, Bytes, "Kernel objects that cannot (SUnreclaim)";
    gauge kernel_stack_bytes: Int, Bytes, "Stacks of tasks in the kernel (KernelStack)";
    gauge page_tables_bytes: Int, Bytes, "Page tables (PageTables)";
    gauge anon_huge_bytes: Int, Bytes, "Anonymous memory in huge pages (AnonHugePages)";
}
