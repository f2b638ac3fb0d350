//! What a column of a list of sessions is, by its name: people query the views of their database in any order, with any
//! columns and aliases. Pure.

/// Whose a column is: of the session of the row, or of the one that it waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Whose {
    /// The session itself.
    Own,
    /// The session that holds what it waits for.
    Holder,
}

/// What a column says of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Says {
    /// Its id.
    Pid,
    /// Its user.
    User,
    /// Its database.
    Database,
    /// Name of its program.
    Application,
    /// Kind of process.
    Backend,
    /// Its state.
    State,
    /// Command of MySQL's list.
    Command,
    /// Kind of its wait.
    WaitKind,
    /// Its wait.
    WaitName,
    /// Whether it waits.
    Waits,
    /// Its statement.
    Statement,
    /// Age of the statement, as an interval or in seconds.
    StatementAge,
    /// Seconds since its last call began.
    LastCall,
    /// Age of the transaction.
    TransactionAge,
    /// Time in its state.
    StateAge,
    /// Time in its wait.
    WaitAge,
    /// When the statement began.
    StatementStart,
    /// When the transaction began.
    TransactionStart,
    /// When the state began.
    StateStart,
    /// When the wait began.
    WaitStart,
    /// Any other time that is not later than the list.
    Earlier,
    /// What it waits for, or has locked.
    Object,
    /// Index of that.
    Index,
    /// Mode of a lock.
    Mode,
    /// Whether a lock was granted.
    Granted,
    /// Ids of those that it waits for.
    BlockedBy,
    /// Id of its transaction.
    Transaction,
}

/// Beginnings of columns of the session that holds the lock.
const HOLDER: [&str; 6] = ["blocking_", "blocker_", "blockers_", "locker_", "holding_", "holder_"];
/// Beginnings of columns of the session that waits, where both stand in a row.
const OWN: [&str; 6] = ["blocked_", "waiting_", "waiter_", "requesting_", "requestor_", "trx_"];

/// Columns that only a list of sessions has.
const POSTGRESQL: [&str; 16] = [
    "usename",
    "datname",
    "query_start",
    "xact_start",
    "backend_start",
    "state_change",
    "wait_event_type",
    "wait_event",
    "application_name",
    "client_addr",
    "backend_type",
    "leader_pid",
    "pg_blocking_pids",
    "backend_xmin",
    "procpid",
    "current_query",
];
const MYSQL: [&str; 12] = [
    "trx_id",
    "trx_state",
    "trx_started",
    "trx_mysql_thread_id",
    "waiting_trx_id",
    "blocking_trx_id",
    "waiting_pid",
    "waiting_thread",
    "blocking_thread",
    "wait_age_secs",
    "requesting_trx_id",
    "sql_kill_blocking_query",
];
/// Columns of MySQL's list of processes, of which every column must be one, where some are missing.
const PROCESSLIST: [&str; 14] = [
    "id",
    "user",
    "host",
    "db",
    "command",
    "time",
    "state",
    "info",
    "time_ms",
    "progress",
    "rows_sent",
    "rows_examined",
    "query",
    "memory_used",
];

/// Columns of Oracle's v$session and v$session_wait beside the session.
const ORACLE: [&str; 16] = [
    "event",
    "blocking_session",
    "seconds_in_wait",
    "wait_class",
    "sql_id",
    "last_call_et",
    "serial#",
    "wait_time",
    "blocking_sid",
    "session_state",
    "p1text",
    "wait_time_micro",
    "lockwait",
    "row_wait_obj#",
    "final_blocking_session",
    "session_serial#",
];

/// Whether a list with these headings is one of Oracle's sessions.
pub fn is_oracle(headings: &[String]) -> bool {
    let has = |name: &str| headings.iter().any(|heading| heading == name);
    let count = ORACLE.iter().filter(|name| has(name)).count();
    let has_id = has("sid") || has("session_id");
    (has_id && count >= 2) || (has("waiting_session") && has("holding_session"))
}

/// Which database prints such lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Product {
    /// PostgreSQL.
    Postgresql,
    /// MySQL or MariaDB.
    Mysql,
    /// Oracle.
    Oracle,
}

