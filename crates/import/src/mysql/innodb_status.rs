//! `SHOW ENGINE INNODB STATUS`, and what the monitor writes into the error log: threads that wait for a semaphore, transactions
//! that wait for a lock, pending I/O, the length of the history and the buffer pool. Means are over the seconds that it names.

use heldup_model::Record;
use heldup_model::tables::{DbMetricRow, DbSessionRow};
use jiff::civil::Date;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::mysql::innodb_deadlock::{DeadlockText, behind_log_head, is_first_transaction};
use crate::mysql::innodb_transactions::{Transaction, Transactions};
use crate::stamped;
use crate::table::sheets::When;
use crate::text::civil::{midnight_s, time_of_day};

const FORMAT: &str = "innodb_status";
const INSTANCE: &str = "mysql";
/// Words before the time of a message of the error log.
const MOST_WORDS_BEFORE: usize = 3;

/// Reads such reports.
#[derive(Default)]
pub struct InnodbStatus {
    open: Option<Open>,
    deadlocks: u64,
}

/// A part of the report of which lines are read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Part {
    #[default]
    Other,
    Semaphores,
    Deadlock,
    Transactions,
    Io,
    Log,
    Pool,
    Rows,
}

/// A report while it is read.
#[derive(Default)]
struct Open {
    at: Option<(Date, i64)>,
    /// When a message of the error log was written.
    ms: Option<i64>,
    secs: Option<f64>,
    part: Part,
    metrics: Vec<(&'static str, f64)>,
    waits: Vec<Semaphore>,
    transactions: Transactions,
    deadlock: DeadlockText,
    deadlock_ago_s: Option<f64>,
    /// A report of the error log ends with its deadlock.
    is_log: bool,
    log_bytes: Option<f64>,
}

/// A thread that waits.
struct Semaphore {
    thread: f64,
    what: String,
    is_named: bool,
    waited_s: Option<f64>,
}

impl Importer for InnodbStatus {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        // In a row of a table that the client printed without `\G`, all lines are one.
        if line.text.contains("INNODB MONITOR OUTPUT\\n") {
            self.end(document)?;
            for text in line.text.split("\\n") {
                let words: Vec<&str> = text.split_whitespace().collect();
                let line = Line { number: line.number, words: &words, text, is_cut: line.is_cut };
                if !self.begin(&line, document)? {
                    self.take(&line, document)?;
                }
            }
            self.end(document)?;
            return Ok(true);
        }
        self.begin(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        self.take(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl InnodbStatus {
    fn begin(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(open) = self.deadlock_alone(line, document) {
            self.end(document)?;
            self.open = Some(open);
            return Ok(true);
        }
        if let Some(open) = self.message(line, document) {
            self.end(document)?;
            self.open = Some(open);
            return Ok(true);
        }
        let [rest @ .., "INNODB", "MONITOR", "OUTPUT"] = line.words else { return Ok(false) };
        if rest.first() == Some(&"END") {
            return Ok(false);
        }
        self.end(document)?;
        self.open = Some(Open { at: instant(rest), ..Open::default() });
        Ok(true)
    }

    fn take(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(open) = &mut self.open else { return Ok(false) };
        if line.words == ["END", "OF", "INNODB", "MONITOR", "OUTPUT"] {
            self.end(document)?;
            return Ok(true);
        }
        let is_taken = open.line(line);
        if open.is_log && open.deadlock.is_over() {
            self.end(document)?;
        }
        Ok(is_taken)
    }

    /// The report of a deadlock without the rest: in the error log, or as somebody copied it.
    fn deadlock_alone(&self, line: &Line<'_>, document: &mut Document) -> Option<Open> {
        let is_in_deadlock = self.open.as_ref().is_some_and(|open| open.part == Part::Deadlock);
        let part = Part::Deadlock;
        if line.text.contains("Transactions deadlock detected, dumping detailed information") {
            return Some(Open { ms: logged_ms(line, document), part, is_log: true, ..Open::default() });
        }
        let is_title = line.words == ["LATEST", "DETECTED", "DEADLOCK"] && self.open.is_none();
        if is_title {
            return Some(Open { part, ..Open::default() });
        }
        (is_first_transaction(line.text) && !is_in_deadlock).then(|| {
            let mut open = Open { part, is_log: true, ..Open::default() };
            open.deadlock.take(line.text);
            open
        })
    }

    /// A message of the error log: a thread that waits long for a semaphore, of which the next lines are, or a round of the page
    /// cleaner that took longer than it should.
    fn message(&self, line: &Line<'_>, document: &mut Document) -> Option<Open> {
        let is_wait = ["InnoDB: A long semaphore wait:", "InnoDB: Warning: a long semaphore wait:"]
            .iter()
            .any(|title| line.text.contains(title));
        let round = line.text.split_once("page_cleaner: 1000ms intended loop took ").map(|(_, rest)| rest);
        // The wait alone, as people copy it.
        let is_alone = self.open.is_none()
            && line.text.starts_with("--Thread ")
            && line.text.contains(" has waited at ");
        if !is_wait && round.is_none() && !is_alone {
            return None;
        }
        let mut open = Open { ms: logged_ms(line, document), is_log: true, ..Open::default() };
        match round {
            Some(rest) => {
                let seconds = rest.split_once("ms").and_then(|(took, _)| took.parse::<f64>().ok())? / 1000.0;
                open.metric("mysql.innodb_page_cleaner_loop_s", Some(seconds));
                open.metric("mysql.innodb_page_cleaner_flushed_pages", sum_behind(rest, "flushed="));
            }
            None => open.part = Part::Semaphores,
        }
        if is_alone {
            open.semaphore(line);
        }
        Some(open)
    }

    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        document.begin(FORMAT);
        let when = match open.at {
            Some((date, seconds)) => {
                When { ms: document.instant_ms(date, seconds, None), secs: open.secs, floats: false }
            }
            None => match open.ms {
                Some(ms) => When { ms, secs: None, floats: false },
                None => When { secs: open.secs, ..document.moment(FORMAT) },
            },
        };
        for (name, value) in &open.metrics {
            let cells = [
                ("instance", Put::Text(INSTANCE)),
                ("metric_name", Put::Text(name)),
                ("value", Put::Number(Some(*value))),
            ];
            put(document, DbMetricRow::DEF, when, name, &cells);
        }
        for wait in &open.waits {
            let cells = [
                ("pid", Put::Number(Some(wait.thread))),
                ("backend_type", Put::Text("mysql client")),
                ("state", Put::Text("active")),
                ("wait_kind", Put::Text("Semaphore")),
                ("wait_name", Put::Text(&wait.what)),
                ("wait_s", Put::Number(wait.waited_s)),
            ];
            put(document, DbSessionRow::DEF, when, &format!("thread {}", wait.thread), &cells);
        }
        if let Some(mut deadlock) = open.deadlock.finish() {
            self.deadlocks += 1;
            deadlock.ago_s = open.deadlock_ago_s;
            deadlock.write(self.deadlocks, when, document);
        }
        for transaction in open.transactions.finish() {
            let is_known = open.waits.iter().any(|wait| Some(wait.thread) == transaction.thread);
            write(&transaction, is_known, when, document);
        }
        document.end_sample(FORMAT)
    }
}

/// When a message of the error log was written; the name of a container or a program may stand before the time.
fn logged_ms(line: &Line<'_>, document: &mut Document) -> Option<i64> {
    let (order, latest_ms) = (document.times.dates.order, document.hints.latest_ms());
    let at = |skipped: usize| stamped::before(line.words.get(skipped..)?, order, latest_ms);
    let (told, _) = (0..=MOST_WORDS_BEFORE).find_map(at)?;
    document.took_date(line.words);
    Some(document.instant_ms(told.day, told.seconds, told.zone_s))
}

/// A session of a transaction; one that waits for a semaphore is known already.
fn write(transaction: &Transaction, is_known: bool, when: When, document: &mut Document) {
    let Some(session) = transaction.session.or(transaction.thread) else { return };
    let identity = match transaction.thread {
        Some(thread) => format!("thread {thread}"),
        None => format!("session {session}"),
    };
    let mut cells = vec![("pid", Put::Number(Some(session))), ("backend_type", Put::Text("mysql client"))];
    if !is_known {
        cells.push(("state", Put::Text(transaction.state())));
        cells.push(("transaction_s", Put::Number(transaction.active_s)));
        cells.push(("wait_s", Put::Number(transaction.wait_s)));
        if let Some((kind, name)) = &transaction.wait {
            cells.extend([("wait_kind", Put::Text(kind)), ("wait_name", Put::Text(name))]);
        }
    }
    let texts = [("user_name", &transaction.user), ("statement", &transaction.statement)];
    for (column, text) in texts {
        cells.extend(Some(text.trim()).filter(|text| !text.is_empty()).map(|text| (column, Put::Text(text))));
    }
    put(document, DbSessionRow::DEF, when, &identity, &cells);
}

impl Open {
    /// Takes a line; false where nothing of it is kept.
    fn line(&mut self, line: &Line<'_>) -> bool {
        let is_heading = !line.words.is_empty()
            && line.text.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b' ' | b'/' | b'\r'));
        if is_heading {
            self.part = match line.words {
                ["SEMAPHORES"] => Part::Semaphores,
                ["LATEST", "DETECTED", "DEADLOCK"] => Part::Deadlock,
                ["TRANSACTIONS"] => Part::Transactions,
                ["FILE", "I/O"] => Part::Io,
                ["LOG"] => Part::Log,
                ["BUFFER", "POOL", "AND", "MEMORY"] => Part::Pool,
                ["ROW", "OPERATIONS"] => Part::Rows,
                _ => Part::Other,
            };
            return true;
        }
        if let ["Per", "second", "averages", .., "last", secs, "seconds"] = line.words {
            self.secs = number(secs).filter(|secs| *secs > 0.0);
            return true;
        }
        match self.part {
            Part::Semaphores => self.semaphore(line),
            Part::Deadlock => self.deadlock(line),
            Part::Transactions => match line.words {
                ["History", "list", "length", length, ..] => {
                    self.metric("mysql.innodb_history_list_length", number(length))
                }
                _ => self.transactions.take(line.words, line.text),
            },
            Part::Io => self.io(line),
            Part::Log => self.log(line.words),
            Part::Pool => self.pool(line.words),
            Part::Rows => match line.words {
                [inside, "queries", "inside", "InnoDB,", queued, "queries", "in", "queue", ..] => {
                    self.metric("mysql.innodb_queries_inside", number(inside))
                        | self.metric("mysql.innodb_queries_queued", number(queued))
                }
                _ => false,
            },
            Part::Other => false,
        }
    }

