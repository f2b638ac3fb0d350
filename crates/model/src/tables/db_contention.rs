//! `db_contention`: contention in a database: locks (enqueues), and buffer waits by block class.
crate::table! {
    /// One lock or class of blocks.
    DbContentionRow = "db_contention", grain "one row for each kind, name, instance and report", origin "recordings of Oracle statspack and AWR (Enqueue Activity, Buffer Wait Statistics, Segments by …), and of PostgreSQL's pg_locks", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL if the report has no header";
    key kind: Text(Word), None, "enqueue, buffer_class, pg_lock; tables and indexes: row_lock_segment, slot_segment (transaction slots), buffer_segment";
    key name: Text(Word), None, "Lock, class or segment, as the database names it: TX-Transaction (row lock contention), data block, relation RowExclusiveLock, SHOP.ORDERS";
    gauge requests: Int, Count, "Requests; for pg_locks, locks at that moment";
    gauge waits: Int, Count, "Waits; for pg_locks, locks not granted";
    gauge wait_s: Float, Seconds, "Wait time";
}
