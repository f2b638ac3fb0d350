//! `db_cache_advice`: how often a database would have to read with caches of other sizes, as it reckons itself.
crate::table! {
    /// One size of one cache.
    DbCacheAdviceRow = "db_cache_advice", grain "one row for each size, pool, instance and report", origin "recordings of Oracle statspack and AWR: Buffer Pool Advisory", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL where the report has no head";
    key pool: Text(Word), None, "Pool: D (default), K (keep), R (recycle)";
    key size_bytes: Int, Bytes, "Size that the row is about";
    gauge size_factor: Float, None, "That size as a multiple of the size now";
    gauge read_factor: Float, None, "Physical reads with that size, as a multiple of those now";
    gauge estimated_reads: Float, Count, "Physical reads that there would have been since the instance started";
}