    /// Keeps a number, of a report once.
    fn metric(&mut self, name: &'static str, value: Option<f64>) -> bool {
        if self.metrics.iter().all(|(known, _)| *known != name) {
            self.metrics.extend(value.map(|value| (name, value)));
        }
        value.is_some()
    }

    fn semaphore(&mut self, line: &Line<'_>) -> bool {
        if let ["--Thread", thread, "has", "waited", "at", place, "line", number_of_line, "for", ..] =
            line.words
        {
            let Some(thread) = number(thread) else { return false };
            let file = place.rsplit('/').next().unwrap_or(place);
            let behind = line.words.iter().skip(9).position(|word| word.starts_with("seconds"));
            let waited_s = behind.and_then(|at| number(line.words.get(at + 8)?));
            let what = format!("{file}:{number_of_line}");
            self.waits.push(Semaphore { thread, what, is_named: false, waited_s });
            return true;
        }
        let Some(wait) = self.waits.last_mut().filter(|wait| !wait.is_named) else { return false };
        match name_of_latch(line.words, line.text) {
            Some(name) => {
                (wait.what, wait.is_named) = (name, true);
                true
            }
            None => false,
        }
    }

    /// How long ago the latest one was; the report keeps it until the next.
    fn deadlock(&mut self, line: &Line<'_>) -> bool {
        let since_s = |(date, seconds): (Date, i64)| (midnight_s(date) + seconds) as f64;
        let is_titled = behind_log_head(line.text).starts_with("***");
        match instant(line.words).filter(|_| !self.is_log && !is_titled) {
            Some(deadlock) => match self.at {
                Some(now) => {
                    let age_s = Some(since_s(now) - since_s(deadlock)).filter(|age| *age >= 0.0);
                    self.deadlock_ago_s = age_s;
                    self.metric("mysql.innodb_deadlock_age_s", age_s)
                }
                // Copied without the rest of the report: it is of then.
                None => {
                    self.at = Some(deadlock);
                    true
                }
            },
            None => self.deadlock.take(line.text),
        }
    }

