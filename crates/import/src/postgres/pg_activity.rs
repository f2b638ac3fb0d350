//! A screen of `pg_activity`: the running statements, those that wait and those that block others.
//!
//! Its time is that of the statement, of a session that is idle in a transaction also: that transaction is at least as old. Who
//! blocks whom is not on the screen; where only one session blocks and does not wait itself, the others wait for it.

use heldup_model::Record;
use heldup_model::tables::DbSessionRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;

const NAME: &str = "pg_activity";
/// Lines between two of one screen.
const MOST_GAP: u64 = 4;
/// Sessions of a screen.
const MOST_SESSIONS: usize = 1000;
/// States, as the screen prints them, and as the server does.
const STATES: [(&str, &str); 8] = [
    ("idle in transaction (aborted)", "idle in transaction (aborted)"),
    ("idle in trans (a)", "idle in transaction (aborted)"),
    ("idle in transaction", "idle in transaction"),
    ("idle in trans", "idle in transaction"),
    ("fastpath function call", "fastpath function call"),
    ("active", "active"),
    ("idle", "idle"),
    ("disabled", "disabled"),
];
/// Waits for a heavyweight lock.
const LOCKS: [&str; 10] = [
    "relation",
    "extend",
    "page",
    "tuple",
    "transactionid",
    "virtualxid",
    "spectoken",
    "object",
    "userlock",
    "advisory",
];

/// Reads such screens.
#[derive(Default)]
pub struct PgActivity {
    is_begun: bool,
    /// Statements of the list of those that block are read.
    is_blocking: bool,
    sessions: Vec<Session>,
    blocking: Vec<i64>,
    last_line: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct Session {
    pid: i64,
    database: String,
    user: Option<String>,
    state: &'static str,
    wait: Option<String>,
    seconds: f64,
    statement: String,
}

impl Importer for PgActivity {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !is_heading(line.words) {
            return Ok(false);
        }
        let is_blocking = line.words.contains(&"RELATION");
        // The first list again is of the next screen.
        if self.is_begun && !is_blocking {
            self.ends(document)?;
        }
        if !self.is_begun {
            document.begin(NAME);
        }
        (self.is_begun, self.is_blocking, self.last_line) = (true, is_blocking, line.number);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            return self.begins(line, document);
        }
        if !self.is_begun || line.number > self.last_line + MOST_GAP {
            return Ok(false);
        }
        if matches!(line.words, ["RUNNING" | "WAITING" | "BLOCKING", "QUERIES"]) {
            self.last_line = line.number;
            return Ok(true);
        }
        let pid = line.words.first().and_then(|word| word.parse().ok());
        let Some(pid) = pid.filter(|_| line.words.len() > 3 && self.sessions.len() < MOST_SESSIONS) else {
            return Ok(false);
        };
        if self.is_blocking {
            self.blocking.push(pid);
        } else {
            let Some(session) = session(pid, line) else { return Ok(false) };
            self.sessions.push(session);
        }
        self.last_line = line.number;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if !std::mem::take(&mut self.is_begun) {
            return Ok(());
        }
        let when = document.moment(NAME);
        let sessions = std::mem::take(&mut self.sessions);
        let mut blocking = std::mem::take(&mut self.blocking);
        blocking.dedup();
        let waits = |pid: i64| sessions.iter().any(|session| session.pid == pid && session.waits_for_lock());
        let holder = match blocking[..] {
            [one] if !waits(one) => Some(one as f64),
            _ => None,
        };
        for session in &sessions {
            session.write(holder, when, document);
        }
        document.end_sample(NAME)
    }
}

impl Session {
    fn waits_for_lock(&self) -> bool {
        self.wait.as_ref().is_some_and(|wait| LOCKS.contains(&wait.as_str()))
    }

