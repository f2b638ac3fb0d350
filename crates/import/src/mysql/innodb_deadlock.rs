//! The report of a deadlock of InnoDB, in its status (`LATEST DETECTED DEADLOCK`) or in the error log
//! (`innodb_print_all_deadlocks`): who waits for which lock, and who was rolled back. Pure.

use crate::database::deadlock::{Deadlock, MOST_PARTIES, Party};
use crate::mysql::innodb_transactions::user_and_state;

/// What the lines that follow are of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Lines {
    #[default]
    Other,
    Transaction,
    Statement,
    Wait,
    Holds,
}

/// A report while it is read.
#[derive(Debug, Default)]
pub struct DeadlockText {
    parties: Vec<Party>,
    /// Ids of their transactions, and of those that hold what they wait for.
    transactions: Vec<(String, String)>,
    current: usize,
    lines: Lines,
    victim: Option<usize>,
    is_over: bool,
}

/// What stands before a line in the error log is left out: `2026-11-26 18:50:22 5 [Note] InnoDB: *** (1) TRANSACTION:`.
pub fn behind_log_head(text: &str) -> &str {
    let marks = ["InnoDB: ", "[InnoDB] "];
    let end = marks.iter().filter_map(|mark| text.find(mark).map(|at| at + mark.len())).min();
    end.and_then(|end| text.get(end..)).unwrap_or(text)
}

/// Whether a line is one that a report alone has: `*** (1) TRANSACTION:`.
pub fn is_first_transaction(text: &str) -> bool {
    behind_log_head(text).trim() == "*** (1) TRANSACTION:"
}

impl DeadlockText {
    /// Whether the line that says who was rolled back was read.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes a line; false where nothing of it is kept.
    pub fn take(&mut self, text: &str) -> bool {
        let text = behind_log_head(text);
        let words: Vec<&str> = text.split_whitespace().collect();
        if let ["***", title @ ..] = words.as_slice() {
            return self.title(title);
        }
        let Some(party) = self.parties.get_mut(self.current) else { return false };
        match (self.lines, words.as_slice()) {
            (Lines::Transaction, ["TRANSACTION", rest @ ..]) => {
                let before = rest.iter().position(|word| word.starts_with("ACTIVE")).unwrap_or(1);
                let id = rest.iter().take(before).next_back().map_or("", |id| id.trim_end_matches(','));
                if let Some(ids) = self.transactions.get_mut(self.current) {
                    ids.0 = id.to_owned();
                }
                let seconds = rest.get(before + 1).and_then(|word| word.parse().ok());
                party.active_s =
                    seconds.filter(|_| rest.get(before + 2).is_some_and(|unit| unit.starts_with("sec")));
            }
            (Lines::Transaction, ["MySQL" | "MariaDB", "thread", "id", session, rest @ ..]) => {
                party.pid = session.trim_end_matches(',').parse().ok();
                party.name = user_and_state(rest).0;
                self.lines = Lines::Statement;
            }
            (Lines::Transaction, _) => return !words.is_empty(),
            (Lines::Statement, [_, ..]) => party.add_statement(text.trim_end()),
            (Lines::Wait, ["RECORD", "LOCKS", rest @ ..] | ["TABLE", "LOCK", rest @ ..]) => {
                let lock = Lock::of(rest, words[0] == "TABLE");
                (party.object_name, party.index_name, party.waits_for) = (lock.table, lock.index, lock.mode);
            }
            (Lines::Holds, ["RECORD" | "TABLE", "LOCKS" | "LOCK", rest @ ..]) => {
                // Of several holders the first is kept.
                if let Some(ids) = self.transactions.get_mut(self.current).filter(|ids| ids.1.is_empty()) {
                    ids.1 = behind(rest, &["trx", "id"]).unwrap_or("").to_owned();
                }
            }
            _ => return false,
        }
        true
    }

    /// `(1) TRANSACTION:`, `(1) WAITING FOR THIS LOCK TO BE GRANTED:`, `WE ROLL BACK TRANSACTION (2)`.
    fn title(&mut self, title: &[&str]) -> bool {
        let number = |word: &str| word.strip_prefix('(')?.strip_suffix(')')?.parse::<usize>().ok();
        match title {
            ["WE", "ROLL", "BACK", "TRANSACTION", victim] => {
                self.victim = number(victim).and_then(|number| number.checked_sub(1));
                self.is_over = true;
                return true;
            }
            [first, rest @ ..] => {
                let named = number(first).and_then(|number| number.checked_sub(1));
                let what = if named.is_some() { rest } else { title };
                self.lines = match what {
                    ["TRANSACTION:"] if self.parties.len() < MOST_PARTIES => {
                        self.parties.push(Party::default());
                        self.transactions.push(Default::default());
                        Lines::Transaction
                    }
                    ["WAITING", "FOR", ..] => Lines::Wait,
                    ["HOLDS", "THE", ..] | ["CONFLICTING", "WITH:"] => Lines::Holds,
                    _ => Lines::Other,
                };
                let last = self.parties.len().saturating_sub(1);
                self.current = named.unwrap_or(last).min(last);
            }
            [] => return false,
        }
        self.lines != Lines::Other
    }

