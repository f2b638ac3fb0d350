//! `block_latency`: how long requests to block devices took, as histograms that can be added.
//!
//! A table of its own, because its rows are buckets: averages stand in `disk`. The buckets are
//! the same on every host and for ever.
crate::table! {
    /// One bucket of one histogram in one sample.
    BlockLatencyRow = "block_latency", grain "one row for each device, operation, size, stage and bucket that requests ended in, and sample; eBPF only", origin "block_rq_issue, block_rq_complete", born_at_zero false;
    key device: Text(Word), None, "Kernel name of the disk; partitions count with their disk";
    key operation: Text(Word), None, "read, write, flush, discard or other";
    key least_bytes: Int, Bytes, "Size of the requests, from this: 0, 8, 32, 128 or 512 KiB, up to the next";
    key stage: Text(Word), None, "queue: from the making of the request to its being given to the device; device: from there to its end";
    key bucket: Int, None, "Number of the bucket: 0 below 1.024 µs, then four of equal width for each doubling, 105 from 68.7 s";
    label least_s: Float, Seconds, "Least time in the bucket";
    label below_s: Float, Seconds, "All times in the bucket are below this; NULL in the last";
    counter requests: Int, Count, "Requests that ended in the sample and took this long";
    counter sequential: Int, Count, "Of them, the ones that began within 128 KiB of the end of one of the last four streams of their size; NULL of the queue";
}
