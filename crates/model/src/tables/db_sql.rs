//! `db_sql`: the statements that took most of a database's time, reads or memory.
crate::table! {
    /// One statement.
    DbSqlRow = "db_sql", grain "one row for each statement, instance and report", origin "recordings of Oracle statspack and AWR (SQL ordered by …, Top SQL with Top Events), and of PostgreSQL's pg_stat_statements", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL where the report has no head";
    key statement_id: Text(Word), None, "SQL Id, or the hash value of before 10g; queryid of PostgreSQL";
    label module: Text(Name), None, "What the client called itself";
    label statement: Text(Message), None, "Its text, as far as the report has it";
    label event_name: Text(Word), None, "Event that it waited for most, where the report has samples of sessions (Top SQL with Top Events)";
    gauge event_share: Float, Ratio, "Sampled sessions that ran it and waited for that event, of all";
    gauge executions: Int, Count, "How often it was run";
    gauge elapsed_s: Float, Seconds, "Time in it, of all sessions";
    gauge cpu_s: Float, Seconds, "Time on a CPU";
    gauge io_s: Float, Seconds, "Time waiting for I/O of users";
    gauge buffer_gets: Int, Count, "Blocks that it looked at, in the cache or read";
    gauge disk_reads: Int, Count, "Blocks that had to be read";
    gauge rows_processed: Int, Count, "Rows that it gave or changed";
    gauge parse_calls: Int, Count, "How often it was parsed";
    gauge temporary_blocks_written: Int, Count, "Blocks of temporary files that it wrote, as sorts beyond their memory do";
}
