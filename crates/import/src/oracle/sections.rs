//! Sections of a report, by their titles, and what a row of each becomes.

use heldup_model::tables::{DbCacheAdviceRow, DbContentionRow, DbFileRow, DbLatchRow, DbSqlRow};
use heldup_model::{Record, TableDef};

use crate::document::Document;
use crate::document::put::Put;
use crate::oracle::events::{Event, Side};
use crate::oracle::report_state::ReportState;
use crate::oracle::row::{Row, is_overflow, scaled, seconds};

/// What a part of a report is about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Section {
    /// The events that took most time; they come before the whole list.
    TopEvents,
    /// Events of users' sessions, as samples of active sessions found them (ASH).
    SampledEvents,
    /// Events of users' sessions.
    Foreground,
    /// Events of the database's own processes.
    Background,
    /// Events of all sessions (before 11g).
    Events,
    /// Where the time in the database went.
    TimeModel,
    /// What the operating system counted.
    System,
    /// Statements.
    Sql,
    /// Statements with their top wait events.
    SqlEvents,
    /// I/O by tablespace, or by file.
    Files,
    /// Caches of other sizes.
    CacheAdvice,
    /// Waits for blocks, by class.
    Blocks,
    /// Locks.
    Enqueues,
    /// Tables and indexes with most waits for rows, for transaction slots, for blocks.
    RowLockSegments,
    /// The same of transaction slots.
    SlotSegments,
    /// The same of blocks.
    BufferSegments,
    /// Latches.
    Latches,
    /// Latches that somebody slept for.
    LatchSleeps,
    /// Places in the code that missed latches.
    LatchMisses,
    /// Processes, sessions and locks against their limits.
    Resources,
    /// ADDM findings.
    Advice,
    /// Settings.
    Parameters,
    /// The instance.
    Instance,
    /// The machine.
    Machine,
    /// Anything else.
    #[default]
    Other,
}

/// Beginnings of titles, in small letters. The first that fits counts.
const TITLES: [(&str, Section); 31] = [
    ("top user events", Section::SampledEvents),
    ("top 5 ", Section::TopEvents),
    ("top 10 ", Section::TopEvents),
    ("foreground wait events", Section::Foreground),
    ("background wait events", Section::Background),
    ("wait events", Section::Events),
    ("time model", Section::TimeModel),
    ("operating system statistics - detail", Section::Other),
    ("operating system statistics", Section::System),
    ("os statistics - detail", Section::Other),
    ("os statistics", Section::System),
    ("sql ordered by", Section::Sql),
    ("top sql with top events", Section::SqlEvents),
    ("complete list of sql text", Section::Sql),
    ("tablespace io stats", Section::Files),
    ("file io stats", Section::Files),
    ("buffer pool advisory", Section::CacheAdvice),
    ("buffer wait statistics", Section::Blocks),
    ("enqueue activity", Section::Enqueues),
    ("segments by row lock waits", Section::RowLockSegments),
    ("segments by itl waits", Section::SlotSegments),
    ("segments by buffer busy waits", Section::BufferSegments),
    ("segments by global cache buffer busy", Section::BufferSegments),
    ("latch activity", Section::Latches),
    ("latch sleep breakdown", Section::LatchSleeps),
    ("latch miss sources", Section::LatchMisses),
    ("resource limit", Section::Resources),
    ("top addm findings", Section::Advice),
    ("init.ora parameters", Section::Parameters),
    ("init.ora multi-valued", Section::Other),
    ("init.ora", Section::Parameters),
];

/// The section that a title begins; none where the text is none that anybody prints above a table.
pub fn of_title(title: &str) -> Option<Section> {
    let title = title.trim().to_ascii_lowercase();
    let (_, section) = TITLES.iter().find(|(beginning, _)| title.starts_with(beginning))?;
    // Of ten objects or findings there are lists too.
    (*section != Section::TopEvents || title.contains("event")).then_some(*section)
}

/// The section of a title inside a report, which ends with the instance and the snapshots; then any title is one.
pub fn of_line(text: &str) -> Option<Section> {
    let title =
        [" DB/Inst:", "DB/Inst: ", " for DB:", " for  DB:"].iter().find_map(|end| text.split_once(end));
    match title {
        Some((title, _)) => Some(of_title(title).unwrap_or(Section::Other)),
        // The names were taken out.
        None if is_of_snapshots(text) => of_title(text),
        None => of_title(text).filter(|section| matches!(section, Section::TopEvents | Section::Advice)),
    }
}

