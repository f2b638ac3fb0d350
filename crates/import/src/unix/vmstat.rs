//! `vmstat`: of Linux in all its generations, of AIX, of Solaris (also `-p`), of HP-UX and of BSD.
//!
//! What a column means is recognised by its heading and by what else stands in the line: `re`, `pi` and
//! `sr` are AIX's pages or Solaris' kilobytes. The first line of a run is of the time since boot,
//! whose length nobody tells: its levels are kept, its rates are not.

use heldup_model::tables::{CpuRow, MemoryRow, SystemRow, VmstatRow};
use heldup_model::{Record, TableDef};

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::procps::translated;
use crate::stamped;
use crate::table::columns::Amount::{Level, Rate, Share};
use crate::table::columns::{Around, Field, Layout, Row, field};
use crate::table::sheets::{Key, When};
use crate::text::civil::{DAY_S, DateOrder, date, time_of_day, zone_offset_s};
use crate::text::command_line;
use crate::text::number::Cell;

/// Name of the format.
const NAME: &str = "vmstat";
/// Page of every machine but a few of those that these tools run on; noted where it is used.
const PAGE_BYTES: f64 = 4096.0;
const KIB: f64 = 1024.0;
const DAY_MS: i64 = DAY_S * 1000;

/// Of procps.
const CACHE: &str = "cache";

const SYSTEM: &TableDef = SystemRow::DEF;
const MEMORY: &TableDef = MemoryRow::DEF;
const VMSTAT: &TableDef = VmstatRow::DEF;
const CPU: &TableDef = CpuRow::DEF;

/// What every dialect has.
const EVERYWHERE: [Field; 9] = [
    field("r", SYSTEM, "runnable", Level(1.0)),
    field("b", SYSTEM, "blocked", Level(1.0)),
    field("in", SYSTEM, "interrupts", Rate(1.0)),
    field("cs", SYSTEM, "context_switches", Rate(1.0)),
    field("us", CPU, "user_s", Share),
    field("id", CPU, "idle_s", Share),
    field("wa", CPU, "iowait_s", Share),
    field("st", CPU, "steal_s", Share),
    field("%sy", CPU, "system_s", Share),
];

/// procps; sizes in units of 1024 bytes unless `-S` says otherwise. Its `us` has nice in it, and
/// its `sy` interrupts. Since 4.0.4 guests (`gu`) are taken out of `us`. Since 3.3.10 `cache` has the kernel's caches
/// that can shrink in it besides, which no column takes: such a release is recognised by the heads of its groups.
const LINUX: [Field; 12] = [
    field("swpd", MEMORY, "swap_used_bytes", Level(KIB)),
    field("free", MEMORY, "free_bytes", Level(KIB)),
    field("buff", MEMORY, "buffers_bytes", Level(KIB)),
    field(CACHE, MEMORY, "cached_bytes", Level(KIB)),
    field("inact", MEMORY, "inactive_bytes", Level(KIB)),
    field("active", MEMORY, "active_bytes", Level(KIB)),
    field("si", VMSTAT, "swap_in_pages", Rate(KIB / PAGE_BYTES)),
    field("so", VMSTAT, "swap_out_pages", Rate(KIB / PAGE_BYTES)),
    field("bi", VMSTAT, "page_in_bytes", Rate(KIB)),
    field("bo", VMSTAT, "page_out_bytes", Rate(KIB)),
    field("gu", CPU, "guest_s", Share),
    field("gu", CPU, "user_s", Share),
];

/// AIX: pages of 4 KB; `pi` and `po` are of paging space, `fi` and `fo` (`-I`) of files.
const AIX: [Field; 7] = [
    field("fre", MEMORY, "free_bytes", Level(PAGE_BYTES)),
    field("pi", VMSTAT, "swap_in_pages", Rate(1.0)),
    field("po", VMSTAT, "swap_out_pages", Rate(1.0)),
    field("fi", VMSTAT, "page_in_bytes", Rate(PAGE_BYTES)),
    field("fo", VMSTAT, "page_out_bytes", Rate(PAGE_BYTES)),
    field("fr", VMSTAT, "steal_kswapd_pages", Rate(1.0)),
    field("sr", VMSTAT, "scan_kswapd_pages", Rate(1.0)),
];

