//! Rows of a list of sessions, with any columns: what is known of each session, how long it does what it does, and who blocks
//! whom. Ages are differences to the latest time in the list: at least so long.

use std::collections::{BTreeMap, HashMap, VecDeque};

use heldup_model::Record;
use heldup_model::tables::DbSessionRow;

use crate::database::intervals::{instant_s, seconds};
use crate::database::lock_modes::are_in_conflict;
use crate::database::mysql_waits::wait_of;
use crate::database::session_columns::{Product, Says, Whose, role};
use crate::document::Document;
use crate::document::put::{Put, put};
use crate::table::sheets::When;

/// Locks of a list that are kept to find who holds what another waits for.
const MOST_LOCKS: usize = 100_000;
/// Columns that tell one lock of PostgreSQL from another.
const LOCK_KEY: [&str; 14] = [
    "locktype",
    "database",
    "relation",
    "relname",
    "table",
    "page",
    "tuple",
    "virtualxid",
    "transactionid",
    "tid",
    "classid",
    "objid",
    "objsubid",
    "table_name",
];

/// The sessions of one list.
pub struct SessionRows {
    product: Product,
    sessions: BTreeMap<String, Session>,
    /// The latest time in the list, in seconds since 1970.
    latest_s: Option<f64>,
    locks: Vec<Lock>,
}

/// What is known of a session.
#[derive(Debug, Default)]
struct Session {
    pid: Option<f64>,
    is_transaction: bool,
    texts: BTreeMap<&'static str, String>,
    ages: BTreeMap<&'static str, f64>,
    starts: BTreeMap<&'static str, f64>,
    /// An age whose meaning depends on the state.
    age: Option<f64>,
    last_call_s: Option<f64>,
    blockers: Vec<String>,
    transaction: Option<String>,
    blocking_transactions: Vec<String>,
    command: Option<String>,
    waits: bool,
}

struct Lock {
    session: String,
    key: String,
    mode: String,
    is_granted: bool,
}

impl SessionRows {
    /// Of a list of which no row was read yet.
    pub fn new(product: Product) -> SessionRows {
        SessionRows { product, sessions: BTreeMap::new(), latest_s: None, locks: Vec::new() }
    }

    /// Takes a row; false where it names no session.
    pub fn push(&mut self, headings: &[String], cells: &[String]) -> bool {
        let (mut own, mut holder) = (Session::default(), Session::default());
        let (mut mode, mut granted, mut index) = (None, None, None);
        for (heading, cell) in headings.iter().zip(cells) {
            let cell = cell.trim();
            let is_told =
                !cell.is_empty() && !matches!(cell, "NULL" | "null" | "\\N" | "<null>" | "[NULL]" | "¤");
            let Some((whose, says)) = role(heading).filter(|_| is_told) else { continue };
            if let Some(at) = instant_s(cell) {
                self.latest_s = Some(self.latest_s.map_or(at, |latest| latest.max(at)));
            }
            match (whose, says) {
                (Whose::Own, Says::Mode) => mode = Some(cell.to_owned()),
                (Whose::Own, Says::Granted) => granted = Some(matches!(cell, "t" | "true" | "1" | "GRANTED")),
                (Whose::Own, Says::Index) => index = Some(cell.replace('`', "")),
                (Whose::Own, _) => own.take(says, cell),
                (Whose::Holder, _) => holder.take(says, cell),
            }
        }
        if let (Some(index), Some(object)) = (index, own.texts.get_mut("wait_object")) {
            *object = format!("{object} ({index})");
        }
        let has_ids =
            headings.iter().any(|heading| matches!(role(heading), Some((_, Says::Pid | Says::Transaction))));
        let name = own.name().or_else(|| (!has_ids).then(|| format!("row {}", self.sessions.len() + 1)));
        let Some(name) = name else { return false };
        if let Some(holder_name) = holder.name() {
            match holder.pid {
                Some(_) => own.blockers.push(holder_name.clone()),
                None => own.blocking_transactions.extend(holder.transaction.clone()),
            }
            own.waits = true;
            if holder.pid.is_some() {
                self.merge(holder_name, holder);
            }
        }
        if let (Some(mode), Some(is_granted)) = (mode, granted) {
            let of =
                |name: &str| headings.iter().position(|heading| heading == name).and_then(|at| cells.get(at));
            let key: Vec<&str> =
                LOCK_KEY.iter().filter_map(|name| of(name).map(|cell| cell.trim())).collect();
            let key = if is_one_lock(&of) { key.join(" ") } else { String::new() };
            if is_granted {
                own.texts.remove("wait_object");
            } else {
                own.waits = true;
                let kind = of("locktype").map(|kind| kind.trim()).filter(|kind| !kind.is_empty());
                kind.map(|kind| own.texts.entry("wait_name").or_insert_with(|| kind.to_owned()));
            }
            if self.locks.len() < MOST_LOCKS {
                self.locks.push(Lock { session: name.clone(), key, mode, is_granted });
            }
        } else if !own.waits && own.blockers.is_empty() {
            // A table beside a session is what it waits for only where it waits.
            own.texts.remove("wait_object");
        }
        self.merge(name, own);
        true
    }

