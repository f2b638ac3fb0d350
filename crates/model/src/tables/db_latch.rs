//! `db_latch`: latches of an Oracle instance: requests, misses and sleeps.
crate::table! {
    /// One latch, or one code location that requests it.
    DbLatchRow = "db_latch", grain "one row for each latch, and each code location that missed it, of an instance and report", origin "recordings of Oracle statspack and AWR: Latch Activity, Latch Sleep Breakdown, Latch Miss Sources", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL if the report has no header";
    key latch_name: Text(Word), None, "Latch, cut to the report's column width; further ones of the same beginning end in (2), (3) …";
    key code_place: Text(Word), None, "Location in Oracle's code that missed the latch; NULL for the whole latch";
    gauge requests: Int, Count, "Willing-to-wait requests (get requests)";
    gauge misses: Int, Count, "Requests that did not get the latch at once (misses)";
    gauge miss_ratio: Float, Ratio, "Misses as a share of the requests";
    gauge sleeps: Int, Count, "Sleeps for the latch";
    gauge spin_gets: Int, Count, "Misses that got the latch while spinning (spin gets)";
    gauge wait_s: Float, Seconds, "Time asleep for the latch";
    gauge no_wait_requests: Int, Count, "No-wait requests";
    gauge no_wait_miss_ratio: Float, Ratio, "Share of no-wait requests that missed";
}
