//! Deadlocks of Oracle: the graph of a trace file (ORA-00060), with the statements of its sessions, and the error alone, as in
//! the alert log. Who is the first waiter and whose the statement of "this session" is was rolled back: its statement only.

use crate::database::deadlock::{Deadlock, MOST_PARTIES, Party};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::stamped;
use crate::table::sheets::When;

const FORMAT: &str = "Oracle deadlock";
/// Lines of a trace behind the error, in which the graph of the same deadlock follows.
const NEAR: u64 = 200;
/// Lines without anything of the deadlock, after which it is over.
const LONGEST_GAP: u64 = 400;

/// Reads such traces.
#[derive(Default)]
pub struct DeadlockTrace {
    open: Option<Open>,
    deadlocks: u64,
}

/// What the lines that follow are of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Lines {
    #[default]
    Other,
    Graph,
    /// A statement of a session, or of the one that got the error.
    Statement(Option<u64>),
}

struct Open {
    when: When,
    parties: Vec<Party>,
    has_graph: bool,
    lines: Lines,
    /// The session of which details are read.
    session: Option<u64>,
    own_statement: String,
    last_line: u64,
    /// The error itself was told: without it a graph is needed.
    is_error: bool,
    /// Where the trace stands, as the alert log says.
    is_alert: bool,
}

impl Importer for DeadlockTrace {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let text = line.text.trim();
        let is_graph = matches!(line.words, ["Deadlock", "graph:"]) || is_heads(text);
        if !is_graph && !is_error(text) {
            return Ok(false);
        }
        let is_alert = text.contains("More info in file");
        let is_same = self.open.as_ref().is_some_and(|open| {
            !open.is_alert
                && !is_alert
                && line.number <= open.last_line + NEAR
                && (!open.has_graph || !is_graph || is_heads(text))
        });
        if !is_same {
            self.end(document);
            document.begin(FORMAT);
            let when = moment(line, document);
            self.open = Some(Open {
                when,
                parties: Vec::new(),
                has_graph: false,
                lines: Lines::Other,
                session: None,
                own_statement: String::new(),
                last_line: line.number,
                is_error: false,
                is_alert,
            });
        }
        if let Some(open) = self.open.as_mut() {
            open.last_line = line.number;
            open.has_graph |= is_graph;
            open.is_error |= is_error(text) && !text.starts_with('[');
            open.lines = if is_graph { Lines::Graph } else { Lines::Other };
        }
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(open) = self.open.as_mut() else { return Ok(false) };
        if line.number > open.last_line + LONGEST_GAP {
            self.end(document);
            return Ok(false);
        }
        let is_taken = open.has_graph && open.take(line);
        if is_taken {
            open.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document);
        if self.deadlocks > 0 { document.end_sample(FORMAT) } else { Ok(()) }
    }
}

impl DeadlockTrace {
    fn end(&mut self, document: &mut Document) {
        let Some(mut open) = self.open.take().filter(|open| open.is_error || !open.parties.is_empty()) else {
            return;
        };
        self.deadlocks += 1;
        // The statement of this session is of the party whose statement nobody else told.
        let is_only = open.parties.iter().filter(|party| party.statement.is_empty()).count() == 1;
        if is_only && !open.own_statement.is_empty() {
            for party in &mut open.parties {
                let is_victim = party.statement.is_empty();
                party.is_victim = Some(is_victim);
                if is_victim {
                    party.statement.clone_from(&open.own_statement);
                }
            }
        }
        let deadlock = Deadlock { product: "oracle", parties: open.parties, ..Deadlock::default() };
        deadlock.write(self.deadlocks, open.when, document);
    }
}

impl Open {
    fn take(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim();
        let lower = text.to_ascii_lowercase();
        if self.lines == Lines::Graph {
            if let Some(edge) = edge(line.words) {
                if self.parties.len() < MOST_PARTIES && !self.parties.contains(&edge) {
                    self.parties.push(edge);
                }
                return true;
            }
            if text.starts_with("Resource Name") || text.starts_with("----") || text.is_empty() {
                return true;
            }
            self.lines = Lines::Other;
        }
        if lower.starts_with("current sql statement for this session")
            || lower.starts_with("----- current sql statement for this session")
        {
            self.lines = Lines::Statement(None);
            return true;
        }
        if lower.starts_with("current sql") {
            self.lines = self.session.map_or(Lines::Other, |session| Lines::Statement(Some(session)));
            // On one line in some releases.
            let rest = text.split_once(':').map_or("", |(_, rest)| rest.trim());
            self.statement(rest);
            return true;
        }
        let session = lower.strip_prefix("session ").and_then(|rest| rest.split_once(':'));
        if let Some((session, rest)) = session
            && let Ok(session) = session.parse::<u64>()
        {
            self.lines = Lines::Other;
            self.session = Some(session);
            // `Session 24: obj - rowid = 00051348 - BABRNIAARAAKfNLAAl`
            if let ["obj", "-", "rowid", "=", object, ..] = rest.split_whitespace().collect::<Vec<_>>()[..] {
                let name = u64::from_str_radix(object, 16).map_or(String::new(), |id| format!("object {id}"));
                self.of_session(session, |party| party.object_name.clone_from(&name));
            }
            return true;
        }
        if let Some(rest) = lower.strip_prefix("sid: ") {
            self.session = rest.split_whitespace().next().and_then(|sid| sid.parse().ok());
            let user = text
                .split_once("user: ")
                .map_or("", |(_, rest)| rest.split_whitespace().next().unwrap_or(""));
            let user = user.rsplit('/').next().unwrap_or("").to_owned();
            if let Some(session) = self.session {
                self.of_session(session, |party| party.name.clone_from(&user));
            }
            return true;
        }
        if text.is_empty()
            || text.starts_with("---")
            || text.starts_with("===")
            || lower.starts_with("end of information")
        {
            let is_end = self.lines != Lines::Other && !text.is_empty();
            // An empty line before a statement is none of it.
            if is_end || !self.has_statement() {
                return self.lines != Lines::Other && std::mem::take(&mut self.lines) != Lines::Other;
            }
            self.lines = Lines::Other;
            return true;
        }
        match self.lines {
            Lines::Statement(_) => {
                self.statement(text);
                true
            }
            _ => false,
        }
    }

