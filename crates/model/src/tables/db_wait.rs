//! `db_wait`: what the sessions of a database waited for over an interval, by its own names.
crate::table! {
    /// One event of one database.
    DbWaitRow = "db_wait", grain "one row for each event, side, instance and report; a sum over them counts each wait once", origin "recordings of Oracle statspack and AWR, and of MySQL's events_waits_summary_global_by_event_name", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL where the report has no head";
    key event_name: Text(Word), None, "Event, as the database names it; `CPU time` and `DB CPU` are no waits";
    key side: Text(Word), None, "Whose waits: foreground (sessions of users), background (the database's own processes), or total where the report has them together; an event that has a total has no other row";
    label wait_class: Text(Word), None, "Class of the event, as the database names it: User I/O, Commit, Concurrency …";
    gauge waits: Int, Count, "Waits that ended; NULL for CPU time";
    gauge wait_s: Float, Seconds, "Time in them, of all sessions together; whole seconds in most reports";
    gauge wait_share: Float, Ratio, "Share of DB time, or of the time of all events before 10g, as the report says; of background its share of their time";
    gauge mean_wait_s: Float, Seconds, "Length of one wait, as the report says";
    gauge timeout_ratio: Float, Ratio, "Share of the waits that ended because their time was over";
    gauge background_waits: Int, Count, "Of a total: waits of the database's own processes, where the report says them besides";
    gauge background_wait_s: Float, Seconds, "Of a total: time in those";
}
