//! `db_cache_advice`: physical reads with other cache sizes, as the database estimates them.
crate::table! {
    /// One size of one cache.
    DbCacheAdviceRow = "db_cache_advice", grain "one row for each size, pool, instance and report", origin "recordings of Oracle statspack and AWR: Buffer Pool Advisory", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL if the report has no header";
    key pool: Text(Word), None, "Pool: D (default), K (keep), R (recycle)";
    key size_bytes: Int, Bytes, "Cache size of this row";
    gauge size_factor: Float, None, "The size as a multiple of the current size";
    gauge read_factor: Float, None, "Physical reads with that size, as a multiple of the current ones";
    gauge estimated_reads: Float, Count, "Estimated physical reads since the start of the instance";
}