    fn merge(&mut self, name: String, new: Session) {
        let old = self.sessions.entry(name).or_default();
        old.pid = old.pid.or(new.pid);
        old.is_transaction |= new.is_transaction;
        for (column, text) in new.texts {
            old.texts.entry(column).or_insert(text);
        }
        for (column, age) in new.ages {
            old.ages.entry(column).or_insert(age);
        }
        for (column, start) in new.starts {
            old.starts.entry(column).or_insert(start);
        }
        old.age = old.age.or(new.age);
        old.last_call_s = old.last_call_s.or(new.last_call_s);
        old.blockers.extend(new.blockers);
        old.transaction = old.transaction.take().or(new.transaction);
        old.blocking_transactions.extend(new.blocking_transactions);
        old.command = old.command.take().or(new.command);
        old.waits |= new.waits;
    }

    /// Writes the sessions.
    pub fn write(mut self, when: When, document: &mut Document) {
        self.find_holders();
        let nearest = self.distances();
        for session in self.sessions.values_mut() {
            let of = |name: &String| nearest.get(name).copied().unwrap_or(usize::MAX);
            session.blockers.sort_by_key(of);
        }
        let (product, latest_s) = (self.product, self.latest_s);
        for (name, session) in &mut self.sessions {
            session.settle(product, latest_s);
            let blocker = session.blockers.first().and_then(|blocker| blocker.parse::<f64>().ok());
            let mut cells = vec![("pid", Put::Number(session.pid)), ("blocked_by", Put::Number(blocker))];
            cells.extend(session.texts.iter().map(|(column, text)| (*column, Put::Text(text))));
            cells.extend(session.ages.iter().map(|(column, age)| (*column, Put::Number(Some(*age)))));
            put(document, DbSessionRow::DEF, when, name, &cells);
        }
    }

    /// Who holds the locks that others wait for, and whose transactions these are.
    fn find_holders(&mut self) {
        let mut by_key: HashMap<&str, Vec<&Lock>> = HashMap::new();
        for lock in self.locks.iter().filter(|lock| lock.is_granted) {
            by_key.entry(&lock.key).or_default().push(lock);
        }
        let mut found = Vec::new();
        for lock in self.locks.iter().filter(|lock| !lock.is_granted && !lock.key.is_empty()) {
            let held = by_key.get(lock.key.as_str()).into_iter().flatten();
            let others =
                held.filter(|held| held.session != lock.session && are_in_conflict(&held.mode, &lock.mode));
            found.extend(others.map(|held| (lock.session.clone(), held.session.clone())));
        }
        let sessions: HashMap<String, String> = self
            .sessions
            .iter()
            .filter_map(|(name, session)| Some((session.transaction.clone()?, name.clone())))
            .collect();
        for (name, session) in &self.sessions {
            for transaction in &session.blocking_transactions {
                // A transaction of which only the number is known stands for its session.
                let holder = sessions.get(transaction).cloned().unwrap_or_else(|| transaction.clone());
                found.push((name.clone(), holder));
            }
        }
        for (waiter, holder) in found {
            let is_transaction = self.sessions.get(&waiter).is_some_and(|session| session.is_transaction);
            self.sessions.entry(holder.clone()).or_insert_with(|| Session {
                pid: holder.parse().ok(),
                is_transaction,
                ..Session::default()
            });
            if let Some(session) = self.sessions.get_mut(&waiter) {
                session.blockers.push(holder);
            }
        }
    }

    /// How far each session is from one that waits for nobody.
    fn distances(&self) -> HashMap<String, usize> {
        let mut waiters: HashMap<&str, Vec<&str>> = HashMap::new();
        for (name, session) in &self.sessions {
            for blocker in &session.blockers {
                waiters.entry(blocker).or_default().push(name);
            }
        }
        let is_root = |name: &str| self.sessions.get(name).is_none_or(|session| session.blockers.is_empty());
        let mut found: HashMap<String, usize> = HashMap::new();
        let roots = waiters.keys().filter(|name| is_root(name)).map(|name| (*name, 0));
        let mut next: VecDeque<(&str, usize)> = roots.collect();
        while let Some((name, distance)) = next.pop_front() {
            if found.contains_key(name) {
                continue;
            }
            found.insert(name.to_owned(), distance);
            next.extend(waiters.get(name).into_iter().flatten().map(|waiter| (*waiter, distance + 1)));
        }
        found
    }
}

