//! `slab_path`: share of slab allocations on the fast path. The kernel counts it only with
//! CONFIG_SLUB_STATS; `slabinfo -AD` prints it.
crate::table! {
    /// One cache of objects in one listing.
    SlabPathRow = "slab_path", grain "one row for each cache of a listing", origin "recordings of slabinfo -AD", born_at_zero false;
    key name: Text(Word), None, "Cache, or its size if similar caches are merged (:0000192)";
    gauge objects: Int, Count, "Objects in use";
    gauge allocated: Int, Count, "Objects allocated since boot";
    gauge freed: Int, Count, "Objects freed since boot";
    gauge fast_allocated_ratio: Float, Ratio, "Share of the allocations from the per-CPU list, without a lock (fast path)";
    gauge fast_freed_ratio: Float, Ratio, "Share of the frees to the per-CPU list, without a lock (fast path)";
}
