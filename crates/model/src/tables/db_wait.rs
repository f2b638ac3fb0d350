//! `db_wait`: wait events of a database over an interval, by its own names.
crate::table! {
    /// One event of one database.
    DbWaitRow = "db_wait", grain "one row for each event, side, instance and report; sums count each wait once", origin "recordings of Oracle statspack and AWR, and of MySQL's events_waits_summary_global_by_event_name", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL if the report has no header";
    key event_name: Text(Word), None, "Event, as the database names it; `CPU time` and `DB CPU` are not waits; `unknown` is DB time without CPU time, if the report lists no events";
    key side: Text(Word), None, "foreground (user sessions), background (the database's own processes), or total if the report has them together; an event with a total has no other row";
    label wait_class: Text(Word), None, "Class of the event, as the database names it: User I/O, Commit, Concurrency …";
    gauge waits: Int, Count, "Waits that ended; NULL for CPU time";
    gauge wait_s: Float, Seconds, "Wait time of all sessions; whole seconds in most reports";
    gauge wait_share: Float, Ratio, "Share of DB time, or of the time of all events before 10g, as the report says; for background, share of their time";
    gauge mean_wait_s: Float, Seconds, "Mean wait, as the report says";
    gauge timeout_ratio: Float, Ratio, "Share of the waits that timed out";
    gauge background_waits: Int, Count, "In a total: waits of the database's own processes, if the report has them separately";
    gauge background_wait_s: Float, Seconds, "In a total: wait time of the database's own processes";
}
