//! `db_session`: the sessions of a database at one instant, and their wait events.
crate::table! {
    /// One session.
    DbSessionRow = "db_session", grain "one row for each session and listing", origin "recordings of PostgreSQL's pg_stat_activity and queries of locks, of MySQL's SHOW PROCESSLIST, SHOW ENGINE INNODB STATUS, innodb_trx and innodb_lock_waits, and of Oracle's v$session", born_at_zero false;
    key instance: Text(Name), None, "Database of the session; NULL for the server's own processes";
    key pid: Int, None, "Process id; of MySQL the session's id, or the thread of the system if only that is known; of Oracle the SID";
    label user_name: Text(Name), None, "Database role";
    label application_name: Text(Name), None, "Name that the client sets (application_name)";
    label backend_type: Text(Word), None, "client backend, autovacuum worker, checkpointer …; mysql client, mysql Binlog Dump …; oracle session, oracle background";
    label state: Text(Word), None, "active, idle, idle in transaction …";
    label wait_kind: Text(Word), None, "Wait event type (wait_event_type): Lock, LWLock, IO, Client …; of MySQL also Semaphore, Cache, Commit; NULL if the session does not wait";
    label wait_name: Text(Word), None, "Wait event (wait_event); of MySQL what its state says that it waits for: table metadata lock, row lock, name of a latch";
    label statement: Text(Message), None, "Current or last statement; of Oracle also its SQL Id";
    label blocked_by: Int, None, "Session that holds what this one waits for (pid); the first one if there are several";
    label wait_object: Text(Name), None, "Table, index or lock that it waits for";
    gauge statement_s: Float, Seconds, "Age of the running statement";
    gauge transaction_s: Float, Seconds, "Age of the transaction";
    gauge state_s: Float, Seconds, "Time in the current state";
    gauge wait_s: Float, Seconds, "Time in the current wait";
}
