//! `slab`: memory that the kernel holds in objects of its own, by kind of object.
crate::table! {
    /// One cache of objects at the start or the end.
    SlabRow = "slab", grain "one row for each cache with memory, at both ends", origin "/proc/slabinfo; the end is as the start where all caches together moved by less than 1 MB", born_at_zero false;
    key name: Text(Word), None, "Cache; the kernel merges caches of like objects under one of their names";
    gauge active_objects: Int, Count, "Objects in use, those waiting on a CPU's own list included (active_objs)";
    gauge objects: Int, Count, "Objects that there is memory for (num_objs)";
    gauge object_bytes: Int, Bytes, "Size of an object, padding included (objsize)";
    gauge objects_per_slab: Int, Count, "Objects in one slab (objperslab)";
    gauge slab_pages: Int, Pages, "Pages of one slab (pagesperslab)";
    gauge slabs: Int, Count, "Slabs (num_slabs)";
    gauge cache_bytes: Int, Bytes, "Memory of the cache: slabs times their size";
}
