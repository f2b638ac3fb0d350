//! The server's log of PostgreSQL, and what clients print of its errors: deadlocks (`deadlock detected`), waits for locks
//! (`log_lock_waits`) and slow statements (`log_min_duration_statement`, auto_explain). Any prefix (`log_line_prefix`) may stand
//! before a message; a time in it is used.

use std::collections::HashMap;

use heldup_model::Record;
use heldup_model::tables::DbSessionRow;

use crate::database::deadlock::{Deadlock, MOST_PARTIES, Party};
use crate::database::statements::{Execution, Statements};
use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::stamped;
use crate::table::sheets::When;

const FORMAT: &str = "PostgreSQL log";
/// Words that a message of the log begins with.
const LEVELS: [&str; 11] = [
    "LOG",
    "ERROR",
    "FATAL",
    "PANIC",
    "WARNING",
    "NOTICE",
    "DETAIL",
    "HINT",
    "CONTEXT",
    "STATEMENT",
    "QUERY",
];
/// Letters of a statement of several lines.
const LONGEST_STATEMENT: usize = 1 << 16;
/// Lines between those of a deadlock.
const LONGEST_GAP: u64 = 30;

/// Reads such logs.
#[derive(Default)]
pub struct ServerLog {
    is_begun: bool,
    deadlock: Option<OpenDeadlock>,
    deadlocks: u64,
    statements: Statements,
    plans: Statements,
    slow: Option<Slow>,
    /// Waits that go on, by process.
    waits: HashMap<u64, LockWait>,
    /// First and last time.
    span: Option<(i64, i64)>,
    last_line: u64,
}

struct OpenDeadlock {
    when: When,
    parties: Vec<Party>,
    /// The process of whose statement lines are read.
    in_statement: Option<usize>,
    last_line: u64,
}

/// A slow statement of which lines may follow.
struct Slow {
    seconds: f64,
    is_plan: bool,
    database: String,
    statement: String,
    is_open: bool,
}

struct LockWait {
    when: When,
    last_line: u64,
}

impl Importer for ServerLog {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let text = line.text;
        let is_deadlock = text.contains("; blocked by process ") && text.contains(" waits for ");
        let is_taken = if is_deadlock {
            self.deadlock_lines(line, document)
        } else if text.contains("LOG:") && (text.contains("duration: ") || text.contains("process ")) {
            self.logged(line, document)
        } else {
            false
        };
        if is_taken {
            if !self.is_begun {
                document.begin(FORMAT);
                self.is_begun = true;
            }
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some((level, prefix, message)) = message(line.text) else { return Ok(self.more(line)) };
        self.end_slow();
        let is_of_deadlock =
            self.deadlock.as_ref().is_some_and(|open| line.number <= open.last_line + LONGEST_GAP);
        let is_taken = match level {
            "CONTEXT" if is_of_deadlock => {
                if let Some(open) = self.deadlock.as_mut() {
                    let victim = open.parties.first_mut().filter(|party| party.object_name.is_empty());
                    if let Some((party, name)) = victim.zip(quoted(message, "in relation ")) {
                        party.object_name = name.to_owned();
                    }
                    open.in_statement = None;
                }
                true
            }
            "HINT" | "STATEMENT" if is_of_deadlock => {
                if let Some(open) = self.deadlock.as_mut() {
                    open.in_statement = None;
                }
                true
            }
            "ERROR" => message.starts_with("deadlock detected"),
            "DETAIL" | "CONTEXT" | "STATEMENT" => self.of_wait(level, prefix, message, line, document),
            _ => false,
        };
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_deadlock(document);
        self.end_slow();
        let mut statements = std::mem::take(&mut self.statements);
        statements.add_missing(std::mem::take(&mut self.plans));
        if !statements.is_empty() {
            let when = match self.span {
                Some((first, last)) => {
                    let secs = Some((last - first) as f64 / 1000.0).filter(|secs| *secs > 0.0);
                    When { ms: last, secs, floats: false }
                }
                None => document.moment(FORMAT),
            };
            statements.write(when, document);
        }
        if self.is_begun { document.end_sample(FORMAT) } else { Ok(()) }
    }
}

