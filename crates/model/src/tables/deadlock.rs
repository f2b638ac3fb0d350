//! `deadlock`: deadlocks that a database or a Java VM reports, with those who wait for each other.
crate::table! {
    /// One transaction or thread of a deadlock.
    DeadlockRow = "deadlock", grain "one row for each transaction or thread of a deadlock", origin "recordings of InnoDB's status and error log, of PostgreSQL's log, of Oracle's deadlock traces, and of Java thread dumps", born_at_zero false;
    key product: Text(Word), None, "innodb, postgresql, oracle, java";
    key deadlock: Int, None, "Number of the deadlock in its file, from 1";
    key party: Int, None, "Number of the transaction or thread in the deadlock, from 1; NULL if only the error was reported";
    label instance: Text(Name), None, "Database, if reported";
    label pid: Int, None, "Session: id of MySQL's connection, process of PostgreSQL, SID of Oracle";
    label name: Text(Name), None, "Database user, or name of the Java thread";
    label waits_for: Text(Name), None, "Lock that it waits for, with its mode";
    label object_name: Text(Name), None, "Table, or class of the Java object, of that lock";
    label index_name: Text(Name), None, "Index of that lock";
    label held_by: Text(Name), None, "Session, or name of the thread, that holds the lock";
    label is_victim: Bool, None, "This transaction was rolled back, or its statement; NULL if not reported";
    label statement: Text(Message), None, "Current statement; of a Java thread the function that requests the lock";
    label active_s: Float, Seconds, "How long the transaction had been active";
    label ago_s: Float, Seconds, "How long before the status the deadlock was, if that only has the latest one";
}
