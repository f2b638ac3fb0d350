//! `db_sql`: the statements that took most of a database's time, reads or memory.
crate::table! {
    /// One statement.
    DbSqlRow = "db_sql", grain "one row for each statement, instance and report", origin "recordings of Oracle statspack and AWR (SQL ordered by …, Top SQL with Top Events), of PostgreSQL's pg_stat_statements, of slow-query logs, mysqldumpslow and pt-query-digest", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL if the report has no header";
    key statement_id: Text(Word), None, "SQL Id, or the hash value (before 10g); queryid of PostgreSQL; of a log NULL";
    label module: Text(Name), None, "Module that the client sets";
    label statement: Text(Message), None, "Text of the statement, as far as reported; of a log without its numbers and texts";
    label event_name: Text(Word), None, "Wait event with most samples of this statement (Top SQL with Top Events)";
    gauge event_share: Float, Ratio, "Samples of this statement with that event, as a share of all samples";
    gauge executions: Int, Count, "Executions";
    gauge elapsed_s: Float, Seconds, "Elapsed time in all sessions";
    gauge cpu_s: Float, Seconds, "CPU time";
    gauge io_s: Float, Seconds, "User I/O wait time";
    gauge max_elapsed_s: Float, Seconds, "Longest execution";
    gauge lock_s: Float, Seconds, "Lock wait time";
    gauge rows_examined: Int, Count, "Rows read to find the result";
    gauge buffer_gets: Int, Count, "Buffer gets: blocks read from the cache or the disk";
    gauge disk_reads: Int, Count, "Physical reads: blocks read from the disk";
    gauge rows_processed: Int, Count, "Rows returned or changed";
    gauge parse_calls: Int, Count, "Parse calls";
    gauge temporary_blocks_written: Int, Count, "Temporary blocks written, for example by sorts that exceed their memory";
}