/// Whether a row tells which lock it is of: of a transaction its number, of a row its place, of a table its name.
fn is_one_lock<'c>(of: &impl Fn(&str) -> Option<&'c String>) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| of(name).is_some_and(|cell| !cell.trim().is_empty()));
    let is_table = has(&["relation", "relname", "table", "table_name"]);
    match of("locktype").map(|kind| kind.trim()) {
        Some("transactionid") => has(&["transactionid", "tid"]),
        Some("virtualxid") => has(&["virtualxid"]),
        Some("tuple") => is_table && has(&["page"]) && has(&["tuple"]),
        Some("relation") => is_table,
        Some("extend") => is_table,
        Some("advisory") => has(&["objid"]) && has(&["classid"]),
        _ => false,
    }
}

impl Session {
    fn take(&mut self, says: Says, cell: &str) {
        let mut text = |column: &'static str| {
            self.texts.insert(column, cell.to_owned());
        };
        match says {
            // Of Oracle with its serial number: `123,4567`.
            Says::Pid => {
                self.pid = cell.trim_matches('\'').split(',').next().and_then(|id| id.trim().parse().ok())
            }
            Says::LastCall => self.last_call_s = seconds(cell),
            Says::User => text("user_name"),
            Says::Database => text("instance"),
            Says::Application => text("application_name"),
            Says::Backend => text("backend_type"),
            Says::State => text("state"),
            Says::WaitKind => text("wait_kind"),
            Says::WaitName => text("wait_name"),
            Says::Statement => text("statement"),
            Says::Command => self.command = Some(cell.to_owned()),
            Says::Waits => self.waits |= matches!(cell, "t" | "true" | "yes" | "Y"),
            Says::Object => {
                self.texts.insert("wait_object", cell.replace('`', ""));
            }
            Says::StatementAge => self.age = self.age.or(seconds(cell)),
            Says::TransactionAge => self.age_of("transaction_s", cell),
            Says::StateAge => self.age_of("state_s", cell),
            Says::WaitAge => self.age_of("wait_s", cell),
            Says::StatementStart => self.start_of("statement_s", cell),
            Says::TransactionStart => self.start_of("transaction_s", cell),
            Says::StateStart => self.start_of("state_s", cell),
            Says::WaitStart => self.start_of("wait_s", cell),
            Says::BlockedBy => {
                let ids =
                    cell.split(|sign: char| !sign.is_ascii_digit()).filter(|id| !id.is_empty() && *id != "0");
                self.blockers.extend(ids.map(str::to_owned));
                self.waits |= !self.blockers.is_empty();
            }
            Says::Transaction => self.transaction = Some(cell.to_owned()),
            Says::Earlier | Says::Index | Says::Mode | Says::Granted => {}
        }
    }

    fn age_of(&mut self, column: &'static str, cell: &str) {
        if let Some(age) = seconds(cell) {
            self.ages.entry(column).or_insert(age);
        }
    }

    fn start_of(&mut self, column: &'static str, cell: &str) {
        if let Some(start) = instant_s(cell) {
            self.starts.insert(column, start);
        }
    }

    /// Its id; that of its transaction where nothing else is known.
    fn name(&mut self) -> Option<String> {
        if let Some(pid) = self.pid {
            return Some(pid.to_string());
        }
        let transaction = self.transaction.clone()?;
        self.pid = transaction.parse().ok();
        self.is_transaction = true;
        let name = self.pid.map(|pid| pid.to_string());
        // It is no session's number.
        name.or(Some(transaction))
    }

    /// All cells that follow from others.
    fn settle(&mut self, product: Product, latest_s: Option<f64>) {
        for (column, start) in &self.starts {
            // The latest itself says nothing: it may be of the row.
            let age = latest_s.map(|latest| latest - start).filter(|age| *age > 0.0);
            age.map(|age| self.ages.entry(column).or_insert(age));
        }
        match product {
            Product::Mysql => self.settle_mysql(),
            Product::Postgresql => self.settle_postgresql(),
            Product::Oracle => self.settle_oracle(),
        }
        let state = self.texts.get("state").map_or("", String::as_str);
        let is_statement = !state.starts_with("idle");
        match self.age.take() {
            // The statement is over; its transaction is at least as old.
            Some(age) if state.starts_with("idle in transaction") => {
                self.ages.entry("transaction_s").or_insert(age);
            }
            Some(age) if is_statement => {
                self.ages.entry("statement_s").or_insert(age);
            }
            _ => {}
        }
        if !is_statement {
            self.ages.remove("statement_s");
        }
        if state == "idle" {
            self.ages.remove("transaction_s");
        }
        if self.waits && !self.blockers.is_empty() && !self.texts.contains_key("wait_kind") {
            self.texts.entry("wait_name").or_insert_with(|| "lock".to_owned());
        }
        if self.waits {
            self.texts.entry("wait_kind").or_insert_with(|| "Lock".to_owned());
        }
        let is_at_lock = self.texts.get("wait_kind").is_some_and(|kind| kind == "Lock");
        if is_at_lock && let Some(statement_s) = self.ages.get("statement_s").copied() {
            self.ages.entry("wait_s").and_modify(|wait_s| *wait_s = wait_s.min(statement_s));
        }
    }

    fn settle_postgresql(&mut self) {
        match self.texts.get("statement").map(String::as_str) {
            Some("<IDLE>") => drop(self.texts.insert("state", "idle".to_owned())),
            Some("<IDLE> in transaction") => {
                drop(self.texts.insert("state", "idle in transaction".to_owned()))
            }
            Some("<insufficient privilege>" | "<command string not enabled>") => {
                drop(self.texts.remove("statement"))
            }
            _ => return,
        }
        if self.texts.contains_key("state") {
            self.texts.retain(|column, text| *column != "statement" || !text.starts_with("<IDLE>"));
        }
    }

    /// The state is that of the session, or that of its wait (`WAITING`, `WAITED KNOWN TIME`): then it runs.
    fn settle_oracle(&mut self) {
        let words = self.texts.remove("state").unwrap_or_default();
        let event = self.texts.get("wait_name").cloned().unwrap_or_default();
        let is_idle = event.starts_with("SQL*Net message from client") || words == "INACTIVE";
        let is_server = event.starts_with("rdbms ipc") || event.ends_with(" timer") || event.contains("idle");
        let state = match words.as_str() {
            _ if is_server => None,
            _ if is_idle => Some("idle"),
            "ACTIVE" | "WAITING" | "ON CPU" | "" => Some("active"),
            other if other.starts_with("WAITED") => Some("active"),
            _ => None,
        };
        let kind = if is_server { "oracle background" } else { "oracle session" };
        self.texts.insert("backend_type", kind.to_owned());
        state.map(|state| self.texts.insert("state", state.to_owned()));
        // A wait that is over says what the session did before.
        if words.starts_with("WAITED") || words == "ON CPU" || is_server {
            self.texts.remove("wait_name");
            self.texts.remove("wait_kind");
            self.ages.remove("wait_s");
        } else if event.starts_with("enq:") || event == "enqueue" || self.waits {
            self.texts.insert("wait_kind", "Lock".to_owned());
        } else if !event.is_empty() {
            self.texts.entry("wait_kind").or_insert_with(|| "Event".to_owned());
        }
        match (state, self.last_call_s) {
            (Some("active"), Some(age)) => drop(self.ages.entry("statement_s").or_insert(age)),
            (Some("idle"), Some(age)) => drop(self.ages.entry("state_s").or_insert(age)),
            _ => {}
        }
        if state == Some("idle") {
            self.ages.remove("wait_s");
            self.texts.remove("wait_name");
            self.texts.remove("wait_kind");
        }
    }

    fn settle_mysql(&mut self) {
        let words = self.texts.remove("state").unwrap_or_default();
        let kind = if self.is_transaction { "mysql transaction" } else { "mysql client" };
        self.texts.insert("backend_type", kind.to_owned());
        let has_statement = self.texts.contains_key("statement");
        let is_asleep =
            self.command.as_deref() == Some("Sleep") || (self.command.is_none() && !has_statement);
        let state = match words.as_str() {
            "LOCK WAIT" => {
                self.waits = true;
                self.texts.insert("wait_name", "row lock".to_owned());
                Some("active")
            }
            // It is in a transaction, and runs nothing.
            "RUNNING" if !has_statement => Some("idle in transaction"),
            "RUNNING" | "ROLLING BACK" | "COMMITTING" => Some("active"),
            _ if self.waits => Some("active"),
            _ if is_asleep => None,
            _ => Some("active"),
        };
        if let Some((kind, name)) = wait_of(&words).filter(|_| state == Some("active")) {
            self.texts.insert("wait_kind", kind);
            self.texts.insert("wait_name", name);
        }
        if let Some(state) = state {
            self.texts.insert("state", state.to_owned());
        }
        if state.is_none() {
            self.age = None;
        }
        if self.waits && !self.texts.contains_key("wait_name") {
            self.texts.insert("wait_name", "row lock".to_owned());
        }
    }
}