/// `Foreground Wait Events          Snaps: 70719-70723`
fn is_of_snapshots(text: &str) -> bool {
    let ends = text.split_once("  Snaps: ").and_then(|(_, snapshots)| snapshots.trim().split_once('-'));
    let is_id = |word: &str| !word.trim().is_empty() && word.trim().bytes().all(|byte| byte.is_ascii_digit());
    ends.is_some_and(|(begin, end)| is_id(begin) && is_id(end))
}

const WAITS: &[&str] = &["waits"];
/// DB time is counted when a call ends and waits when they end, so that an event may have a little more than all of it.
const MOST_PERCENT: f64 = 200.0;

/// Writes what a row says; else what was expected in it.
pub fn write(
    section: Section,
    row: &Row,
    told: &mut ReportState,
    document: &mut Document,
) -> Result<(), &'static str> {
    match section {
        Section::TopEvents | Section::Foreground | Section::Background | Section::Events => {
            event(section, row, told, document)
        }
        Section::SampledEvents => sampled_event(row, told, document),
        Section::TimeModel => told.time_model(row, document),
        Section::System => told.system(row, document),
        Section::Sql => statement(row, told, document),
        Section::SqlEvents => {
            statement_event(row, told, document);
            Ok(())
        }
        Section::Files => file(row, told, document),
        Section::CacheAdvice => advice(row, told, document),
        Section::Blocks | Section::Enqueues => contention(section, row, told, document),
        Section::RowLockSegments | Section::SlotSegments | Section::BufferSegments => {
            segment(section, row, told, document)
        }
        Section::Latches | Section::LatchSleeps | Section::LatchMisses => latch(section, row, told, document),
        Section::Advice => told.advice(row, document),
        Section::Resources => resource(row, told, document),
        Section::Parameters => told.parameter(row, document),
        Section::Instance => told.instance(row, document),
        Section::Machine => told.machine(row, document),
        Section::Other => Ok(()),
    }
}

/// Whether a heading is that of the time in an event, and its unit in seconds.
fn time_unit_s(heading: &str) -> Option<f64> {
    let is_total = !heading.starts_with("avg") && !heading.starts_with('%');
    match heading {
        _ if !is_total => None,
        _ if heading.ends_with("timecs") => Some(0.01),
        _ if heading.ends_with("times") || heading.ends_with("timesec") => Some(1.0),
        _ => None,
    }
}

fn event(
    section: Section,
    row: &Row,
    told: &mut ReportState,
    document: &mut Document,
) -> Result<(), &'static str> {
    const EXPECTED: &str = "an event, its waits and the time in them";
    let name = told.whole_name("event", row);
    let time = row.place(|heading| time_unit_s(heading).is_some()).ok_or(EXPECTED)?;
    let unit = row.heading(time).and_then(time_unit_s).unwrap_or(1.0);
    let wait_s = seconds(row.at(time), unit);
    if wait_s.is_none() && !is_overflow(row.at(time)) {
        return Err(EXPECTED);
    }
    let waits = row.number(WAITS);
    let average = row.place(|heading| heading.starts_with("avg") || heading.starts_with("waitavg"));
    let average_unit = |heading: &str| if heading.ends_with("us") { 1e-6 } else { 1e-3 };
    let mean = average.and_then(|at| seconds(row.at(at), row.heading(at).map_or(1e-3, average_unit)));
    // `%Time -outs`, `%Tim out`: statspack has less room.
    let is_timeouts = |heading: &str| heading.starts_with('%') && heading.contains("out");
    let share = row.place(|heading| heading.starts_with('%') && !is_timeouts(heading));
    let share = share.and_then(|at| scaled(row.at(at))).filter(|share| *share <= MOST_PERCENT);
    let timeouts = row
        .place(is_timeouts)
        .and_then(|at| scaled(row.at(at)).map(|percent| percent / 100.0))
        .or_else(|| Some(row.number(&["timeouts"])? / waits.filter(|waits| *waits > 0.0)?));
    let side = match section {
        Section::Background => Side::Background,
        Section::Foreground => Side::Foreground,
        _ if told.is_foreground => Side::Foreground,
        _ => Side::Total,
    };
    let event = Event {
        side,
        name,
        wait_class: row.text(&["waitclass"]).map(str::to_owned),
        waits,
        wait_s,
        wait_share: share.map(|share| share / 100.0),
        mean_wait_s: mean,
        timeout_ratio: timeouts,
        ..Event::default()
    };
    told.event(event, document);
    Ok(())
}

