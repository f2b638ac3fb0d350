//! `zone`: free memory of each zone against the watermarks at which the kernel begins to reclaim.
crate::table! {
    /// One zone of one node in one sample.
    ZoneRow = "zone", grain "one row for each node, zone with memory and sample", origin "/proc/zoneinfo", born_at_zero false;
    key node_idx: Int, None, "NUMA node";
    key zone: Text(Word), None, "DMA, DMA32, Normal, HighMem, Movable or Device";
    gauge free_pages: Int, Pages, "Free (pages free)";
    gauge boost_pages: Int, Pages, "Temporary boost of the watermarks against fragmentation (boost, 5.14)";
    gauge min_pages: Int, Pages, "Min watermark: below it tasks reclaim directly (min)";
    gauge low_pages: Int, Pages, "Low watermark: below it kswapd is woken (low)";
    gauge high_pages: Int, Pages, "High watermark: above it kswapd sleeps (high)";
    gauge promo_pages: Int, Pages, "Promotion watermark for pages of slower nodes (promo, 6.2)";
    gauge spanned_pages: Int, Pages, "Pages between the zone's first and last one, holes included (spanned)";
    gauge present_pages: Int, Pages, "Spanned pages with memory (present)";
    gauge managed_pages: Int, Pages, "Present pages managed by the page allocator (managed, 3.9)";
    gauge cma_pages: Int, Pages, "Pages of the contiguous memory allocator (cma, 5.13)";
    label protection: Text(Word), None, "Pages reserved in this zone against allocations that another zone could serve, for each such zone (protection)";
    gauge inactive_anon_pages: Int, Pages, "Inactive anonymous pages (nr_zone_inactive_anon, 4.8)";
    gauge active_anon_pages: Int, Pages, "Active anonymous pages (nr_zone_active_anon, 4.8)";
    gauge inactive_file_pages: Int, Pages, "Inactive file pages (nr_zone_inactive_file, 4.8)";
    gauge active_file_pages: Int, Pages, "Active file pages (nr_zone_active_file, 4.8)";
    gauge unevictable_pages: Int, Pages, "Unevictable pages (nr_zone_unevictable, 4.8)";
    gauge write_pending_pages: Int, Pages, "Pages dirty or under writeback (nr_zone_write_pending, 4.8)";
    gauge free_cma_pages: Int, Pages, "Free pages of the contiguous memory allocator (nr_free_cma)";
    counter numa_hit: Int, Count, "Pages allocated on this node as intended (numa_hit)";
    counter numa_miss: Int, Count, "Pages allocated here but intended for another node (numa_miss)";
    counter numa_foreign: Int, Count, "Pages intended for this node, allocated elsewhere (numa_foreign)";
}
