//! `slab`: kernel object caches and their memory.
crate::table! {
    /// One cache of objects at the start or the end.
    SlabRow = "slab", grain "one row for each cache with memory, at both ends", origin "/proc/slabinfo; the end is as the start where all caches together moved by less than 1 MB", born_at_zero false;
    key name: Text(Word), None, "Cache; the kernel merges similar caches under one name";
    gauge active_objects: Int, Count, "Objects in use, per-CPU lists included (active_objs)";
    gauge objects: Int, Count, "Allocated objects (num_objs)";
    gauge object_bytes: Int, Bytes, "Size of an object, padding included (objsize)";
    gauge objects_per_slab: Int, Count, "Objects per slab (objperslab)";
    gauge slab_pages: Int, Pages, "Pages per slab (pagesperslab)";
    gauge slabs: Int, Count, "Slabs (num_slabs)";
    gauge cache_bytes: Int, Bytes, "Memory of the cache: slabs × slab size";
}