/// Of samples there is no number of waits: a share, and the sessions that were in it on average.
fn sampled_event(row: &Row, told: &mut ReportState, document: &mut Document) -> Result<(), &'static str> {
    const EXPECTED: &str = "an event and its share of the samples";
    let name = told.whole_name("event", row);
    let share = row.share(&["%activity", "%event"]).ok_or(EXPECTED)?;
    let sessions = row.number(&["avgactivesessions", "avgactive"]);
    let event = Event {
        side: Side::Foreground,
        name,
        wait_class: row.text(&["eventclass"]).map(str::to_owned),
        wait_s: sessions.map(|sessions| sessions * told.elapsed_s().unwrap_or(1.0)),
        wait_share: Some(share),
        ..Event::default()
    };
    told.event(event, document);
    Ok(())
}

fn statement(row: &Row, told: &mut ReportState, document: &mut Document) -> Result<(), &'static str> {
    let id = row.text(&["sqlid", "hashvalue", "oldhashvalue"]).ok_or("numbers and the id of a statement")?;
    // Text reports cut the id where their numbers need the room.
    let id = told.longest("sql", id);
    let cells = [
        ("statement_id", Put::Text(&id)),
        ("executions", Put::Number(row.number(&["executions", "executes"]))),
        ("elapsed_s", Put::Number(row.number(&["elapsedtimes", "elapsdtimes", "elapsedtime"]))),
        ("cpu_s", Put::Number(row.number(&["cputimes", "cputime"]))),
        ("io_s", Put::Number(row.number(&["useriotimes", "useriowaittimes"]))),
        ("buffer_gets", Put::Number(row.number(&["buffergets"]))),
        ("disk_reads", Put::Number(row.number(&["physicalreads", "diskreads"]))),
        ("rows_processed", Put::Number(row.number(&["rowsprocessed"]))),
        ("parse_calls", Put::Number(row.number(&["parsecalls"]))),
    ];
    told.put(document, DbSqlRow::DEF, &id, &cells);
    if let Some(module) = row.text(&["sqlmodule"]) {
        told.put(document, DbSqlRow::DEF, &id, &[("module", Put::Text(module))]);
    }
    if let Some(text) = row.text(&["sqltext"]) {
        told.put(document, DbSqlRow::DEF, &id, &[("statement", Put::Text(text))]);
    }
    told.last_statement = Some(id);
    Ok(())
}

/// Of a statement with several events the first row has all cells, and the event with most.
fn statement_event(row: &Row, told: &mut ReportState, document: &mut Document) {
    if row.cells().len() != row.width() {
        return;
    }
    let (Some(id), Some(event)) = (row.text(&["sqlid"]), row.text(&["event"])) else { return };
    let (Some(share), true) = (row.share(&["%event"]), event != "CPU + Wait for CPU") else { return };
    let id = told.longest("sql", id);
    let mut cells = vec![
        ("statement_id", Put::Text(&id)),
        ("event_name", Put::Text(event)),
        ("event_share", Put::Number(Some(share))),
    ];
    let text = row.text(&["sqltext"]).filter(|text| !text.starts_with("** SQL"));
    cells.extend(text.map(|text| ("statement", Put::Text(text))));
    told.put(document, DbSqlRow::DEF, &id, &cells);
}

fn file(row: &Row, told: &mut ReportState, document: &mut Document) -> Result<(), &'static str> {
    let space = row.text(&["tablespace"]).ok_or("a tablespace")?;
    let name = row.text(&["filename"]).unwrap_or("");
    let reads = row.number(&["reads"]).ok_or("a number of reads")?;
    // Newer reports print a unit beside some numbers.
    let ms = |headings: &[&str]| Put::Number(row.text(headings).and_then(|cell| seconds(cell, 1e-3)));
    let waits = row.number(&["bufferwaits"]);
    let mut cells = vec![
        ("tablespace_name", Put::Text(space)),
        ("reads", Put::Number(Some(reads))),
        // Of no reads there is no length, though a zero is printed.
        ("mean_read_s", if reads > 0.0 { ms(&["avrdms", "avrd"]) } else { Put::Number(None) }),
        ("blocks_per_read", Put::Number(row.number(&["avblksrd"]).filter(|_| reads > 0.0))),
        ("writes", Put::Number(row.number(&["writes"]))),
        ("buffer_waits", Put::Number(waits)),
    ];
    if waits.is_some_and(|waits| waits > 0.0) {
        cells.push(("mean_buffer_wait_s", ms(&["avbufwtms", "avbufwt"])));
    }
    if !name.is_empty() {
        cells.push(("file_name", Put::Text(name)));
    }
    told.put(document, DbFileRow::DEF, &format!("{space} {name}"), &cells);
    Ok(())
}

