//! `slab_path`: how often objects of a cache were had without a lock. The kernel counts it only with
//! CONFIG_SLUB_STATS; `slabinfo -AD` prints it.
crate::table! {
    /// One cache of objects in one listing.
    SlabPathRow = "slab_path", grain "one row for each cache of a listing", origin "recordings of slabinfo -AD", born_at_zero false;
    key name: Text(Word), None, "Cache, or its size where like caches are merged (:0000192)";
    gauge objects: Int, Count, "Objects in use";
    gauge allocated: Int, Count, "Objects given out since boot";
    gauge freed: Int, Count, "Objects given back since boot";
    gauge fast_allocated_ratio: Float, Ratio, "Share of the objects given out that came from the CPU's own list, without a lock";
    gauge fast_freed_ratio: Float, Ratio, "Share of the objects given back that went there";
}
