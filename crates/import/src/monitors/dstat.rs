//! `dstat`, `dool` and `pcp dstat`: groups of columns between bars, with a line of titles above that of headings.
//!
//! The first row covers the time since boot: of it levels are used. Sizes have three or four digits and a letter, powers of
//! 1024; other counts powers of 1000. All disks together are what came into memory from them; of all interfaces together no table
//! has a row. A group that is not known here is said to be left out.

use heldup_model::tables::{CpuRow, DiskRow, MemoryRow, NetIfRow, SystemRow, VmstatRow};
use heldup_model::{Record, TableDef};

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::civil::{DateOrder, date, time_of_day};
use crate::text::clock_line;
use crate::text::number::size;

const NAME: &str = "dstat";
/// Lines between two rows of one run: the heads of the next screen and a line that tells of skipped samples.
const MOST_GAP: u64 = 4;
/// Pages are as large on every machine that has this tool, but a few.
const PAGE_BYTES: f64 = 4096.0;

/// Reads `dstat`.
#[derive(Default)]
pub struct Dstat {
    titles: Option<(u64, Vec<String>)>,
    run: Option<Run>,
}

/// One run of the tool.
struct Run {
    /// The line of headings.
    headings: String,
    groups: Vec<Group>,
    /// How many groups stand between two bars.
    widths: Vec<usize>,
    is_first: bool,
    last_line: u64,
    last_ms: Option<i64>,
}

/// One group of columns.
struct Group {
    /// `total-cpu-usage`, `dsk/sda`; empty where the line of titles is missing.
    title: String,
    columns: Vec<String>,
}

/// The table, whose row, and what the values of a group are.
type Target<'g> = (&'static TableDef, Key<'g>, Vec<(&'static str, How)>);

/// What a value of a column becomes.
#[derive(Clone, Copy)]
enum How {
    /// Percent of the interval, of this many CPUs.
    Share,
    /// Bytes a second, in units of this many bytes.
    Bytes(f64),
    /// A count a second.
    Count,
    /// A level, and of bytes.
    Level,
    Size,
}

impl Importer for Dstat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(titles) = titles(line) {
            self.titles = Some((line.number, titles));
            return Ok(false);
        }
        if !line.text.contains('|') {
            return Ok(false);
        }
        let (groups, widths) = headings(line.text);
        let known = groups.iter().filter(|columns| is_known(columns)).count();
        if known < 2
            || groups
                .iter()
                .flatten()
                .any(|word| word.starts_with(|sign: char| sign.is_ascii_digit()) && !is_load(word))
        {
            return Ok(false);
        }
        if let Some(run) = self.run.as_mut().filter(|run| run.headings == line.text) {
            run.last_line = line.number;
            return Ok(true);
        }
        self.ends(document)?;
        document.begin(NAME);
        let above = self
            .titles
            .take()
            .filter(|(above, titles)| *above + 1 == line.number && titles.len() == groups.len());
        if above.is_some() {
            document.take_held(1);
        }
        let titles = above.map_or_else(|| vec![String::new(); groups.len()], |(_, titles)| titles);
        let groups: Vec<Group> =
            titles.into_iter().zip(groups).map(|(title, columns)| Group { title, columns }).collect();
        let left_out: Vec<String> =
            groups.iter().filter(|group| group.is_left_out()).map(Group::name).collect();
        document.leave_out(NAME, &left_out);
        document.note(
            "the first row of dstat covers the time since boot: its levels are used, its rates are not",
        );
        let (headings, last_line) = (line.text.to_owned(), line.number);
        self.run = Some(Run { headings, groups, widths, is_first: true, last_line, last_ms: None });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(run) = self.run.as_mut().filter(|run| line.number <= run.last_line + MOST_GAP) else {
            return Ok(false);
        };
        if line.text == run.headings {
            run.last_line = line.number;
            return Ok(true);
        }
        if titles(line).is_some() {
            run.last_line = line.number;
            return self.begins(line, document).map(|_| true);
        }
        let Some(rows) = run.cut(line.text) else { return Ok(false) };
        run.last_line = line.number;
        let Some(rows) = rows else {
            document.flaw(line.number, format!("dstat: expected values below {}", run.headings.trim()));
            return Ok(true);
        };
        run.write(&rows, document);
        document.end_sample(NAME)?;
        Ok(true)
    }

    fn ends(&mut self, _document: &mut Document) -> Result<(), ImportError> {
        self.run = None;
        Ok(())
    }
}

