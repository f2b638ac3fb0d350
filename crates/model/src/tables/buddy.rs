//! `buddy`: free blocks of each size in each zone: how fragmented the free memory is.
crate::table! {
    /// One block size of one zone in one sample.
    BuddyRow = "buddy", grain "one row for each node, zone, block size and sample", origin "/proc/buddyinfo", born_at_zero false;
    key node_idx: Int, None, "NUMA node";
    key zone: Text(Word), None, "DMA, DMA32, Normal, HighMem, Movable or Device";
    key page_order: Int, None, "Block size as a power of two of pages (order): 0 is one page, 9 a huge page of x86-64";
    gauge block_bytes: Int, Bytes, "Size of a block";
    gauge free_blocks: Int, Count, "Free blocks of exactly this size; larger ones can be split";
}