/// Solaris: kilobytes, but for the pages that were scanned.
const SOLARIS: [Field; 14] = [
    field("swap", MEMORY, "swap_free_bytes", Level(KIB)),
    field("free", MEMORY, "free_bytes", Level(KIB)),
    field("mf", VMSTAT, "faults", Rate(1.0)),
    field("pi", VMSTAT, "page_in_bytes", Rate(KIB)),
    field("po", VMSTAT, "page_out_bytes", Rate(KIB)),
    field("sr", VMSTAT, "scan_kswapd_pages", Rate(1.0)),
    // `-p`: of programs, of memory without a file, which comes from swap, and of files.
    field("epi", VMSTAT, "page_in_bytes", Rate(KIB)),
    field("api", VMSTAT, "page_in_bytes", Rate(KIB)),
    field("fpi", VMSTAT, "page_in_bytes", Rate(KIB)),
    field("epo", VMSTAT, "page_out_bytes", Rate(KIB)),
    field("apo", VMSTAT, "page_out_bytes", Rate(KIB)),
    field("fpo", VMSTAT, "page_out_bytes", Rate(KIB)),
    field("api", VMSTAT, "swap_in_pages", Rate(KIB / PAGE_BYTES)),
    field("apo", VMSTAT, "swap_out_pages", Rate(KIB / PAGE_BYTES)),
];

/// BSD: kilobytes, and pages in and out in numbers of times. Only what is the same in all of them.
const BSD: [Field; 3] = [
    field("fre", MEMORY, "free_bytes", Level(KIB)),
    field("flt", VMSTAT, "faults", Rate(1.0)),
    field("sr", VMSTAT, "scan_kswapd_pages", Rate(1.0)),
];

/// HP-UX: pages.
const HP_UX: [Field; 2] = [
    field("free", MEMORY, "free_bytes", Level(PAGE_BYTES)),
    field("sr", VMSTAT, "scan_kswapd_pages", Rate(1.0)),
];

/// Sizes of Linux, in KiB unless `-S` says otherwise, and KiB of its smallest page.
const SIZES: [&str; 6] = ["swpd", "free", "buff", "cache", "inact", "active"];
const PAGE_KIB: u64 = 4;

/// The heading is repeated for each screen, of 24 lines where there is none. Below fewer rows than this it is that of
/// another run: `vmstat >> log` in a loop, of which every row is of the time since boot.
const LEAST_OF_SCREEN: u64 = 10;

/// Reads `vmstat`.
#[derive(Default)]
pub struct Vmstat {
    /// Bytes of one unit of memory, as the last command line said.
    told_unit: Option<f64>,
    run: Option<Run>,
    cells: Row,
    /// Line of the last heads of groups, and whether they are of a release that counts caches of the kernel as `cache`.
    heads: (u64, bool),
}

/// One run of the tool.
struct Run {
    headings: Vec<String>,
    layout: Layout,
    /// Words before the first column: a time that somebody put before each line.
    before: usize,
    zone_s: Option<i64>,
    /// The machine that a parallel shell names before each line.
    host: Option<String>,
    is_first: bool,
    last_line: u64,
    /// Rows since the last heading.
    rows: u64,
    last_ms: Option<i64>,
    has_slab: bool,
    /// Sizes are in a unit that nobody tells (`-S`), and are not read.
    has_unknown_unit: bool,
}

