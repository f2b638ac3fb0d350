//! `db_session`: the sessions of a database at one instant, and their wait events.
crate::table! {
    /// One session.
    DbSessionRow = "db_session", grain "one row for each session and listing", origin "recordings of PostgreSQL's pg_stat_activity, and of MySQL's SHOW PROCESSLIST and SHOW ENGINE INNODB STATUS", born_at_zero false;
    key instance: Text(Name), None, "Database of the session; NULL for the server's own processes";
    key pid: Int, None, "Process id; of MySQL the session's id, or the thread of the system if only that is known";
    label user_name: Text(Name), None, "Database role";
    label application_name: Text(Name), None, "Name that the client sets (application_name)";
    label backend_type: Text(Word), None, "client backend, autovacuum worker, checkpointer …; mysql client, mysql Binlog Dump …";
    label state: Text(Word), None, "active, idle, idle in transaction …";
    label wait_kind: Text(Word), None, "Wait event type (wait_event_type): Lock, LWLock, IO, Client …; of MySQL also Semaphore, Cache, Commit; NULL if the session does not wait";
    label wait_name: Text(Word), None, "Wait event (wait_event); of MySQL what its state says that it waits for: table metadata lock, row lock, name of a latch";
    label statement: Text(Message), None, "Current or last statement";
}