impl Run {
    /// The values of a row, by group; none where it is no row, and nothing in it where it is a damaged one.
    #[expect(clippy::option_option, reason = "no row, and a damaged one")]
    fn cut<'t>(&self, text: &'t str) -> Option<Option<Vec<Vec<&'t str>>>> {
        let segments: Vec<&str> = text.trim_end_matches("missed").trim_end().split('|').collect();
        if segments.len() < 2 && self.widths.len() > 1 {
            return None;
        }
        let mut rows: Vec<Vec<&str>> = Vec::new();
        for (segment, width) in segments.iter().zip(&self.widths) {
            match *width {
                1 => rows.push(segment.split_whitespace().collect()),
                _ => rows.extend(segment.split(':').map(|part| part.split_whitespace().collect())),
            }
        }
        let is_whole = segments.len() == self.widths.len()
            && rows.len() == self.groups.len()
            && rows.iter().zip(&self.groups).all(|(row, group)| group.takes(row));
        Some(Some(rows).filter(|_| is_whole))
    }

    fn write(&mut self, rows: &[Vec<&str>], document: &mut Document) {
        let when = self.when(rows, document);
        let cpus = document.cpus().map_or(1.0, |cpus| cpus as f64);
        for (group, row) in self.groups.iter().zip(rows) {
            group.write(row, when, cpus, document);
        }
    }

    fn when(&mut self, rows: &[Vec<&str>], document: &mut Document) -> When {
        let is_first = std::mem::replace(&mut self.is_first, false);
        let time =
            self.groups.iter().zip(rows).find(|(group, _)| group.is_time()).map(|(_, row)| row.as_slice());
        let Some(ms) = time.and_then(|words| instant_ms(words, document)) else {
            return document.moment_of_run(NAME, document.clock(), is_first, None);
        };
        let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
        When { ms, secs: since.filter(|secs| *secs > 0.0 && !is_first), floats: false }
    }
}

impl Group {
    fn has(&self, columns: &[&str]) -> bool {
        self.columns.iter().map(String::as_str).take(columns.len()).eq(columns.iter().copied())
    }

    fn is_time(&self) -> bool {
        self.columns.len() == 1 && matches!(self.columns[0].as_str(), "time" | "date/time" | "epoch")
    }

    fn name(&self) -> String {
        if self.title.is_empty() { self.columns.join(" ") } else { self.title.clone() }
    }

    /// The thing that a title names behind the kind of the group: `sda` of `dsk/sda`.
    fn thing(&self, kind: &str) -> Option<&str> {
        self.title.strip_prefix(kind)?.strip_prefix('/').filter(|thing| *thing != "total")
    }

    fn is_of_cpu(&self) -> bool {
        self.has(&["usr", "sys", "idl", "wai"])
    }

    fn is_left_out(&self) -> bool {
        !self.is_time() && self.target().is_none()
    }

    fn takes(&self, row: &[&str]) -> bool {
        if self.is_time() {
            return !row.is_empty() && row.len() <= 3;
        }
        let is_value = |word: &&str| *word == "-" || size(word, 1.0).is_some();
        self.is_left_out() || row.len() == self.columns.len() && row.iter().all(is_value)
    }