impl Importer for Vmstat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let restored = translated::vmstat(line.words);
        let words = restored.as_deref().unwrap_or(line.words);
        let Some(before) = first_column(words) else {
            self.take_heads(line);
            return Ok(false);
        };
        let headings: Vec<String> = words.iter().skip(before).map(|word| (*word).to_owned()).collect();
        let zone_s = headings.last().and_then(|last| zone_offset_s(last));
        let host = host_before(line.words, before);
        if let Some(run) = self.run.as_mut().filter(|run| run.headings == headings) {
            if host.is_some() && run.host.is_some() && host != run.host.as_deref() {
                return Ok(is_of_another(document));
            }
            // The heading is repeated every screenful, with nothing but itself in between.
            let is_near = line.number <= run.last_line + 3 && document.clock_line() <= run.last_line;
            if is_near && (run.rows == 0 || run.rows >= LEAST_OF_SCREEN) {
                (run.last_line, run.rows) = (line.number, 0);
                return Ok(true);
            }
        }
        document.begin(NAME);
        let columns = columns(&headings);
        // Heads in another language do not tell which release it is.
        let has_slab = restored.is_some() || (self.heads.1 && line.number <= self.heads.0 + 1);
        let layout = Layout::of(&columns, &fields(&columns, self.told_unit.unwrap_or(KIB), has_slab));
        document.leave_out(NAME, &layout.unkept);
        if columns.contains(&"mf") && columns.contains(&"r") {
            document.note(
                "r of Solaris' vmstat counts tasks that wait for a CPU, without those that run: runnable is too low",
            );
        }
        self.run = Some(Run {
            layout,
            headings,
            before,
            zone_s,
            host: host_before(line.words, before).map(str::to_owned),
            is_first: true,
            last_line: line.number,
            rows: 0,
            last_ms: None,
            has_slab,
            has_unknown_unit: false,
        });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let first = line.words.first().copied().unwrap_or("");
        if matches!(first, "procs" | "kthr" | "--procs--") {
            self.take_heads(line);
            return Ok(true);
        }
        if first_column(line.words).is_some() || translated::vmstat(line.words).is_some() {
            return self.begins(line, document);
        }
        let Some(run) = self.run.as_mut() else { return Ok(false) };
        let Some(words) = line.words.get(run.before..).filter(|words| !words.is_empty()) else {
            return Ok(false);
        };
        self.cells.read(words.get(..run.layout.width).unwrap_or(words));
        if run.host.is_some() && run.host.as_deref() != host_before(line.words, run.before) {
            return Ok(is_of_another(document));
        }
        let Row { cells, numbers: whole, .. } = &self.cells;
        let whole = *whole;
        if cells.first().is_none_or(|first| *first == Cell::Words) {
            return Ok(false);
        }
        if whole < run.layout.width {
            // A number at the beginning of a sentence, or a line that was damaged.
            if whole * 2 < run.layout.width {
                return Ok(false);
            }
            let what = format!("vmstat: {whole} numbers; expected {}", run.layout.width);
            document.flaw(line.number, what);
            run.last_line = line.number;
            return Ok(true);
        }
        if line.is_cut && words.len() == run.layout.width && cells.len() > 1 {
            document.note("the last line is incomplete: its last number may be truncated");
        }
        if self.told_unit.is_none() && !run.has_unknown_unit && !run.are_pages(words) {
            run.leave_sizes_out(document);
        }
        (run.last_line, run.rows) = (line.number, run.rows + 1);
        let after = words.get(run.layout.width..).unwrap_or_default();
        let when = run.when(&line.words[..run.before], after, document);
        let around = Around { when, key: Key::All, cpus: document.cpus().unwrap_or(1) as f64 };
        run.layout.write(cells, around, &mut document.sheets);
        document.end_sample(NAME)?;
        Ok(true)
    }

    fn command(&mut self, words: &[&str]) {
        if let Some(arguments) = command_line::arguments(words, "vmstat") {
            self.told_unit = Some(memory_unit(arguments));
        }
    }

    fn ends(&mut self, _document: &mut Document) -> Result<(), ImportError> {
        Ok(())
    }
}

impl Vmstat {
    fn take_heads(&mut self, line: &Line<'_>) {
        if line.words.iter().take(5).any(|word| matches!(*word, "procs" | "--procs--")) {
            let has = |head: &str| line.words.contains(&head);
            self.heads = (line.number, has("-system--") && !has("----cpu----"));
        }
    }
}

impl Run {
    /// Whether the sizes of a row of Linux may be of KiB: all of them are of whole pages then.
    fn are_pages(&self, words: &[&str]) -> bool {
        let is_linux = self.headings.iter().any(|heading| heading == "swpd");
        let sizes = self.headings.iter().zip(words).filter(|(heading, _)| SIZES.contains(&heading.as_str()));
        let is_of_pages = |word: &str| word.parse::<u64>().map_or(true, |size| size % PAGE_KIB == 0);
        !is_linux || sizes.into_iter().all(|(_, word)| is_of_pages(word))
    }

    fn leave_sizes_out(&mut self, document: &mut Document) {
        document.note("vmstat: unknown unit of memory (-S without its command line): sizes are not read");
        self.has_unknown_unit = true;
        let columns = columns(&self.headings);
        let mut fields = fields(&columns, KIB, self.has_slab);
        fields.retain(|field| !SIZES.contains(&field.heading));
        self.layout = Layout::of(&columns, &fields);
    }

