//! Reports of a whole cluster (RAC): tables with a row for each instance, whose number stands first (`I#`), an asterisk for all of
//! them together, and sums and means below. What belongs to an instance is written under its name, what only the cluster
//! has under the database's.
//!
//! A recording is of one host: what the operating systems of the instances counted is `db_metric`, not `cpu`.

use std::collections::{BTreeMap, BTreeSet};

use heldup_model::Record;
use heldup_model::tables::DbSqlRow;

use crate::document::Document;
use crate::document::put::Put;
use crate::oracle::cluster_figures::{self as figures, Columns};
use crate::oracle::events::{Event, Side};
use crate::oracle::report_state::ReportState;
use crate::oracle::row::{Row, is_overflow, scaled, seconds};
use crate::oracle::sections::{self, Section};

const FORMAT: &str = "AWR";

/// What a table is about.
#[derive(Clone, Copy)]
enum Part {
    /// The database.
    Database,
    /// Its instances.
    Instances,
    /// Numbers of each instance.
    Numbers(Columns),
    /// Events that took most time; whose.
    Events(Side),
    /// Statements of the whole cluster.
    Statements,
    /// Their texts.
    Texts,
    /// Settings.
    Parameters,
    /// Anything else.
    Other,
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Taken {
    /// It was kept, or is a sum of others.
    Yes,
    /// It is no row of this table.
    No,
    /// Its table is not read.
    Unread,
    /// It is damaged: what was expected.
    Damaged(&'static str),
}

/// One report.
#[derive(Default)]
pub struct Cluster {
    told: ReportState,
    database: Option<String>,
    instances: BTreeMap<u32, String>,
    hosts: BTreeSet<String>,
    /// Whose the last row was; its number is not printed again.
    whose: Option<Whose>,
    settings: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Whose {
    One(u32),
    All,
    Sum,
}

impl Cluster {
    /// A report of which nothing is known yet.
    pub fn new() -> Cluster {
        Cluster { told: ReportState::new(FORMAT), ..Cluster::default() }
    }

    /// A table begins: numbers of instances are printed anew.
    pub fn begin_table(&mut self) {
        self.whose = None;
    }

    /// Takes a row of the table with this title.
    pub fn row(&mut self, title: &str, row: &Row, document: &mut Document) -> Taken {
        let taken = match part(title) {
            Part::Database => self.database(row),
            Part::Instances => self.instance(row),
            Part::Numbers(columns) => self.numbers(columns, row, document),
            Part::Events(side) => self.event(side, row, document),
            Part::Statements => self.statement(row, document),
            Part::Texts => self.text(row, document),
            Part::Parameters => self.parameter(row, document),
            Part::Other => Taken::Unread,
        };
        if taken == Taken::Unread && !title.is_empty() {
            self.told.leave_out(bare(title));
        }
        taken
    }

    /// The report is over. False where nothing of it was read.
    pub fn finish(&mut self, document: &mut Document) -> bool {
        if !self.told.is_begun() {
            return false;
        }
        if let [host] = self.hosts.iter().collect::<Vec<_>>().as_slice() {
            document.host_told(host);
        } else {
            document.note("AWR of a cluster: counts of its machines are by instance, in db_metric");
        }
        self.told.finish(document);
        true
    }

    fn database(&mut self, row: &Row) -> Taken {
        let name = row.place(|heading| heading.ends_with("name") && !heading.contains("unique"));
        match name.map(|at| row.at(at)) {
            Some(name) if !name.is_empty() => self.database = Some(name.to_owned()),
            Some(_) => {}
            None => return Taken::Unread,
        }
        Taken::Yes
    }

    fn instance(&mut self, row: &Row) -> Taken {
        const EXPECTED: &str = "the number of an instance, its name, host and times";
        let cell = |end: &str| row.place(|heading| heading.ends_with(end)).map(|at| row.at(at));
        let (Some(name), Some(begin), Some(end)) =
            (cell("instance"), cell("beginsnaptime"), cell("endsnaptime"))
        else {
            return Taken::Unread;
        };
        let Ok(number) = row.at(0).parse() else { return Taken::Damaged(EXPECTED) };
        let minutes = row.place(|heading| heading.contains("elapsed")).and_then(|at| scaled(row.at(at)));
        if !self.told.take_interval(begin, end, minutes.map(|minutes| minutes * 60.0)) {
            return Taken::Damaged(EXPECTED);
        }
        self.instances.insert(number, name.to_owned());
        self.hosts.extend(cell("host").filter(|host| !host.is_empty()).map(str::to_owned));
        Taken::Yes
    }

    /// Whose a row is, by its first cell.
    fn whose(&mut self, cell: &str) -> Option<Whose> {
        let whose = match cell.trim() {
            "" => self.whose?,
            "*" => Whose::All,
            number => number.parse().map_or(Whose::Sum, Whose::One),
        };
        self.whose = Some(whose);
        Some(whose)
    }

    /// The row's instance becomes that of what is written next; false where it is of none.
    fn turn_to(&mut self, cell: &str) -> bool {
        let Some(Whose::One(number)) = self.whose(cell) else { return false };
        let name = self.instances.get(&number).cloned();
        self.told.instance = Some(name.unwrap_or_else(|| number.to_string()));
        true
    }

    fn turn_to_all(&mut self) {
        self.told.instance.clone_from(&self.database);
    }

    fn numbers(&mut self, columns: Columns, row: &Row, document: &mut Document) -> Taken {
        if !self.turn_to(row.at(0)) {
            return Taken::Yes;
        }
        let found = figures::read(columns, row);
        if found.is_empty() {
            return Taken::Unread;
        }
        for (name, value) in found {
            if let Some(value) = value {
                self.told.metric(name, value, document);
            }
        }
        Taken::Yes
    }

    fn event(&mut self, side: Side, row: &Row, document: &mut Document) -> Taken {
        let total = row.place(|heading| heading.contains("total") && !heading.contains('%'));
        let class = row.place(|heading| heading.ends_with("class"));
        let waits = row.place(|heading| heading.ends_with("waits"));
        let (Some(total), Some(class), Some(waits)) = (total, class, waits) else { return Taken::Unread };
        if !self.turn_to(row.at(0)) {
            return Taken::Yes;
        }
        let name = row.at(class + 1).to_owned();
        let wait_s = seconds(row.at(total), 1.0);
        if name.is_empty() || (wait_s.is_none() && !is_overflow(row.at(total))) {
            return Taken::Damaged("an event, its waits and the time in them");
        }
        let behind = |is_wanted: &dyn Fn(&str) -> bool| {
            (total + 1..row.width()).find(|at| row.heading(*at).is_some_and(is_wanted))
        };
        // Behind it come means over the instances, of the cluster's row alone.
        let mean = behind(&|heading| heading.contains("avg"));
        let unit = |heading: &str| if heading.ends_with("us") { 1e-6 } else { 1e-3 };
        let share = behind(&|heading| heading.contains('%') && heading.ends_with("time"));
        let timeouts = row.place(|heading| heading.contains('%') && heading.contains("out"));
        let percent = |at: Option<usize>| at.and_then(|at| scaled(row.at(at))).map(|of| of / 100.0);
        let class = row.at(class);
        let event = Event {
            side,
            name,
            wait_class: (!class.is_empty()).then(|| class.to_owned()),
            waits: scaled(row.at(waits)),
            wait_s,
            wait_share: percent(share),
            mean_wait_s: mean.and_then(|at| seconds(row.at(at), row.heading(at).map_or(1e-3, unit))),
            timeout_ratio: percent(timeouts),
            ..Event::default()
        };
        self.told.event(event, document);
        Taken::Yes
    }

    /// Totals stand before what an execution took, and before shares.
    fn statement(&mut self, row: &Row, document: &mut Document) -> Taken {
        let Some(id) = row.place(|heading| heading.ends_with("sqlid")) else { return Taken::Unread };
        let id = row.at(id).to_owned();
        let number = |ends: &[&str]| {
            let is_it =
                |heading: &str| !heading.contains('%') && ends.iter().any(|end| heading.ends_with(end));
            Put::Number(row.place(is_it).and_then(|at| scaled(row.at(at))))
        };
        let cells = [
            ("statement_id", Put::Text(&id)),
            ("executions", number(&["execs", "executions"])),
            ("elapsed_s", number(&["elapseds", "elapsedtimes", "elas"])),
            ("cpu_s", number(&["cpus", "cputimes"])),
            ("io_s", number(&["ios", "iotimes", "iowaits", "iowaittimes"])),
            ("buffer_gets", number(&["gets"])),
            ("disk_reads", number(&["reads"])),
            ("rows_processed", number(&["rows", "rowsprocessed"])),
        ];
        let has_numbers = cells.iter().any(|(_, cell)| matches!(cell, Put::Number(Some(_))));
        if id.is_empty() || !has_numbers {
            return Taken::No;
        }
        self.turn_to_all();
        self.told.put(document, DbSqlRow::DEF, &id, &cells);
        self.text(row, document)
    }

    fn text(&mut self, row: &Row, document: &mut Document) -> Taken {
        let id = row.place(|heading| heading.ends_with("sqlid")).map(|at| row.at(at).to_owned());
        let text = row.place(|heading| heading.ends_with("sqltext")).map(|at| row.at(at).to_owned());
        if let (Some(id), Some(text)) = (id.filter(|id| !id.is_empty()), text.filter(|text| !text.is_empty()))
        {
            self.turn_to_all();
            let headings = ["sqlid".to_owned(), "sqltext".to_owned()];
            let row = Row::of(&headings, vec![id, text]);
            let _ = sections::write(Section::Sql, &row, &mut self.told, document);
        }
        Taken::Yes
    }

    /// Settings have no instance: those of the first that has one of its own.
    fn parameter(&mut self, row: &Row, document: &mut Document) -> Taken {
        let cell = |end: &str| row.place(|heading| heading.starts_with(end)).map(|at| row.at(at));
        let Some(name) = cell("parameter") else { return Taken::Unread };
        if name.is_empty() || name.contains(' ') || !self.settings.insert(name.to_owned()) {
            if !name.contains(' ') {
                document.note("oracle: of parameters that differ between instances the first value is used");
            }
            return Taken::Yes;
        }
        let value = cell("endvalue").filter(|value| !value.is_empty()).or(cell("beginvalue")).unwrap_or("");
        self.told.setting(name, value, document);
        Taken::Yes
    }
}

/// What stands below a title.
fn part(title: &str) -> Part {
    let title = bare(title).to_ascii_lowercase();
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(columns) = figures::columns(&title) {
        return Part::Numbers(columns);
    }
    match title.as_str() {
        "database summary" => Part::Database,
        "database instances included in report" => Part::Instances,
        "top timed events" => Part::Events(Side::Total),
        "top timed foreground events" => Part::Events(Side::Foreground),
        "top timed background events" => Part::Events(Side::Background),
        "complete list of sql text" => Part::Texts,
        _ if title.starts_with("sql ordered by") => Part::Statements,
        _ if title.starts_with("init.ora parameters") => Part::Parameters,
        _ => Part::Other,
    }
}

/// A title without what stands beside or behind it: the database and its snapshots, or an explanation.
pub fn bare(title: &str) -> &str {
    let ends = [". .", " DB/Inst:", " DB:", " (Global)"].iter().filter_map(|end| title.find(end));
    let end = ends.min().unwrap_or(title.len());
    title[..end].trim_matches(|sign: char| sign.is_whitespace() || matches!(sign, '~' | '.' | ':'))
}
