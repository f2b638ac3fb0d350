//! `db_contention`: what the sessions of a database asked for that others may hold: locks (enqueues), and blocks by class.
crate::table! {
    /// One lock or class of blocks.
    DbContentionRow = "db_contention", grain "one row for each kind, name, instance and report", origin "recordings of Oracle statspack and AWR (Enqueue Activity, Buffer Wait Statistics, Segments by …), and of PostgreSQL's pg_locks", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL where the report has no head";
    key kind: Text(Word), None, "enqueue, buffer_class or pg_lock; of tables and indexes row_lock_segment, slot_segment (transaction slots) and buffer_segment";
    key name: Text(Word), None, "Lock or class, as the database names it: TX-Transaction (row lock contention), data block, relation RowExclusiveLock, SHOP.ORDERS";
    gauge requests: Int, Count, "How often it was asked for; of pg_locks, how many there were at once";
    gauge waits: Int, Count, "How often it was waited for; of pg_locks, how many were not granted";
    gauge wait_s: Float, Seconds, "Time waited";
}