    /// The table, whose row, and what the values are.
    fn target(&self) -> Option<Target<'_>> {
        let thing = self.title.split_once('/').map_or("", |(_, thing)| thing);
        let of_machine = |def, columns: &[(&'static str, How)]| Some((def, Key::Host, columns.to_vec()));
        if self.is_of_cpu() {
            let known = [
                ("usr", "user_s"),
                ("sys", "system_s"),
                ("idl", "idle_s"),
                ("wai", "iowait_s"),
                ("hiq", "irq_s"),
                ("siq", "softirq_s"),
                ("stl", "steal_s"),
            ];
            let columns = self.columns.iter().map(|word| {
                known.iter().find(|(heading, _)| heading == word).map(|(_, column)| (*column, How::Share))
            });
            let number = self.title.strip_prefix("cpu").and_then(|rest| rest.split('-').next()?.parse().ok());
            let key = number.map_or(Key::All, Key::Number);
            return Some((CpuRow::DEF, key, columns.collect::<Option<Vec<_>>>()?));
        }
        match self.title.split('/').next().unwrap_or("") {
            "io" if self.has(&["read", "writ"]) => {
                let device = self.thing("io")?;
                Some((DiskRow::DEF, Key::Name(device), vec![("reads", How::Count), ("writes", How::Count)]))
            }
            "dsk" | "" if self.has(&["read", "writ"]) => match self.thing("dsk") {
                Some(device) => Some((
                    DiskRow::DEF,
                    Key::Name(device),
                    vec![("read_bytes", How::Bytes(1.0)), ("write_bytes", How::Bytes(1.0))],
                )),
                None => of_machine(
                    VmstatRow::DEF,
                    &[("page_in_bytes", How::Bytes(1.0)), ("page_out_bytes", How::Bytes(1.0))],
                ),
            },
            "net" if self.has(&["recv", "send"]) && thing != "total" => Some((
                NetIfRow::DEF,
                Key::Name(thing),
                vec![("rx_bytes", How::Bytes(1.0)), ("tx_bytes", How::Bytes(1.0))],
            )),
            _ if self.has(&["in", "out"]) => of_machine(
                VmstatRow::DEF,
                &[("swap_in_pages", How::Bytes(PAGE_BYTES)), ("swap_out_pages", How::Bytes(PAGE_BYTES))],
            ),
            _ if self.has(&["int", "csw"]) => {
                of_machine(SystemRow::DEF, &[("interrupts", How::Count), ("context_switches", How::Count)])
            }
            _ if self.has(&["run", "blk", "new"]) => of_machine(
                SystemRow::DEF,
                &[("runnable", How::Level), ("blocked", How::Level), ("forks", How::Count)],
            ),
            _ if self.has(&["1m", "5m", "15m"]) => of_machine(
                SystemRow::DEF,
                &[("load1", How::Level), ("load5", How::Level), ("load15", How::Level)],
            ),
            // What is used is the rest of the four.
            _ if self.columns.len() == 4 && self.has(&["used"]) => {
                let columns = self.columns.iter().map(|word| match word.as_str() {
                    "used" => Some(("", How::Size)),
                    "free" => Some(("free_bytes", How::Size)),
                    "buff" | "buf" => Some(("buffers_bytes", How::Size)),
                    "cach" => Some(("cached_bytes", How::Size)),
                    _ => None,
                });
                Some((MemoryRow::DEF, Key::Host, columns.collect::<Option<Vec<_>>>()?))
            }
            "swap" if self.has(&["used", "free"]) => {
                of_machine(MemoryRow::DEF, &[("swap_used_bytes", How::Size), ("swap_free_bytes", How::Size)])
            }
            _ => None,
        }
    }

    fn write(&self, row: &[&str], when: When, cpus: f64, document: &mut Document) {
        let Some((def, key, columns)) = self.target() else { return };
        let cpus = if key == Key::All { cpus } else { 1.0 };
        let value = |word: &str, how: How| match how {
            How::Share => Some(word.parse::<f64>().ok()? / 100.0 * when.secs? * cpus),
            How::Bytes(unit) => Some(size(word, 1.0)? / unit * when.secs?),
            How::Count => Some(count(word)?).and_then(|rate| Some(rate * when.secs?)),
            How::Level => count(word),
            How::Size => size(word, 1.0),
        };
        let mut cells: Vec<(&str, Put<'_>)> = columns
            .iter()
            .zip(row)
            .filter(|((column, _), _)| !column.is_empty())
            .map(|((column, how), word)| (*column, Put::Number(value(word, *how))))
            .collect();
        if def.name == MemoryRow::DEF.name && columns.len() == 2 {
            let total = row.iter().map(|word| size(word, 1.0)).sum::<Option<f64>>();
            cells.push(("swap_total_bytes", Put::Number(total)));
        }
        put_row(document, def, when, key, &cells);
    }
}

/// The titles of groups: `----total-cpu-usage---- -dsk/total- ---system--`.
fn titles(line: &Line<'_>) -> Option<Vec<String>> {
    let are_titles =
        line.words.len() >= 2 && line.words.iter().all(|word| word.starts_with('-') && word.ends_with('-'));
    let all: Vec<String> = line
        .words
        .iter()
        .flat_map(|word| word.split("--"))
        .map(|title| title.trim_matches('-').to_owned())
        .filter(|title| !title.is_empty())
        .collect();
    (are_titles && all.iter().any(|title| title.contains("cpu") || title.contains('/') || title == "system"))
        .then_some(all)
}

/// The columns of each group, and how many groups stand between two bars.
fn headings(text: &str) -> (Vec<Vec<String>>, Vec<usize>) {
    let mut groups = Vec::new();
    let widths = text.trim_end().split('|').map(|segment| {
        let before = groups.len();
        let parts = segment.split(':');
        groups.extend(parts.map(|part| part.split_whitespace().map(str::to_owned).collect::<Vec<String>>()));
        groups.len() - before
    });
    let widths = widths.collect();
    (groups, widths)
}

/// Whether a group is one that only these tools have.
fn is_known(columns: &[String]) -> bool {
    let words: Vec<&str> = columns.iter().map(String::as_str).collect();
    matches!(
        &words[..],
        ["usr", "sys", "idl", "wai", ..]
            | ["read", "writ"]
            | ["recv", "send"]
            | ["in", "out"]
            | ["int", "csw"]
            | ["run", "blk", "new"]
            | ["1m", "5m", "15m"]
            | ["used", "free"]
            | ["used", "buff", "cach", "free"]
            | ["used", "free", "buff" | "buf", "cach"]
            | ["time" | "date/time"]
    )
}

fn is_load(word: &str) -> bool {
    matches!(word, "1m" | "5m" | "15m")
}

/// A count: `1460`, `141k`, which is 141,000.
fn count(word: &str) -> Option<f64> {
    match word.strip_suffix('k') {
        Some(thousands) => Some(thousands.parse::<f64>().ok()? * 1000.0),
        None => word.parse().ok(),
    }
}

/// A time: `26-11 19:20:01` without its year, a date and a time, a time alone, or seconds since 1970.
fn instant_ms(words: &[&str], document: &mut Document) -> Option<i64> {
    if let [epoch] = words
        && let Some(told) = clock_line::seconds_since_1970(epoch)
    {
        return Some(document.instant_ms(told.day, told.seconds, told.zone_s));
    }
    let (last, before) = words.split_last()?;
    let seconds = time_of_day(&[last])?.seconds;
    match before {
        [] => {
            let day_s = document.base_day_s();
            Some((day_s + seconds - document.zone_at_s(None, day_s + seconds)) * 1000)
        }
        [day] => {
            if let Some(day) = date(day, DateOrder::DayFirst) {
                return Some(document.instant_ms(day, seconds, None));
            }
            let (one, other) = day.split_once('-')?;
            let (month, day) = match clock_line::month(one) {
                Some(month) => (month, other.parse().ok()?),
                None => (other.parse().ok()?, one.parse().ok()?),
            };
            let day = document.day_of_year(month, day)?;
            Some(document.instant_ms(day, seconds, None))
        }
        _ => None,
    }
}