    fn io(&mut self, line: &Line<'_>) -> bool {
        let text = line.text;
        match line.words {
            ["Pending", "normal", "aio", ..] => {
                self.metric("mysql.innodb_pending_reads", sum_behind(text, "reads:"))
                    | self.metric("mysql.innodb_pending_writes", sum_behind(text, "writes:"))
            }
            ["Pending", "flushes", "(fsync):", number_of_all] => {
                self.metric("mysql.innodb_pending_flushes", number(number_of_all))
            }
            ["Pending", "flushes", "(fsync)", ..] => {
                self.metric("mysql.innodb_pending_log_flushes", sum_behind(text, "log:"))
                    | self.metric("mysql.innodb_pending_file_flushes", sum_behind(text, "pool:"))
            }
            [reads, "reads/s,", _, "avg", "bytes/read,", writes, "writes/s,", flushes, "fsyncs/s", ..] => {
                self.metric("mysql.file_reads_per_s", number(reads))
                    | self.metric("mysql.file_writes_per_s", number(writes))
                    | self.metric("mysql.file_flushes_per_s", number(flushes))
            }
            _ => false,
        }
    }

    /// How much of the log a restart would have to go through.
    fn log(&mut self, words: &[&str]) -> bool {
        // Before 5.5 in two parts of 32 bits.
        let place = |numbers: &[&str]| match numbers {
            [place] => number(place),
            [high, low] => Some(number(high)? * 4_294_967_296.0 + number(low)?),
            _ => None,
        };
        match words {
            ["Log", "sequence", "number", numbers @ ..] => {
                self.log_bytes = place(numbers);
                true
            }
            ["Last", "checkpoint", "at", numbers @ ..] => {
                let age = self.log_bytes.zip(place(numbers)).map(|(end, checkpoint)| end - checkpoint);
                self.metric("mysql.innodb_checkpoint_age_bytes", age.filter(|age| *age >= 0.0))
            }
            _ => false,
        }
    }