/// Whose list of sessions has these columns; none where it may be anything.
pub fn product(headings: &[String]) -> Option<Product> {
    let has = |says: Says, whose: Whose| headings.iter().any(|name| role(name) == Some((whose, says)));
    let count = |names: &[&str]| headings.iter().filter(|name| names.contains(&name.as_str())).count();
    let has_pid = has(Says::Pid, Whose::Own);
    let is_pair = (has_pid && (has(Says::Pid, Whose::Holder) || has(Says::BlockedBy, Whose::Own)))
        || (has(Says::Transaction, Whose::Own) && has(Says::Transaction, Whose::Holder));
    let has_pid_itself = headings.iter().any(|name| matches!(name.as_str(), "pid" | "procpid"));
    if has_pid && count(&MYSQL) > 0 {
        return Some(Product::Mysql);
    }
    if is_pair && count(&MYSQL) > 0 {
        return Some(Product::Mysql);
    }
    if is_pair || (has_pid_itself && count(&POSTGRESQL) > 0 && headings.len() > 1) {
        return Some(Product::Postgresql);
    }
    // `pid`, `duration`, `query` as everybody writes them.
    let is_statement = has_pid_itself && has(Says::Statement, Whose::Own);
    let has_age = [Says::StatementAge, Says::TransactionAge, Says::StateAge, Says::State]
        .iter()
        .any(|says| has(*says, Whose::Own));
    if is_statement && has_age {
        return Some(Product::Postgresql);
    }
    // Who leaves the ids out knows which sessions they are.
    let is_told =
        [Says::State, Says::Statement, Says::WaitName].iter().filter(|says| has(**says, Whose::Own)).count()
            >= 2;
    let is_counted = headings.iter().any(|name| name.contains("count") || name == "calls" || name == "n");
    if count(&POSTGRESQL) > 0 && is_told && !is_counted {
        return Some(Product::Postgresql);
    }
    let is_list = headings.iter().all(|name| PROCESSLIST.contains(&name.as_str()));
    let named = |name: &str| headings.iter().any(|heading| heading == name);
    let has_statement = named("info") || named("query");
    (is_list && named("id") && named("time") && has_statement).then_some(Product::Mysql)
}

/// What a column says, and of whom.
pub fn role(name: &str) -> Option<(Whose, Says)> {
    if let Some(rest) = HOLDER.iter().find_map(|beginning| name.strip_prefix(beginning)) {
        let says = match rest {
            "process" | "session" | "thread" | "connection" => Says::Pid,
            _ => bare(rest)?,
        };
        return Some((Whose::Holder, says));
    }
    match name {
        // Of the query in PostgreSQL's wiki.
        "current_statement_in_blocking_process" => return Some((Whose::Holder, Says::Statement)),
        "current_or_recent_statement_in_blocking_process" => return Some((Whose::Holder, Says::Statement)),
        "blocked_by" | "pg_blocking_pids" | "blocking_pids" | "blockers" | "blocking" | "blocked_by_pid"
        | "blocked_by_pids" => {
            return Some((Whose::Own, Says::BlockedBy));
        }
        "requesting_trx_id" => return Some((Whose::Own, Says::Transaction)),
        // Of `sys.innodb_lock_waits`.
        "wait_age" | "wait_age_secs" | "waiting_age" => return Some((Whose::Own, Says::WaitAge)),
        "locked_table" | "locked_item" => return Some((Whose::Own, Says::Object)),
        "locked_index" => return Some((Whose::Own, Says::Index)),
        "trx_wait_started" | "wait_started" | "waitstart" | "wait_start" => {
            return Some((Whose::Own, Says::WaitStart));
        }
        "waiting" => return Some((Whose::Own, Says::Waits)),
        _ => {}
    }
    let rest = OWN.iter().find_map(|beginning| name.strip_prefix(beginning));
    match rest {
        Some("process" | "session" | "thread" | "connection") => Some((Whose::Own, Says::Pid)),
        Some("duration" | "time" | "for") if !name.starts_with("trx_") => Some((Whose::Own, Says::WaitAge)),
        Some(rest) => bare(rest).map(|says| (Whose::Own, says)),
        None => bare(name).map(|says| (Whose::Own, says)),
    }
}