    fn has_statement(&self) -> bool {
        match self.lines {
            Lines::Statement(None) => !self.own_statement.is_empty(),
            Lines::Statement(Some(session)) => self
                .parties
                .iter()
                .any(|party| party.pid == Some(session as f64) && !party.statement.is_empty()),
            _ => false,
        }
    }

    fn statement(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.lines {
            Lines::Statement(None) => {
                let mut whole =
                    Party { statement: std::mem::take(&mut self.own_statement), ..Party::default() };
                whole.add_statement(text);
                self.own_statement = whole.statement;
            }
            Lines::Statement(Some(session)) => self.of_session(session, |party| party.add_statement(text)),
            _ => {}
        }
    }

    fn of_session(&mut self, session: u64, change: impl Fn(&mut Party)) {
        self.parties.iter_mut().filter(|party| party.pid == Some(session as f64)).for_each(change);
    }
}

/// `TX-00290010-00015F75-00000000-00000000   295    1200     X             288      10           X`: the waiter, and who blocks it. From
/// 12.1 on a serial number stands behind the modes.
fn edge(words: &[&str]) -> Option<Party> {
    let (name, rest) = words.split_first()?;
    let (kind, ids) = name.split_once('-')?;
    let is_resource = kind.len() == 2
        && kind.bytes().all(|byte| byte.is_ascii_uppercase())
        && ids.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if !is_resource {
        return None;
    }
    let is_mode =
        |word: &&str| matches!(*word, "X" | "S" | "SX" | "SS" | "SSX" | "NULL" | "N" | "RX" | "RS" | "SRX");
    let number = |word: &str| word.parse::<u64>().ok();
    let [_, blocker, modes @ ..] = rest else { return None };
    let blocker = number(blocker)?;
    let first_modes = modes.iter().take_while(|word| is_mode(word)).count();
    let behind = &modes[first_modes..];
    let numbers = behind.iter().take_while(|word| number(word).is_some()).count();
    let waiter = number(behind.get(numbers.checked_sub(1)?)?)?;
    let mode = behind[numbers..].iter().take_while(|word| is_mode(word)).last()?;
    let object = match kind {
        "TM" => {
            u64::from_str_radix(ids.split('-').next()?, 16).map_or(String::new(), |id| format!("object {id}"))
        }
        _ => String::new(),
    };
    Some(Party {
        pid: Some(waiter as f64),
        waits_for: format!("{name} in mode {mode}"),
        object_name: object,
        held_by: blocker.to_string(),
        ..Party::default()
    })
}

/// `---------Blocker(s)--------  ---------Waiter(s)---------`
fn is_heads(text: &str) -> bool {
    text.starts_with("---") && text.contains("Blocker(s)") && text.contains("Waiter(s)")
}

fn is_error(text: &str) -> bool {
    let is_error = text.contains("ORA-00060") && text.to_ascii_lowercase().contains("deadlock");
    is_error || text.contains("Global Enqueue Services Deadlock detected") || text == "[Transaction Deadlock]"
}

/// When a line was written: by a time before it, or by one that stood above.
fn moment(line: &Line<'_>, document: &mut Document) -> When {
    match stamped::before(line.words, document.times.dates.order, document.hints.latest_ms()) {
        Some((told, _)) => {
            let ms = document.instant_ms(told.day, told.seconds, told.zone_s);
            When { ms, secs: None, floats: false }
        }
        None => document.moment(FORMAT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_with_and_without_serial_numbers() {
        let of = |text: &str| edge(&text.split_whitespace().collect::<Vec<_>>());
        let tx = of("TX-00290010-00015F75-00000000-00000000 295 1200 X 288 10 X").expect("an edge");
        assert_eq!((tx.pid, tx.held_by.as_str()), (Some(10.0), "1200"));
        assert_eq!(tx.waits_for, "TX-00290010-00015F75-00000000-00000000 in mode X");
        let tm = of("TM-000151a2-00000000 210 72 SX SSX 208 24 SX SSX").expect("an edge");
        assert_eq!((tm.pid, tm.held_by.as_str()), (Some(24.0), "72"));
        assert_eq!(
            (tm.object_name.as_str(), tm.waits_for.as_str()),
            ("object 86434", "TM-000151a2-00000000 in mode SSX")
        );
        let serial =
            of("TX-00060012-00000D75-00000000-00000000 34 134 X 36524 35 256 X 1234").expect("an edge");
        assert_eq!((serial.pid, serial.held_by.as_str()), (Some(256.0), "134"));
        assert_eq!(of("session 1200: DID 0001-0127-00014421"), None);
    }
}