impl ServerLog {
    /// When a line was written, as it says, else the moment of the file.
    fn when(&mut self, line: &Line<'_>, document: &mut Document) -> When {
        let told = stamped::before(line.words, document.times.dates.order, document.hints.latest_ms());
        let Some((told, _)) = told else { return document.moment(FORMAT) };
        document.took_date(line.words);
        let ms = document.instant_ms(told.day, told.seconds, told.zone_s);
        let (first, last) = self.span.unwrap_or((ms, ms));
        self.span = Some((first.min(ms), last.max(ms)));
        When { ms, secs: None, floats: false }
    }

    /// `Process 13267 waits for ShareLock on transaction 740; blocked by process 13326.`
    fn deadlock_lines(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let mut is_taken = false;
        for text in line.text.split("\\n") {
            let Some((pid, waits_for, holder)) = waits(text) else {
                is_taken |= self.statement_of_process(text);
                continue;
            };
            let is_next = self.deadlock.as_ref().is_some_and(|open| {
                let is_near = line.number <= open.last_line + 1 && open.in_statement.is_none();
                is_near
                    && open.parties.len() < MOST_PARTIES
                    && open.parties.iter().all(|party| party.pid != Some(pid as f64))
            });
            if !is_next {
                self.end_deadlock(document);
                let when = self.when(line, document);
                let parties = Vec::new();
                self.deadlock =
                    Some(OpenDeadlock { when, parties, in_statement: None, last_line: line.number });
            }
            if let Some(open) = self.deadlock.as_mut() {
                // The process that finds the deadlock gives up, and is named first.
                open.parties.push(Party {
                    pid: Some(pid as f64),
                    waits_for: waits_for.to_owned(),
                    object_name: object(waits_for).to_owned(),
                    held_by: holder.to_string(),
                    is_victim: Some(open.parties.is_empty()),
                    ..Party::default()
                });
                open.last_line = line.number;
            }
            is_taken = true;
        }
        is_taken
    }

    /// `Process 13267: update stock set n=n-1 where id=2`
    fn statement_of_process(&mut self, text: &str) -> bool {
        let Some(open) = self.deadlock.as_mut() else { return false };
        let named = text.trim().strip_prefix("Process ").and_then(|rest| rest.split_once(": "));
        let Some((pid, statement)) = named else { return false };
        let Ok(pid) = pid.parse::<f64>() else { return false };
        let Some(at) = open.parties.iter().position(|party| party.pid == Some(pid)) else { return false };
        open.parties[at].add_statement(statement);
        open.in_statement = Some(at);
        true
    }

    /// A line of a message that goes on.
    fn more(&mut self, line: &Line<'_>) -> bool {
        if let Some(open) = self.deadlock.as_mut().filter(|open| line.number == open.last_line + 1) {
            open.last_line = line.number;
            if self.statement_of_process(line.text) {
                return true;
            }
            let open = self.deadlock.as_mut();
            let is_more = line.text.starts_with(['\t', ' ']);
            return match open.and_then(|open| open.in_statement.map(|at| (open, at))) {
                Some((open, at)) if is_more => {
                    open.parties[at].add_statement(line.text.trim());
                    true
                }
                _ => false,
            };
        }
        let Some(slow) = self.slow.as_mut().filter(|_| line.text.starts_with('\t')) else { return false };
        if let Some(statement) = line.text.trim().strip_prefix("Query Text: ") {
            slow.statement = statement.to_owned();
            slow.is_open = true;
        } else if slow.is_open
            && slow.is_plan
            && (line.text.contains("  (cost=") || line.text.contains("Query Parameters:"))
        {
            slow.is_open = false;
        } else if slow.is_open && slow.statement.len() < LONGEST_STATEMENT {
            slow.statement.push(' ');
            slow.statement.push_str(line.text.trim());
        }
        true
    }