/// The same of a name without whose it is.
fn bare(name: &str) -> Option<Says> {
    Some(match name {
        "sid"
        | "pid"
        | "procpid"
        | "id"
        | "process_id"
        | "processlist_id"
        | "thread_id"
        | "connection_id"
        | "conn_id"
        | "mysql_thread_id"
        | "trx_mysql_thread_id"
        | "session_id"
        | "backend_pid" => Says::Pid,
        "usename" | "user" | "username" | "user_name" | "rolname" | "role" | "processlist_user" => Says::User,
        "datname" | "db" | "database" | "dbname" | "database_name" | "processlist_db" => Says::Database,
        "application_name" | "application" | "app" | "appname" | "app_name" | "program_name" => {
            Says::Application
        }
        "backend_type" => Says::Backend,
        "last_call_et" => Says::LastCall,
        "wait_class" => Says::WaitKind,
        "session_status" | "state" | "status" | "trx_state" | "query_state" | "session_state"
        | "processlist_state" => Says::State,
        "command" | "processlist_command" => Says::Command,
        "wait_event_type" | "wait_type" => Says::WaitKind,
        "wait_event" | "event" => Says::WaitName,
        "query" | "current_query" | "statement" | "current_statement" | "info" | "sql" | "sql_text"
        | "query_text" | "short_query" | "query_snippet" | "left" | "substring" | "substr" | "trx_query"
        | "last_query" | "process" | "processlist_info" | "q" | "sql_id" | "sql_fulltext" => Says::Statement,
        "duration" | "runtime" | "run_time" | "running_time" | "query_duration" | "query_time"
        | "query_age" | "running_for" | "elapsed" | "elapsed_time" | "age" | "query_runtime" | "time"
        | "processlist_time" | "seconds" | "running" | "exec_time" | "execution_time" | "total_runtime"
        | "query_running_time" | "duration_s" | "duration_seconds" | "running_seconds" | "secs"
        | "duration_sec" | "statement_age" => Says::StatementAge,
        "xact_age"
        | "transaction_age"
        | "tx_age"
        | "xact_duration"
        | "transaction_duration"
        | "trx_age"
        | "xact_time"
        | "tx_duration"
        | "xact_runtime"
        | "txn_duration"
        | "trx_seconds"
        | "trx_duration"
        | "open_for" => Says::TransactionAge,
        "idle_time" | "idle_for" | "state_age" | "idle_duration" | "time_in_state" | "state_duration"
        | "idle" | "state_change_age" | "idle_age" | "time_idle" => Says::StateAge,
        "wait_duration" | "wait_time" | "wait_seconds" | "seconds_in_wait" | "waited" => Says::WaitAge,
        "query_start" | "query_started" | "statement_start" => Says::StatementStart,
        "xact_start" | "trx_started" | "started" | "transaction_start" | "xact_started" => {
            Says::TransactionStart
        }
        "state_change" | "state_changed" => Says::StateStart,
        "backend_start" | "now" | "current_timestamp" | "clock_timestamp" | "sample_time" | "ts" => {
            Says::Earlier
        }
        "relation" | "relname" | "table" | "table_name" | "object_name" | "locked_relation" | "tablename"
        | "regclass" => Says::Object,
        "mode" | "lock_mode" | "lockmode" => Says::Mode,
        "granted" => Says::Granted,
        "trx_id" | "engine_transaction_id" => Says::Transaction,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(columns: &str) -> Option<Product> {
        product(&columns.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn lists_by_their_columns() {
        for columns in [
            "pid duration query state",
            "pid usename blocked_by blocked_query",
            "blocked_pid blocked_user blocking_pid blocking_user blocked_statement current_statement_in_blocking_process",
            "pid wait_event_type wait_event",
            "procpid usename current_query",
            "query_start waiting state substr",
            "wait_event state",
        ] {
            assert_eq!(of(columns), Some(Product::Postgresql), "{columns}");
        }
        for columns in [
            "trx_id trx_state trx_started trx_mysql_thread_id trx_query",
            "waiting_trx_id waiting_thread waiting_query blocking_trx_id blocking_thread blocking_query",
            "requesting_trx_id requested_lock_id blocking_trx_id blocking_lock_id",
            "id user time state query",
            "id time info",
        ] {
            assert_eq!(of(columns), Some(Product::Mysql), "{columns}");
        }
        for columns in [
            "id name state",
            "id user time",
            "pid name",
            "state count max",
            "relname seq_scan idx_scan",
            "pid query",
        ] {
            assert_eq!(of(columns), None, "{columns}");
        }
    }

    #[test]
    fn columns_of_both_sides() {
        assert_eq!(role("blocking_pid"), Some((Whose::Holder, Says::Pid)));
        assert_eq!(role("current_statement_in_blocking_process"), Some((Whose::Holder, Says::Statement)));
        assert_eq!(role("waiting_thread"), Some((Whose::Own, Says::Pid)));
        assert_eq!(role("blocked_query"), Some((Whose::Own, Says::Statement)));
        assert_eq!(role("trx_started"), Some((Whose::Own, Says::TransactionStart)));
        assert_eq!(role("colour"), None);
    }
}