fn advice(row: &Row, told: &mut ReportState, document: &mut Document) -> Result<(), &'static str> {
    const EXPECTED: &str = "a pool, a size in megabytes and reads with it";
    let pool = row.at(0);
    let size = row.place(|heading| heading.starts_with("sizefor")).and_then(|at| scaled(row.at(at)));
    let size_bytes = size.ok_or(EXPECTED)? * 1_048_576.0;
    let reads = row.place(|heading| heading.starts_with("est") && heading.contains("physicalreads"));
    let reads = reads.or_else(|| row.place(|heading| heading.contains("estimatedphysreads")));
    let in_thousands =
        reads.and_then(|at| row.heading(at)).is_some_and(|heading| heading.contains("thousands"));
    let reads = reads.and_then(|at| scaled(row.at(at)));
    let read_factor = row.place(|heading| heading.contains("read") && heading.ends_with("factor"));
    let factor = row.place(|heading| heading == "sizefactor" || heading == "sizefactr");
    let cells = [
        ("pool", Put::Text(pool)),
        ("size_bytes", Put::Number(Some(size_bytes))),
        ("size_factor", Put::Number(factor.and_then(|at| scaled(row.at(at))))),
        ("read_factor", Put::Number(read_factor.and_then(|at| scaled(row.at(at))))),
        ("estimated_reads", Put::Number(reads.map(|reads| if in_thousands { reads * 1e3 } else { reads }))),
    ];
    told.put(document, DbCacheAdviceRow::DEF, &format!("{pool} {size_bytes}"), &cells);
    Ok(())
}

fn contention(
    section: Section,
    row: &Row,
    told: &mut ReportState,
    document: &mut Document,
) -> Result<(), &'static str> {
    let kind = if section == Section::Blocks { "buffer_class" } else { "enqueue" };
    let name = row.at(0);
    let waits = row.number(WAITS).ok_or("a lock or class and how often it was waited for")?;
    // Of locks since 10g in seconds; of blocks centiseconds before 10g.
    let time = row.place(|heading| heading.contains("time") && !heading.starts_with("av"));
    let unit = time.and_then(|at| row.heading(at)).map_or(1.0, |heading| match heading {
        _ if heading.ends_with("timecs") => 0.01,
        _ if heading.ends_with("timems") => 0.001,
        _ => 1.0,
    });
    let cells = [
        ("kind", Put::Text(kind)),
        ("name", Put::Text(name)),
        ("requests", Put::Number(row.number(&["requests", "gets"]))),
        ("waits", Put::Number(Some(waits))),
        ("wait_s", Put::Number(time.and_then(|at| seconds(row.at(at), unit)))),
    ];
    told.put(document, DbContentionRow::DEF, &format!("{kind} {name}"), &cells);
    Ok(())
}

/// `SHOP  USERS  ORDERS    TABLE  5,021  87.2`: of partitions the name has a part more. Deleted objects have none.
fn segment(
    section: Section,
    row: &Row,
    told: &mut ReportState,
    document: &mut Document,
) -> Result<(), &'static str> {
    const EXPECTED: &str = "a table or index and its number of waits";
    let kind = match section {
        Section::RowLockSegments => "row_lock_segment",
        Section::SlotSegments => "slot_segment",
        _ => "buffer_segment",
    };
    let is_count = |heading: &str| heading.ends_with("waits") || heading.ends_with("busy");
    let waits = row.place(is_count).and_then(|at| scaled(row.at(at))).ok_or(EXPECTED)?;
    let object = row.text(&["objectname"]).ok_or(EXPECTED)?;
    let parts = [row.text(&["owner"]), Some(object), row.text(&["subobjectname"])];
    let name = parts.into_iter().flatten().collect::<Vec<_>>().join(".");
    let cells = [("kind", Put::Text(kind)), ("name", Put::Text(&name)), ("waits", Put::Number(Some(waits)))];
    told.put(document, DbContentionRow::DEF, &format!("{kind} {name}"), &cells);
    Ok(())
}

