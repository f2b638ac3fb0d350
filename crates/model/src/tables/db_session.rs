//! `db_session`: the sessions of a database at one instant, and what each waits for.
crate::table! {
    /// One session.
    DbSessionRow = "db_session", grain "one row for each session and listing", origin "recordings of PostgreSQL's pg_stat_activity", born_at_zero false;
    key instance: Text(Name), None, "Database that it is connected to; NULL for the server's own processes";
    key pid: Int, None, "Its process";
    label user_name: Text(Name), None, "Role that it runs as";
    label application_name: Text(Name), None, "What the client calls itself";
    label backend_type: Text(Word), None, "client backend, autovacuum worker, checkpointer …";
    label state: Text(Word), None, "active, idle, idle in transaction …";
    label wait_kind: Text(Word), None, "Kind of what it waits for (wait_event_type): Lock, LWLock, IO, Client …; NULL where it does not wait";
    label wait_name: Text(Word), None, "What it waits for (wait_event)";
    label statement: Text(Message), None, "Its statement, or the last one";
}