    /// The sample's time: printed behind it (`-t`), put before it or above it, or none.
    fn when(&mut self, before: &[&str], after: &[&str], document: &mut Document) -> When {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if is_first {
            document.note_text(
                "the first line of vmstat covers the time since boot: its levels are used, its rates are not"
                    .to_owned(),
            );
        }
        let order = document.times.dates.order;
        let printed = stamp(after, order).or_else(|| {
            let (told, _) = stamped::before(before, order, document.hints.latest_ms())?;
            Some((told.day, told.seconds, told.zone_s))
        });
        let ms = match printed {
            Some((day, seconds, zone)) => {
                document.took_date(after);
                document.took_date(before);
                Some(document.instant_ms(day, seconds, zone.or(self.zone_s)))
            }
            None => self.time_alone(after, document).or_else(|| self.time_alone(before, document)),
        };
        let Some(ms) = ms else {
            return document.moment_of_run(NAME, document.clock(), is_first, None);
        };
        let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
        When { ms, secs: since.filter(|secs| *secs > 0.0 && !is_first), floats: false }
    }
}

impl Run {
    /// A time without a date, which AIX prints behind a row (`-t`) and scripts put before it; past midnight it
    /// begins anew.
    fn time_alone(&self, after: &[&str], document: &mut Document) -> Option<i64> {
        let time = time_of_day(after)?;
        let ms = (document.base_day_s() + time.seconds - document.zone_s(None)) * 1000;
        let days = self.last_ms.map_or(0, |last| (last - ms + DAY_MS / 2).div_euclid(DAY_MS).max(0));
        Some(ms + days * DAY_MS)
    }
}

/// A date and a time, and the zone where it follows.
fn stamp(words: &[&str], order: DateOrder) -> Option<(jiff::civil::Date, i64, Option<i64>)> {
    let day = date(words.first()?, order)?;
    let time = time_of_day(words.get(1..)?)?;
    let zone = words.get(1 + time.words).and_then(|word| zone_offset_s(word));
    Some((day, time.seconds, zone))
}

/// The machine that a parallel shell (`pdsh`, `clush`) names before a line.
fn host_before<'w>(words: &[&'w str], before: usize) -> Option<&'w str> {
    let host = words.first().filter(|_| before == 1)?.strip_suffix(':')?;
    let is_number = host.bytes().all(|byte| byte.is_ascii_digit());
    (time_of_day(&[host]).is_none() && !is_number).then_some(host)
}

/// Lines of several machines come in any order: those of the first are read.
fn is_of_another(document: &mut Document) -> bool {
    document.note("vmstat: lines of several machines; only those of the first are read");
    true
}

/// Where the columns begin, in a line of headings.
fn first_column(words: &[&str]) -> Option<usize> {
    if words.len() < 8 {
        return None;
    }
    if let Some(at) = words.iter().take(5).position(|word| *word == "swap")
        && PAGES.iter().all(|name| words.contains(name))
    {
        return Some(at);
    }
    // A time may stand before them; of a row of numbers no more is looked at.
    let at =
        words.iter().take(5).position(|word| *word == "r").filter(|at| words.get(at + 1) == Some(&"b"))?;
    let has = |names: &[&str]| names.iter().any(|name| words[at..].contains(name));
    let is_whole = has(&["free", "fre"]) && has(&["us"]) && has(&["id"]) && has(&["cs"]);
    (is_whole || scanned_width(&words[at..]).is_some()).then_some(at)
}

/// Headings that only `vmstat -p` of Solaris has.
const PAGES: [&str; 6] = ["epi", "epo", "api", "apo", "fpi", "fpo"];

/// What is enough of a heading whose end a scanner of pages has not read: the rest is not guessed at.
const SCANNED: [&str; 12] = ["r", "b", "swpd", "free", "buff", "cache", "si", "so", "bi", "bo", "in", "cs"];

/// How many columns such a heading has; before 2.6 tasks that were swapped out (`w`) are one more.
fn scanned_width(headings: &[impl AsRef<str>]) -> Option<usize> {
    let mut words =
        headings.iter().map(AsRef::as_ref).enumerate().filter(|(at, word)| *at != 2 || *word != "w");
    let last = SCANNED.iter().map(|wanted| words.next().filter(|(_, word)| word == wanted)).last()??;
    let is_whole = SCANNED.iter().all(|wanted| headings.iter().any(|word| word.as_ref() == *wanted));
    is_whole.then_some(last.0 + 1)
}