    /// A message of level LOG that is read: a duration, or a wait for a lock.
    fn logged(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let Some(("LOG", prefix, message)) = message(line.text) else { return false };
        if let Some((ms, rest)) = message.strip_prefix("duration: ").and_then(|rest| rest.split_once(" ms")) {
            let Ok(ms) = ms.trim().parse::<f64>() else { return false };
            let what = rest.trim_start();
            let (kind, statement) = what.split_once(':').unwrap_or((what, ""));
            let is_plan = kind == "plan";
            if !is_plan && kind != "statement" && !kind.starts_with("execute ") {
                return false;
            }
            self.end_slow();
            self.when(line, document);
            self.slow = Some(Slow {
                seconds: ms / 1000.0,
                is_plan,
                database: database(prefix).to_owned(),
                statement: statement.trim().to_owned(),
                is_open: !is_plan,
            });
            return true;
        }
        let Some((pid, rest)) = message.strip_prefix("process ").and_then(|rest| rest.split_once(' ')) else {
            return false;
        };
        let Ok(pid) = pid.parse::<u64>() else { return false };
        let lock = ["still waiting for ", "acquired "].iter().find_map(|what| rest.strip_prefix(what));
        let Some((lock, after)) = lock.and_then(|lock| lock.rsplit_once(" after ")) else {
            return rest.starts_with("detected deadlock while waiting for ");
        };
        let Some(ms) = after.split_once(" ms").and_then(|(ms, _)| ms.parse::<f64>().ok()) else {
            return false;
        };
        self.end_slow();
        let is_over = rest.starts_with("acquired ");
        let when = match self.waits.get(&pid) {
            Some(wait) if is_over => wait.when,
            _ => self.when(line, document),
        };
        if is_over {
            self.when(line, document);
        }
        let kind = lock.split_once(" on ").map_or("", |(_, object)| object.split(' ').next().unwrap_or(""));
        let kind = if kind == "transaction" { "transactionid" } else { kind };
        let waited = Some(object(lock)).filter(|object| !object.is_empty());
        let waited = waited.or_else(|| Some(lock.split_once(" on ")?.1)).unwrap_or(lock);
        let database = database(prefix);
        let mut cells = vec![
            ("pid", Put::Number(Some(pid as f64))),
            ("state", Put::Text("waiting")),
            ("wait_kind", Put::Text("Lock")),
            ("wait_name", Put::Text(kind)),
            ("wait_object", Put::Text(waited)),
            ("wait_s", Put::Number(Some(ms / 1000.0))),
        ];
        cells.extend((!database.is_empty()).then_some(("instance", Put::Text(database))));
        put(document, DbSessionRow::DEF, when, &format!("log {pid}"), &cells);
        self.waits.insert(pid, LockWait { when, last_line: line.number });
        true
    }

    /// What stands below a wait for a lock: who holds it, and the statement.
    fn of_wait(
        &mut self,
        level: &str,
        _prefix: &str,
        message: &str,
        line: &Line<'_>,
        document: &mut Document,
    ) -> bool {
        let nearest = self.waits.iter().filter(|(_, wait)| line.number <= wait.last_line + 3);
        let Some((pid, wait)) = nearest.max_by_key(|(_, wait)| wait.last_line) else { return false };
        let held = ["Process holding the lock: ", "Processes holding the lock: "];
        let holder = held.iter().find_map(|what| message.strip_prefix(what));
        let cell = match (level, holder) {
            ("DETAIL", Some(holders)) => {
                // `14963. Wait queue: 14979, 14980.`
                let holders = holders.split('.').next().unwrap_or("");
                let holders = || holders.split(',').filter_map(|pid| pid.trim().parse::<u64>().ok());
                // Of several one that does not wait itself.
                let first = holders().find(|pid| !self.waits.contains_key(pid)).or_else(|| holders().next());
                ("blocked_by", Put::Number(first.map(|pid| pid as f64)))
            }
            ("STATEMENT", _) => ("statement", Put::Text(message)),
            ("CONTEXT", _) => match quoted(message, "in relation ") {
                Some(name) => ("wait_object", Put::Text(name)),
                None => return true,
            },
            _ => return false,
        };
        put(document, DbSessionRow::DEF, wait.when, &format!("log {pid}"), &[cell]);
        true
    }