/// `processes  148  150  150  150`: in use at the end, the most since the instance started, and the limit, which may be UNLIMITED.
fn resource(row: &Row, told: &mut ReportState, document: &mut Document) -> Result<(), &'static str> {
    let name = row.at(0).to_ascii_lowercase();
    let used = row.number(&["currentutilization", "currentutil"]);
    let most = row.number(&["maximumutilization", "maximumutil", "maxutilization"]);
    if name.is_empty() || name.contains(' ') || used.or(most).is_none() {
        return Err("a resource and its current utilization");
    }
    let limit = row.number(&["limit", "limitvalue"]);
    for (what, value) in [("used", used), ("most", most), ("limit", limit)] {
        if let Some(value) = value {
            told.metric(&format!("resource_{name}_{what}"), value, document);
        }
    }
    Ok(())
}

fn latch(
    section: Section,
    row: &Row,
    told: &mut ReportState,
    document: &mut Document,
) -> Result<(), &'static str> {
    const LATCH: &TableDef = DbLatchRow::DEF;
    match section {
        Section::Latches => {
            let requests = row.number(&["getrequests"]).ok_or("a latch and how often it was asked for")?;
            let name = told.numbered("latch", row.at(0));
            let no_wait = row.number(&["nowaitrequests"]);
            let cells = [
                ("latch_name", Put::Text(&name)),
                ("requests", Put::Number(Some(requests))),
                ("miss_ratio", Put::Number(row.share(&["pctgetmiss"]))),
                ("wait_s", Put::Number(row.number(&["waittimes"]))),
                ("no_wait_requests", Put::Number(no_wait)),
                ("no_wait_miss_ratio", Put::Number(row.share(&["pctnowaitmiss"]))),
            ];
            told.put(document, LATCH, &name, &cells);
        }
        Section::LatchSleeps => {
            let misses = row.number(&["misses"]).ok_or("a latch, its misses and sleeps")?;
            let name = told.whole_name("latch", row);
            let cells = [
                ("latch_name", Put::Text(&name)),
                ("requests", Put::Number(row.number(&["getrequests"]))),
                ("misses", Put::Number(Some(misses))),
                ("sleeps", Put::Number(row.number(&["sleeps"]))),
                ("spin_gets", Put::Number(row.number(&["spingets"]))),
            ];
            told.put(document, LATCH, &name, &cells);
        }
        _ => {
            let sleeps = row.number(&["sleeps"]).ok_or("a latch, a place and its sleeps")?;
            let name = told.whole_name("latch", row);
            let place = row.text(&["where"]).ok_or("a place in the code")?;
            let cells = [
                ("latch_name", Put::Text(&name)),
                ("code_place", Put::Text(place)),
                ("sleeps", Put::Number(Some(sleeps))),
            ];
            told.put(document, LATCH, &format!("{name} at {place}"), &cells);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_all_releases() {
        for (line, section) in [
            ("Top 5 Wait Events", Some(Section::TopEvents)),
            ("Top 5 Timed Events                                    Avg %Total", Some(Section::TopEvents)),
            ("Top 10 Foreground Events by Total Wait Time", Some(Section::TopEvents)),
            ("Wait Events for DB: PROD  Instance: prod  Snaps: 1 -2", Some(Section::Events)),
            ("Foreground Wait Events       DB/Inst: ORCL/orcl  Snaps: 37-38", Some(Section::Foreground)),
            ("Operating System Statistics - Detail DB/Inst: ORCL/orcl", Some(Section::Other)),
            ("Wait Event Histogram Detail (64 msec to 2 sec)DB/Inst: ORCL/orcl", Some(Section::Other)),
            ("Library Cache Activity  DB/Inst: ORCL/orcl", Some(Section::Other)),
            ("Foreground Wait Events          Snaps: 70719-70723", Some(Section::Foreground)),
            ("Wait events of users  Snaps: a-b", None),
            ("Latch Sleep breakdown for DB: A  Instance: a", Some(Section::LatchSleeps)),
            ("init.ora Parameters for DB: A  Instance: a", Some(Section::Parameters)),
            ("Wait events are what sessions wait for", None),
            ("Top 10 reasons to be here", None),
        ] {
            assert_eq!(of_line(line), section, "{line}");
        }
    }
}
