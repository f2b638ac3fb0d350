//! The list of transactions of an InnoDB status: whose they are, and what they wait for. Pure.

use crate::database::mysql_waits::wait_of;

/// Letters of a statement that are kept.
const LONGEST_STATEMENT: usize = 4096;

/// A transaction that has begun.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transaction {
    /// Id of the session.
    pub session: Option<f64>,
    /// Thread of the system.
    pub thread: Option<f64>,
    /// User.
    pub user: String,
    /// The statement that it runs.
    pub statement: String,
    /// The kind of its wait and the name.
    pub wait: Option<(String, String)>,
    /// How long it has been active.
    pub active_s: Option<f64>,
    /// How long it has waited for its lock.
    pub wait_s: Option<f64>,
    /// It runs a statement.
    pub is_active: bool,
}

impl Transaction {
    /// State of its session.
    pub fn state(&self) -> &'static str {
        if self.is_active || self.wait.is_some() { "active" } else { "idle in transaction" }
    }
}

/// The transactions of one report.
#[derive(Debug, Default)]
pub struct Transactions {
    done: Vec<Transaction>,
    open: Option<Transaction>,
    /// What follows is the text of its statement.
    is_in_statement: bool,
}

impl Transactions {
    /// Takes a line; false where nothing of it is kept.
    pub fn take(&mut self, words: &[&str], text: &str) -> bool {
        if let Some(rest) = text.strip_prefix("---TRANSACTION") {
            self.done.extend(self.open.take());
            self.is_in_statement = false;
            // Those that have not begun hold nothing.
            if rest.contains("ACTIVE") {
                let thread = thread_of(words);
                let active_s =
                    words.windows(3).find(|three| three[0] == "ACTIVE" && three[2].starts_with("sec"));
                let active_s = active_s.and_then(|three| three[1].parse().ok());
                let is_active = has_operation(words);
                self.open = Some(Transaction { thread, is_active, active_s, ..Transaction::default() });
            }
            return true;
        }
        let Some(open) = &mut self.open else { return false };
        match words {
            ["LOCK", "WAIT", ..] => {
                open.wait = Some(("Lock".to_owned(), "row lock".to_owned()));
            }
            ["MySQL" | "MariaDB", "thread", "id", session, rest @ ..] => {
                open.session = session.trim_end_matches(',').parse().ok();
                open.thread = open.thread.or_else(|| thread_of(rest));
                let (user, state) = user_and_state(rest);
                open.user = user;
                open.is_active |= !state.is_empty();
                open.wait = open.wait.take().or_else(|| wait_of(&state));
                self.is_in_statement = true;
            }
            [_, "TRX", "HAS", "BEEN", "WAITING", length, unit, ..] => {
                let scale = if *unit == "us" { 1e-6 } else { 1.0 };
                open.wait_s = length.parse::<f64>().ok().map(|length| length * scale);
                self.is_in_statement = false;
            }
            ["TABLE", "LOCK", .., "waiting"] if open.wait.is_some() => {
                open.wait = Some(("Lock".to_owned(), "table lock".to_owned()));
                self.is_in_statement = false;
            }
            ["TABLE" | "RECORD", "LOCK" | "LOCKS", ..] | ["Trx", "read", "view", ..] => {
                self.is_in_statement = false
            }
            [dashes, ..] if dashes.starts_with("---") => self.is_in_statement = false,
            _ if self.is_in_statement && open.statement.len() < LONGEST_STATEMENT => {
                open.statement.push_str(text);
                open.statement.push(' ');
            }
            _ => return false,
        }
        true
    }

    /// All of them.
    pub fn finish(&mut self) -> Vec<Transaction> {
        self.done.extend(self.open.take());
        std::mem::take(&mut self.done)
    }
}

/// `… OS thread id 1956813120`, `OS thread handle 0x7f3c1c0d8700,`.
fn thread_of(words: &[&str]) -> Option<f64> {
    let at = words.windows(2).position(|two| two[0] == "thread" && matches!(two[1], "id" | "handle"))?;
    let word = words.get(at + 2)?.trim_end_matches(',');
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|thread| thread as f64),
        None => word.parse().ok(),
    }
}

/// Whether it does something: `ACTIVE 0 sec inserting`, `… OS thread id 12 fetching rows`.
fn has_operation(words: &[&str]) -> bool {
    let last = words.last().copied().unwrap_or("");
    !(last.starts_with("sec") || last.parse::<u64>().is_ok() || last.starts_with("0x") || last.ends_with(','))
}

/// Behind `query id 29`: a host, its address where there is one, the user, and the state.
pub fn user_and_state(words: &[&str]) -> (String, String) {
    let Some(at) = words.windows(2).position(|two| two == ["query", "id"]) else { return Default::default() };
    let rest = words.get(at + 3..).unwrap_or_default();
    let is_address = |word: &&str| {
        word.contains(['.', ':'])
            && word.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':'))
    };
    let named = match rest {
        [host, ..] if is_address(host) => &rest[1..],
        [_, address, ..] if is_address(address) => &rest[2..],
        [_, ..] => &rest[1..],
        [] => rest,
    };
    let user = named.first().copied().unwrap_or("").to_owned();
    (user, named.get(1..).unwrap_or_default().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Transaction> {
        let mut all = Transactions::default();
        for line in text.lines() {
            all.take(&line.split_whitespace().collect::<Vec<_>>(), line);
        }
        all.finish()
    }

    #[test]
    fn a_transaction_that_waits_and_one_that_is_idle() {
        let all = read(
            "---TRANSACTION 421, not started\n0 lock struct(s)\n\
             ---TRANSACTION 8, ACTIVE 12 sec starting index read\n\
             mysql tables in use 1, locked 1\n\
             LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)\n\
             MySQL thread id 5, OS thread handle 0x10, query id 29 localhost root updating\n\
             update t set a = 1\n\
             ------- TRX HAS BEEN WAITING 12 SEC FOR THIS LOCK TO BE GRANTED:\n\
             RECORD LOCKS space id 2 page no 3 n bits 72 index PRIMARY of table `test`.`t` trx id 8 lock_mode X waiting\n\
             ---TRANSACTION 7, ACTIVE 35 sec\n\
             MySQL thread id 4, OS thread handle 18, query id 28 web1 10.0.0.7 shop\n",
        );
        let [waits, idle] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((waits.session, waits.thread, waits.state()), (Some(5.0), Some(16.0), "active"));
        assert_eq!(waits.wait, Some(("Lock".to_owned(), "row lock".to_owned())));
        assert_eq!((waits.user.as_str(), waits.statement.trim()), ("root", "update t set a = 1"));
        assert_eq!(
            (idle.user.as_str(), idle.state(), idle.wait.clone()),
            ("shop", "idle in transaction", None)
        );
    }
}