    fn end_slow(&mut self) {
        let Some(slow) = self.slow.take() else { return };
        let execution = Execution {
            executions: 1.0,
            elapsed_s: slow.seconds,
            max_s: Some(slow.seconds),
            ..Execution::default()
        };
        let log = if slow.is_plan { &mut self.plans } else { &mut self.statements };
        log.add(&slow.database, &slow.statement, execution);
    }

    fn end_deadlock(&mut self, document: &mut Document) {
        let Some(open) = self.deadlock.take() else { return };
        self.deadlocks += 1;
        let deadlock = Deadlock { product: "postgresql", parties: open.parties, ..Deadlock::default() };
        deadlock.write(self.deadlocks, open.when, document);
    }
}

/// Process, lock and holder of a line of a deadlock.
fn waits(text: &str) -> Option<(u64, &str, u64)> {
    let (before, after) = text.split_once(" waits for ")?;
    let pid = before.rsplit("Process ").next()?.trim().parse().ok()?;
    let (lock, holder) = after.split_once("; blocked by process ")?;
    let holder: String = holder.chars().take_while(char::is_ascii_digit).collect();
    Some((pid, lock, holder.parse().ok()?))
}

/// `relation 16420` of `AccessExclusiveLock on relation 16420 of database 16388`; nothing of a transaction.
fn object(lock: &str) -> &str {
    let object = lock.split_once(" on ").map_or("", |(_, object)| object);
    match object.find("relation ") {
        Some(at) => object[at..].split(" of ").next().unwrap_or(""),
        None => "",
    }
}

/// The name in double quotes behind some words.
fn quoted<'t>(text: &'t str, behind: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(behind)?;
    rest.strip_prefix('"')?.split('"').next()
}

/// The database of a prefix like `[13267] web@shop `.
fn database(prefix: &str) -> &str {
    let word = prefix.split_whitespace().rev().find(|word| word.contains('@')).unwrap_or("");
    let name = word.split('@').nth(1).unwrap_or("").trim_end_matches(':');
    if name.starts_with('[') { "" } else { name }
}

/// Level of a message, what stands before it, and its text.
fn message(text: &str) -> Option<(&'static str, &str, &str)> {
    let found = LEVELS.iter().filter_map(|level| {
        let at = text.find(&format!("{level}:"))?;
        let is_word = at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric();
        is_word.then_some((at, *level))
    });
    let (at, level) = found.min()?;
    let rest = text.get(at + level.len() + 1..)?;
    rest.starts_with(' ').then(|| (level, &text[..at], rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_messages() {
        assert_eq!(
            message("2026-11-26 18:49:11.289 UTC [1] web@shop LOG:  duration: 1 ms"),
            Some(("LOG", "2026-11-26 18:49:11.289 UTC [1] web@shop ", "duration: 1 ms"))
        );
        assert_eq!(message("\tCATALOG: x"), None);
        assert_eq!(database("2026 [1] web@shop "), "shop");
        assert_eq!(database("2026 [1] 10.0.0.1(33) "), "");
        assert_eq!(
            waits("DETAIL:  Process 7 waits for ShareLock on transaction 740; blocked by process 8."),
            Some((7, "ShareLock on transaction 740", 8))
        );
        assert_eq!(object("AccessExclusiveLock on relation 16420 of database 1"), "relation 16420");
        assert_eq!(object("ExclusiveLock on tuple (0,7) of relation 9 of database 1"), "relation 9");
        assert_eq!(object("ShareLock on transaction 740"), "");
    }
}
