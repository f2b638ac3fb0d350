//! Profiles by function: `opreport` (`-l`, `-c`), `perf report`, `perf top`, Go's `pprof -top`, and the profile of
//! Solaris `lockstat` (`-I`). What was counted stands above the list.

use heldup_model::tables::ProfileRow;
use heldup_model::{Record, TableDef};

use crate::document::first_line::{FirstLine, replay};
use crate::document::put::{Put, percent, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::perf_report::{self, PerfColumns};
use crate::profilers::perf_script::{CPU_EVENTS, base_name};
use crate::profilers::profile_row::Row;
use crate::table::sheets::When;

const PROFILE: &TableDef = ProfileRow::DEF;
/// Lines between what was counted and the list.
const LONGEST_HEAD: u64 = 8;

/// What profiles of Go are of, in the line above them.
const PPROF_TYPES: [&str; 9] = [
    "cpu",
    "inuse_space",
    "inuse_objects",
    "alloc_space",
    "alloc_objects",
    "delay",
    "contentions",
    "goroutine",
    "threadcreate",
];
/// Blanks before functions of a tree of callers.
const TREE_INDENT: usize = 12;
/// Lines of callers below a function.
const LONGEST_TREE: u64 = 10_000;

/// Reads profiles.
#[derive(Default)]
pub struct Profile {
    /// What was counted, each in a line, and the last of these lines.
    counted: Vec<String>,
    counted_line: u64,
    /// All samples of `perf report`, where it has not rounded them.
    total: Option<f64>,
    listing: Option<Listing>,
    /// A row of perf whose headings were not copied: the next has to agree.
    first: FirstLine,
    first_columns: Option<PerfColumns>,
}

struct Listing {
    tool: &'static str,
    when: When,
    layout: Layout,
    /// For each pair of samples and their share.
    counted: Vec<String>,
    /// All samples of `perf report`, where it has not rounded them.
    total: Option<f64>,
    /// Lines of dashes between functions: callers stand indented among them.
    has_callers: bool,
    rows: u64,
    last_line: u64,
}

/// What stands in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// `[vma] samples % [samples % …] [linenr info] [image] [app] [symbol]`: how many events, how many names stand before the
    /// symbol, and whether there is one.
    Opreport { has_address: bool, events: usize, has_line: bool, images: usize, has_symbol: bool },
    /// `samples pcnt function DSO`.
    PerfTop,
    /// `Overhead [Self] [Samples] [Command] [Shared Object] Symbol`.
    PerfReport(PerfColumns),
    /// `flat flat% sum% cum cum% function`.
    Pprof,
    /// `Count indv|genr cuml rcnt nsec CPU+PIL Caller`.
    Lockstat { is_inclusive: bool },
}