    fn write(&self, holder: Option<f64>, when: crate::table::sheets::When, document: &mut Document) {
        let seconds = Put::Number(Some(self.seconds));
        let mut cells = vec![
            ("instance", Put::Text(&self.database)),
            ("pid", Put::Number(Some(self.pid as f64))),
            ("backend_type", Put::Text("client backend")),
            ("state", Put::Text(self.state)),
        ];
        cells.extend(self.user.as_deref().map(|user| ("user_name", Put::Text(user))));
        cells.extend(
            Some(self.statement.as_str())
                .filter(|text| !text.is_empty())
                .map(|text| ("statement", Put::Text(text))),
        );
        match self.state {
            "active" => cells.push(("statement_s", seconds)),
            "idle" | "disabled" => {}
            _ => cells.push(("transaction_s", seconds)),
        }
        if let Some(wait) = &self.wait {
            cells.push(("wait_name", Put::Text(wait)));
        }
        if self.waits_for_lock() {
            cells.extend([("wait_kind", Put::Text("Lock")), ("blocked_by", Put::Number(holder))]);
        }
        put(document, DbSessionRow::DEF, when, &self.pid.to_string(), &cells);
    }
}

/// `PID DATABASE APP USER CLIENT CPU% MEM% READ/s WRITE/s TIME+ Waiting IOW state Query`
fn is_heading(words: &[&str]) -> bool {
    words.starts_with(&["PID", "DATABASE"]) && words.contains(&"TIME+") && words.last() == Some(&"Query")
}

/// `265208 tests  postgres 127.0.0.1/32 0.0 0.1 0B 0B 01:45.79 ClientRead N idle in trans UPDATE t …`
fn session(pid: i64, line: &Line<'_>) -> Option<Session> {
    let at = line.words.iter().position(|word| age_s(word).is_some())?;
    let seconds = age_s(line.words.get(at)?)?;
    let database = (*line.words.get(1)?).to_owned();
    let client = line
        .words
        .iter()
        .take(at)
        .position(|word| word.contains('/') && word.contains(['.', ':']) || *word == "local");
    let user = client.filter(|client| *client > 2).and_then(|client| line.words.get(client - 1));
    let mut rest = line.words.get(at + 1..)?;
    let mut wait = None;
    // Before 2.2 a letter says whether it waits.
    while let [word, behind @ ..] = rest {
        if STATES.iter().any(|(begin, _)| begin.split(' ').next() == Some(*word)) {
            break;
        }
        if !matches!(*word, "N" | "Y" | "None") {
            wait = Some((*word).to_owned());
        }
        rest = behind;
    }
    let text = rest.join(" ");
    let (printed, state) = STATES.iter().find(|(printed, _)| text.starts_with(printed))?;
    let statement = text.get(printed.len()..)?.trim().to_owned();
    Some(Session {
        pid,
        database,
        user: user.map(|user| (*user).to_owned()),
        state,
        wait,
        seconds,
        statement,
    })
}

/// `0.000000`, `01:45.79`, `2:03:15`, as the screen prints ages: seconds with six digits, minutes, or hours.
fn age_s(word: &str) -> Option<f64> {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    let parts: Vec<&str> = word.split(':').collect();
    let digits = word.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let is_age = match parts[..] {
        [_] => digits == 6,
        [_, _] => digits == 2,
        [_, _, _] => true,
        _ => false,
    };
    if !is_number || !is_age {
        return None;
    }
    parts.iter().try_fold(0.0, |sum, part| Some(sum * 60.0 + part.parse::<f64>().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_each_release() {
        let row = |text: &str| {
            let words: Vec<&str> = text.split_whitespace().collect();
            session(7, &Line { number: 1, words: &words, text, is_cut: false }).expect("a row")
        };
        let one = row(
            "7 tests  app one  postgres  127.0.0.1/32  0.0  0.1  0B  0B  01:45.69  transactionid  N  active  UPDATE t SET s = 1",
        );
        assert_eq!((one.seconds, one.state, one.user.as_deref()), (105.69, "active", Some("postgres")));
        assert!(one.waits_for_lock() && one.statement == "UPDATE t SET s = 1");
        let idle = row("7 tests postgres local 0.0 0.1 0B 0B 01:45.79 ClientRead N idle in trans UPDATE t");
        assert_eq!((idle.state, idle.statement.as_str()), ("idle in transaction", "UPDATE t"));
        let old = row("33430 None walreceiver postgres 10.1.80.6/32 1.0 0.0 0.00B 0.00B 0.000000 N N active");
        assert_eq!((old.wait, old.state, old.seconds), (None, "active", 0.0));
    }

    #[test]
    fn ages() {
        let ages = ["0.000000", "01:45.50", "2:03:15", "0.1", "10.1.80.6"].map(age_s);
        assert_eq!(ages, [Some(0.0), Some(105.5), Some(7395.0), None, None]);
    }
}
