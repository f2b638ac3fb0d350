//! `memory`: what the machine's memory is used for.
crate::table! {
    /// The machine's memory in one sample.
    MemoryRow = "memory", grain "one row a sample", origin "/proc/meminfo", born_at_zero false;
    gauge total_bytes: Int, Bytes, "MemTotal: usable memory";
    gauge free_bytes: Int, Bytes, "MemFree: unused memory";
    gauge available_bytes: Int, Bytes, "MemAvailable: memory available to new work without swapping";
    gauge buffers_bytes: Int, Bytes, "Buffers: cache of block devices";
    gauge cached_bytes: Int, Bytes, "Cached: page cache and shared memory";
    gauge swap_cached_bytes: Int, Bytes, "SwapCached";
    gauge active_anon_bytes: Int, Bytes, "Active(anon)";
    gauge inactive_anon_bytes: Int, Bytes, "Inactive(anon)";
    gauge active_file_bytes: Int, Bytes, "Active(file)";
    gauge inactive_file_bytes: Int, Bytes, "Inactive(file)";
    gauge unevictable_bytes: Int, Bytes, "Unevictable";
    gauge mlocked_bytes: Int, Bytes, "Mlocked";
    gauge swap_total_bytes: Int, Bytes, "SwapTotal";
    gauge swap_free_bytes: Int, Bytes, "SwapFree";
    gauge dirty_bytes: Int, Bytes, "Dirty: waiting to be written";
    gauge writeback_bytes: Int, Bytes, "Writeback: under writeback";
    gauge anon_bytes: Int, Bytes, "AnonPages: anonymous memory of processes";
    gauge mapped_bytes: Int, Bytes, "Mapped: files in address spaces";
    gauge shmem_bytes: Int, Bytes, "Shmem: shared memory and tmpfs";
    gauge slab_reclaimable_bytes: Int, Bytes, "SReclaimable: kernel caches that can shrink";
    gauge slab_unreclaimable_bytes: Int, Bytes, "SUnreclaim: kernel caches that cannot";
    gauge kernel_stack_bytes: Int, Bytes, "KernelStack";
    gauge page_tables_bytes: Int, Bytes, "PageTables";
    gauge vmalloc_used_bytes: Int, Bytes, "VmallocUsed";
    gauge percpu_bytes: Int, Bytes, "Percpu";
    gauge commit_limit_bytes: Int, Bytes, "CommitLimit";
    gauge committed_bytes: Int, Bytes, "Committed_AS: committed memory";
    gauge anon_huge_bytes: Int, Bytes, "AnonHugePages";
    gauge huge_pages_total: Int, Count, "HugePages_Total of the default size";
    gauge huge_pages_free: Int, Count, "HugePages_Free";
    gauge huge_pages_reserved: Int, Count, "HugePages_Rsvd";
    gauge huge_page_bytes: Int, Bytes, "Hugepagesize";
    gauge active_bytes: Int, Bytes, "Active: recently used, anonymous memory and page cache";
    gauge inactive_bytes: Int, Bytes, "Inactive: not recently used, anonymous memory and page cache";
    gauge swap_used_bytes: Int, Bytes, "Swap in use, from tools that do not print the swap size";
}
