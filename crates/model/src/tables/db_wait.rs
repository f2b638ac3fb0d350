//! `db_wait`: what the sessions of a database waited for over an interval, by its own names.
crate::table! {
    /// One event of one database.
    DbWaitRow = "db_wait", grain "one row for each event, instance and report", origin "recordings of Oracle statspack", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL where the report has no head";
    key event_name: Text(Word), None, "Event, as the database names it; `CPU time` is no wait";
    gauge waits: Int, Count, "Waits that ended; NULL for CPU time";
    gauge wait_s: Float, Seconds, "Time in them, of all sessions together";
    gauge wait_share: Float, Ratio, "Of the time of all events, as the report says";
}