impl Importer for Profile {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near = !self.counted.is_empty() && line.number <= self.counted_line + LONGEST_HEAD;
        if let Some(counted) = counted(line.words) {
            // Above the columns the names stand again, cut to their width.
            let is_again = is_near && line.words.first() != Some(&"Counted");
            if !is_near {
                self.counted.clear();
            }
            if !is_again {
                self.counted.push(counted);
                self.total = perf_report::total(line.words);
            }
            self.counted_line = line.number;
            return Ok(false);
        }
        let Some((tool, layout)) = headings(line.words, is_near) else {
            return self.begin_without_headings(line, document);
        };
        self.end(document)?;
        document.begin(tool);
        let mut counted = std::mem::take(&mut self.counted);
        if !is_near || counted.is_empty() {
            counted = vec!["cpu".to_owned()];
        }
        // That of Go says when it began (`Time: 2026-11-26 16:34:38 UTC`).
        let when = match layout {
            Layout::Pprof => document.moment(tool),
            _ => document.floating(None),
        };
        self.listing = Some(Listing {
            tool,
            when,
            layout,
            counted,
            total: self.total.take().filter(|_| is_near),
            has_callers: false,
            rows: 0,
            last_line: line.number,
        });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words.first() == Some(&"PerfTop:") {
            // The next screen.
            self.end(document)?;
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.as_mut() else { return Ok(false) };
        if line.words.len() == 1 && line.words[0].len() > 3 && line.words[0].bytes().all(|byte| byte == b'-')
        {
            listing.has_callers |=
                listing.rows > 0 || matches!(listing.layout, Layout::Opreport { images: 2, .. });
            listing.last_line = line.number;
            return Ok(true);
        }
        let is_of_perf = matches!(listing.layout, Layout::PerfReport(_));
        let longest_gap = if is_of_perf { LONGEST_TREE } else { 3 };
        let first = line.words.first().copied().unwrap_or("");
        if first.starts_with('#') || line.number > listing.last_line + longest_gap {
            return Ok(false);
        }
        // Callers of a function (`-g`) are drawn as a tree below it.
        let is_branch = first.starts_with(['|', '-']) || line.text.starts_with(&" ".repeat(TREE_INDENT));
        if is_of_perf && is_branch && !first.ends_with('%') {
            return Ok(true);
        }
        let Some(row) = Row::of(listing.layout, line.words) else { return Ok(false) };
        listing.last_line = line.number;
        if listing.has_callers && is_indented(line) {
            return Ok(true);
        }
        listing.rows += 1;
        let counted = listing.counted.first().map_or("cpu", String::as_str);
        listing.write(&row, counted, document);
        for ((samples, self_share), counted) in row.others.iter().zip(listing.counted.iter().skip(1)) {
            let other = Row { samples: Some(*samples), self_share: Some(*self_share), ..row.clone() };
            listing.write(&other, counted, document);
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl Listing {
    fn write(&self, row: &Row, counted: &str, document: &mut Document) {
        let function = row.function.as_deref().unwrap_or("");
        // Of few samples it matters how few: a share of three is no share.
        let of_total = || Some((self.total? * row.inclusive_share.or(row.self_share)?).round());
        let samples = row.samples.or_else(of_total);
        let mut identity = format!("{counted} {function} {} {}", row.image, row.process);
        if self.tool == "perf top" {
            // It cuts names to the screen's width: two functions may have one.
            identity = format!("{identity} {}", self.rows);
        }
        let mut cells = vec![
            ("counted", Put::Text(counted)),
            ("samples", Put::Number(samples)),
            ("self_share", Put::Number(row.self_share)),
            ("inclusive_share", Put::Number(row.inclusive_share)),
        ];
        for (column, text) in
            [("function_name", function), ("image_name", &row.image), ("process_name", &row.process)]
        {
            if !text.is_empty() {
                cells.push((column, Put::Text(text)));
            }
        }
        put(document, PROFILE, self.when, &identity, &cells);
    }
}

impl Profile {
    /// Two rows of a screen of perf, one below the other.
    fn begin_without_headings(
        &mut self,
        line: &Line<'_>,
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        let Some((columns, is_top)) = PerfColumns::of_row(line.words) else { return Ok(false) };
        let held = self.first.before(line).filter(|_| self.first_columns == Some(columns));
        let Some(held) = held else {
            self.first.hold(line);
            self.first_columns = Some(columns);
            return Ok(false);
        };
        self.end(document)?;
        let tool = if is_top { "perf top" } else { "perf report" };
        document.begin(tool);
        let is_near = !self.counted.is_empty() && held.0 <= self.counted_line + LONGEST_HEAD;
        let counted = std::mem::take(&mut self.counted);
        self.listing = Some(Listing {
            tool,
            when: document.moment(tool),
            layout: Layout::PerfReport(columns),
            counted: if is_near { counted } else { vec!["cpu".to_owned()] },
            total: self.total.take().filter(|_| is_near),
            has_callers: false,
            rows: 0,
            last_line: held.0,
        });
        replay(&held, document, |line, document| self.goes_on(line, document))?;
        self.goes_on(line, document)
    }

    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take().filter(|listing| listing.rows > 0) {
            Some(listing) => document.end_sample(listing.tool),
            None => Ok(()),
        }
    }
}

/// What was counted, as the line above a list says.
fn counted(words: &[&str]) -> Option<String> {
    let name = match words {
        ["Counted", name, "events", ..] => name,
        ["Profiling", "interrupt:", ..] | ["Profiling", "through", "timer", "interrupt"] => {
            return Some("cpu".to_owned());
        }
        // Above the columns of opreport, cut to their width: `CPU_CLK_UNHALT...|`; scanned pages have
        // lost the lines between the words.
        [_, ..] if words.len() <= 3 && words.join("_").starts_with("CPU_CLK_UNHALT") => {
            return Some("cpu".to_owned());
        }
        ["#", "Samples:", rest @ ..] | ["Samples:", rest @ ..] => perf_report::event(rest)?,
        ["#", "Events:", _, name] => name,
        // `PerfTop:  10183 irqs/sec  kernel:12.3%  … [4000Hz cycles],  (all, 2 CPUs)`
        ["PerfTop:", .., _, _] => {
            let at = words.iter().position(|word| word.starts_with('[') && word.contains("Hz"))?;
            words.get(at + 1)?.trim_end_matches([',', ']'])
        }
        // Of Go: time on a CPU, memory, waits.
        ["Type:", name] if PPROF_TYPES.contains(name) => name,
        // Made of what perf recorded: `cycles:ppp_event`.
        ["Type:", name] if name.ends_with("_event") => name.strip_suffix("_event")?,
        _ => return None,
    };
    let lower = name.to_ascii_lowercase();
    let is_cpu =
        lower == "cpu" || lower.starts_with("cpu_clk_unhalted") || CPU_EVENTS.contains(&base_name(&lower));
    Some(if is_cpu { "cpu".to_owned() } else { (*name).to_owned() })
}

/// The tool of a line of headings.
fn headings(words: &[&str], is_counted: bool) -> Option<(&'static str, Layout)> {
    let has = |name: &str| words.contains(&name);
    let images = words.windows(2).filter(|pair| matches!(pair, ["image" | "app", "name"])).count();
    let has_symbol = words.windows(2).any(|pair| pair == ["symbol", "name"]);
    let events = words.windows(2).filter(|pair| matches!(pair, ["samples", "%"])).count().max(1);
    let has_line = words.windows(2).any(|pair| pair == ["linenr", "info"]);
    let opreport =
        |has_address, images| Layout::Opreport { has_address, events, has_line, images, has_symbol };
    match words {
        ["samples", "%", "symbol", "name"] if is_counted => Some(("opreport", opreport(false, 0))),
        ["samples", "%", ..] if images > 0 || is_counted => {
            Some(("opreport", opreport(false, images.max(1))))
        }
        ["vma", "samples", "%", ..] if images > 0 || is_counted => {
            Some(("opreport", opreport(true, images.max(1))))
        }
        ["samples"] if is_counted => Some(("opreport", opreport(false, 1))),
        ["samples", "pcnt", ..] => Some(("perf top", Layout::PerfTop)),
        ["#", names @ ..] | names if PerfColumns::of(names).is_some() => {
            Some(("perf report", Layout::PerfReport(PerfColumns::of(names)?)))
        }
        ["flat", "flat%", "sum%", "cum", "cum%"] => Some(("pprof", Layout::Pprof)),
        ["Count", kind @ ("genr" | "indv"), "cuml", ..] if has("Caller") && has("CPU+PIL") => {
            Some(("lockstat", Layout::Lockstat { is_inclusive: *kind == "genr" }))
        }
        _ => None,
    }
}

impl Row {
    fn of(layout: Layout, words: &[&str]) -> Option<Row> {
        match layout {
            Layout::Opreport { .. } => Row::of_opreport(words, layout),
            Layout::PerfTop => {
                let [samples, share, function @ .., image] = words else { return None };
                let self_share = percent(share.strip_suffix('%')?)?;
                Some(Row {
                    function: Some(function.join(" ")).filter(|name| !name.is_empty()),
                    image: (*image).to_owned(),
                    samples: Some(samples.parse().ok()?),
                    self_share: Some(self_share),
                    ..Row::default()
                })
            }
            Layout::PerfReport(columns) => columns.row(words),
            Layout::Pprof => {
                let [_, flat, _, _, cum, name @ ..] = words else { return None };
                let name = name.join(" ");
                let name = name.strip_suffix(" (inline)").unwrap_or(&name);
                Some(Row {
                    function: Some(name.to_owned()).filter(|name| !name.is_empty()),
                    self_share: Some(percent(flat.strip_suffix('%')?)?),
                    inclusive_share: Some(percent(cum.strip_suffix('%')?)?),
                    ..Row::default()
                })
            }
            Layout::Lockstat { is_inclusive } => {
                let [count, share, _, _, _, _, caller] = words else { return None };
                let share = percent(share.strip_suffix('%')?)?;
                Some(Row {
                    function: Some((*caller).to_owned()),
                    image: if *caller == "(usermode)" { String::new() } else { "kernel".to_owned() },
                    samples: Some(count.parse().ok()?),
                    self_share: (!is_inclusive).then_some(share),
                    inclusive_share: is_inclusive.then_some(share),
                    ..Row::default()
                })
            }
        }
    }

    fn of_opreport(words: &[&str], layout: Layout) -> Option<Row> {
        let Layout::Opreport { has_address, events, has_line, images, has_symbol } = layout else {
            return None;
        };
        let words = words.get(usize::from(has_address)..)?;
        let mut pairs = Vec::new();
        for event in 0..events {
            let samples: f64 = words.get(2 * event)?.parse().ok()?;
            let share = words.get(2 * event + 1)?;
            // Of an event without samples it says so in a sign.
            let share = if *share == "-" { 0.0 } else { percent(share)? };
            pairs.push((samples, share));
        }
        let (samples, self_share) = pairs.remove(0);
        let mut names = words.get(2 * events..)?;
        if has_line {
            names = match names {
                ["(no", "location", "information)", rest @ ..] | [_, rest @ ..] => rest,
                [] => return None,
            };
        }
        let mut name = || {
            let (first, rest) = names.split_first()?;
            // `anon (tgid:2345 range:0x7f0000-0x7f1000)`
            let more = match rest.first() {
                Some(word) if word.starts_with("(tgid:") => {
                    rest.iter().position(|word| word.ends_with(')')).map_or(0, |at| at + 1)
                }
                _ => 0,
            };
            names = &rest[more..];
            Some((*first).to_owned())
        };
        let image = if images > 0 { name()? } else { String::new() };
        let process = if images > 1 { name()? } else { String::new() };
        let symbol = names.join(" ");
        if symbol.is_empty() == has_symbol {
            return None;
        }
        // Of an image without symbols the path of the image stands in their place.
        let is_path = symbol.starts_with('/') && symbol.rsplit('/').next() == image.rsplit('/').next();
        let function = Some(symbol).filter(|name| !name.is_empty() && name != "(no symbols)" && !is_path);
        let samples = Some(samples);
        Some(Row {
            function,
            image,
            process,
            samples,
            self_share: Some(self_share),
            inclusive_share: None,
            others: pairs,
        })
    }
}

/// Whether a row of `opreport -c` is a caller or what is called: it stands further in. A number that
/// counts the lines, and the blank behind it, are no indentation.
fn is_indented(line: &Line<'_>) -> bool {
    let is_counted = line.text.split_whitespace().count() > line.words.len();
    let text = match line.text.split_once(' ') {
        Some((_, behind)) if is_counted => behind,
        _ => line.text,
    };
    text.starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(line: &str) -> Option<(&'static str, Layout)> {
        headings(&line.split_whitespace().collect::<Vec<_>>(), false)
    }

    #[test]
    fn headings_of_the_tools() {
        let tool = |line: &str| layout(line).map(|(tool, _)| tool);
        assert_eq!(tool("samples % app name symbol name"), Some("opreport"));
        assert_eq!(tool("samples pcnt function DSO"), Some("perf top"));
        assert_eq!(tool("# Overhead Command Shared Object Symbol"), Some("perf report"));
        assert_eq!(tool("Count genr cuml rcnt nsec Hottest CPU+PIL Caller"), Some("lockstat"));
        assert_eq!(tool("flat flat% sum% cum cum%"), Some("pprof"));
        assert_eq!(tool("samples"), None);
        assert_eq!(tool("samples % of the whole"), None);
    }

    #[test]
    fn rows_of_the_tools() {
        let row = |head: &str, line: &str| {
            let (_, layout) = layout(head).unwrap();
            Row::of(layout, &line.split_whitespace().collect::<Vec<_>>()).unwrap()
        };
        let read =
            row("samples % image name app name symbol name", "467 43.3801 vmlinux postgres __slab_alloc");
        assert_eq!((read.function.as_deref(), read.process.as_str()), (Some("__slab_alloc"), "postgres"));
        let read = row(
            "# Overhead Command Shared Object Symbol",
            "12.50% my prog [kernel.kallsyms] [k] _raw_spin_lock",
        );
        assert_eq!((read.image.as_str(), read.process.as_str()), ("[kernel.kallsyms]", "my prog"));
        assert_eq!(read.self_share, Some(0.125));
        let read =
            row("flat flat% sum% cum cum%", "0.10s 2.50% 90.00% 3.60s 90.00% main.(*shop).add (inline)");
        assert_eq!(
            (read.function.as_deref(), read.self_share, read.inclusive_share),
            (Some("main.(*shop).add"), Some(0.025), Some(0.9))
        );
        let read = row(
            "Count genr cuml rcnt nsec Hottest CPU+PIL Caller",
            "387 58% ---- 0.00 947 cpu[2] mutex_vector_enter",
        );
        assert_eq!((read.samples, read.inclusive_share, read.self_share), (Some(387.0), Some(0.58), None));
    }
}