/// The headings of numbers: without the zone of `-t`; the last `sy` is CPU time where an earlier
/// one counts system calls.
fn columns(headings: &[String]) -> Vec<&str> {
    let width =
        headings.iter().rposition(|word| CPU_HEADINGS.contains(&word.as_str())).map_or(0, |at| at + 1);
    if headings.iter().any(|word| word == PAGES[0]) {
        return headings.iter().map(String::as_str).collect();
    }
    let is_scanned = !headings.iter().any(|word| word == "us");
    let width = if is_scanned { scanned_width(headings).unwrap_or(SCANNED.len()) } else { width };
    let mut columns: Vec<&str> = headings.iter().take(width).map(String::as_str).collect();
    if let Some(last) = columns.iter().rposition(|heading| *heading == "sy") {
        columns[last] = "%sy";
    }
    columns
}

/// The headings that a line of vmstat may end with. AIX on a shared processor adds `pc` and `ec`.
const CPU_HEADINGS: [&str; 8] = ["us", "sy", "id", "wa", "st", "gu", "pc", "ec"];

/// What the headings mean in the dialect that they are of.
fn fields(columns: &[&str], unit_bytes: f64, has_slab: bool) -> Vec<Field> {
    let has = |name| columns.contains(&name);
    let own: &[Field] = if has("swpd") {
        &LINUX
    } else if has("flt") {
        &BSD
    } else if has("fre") {
        &AIX
    } else if has("avm") {
        &HP_UX
    } else {
        &SOLARIS
    };
    let scaled = own.iter().map(|field| match field.amount {
        Level(factor) if factor == KIB && has("swpd") => Field { amount: Level(unit_bytes), ..*field },
        _ => *field,
    });
    let known = EVERYWHERE.iter().copied().chain(scaled);
    known.filter(|field| !(has_slab && field.heading == CACHE)).collect()
}

/// What `-S` says: bytes of a unit.
fn memory_unit(arguments: &[&str]) -> f64 {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(rest) = word.strip_prefix("-S") else { continue };
        let unit = if rest.is_empty() { words.next().copied().unwrap_or("") } else { rest };
        return match unit {
            "k" => 1000.0,
            "m" => 1e6,
            "M" => 1_048_576.0,
            _ => KIB,
        };
    }
    KIB
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::columns::assert_fields;

    #[test]
    fn every_field_has_a_column() {
        for fields in [&EVERYWHERE[..], &LINUX, &AIX, &BSD, &SOLARIS, &HP_UX] {
            assert_fields(fields);
        }
    }

    #[test]
    fn releases_that_count_more_as_cache_are_told_by_the_heads() {
        let check = |heads: &str, expect| {
            let words: Vec<&str> = heads.split_whitespace().collect();
            let mut vmstat = Vmstat::default();
            vmstat.take_heads(&Line { number: 7, words: &words, text: heads, is_cut: false });
            assert_eq!(vmstat.heads, (if words.is_empty() { 0 } else { 7 }, expect), "{heads}");
        };
        check("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----", true);
        check("--procs-- ---memory--- ---swap-- -----io---- -system-- ----------cpu----------", true);
        check("procs -----------memory---------- ---swap-- -----io---- -system-- ----cpu----", false);
        check("procs -----------memory---------- ---swap-- -----io---- --system-- -----cpu------", false);
        check("   procs                      memory      swap          io     system      cpu", false);
        check("", false);
    }

    #[test]
    fn headings_are_told_from_prose() {
        let check = |line: &str, expect| {
            assert_eq!(first_column(&line.split_whitespace().collect::<Vec<_>>()), expect, "{line}");
        };
        check(" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st", Some(0));
        check("2026-11-22 05:00:00 r b swpd free buff cache si so bi bo in cs us sy id wa", Some(2));
        check("r b avm fre re pi po fr sr cy in sy cs us sy id wa", Some(0));
        check("r b w swap free re mf pi po fr de sr s0 s1 in sy cs us sy id", Some(0));
        check("swap free re mf fr de sr epi epo epf api apo apf fpi fpo fpf", Some(0));
        check("r b w avm fre flt re pi po fr sr mm0 in sy cs us sy id", Some(0));
        check("r b w swpd free buff cache si so bi bo in cs us", Some(0));
        check("the columns r b and free us sy id", None);
        check("r b", None);
    }
}
