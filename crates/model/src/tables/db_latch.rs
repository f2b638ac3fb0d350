//! `db_latch`: the latches of an Oracle instance: how often they were asked for, and not got at once.
crate::table! {
    /// One latch, or one place in the code that asks for it.
    DbLatchRow = "db_latch", grain "one row for each latch, and each place that missed it, of an instance and report", origin "recordings of Oracle statspack and AWR: Latch Activity, Latch Sleep Breakdown, Latch Miss Sources", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL where the report has no head";
    key latch_name: Text(Word), None, "Latch, as the report has room for it; further ones of the same beginning end in (2), (3) …";
    key code_place: Text(Word), None, "Place in Oracle's code that missed it; NULL for the latch as a whole";
    gauge requests: Int, Count, "Requests that were willing to wait";
    gauge misses: Int, Count, "Those that did not get it at once";
    gauge miss_ratio: Float, Ratio, "The same as a share of the requests";
    gauge sleeps: Int, Count, "How often somebody went to sleep for it";
    gauge spin_gets: Int, Count, "Misses that got it while they spun";
    gauge wait_s: Float, Seconds, "Time asleep for it";
    gauge no_wait_requests: Int, Count, "Requests that would not wait";
    gauge no_wait_miss_ratio: Float, Ratio, "Share of those that did not get it";
}
