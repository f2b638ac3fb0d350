//! `block_latency`: latency histograms of requests to block devices; they can be added up.
//!
//! A separate table, because its rows are buckets: averages are in `disk`. The buckets are
//! the same on every host and never change.
crate::table! {
    /// One bucket of one histogram in one sample.
    BlockLatencyRow = "block_latency", grain "one row for each device, operation, size, stage, non-empty bucket and sample; eBPF only", origin "block_rq_issue, block_rq_complete", born_at_zero false;
    key device: Text(Word), None, "Kernel name of the disk; requests to partitions count for their disk";
    key operation: Text(Word), None, "read, write, flush, discard or other";
    key least_bytes: Int, Bytes, "Smallest request size of the class: 0, 8, 32, 128 or 512 KiB";
    key stage: Text(Word), None, "queue: from insertion to dispatch; device: from dispatch to completion";
    key bucket: Int, None, "Bucket number: 0 below 1.024 µs, then four of equal width per doubling, 105 from 68.7 s";
    label least_s: Float, Seconds, "Lower bound of the bucket, included";
    label below_s: Float, Seconds, "Upper bound of the bucket, excluded; NULL for the last";
    counter requests: Int, Count, "Requests of this latency that ended in the sample";
    counter sequential: Int, Count, "Sequential requests: within 128 KiB of the end of one of the last four streams of their size; NULL for stage queue";
}
