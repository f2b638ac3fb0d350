//! `db_metric`: metrics that a database reports over an interval; its waits are in `db_wait`.
crate::table! {
    /// One metric of one database.
    DbMetricRow = "db_metric", grain "one row for each number, instance and report", origin "recordings of Oracle statspack and AWR, of PostgreSQL's views, and of MySQL's SHOW STATUS and SHOW ENGINE INNODB STATUS", born_at_zero false;
    key instance: Text(Name), None, "Instance, or database of PostgreSQL; NULL where the report has no head";
    key metric_name: Text(Word), None, "Metric: load profile in _per_s, efficiencies in _ratio (buffer_hit_ratio, latch_hit_ratio, soft_parse_ratio …), times in _s, sizes in _bytes; resource_NAME_used, _most (since the start) and _limit; addm_db_time_s (DB time of an ADDM report); PostgreSQL: view.column (pg_stat_database.blks_read); MySQL: mysql.NAME (mysql.innodb_row_lock_waits), without secs since the server started, with secs the increase";
    gauge value: Float, None, "Value: rate, share of one, seconds, bytes or count";
}