    fn pool(&mut self, words: &[&str]) -> bool {
        match words {
            ["Buffer", "pool", "size", pages] => {
                self.metric("mysql.innodb_buffer_pool_pages_total", number(pages))
            }
            ["Free", "buffers", pages] => self.metric("mysql.innodb_buffer_pool_pages_free", number(pages)),
            ["Modified", "db", "pages", pages] => {
                self.metric("mysql.innodb_buffer_pool_pages_dirty", number(pages))
            }
            ["Pending", "reads", reads] => self.metric("mysql.innodb_pending_pool_reads", number(reads)),
            ["Buffer", "pool", "hit", "rate", hits, "/", all, ..] => {
                let ratio = number(hits).zip(number(all)).filter(|(_, all)| *all > 0.0);
                self.metric("mysql.innodb_buffer_pool_hit_ratio", ratio.map(|(hits, all)| hits / all))
            }
            _ => false,
        }
    }
}

/// The name of a latch: `'&kernel_mutex'`, `Mutex LOCK_SYS created`, `created in file buf0buf.cc line 1460`.
fn name_of_latch(words: &[&str], text: &str) -> Option<String> {
    if !words.iter().any(|word| matches!(*word, "Mutex" | "RW-latch" | "SX-lock")) {
        return None;
    }
    if let Some((name, _)) = text.split_once('\'').and_then(|(_, rest)| rest.split_once('\'')) {
        return Some(name.trim_start_matches('&').to_owned());
    }
    let named = words.windows(3).find(|three| three[0] == "Mutex" && three[2] == "created");
    let created = words.windows(3).find(|three| three[1] == "line" && three[0].contains(".c"));
    let file = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    named.map(|three| three[1].to_owned()).or_else(|| {
        created.map(|three| format!("latch of {}:{}", file(three[0]), three[2].trim_end_matches(',')))
    })
}

/// `100904 10:24:51`, `2013-05-31 13:07:25 7fa3f6703700`.
fn instant(words: &[&str]) -> Option<(Date, i64)> {
    let [date, time, ..] = words else { return None };
    let part = |from: usize| date.get(from..from + 2)?.parse::<i8>().ok();
    let date = match date.len() {
        6 if date.bytes().all(|byte| byte.is_ascii_digit()) => {
            Date::new(2000 + i16::from(part(0)?), part(2)?, part(4)?).ok()?
        }
        10 => date.parse().ok()?,
        _ => return None,
    };
    Some((date, time_of_day(&[time])?.seconds))
}

fn number(word: &str) -> Option<f64> {
    word.trim_end_matches([',', ';']).parse().ok()
}

/// `reads: 6,`, `reads: [1, 0, 2] ,`, `reads: 3 [1, 0, 2],`: the number, else the sum of the list.
fn sum_behind(text: &str, label: &str) -> Option<f64> {
    let rest = text.split_once(label)?.1.trim_start();
    if let Some(list) = rest.strip_prefix('[') {
        let numbers = list.split_once(']')?.0.split(',').map(|one| one.trim().parse::<f64>().ok());
        return numbers.sum();
    }
    number(rest.split([' ', ';', ')']).next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_latches_in_all_releases() {
        for (text, name) in [
            ("Mutex at 0xf89ab0 '&kernel_mutex', lock var 1", Some("kernel_mutex")),
            ("S-lock on RW-latch at 0x90075530 '&btr_search_latch'", Some("btr_search_latch")),
            ("Mutex at 0x7f8, Mutex LOCK_SYS created lock0lock.cc:461, lock var 2", Some("LOCK_SYS")),
            (
                "X-lock on RW-latch at 0x7f3 created in file buf0buf.cc line 1460",
                Some("latch of buf0buf.cc:1460"),
            ),
            (
                "Mutex at 0x2b8 created file ./storage/innobase/srv/srv0srv.c line 948, lock var 1",
                Some("latch of srv0srv.c:948"),
            ),
            ("waiters flag 1", None),
        ] {
            let words: Vec<&str> = text.split_whitespace().collect();
            assert_eq!(name_of_latch(&words, text).as_deref(), name, "{text}");
        }
    }

    #[test]
    fn numbers_and_times() {
        assert_eq!(sum_behind("Pending normal aio reads: 6, aio writes: 0,", "reads:"), Some(6.0));
        assert_eq!(
            sum_behind("Pending normal aio reads: [1, 0, 2] , aio writes: [0, 4] ,", "writes:"),
            Some(4.0)
        );
        assert_eq!(sum_behind("Pending flushes (fsync) log: 1; buffer pool: 7", "log:"), Some(1.0));
        assert_eq!(
            instant(&["100831", "8:56:28"]),
            Some((Date::constant(2010, 8, 31), 8 * 3600 + 56 * 60 + 28))
        );
        assert_eq!(
            instant(&["2013-05-31", "13:07:25", "7fa3f6703700"]).map(|(date, _)| date),
            Some(Date::constant(2013, 5, 31))
        );
        assert_eq!(instant(&["TRANSACTION", "1"]), None);
    }
}
