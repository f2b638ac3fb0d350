//! `zone`: free memory of each zone against the watermarks at which the kernel begins to reclaim.
crate::table! {
    /// One zone of one node in one sample.
    ZoneRow = "zone", grain "one row for each node, zone with memory and sample", origin "/proc/zoneinfo", born_at_zero false;
    key node_idx: Int, None, "Number of the NUMA node";
    key zone: Text(Word), None, "DMA, DMA32, Normal, HighMem, Movable or Device";
    gauge free_pages: Int, Pages, "Free (pages free)";
    gauge boost_pages: Int, Pages, "Added to the watermarks for a while against fragmentation (boost, 5.14)";
    gauge min_pages: Int, Pages, "Below it tasks reclaim themselves; only the most urgent allocations succeed (min)";
    gauge low_pages: Int, Pages, "Below it kswapd is woken (low)";
    gauge high_pages: Int, Pages, "Above it kswapd sleeps again (high)";
    gauge promo_pages: Int, Pages, "Above it pages of slower nodes are promoted to this one (promo, 6.2)";
    gauge spanned_pages: Int, Pages, "Between the zone's first and last page, holes included (spanned)";
    gauge present_pages: Int, Pages, "Of them with memory (present)";
    gauge managed_pages: Int, Pages, "Of them in the hands of the page allocator (managed, 3.9)";
    gauge cma_pages: Int, Pages, "Of them lent by the contiguous allocator (cma, 5.13)";
    label protection: Text(Word), None, "Pages kept free in this zone from allocations that another zone could serve, for each such zone (protection)";
    gauge inactive_anon_pages: Int, Pages, "Anonymous, not used lately (nr_zone_inactive_anon, 4.8)";
    gauge active_anon_pages: Int, Pages, "Anonymous, in use (nr_zone_active_anon, 4.8)";
    gauge inactive_file_pages: Int, Pages, "Page cache, not used lately (nr_zone_inactive_file, 4.8)";
    gauge active_file_pages: Int, Pages, "Page cache, in use (nr_zone_active_file, 4.8)";
    gauge unevictable_pages: Int, Pages, "Locked into memory or without a place to go (nr_zone_unevictable, 4.8)";
    gauge write_pending_pages: Int, Pages, "Dirty or being written (nr_zone_write_pending, 4.8)";
    gauge free_cma_pages: Int, Pages, "Free, for allocations that can be moved away only (nr_free_cma)";
    counter numa_hit: Int, Count, "Pages given to who wanted this node (numa_hit)";
    counter numa_miss: Int, Count, "Pages given to who wanted another node (numa_miss)";
    counter numa_foreign: Int, Count, "Pages wanted here and given elsewhere (numa_foreign)";
}