    /// The deadlock, if there was one.
    pub fn finish(&mut self) -> Option<Deadlock> {
        let mut read = std::mem::take(self);
        if read.parties.is_empty() {
            return None;
        }
        let names: Vec<String> =
            read.parties.iter().map(|party| party.pid.map_or(String::new(), |pid| pid.to_string())).collect();
        let is_pair = read.parties.len() == 2;
        for (at, party) in read.parties.iter_mut().enumerate() {
            party.is_victim = read.victim.map(|victim| victim == at);
            let holder = &read.transactions[at].1;
            // `HOLDS THE LOCK(S)` of MySQL is of the same transaction.
            let other =
                read.transactions.iter().position(|(id, _)| id == holder).filter(|other| *other != at);
            let other = other.or(is_pair.then_some(1 - at.min(1)));
            party.held_by = other.map(|other| names[other].clone()).unwrap_or_default();
        }
        Some(Deadlock { product: "innodb", parties: read.parties, ..Deadlock::default() })
    }
}

/// A lock in a report.
struct Lock {
    table: String,
    index: String,
    mode: String,
}

impl Lock {
    /// Of `space id 5 page no 3 n bits 320 index PRIMARY of table `shop`.`stock` trx id 33 lock_mode X locks rec but not
    /// gap waiting`, or of `table `shop`.`stock` trx id 33 lock mode IX waiting`.
    fn of(words: &[&str], is_table: bool) -> Lock {
        let plain = |name: &str| name.replace('`', "").replace('/', ".");
        let index = if is_table { None } else { behind(words, &["index"]) };
        let mode = words.iter().position(|word| word.starts_with("lock")).map_or(String::new(), |at| {
            let mode: Vec<&str> = words[at..].iter().copied().filter(|word| *word != "waiting").collect();
            mode.join(" ")
        });
        Lock {
            table: plain(behind(words, &["table"]).unwrap_or("")),
            index: plain(index.unwrap_or("")),
            mode,
        }
    }
}

/// The word behind others.
fn behind<'a>(words: &[&'a str], names: &[&str]) -> Option<&'a str> {
    let at = words.windows(names.len()).position(|some| some == names)?;
    words.get(at + names.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Deadlock {
        let mut report = DeadlockText::default();
        for line in text.lines() {
            report.take(line);
        }
        report.finish().expect("a deadlock")
    }

    #[test]
    fn of_mysql_with_the_number_in_each_title() {
        let deadlock = read(
            "*** (1) TRANSACTION:\nTRANSACTION 1891, ACTIVE 14 sec starting index read\n\
             mysql tables in use 1, locked 1\nLOCK WAIT 4 lock struct(s), heap size 1136, 3 row lock(s)\n\
             MySQL thread id 8, OS thread handle 1400, query id 71 10.0.0.4 shop updating\n\
             update a\nset n = 1\n\
             *** (1) WAITING FOR THIS LOCK TO BE GRANTED:\n\
             RECORD LOCKS space id 23 page no 4 n bits 72 index `by_n` of table `shop`.`a` trx id 1891 lock_mode X waiting\n\
             *** (2) TRANSACTION:\nTRANSACTION 1892, ACTIVE 9 sec inserting\n\
             MySQL thread id 9, OS thread handle 1401, query id 72 localhost root update\n\
             insert into a values (7)\n\
             *** (2) HOLDS THE LOCK(S):\n\
             RECORD LOCKS space id 23 page no 4 n bits 72 index `by_n` of table `shop`.`a` trx id 1892 lock_mode X\n\
             *** (2) WAITING FOR THIS LOCK TO BE GRANTED:\n\
             TABLE LOCK table `shop`.`b` trx id 1892 lock mode IX waiting\n\
             *** WE ROLL BACK TRANSACTION (2)\n",
        );
        let [one, other] = deadlock.parties.as_slice() else { panic!("{deadlock:?}") };
        assert_eq!((one.pid, one.name.as_str(), one.active_s), (Some(8.0), "shop", Some(14.0)));
        assert_eq!(one.statement, "update a\nset n = 1");
        assert_eq!((one.object_name.as_str(), one.index_name.as_str()), ("shop.a", "by_n"));
        assert_eq!((one.waits_for.as_str(), one.held_by.as_str()), ("lock_mode X", "9"));
        assert_eq!((one.is_victim, other.is_victim), (Some(false), Some(true)));
        assert_eq!((other.object_name.as_str(), other.held_by.as_str()), ("shop.b", "8"));
    }

    #[test]
    fn of_a_log_that_was_cut() {
        let deadlock = read(
            "2020-01-01T10:00:00.1Z 0 [Note] [MY-012469] [InnoDB] *** (1) TRANSACTION:\n\
             TRANSACTION 0 71, ACTIVE 1 sec, process no 3, OS thread id 5 inserting\n\
             MySQL thread id 3, query id 8 localhost root update\n",
        );
        assert_eq!((deadlock.parties[0].pid, deadlock.parties[0].is_victim), (Some(3.0), None));
        assert_eq!(deadlock.parties[0].held_by, "");
    }
}
