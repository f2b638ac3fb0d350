//! Profiles by function: `opreport` (`-l`, `-c`), `perf report`, `perf top`, and the profile of
//! Solaris `lockstat` (`-I`). What was counted stands above the list.

use heldup_model::tables::ProfileRow;
use heldup_model::{Record, TableDef};

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::put::{Put, percent, put};
use crate::sheets::When;

const PROFILE: &TableDef = ProfileRow::DEF;
/// Lines between what was counted and the list.
const LONGEST_HEAD: u64 = 8;

/// Reads profiles.
#[derive(Default)]
pub struct Profile {
    /// What was counted, and the line that said so.
    counted: Option<(String, u64)>,
    listing: Option<Listing>,
}

struct Listing {
    tool: &'static str,
    when: When,
    layout: Layout,
    counted: String,
    /// Lines of dashes between functions: callers stand indented among them.
    has_callers: bool,
    rows: u64,
    last_line: u64,
}

/// What stands in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// `samples % [image] [app] [symbol]`: how many names stand before the symbol, and whether there is one.
    Opreport { images: usize, has_symbol: bool },
    /// `samples pcnt function DSO`.
    PerfTop,
    /// `Overhead [Self] [Samples] Command Shared Object Symbol`.
    PerfReport { has_children: bool, has_samples: bool },
    /// `Count indv|genr cuml rcnt nsec CPU+PIL Caller`.
    Lockstat { is_inclusive: bool },
}

impl Importer for Profile {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(counted) = counted(line.words) {
            self.counted = Some((counted, line.number));
            return Ok(false);
        }
        let is_near = self.counted.as_ref().is_some_and(|(_, at)| line.number <= at + LONGEST_HEAD);
        let Some((tool, layout)) = headings(line.words, is_near) else { return Ok(false) };
        self.end(document)?;
        document.begin(tool);
        let counted = self.counted.take().filter(|_| is_near).map_or("cpu".to_owned(), |(what, _)| what);
        let when = document.floating(None);
        self.listing = Some(Listing {
            tool,
            when,
            layout,
            counted,
            has_callers: false,
            rows: 0,
            last_line: line.number,
        });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(listing) = self.listing.as_mut() else { return Ok(false) };
        if line.words.len() == 1 && line.words[0].len() > 3 && line.words[0].bytes().all(|byte| byte == b'-')
        {
            listing.has_callers |=
                listing.rows > 0 || matches!(listing.layout, Layout::Opreport { images: 2, .. });
            listing.last_line = line.number;
            return Ok(true);
        }
        if line.words.first().is_some_and(|word| word.starts_with('#')) || line.number > listing.last_line + 3
        {
            return Ok(false);
        }
        let Some(row) = Row::of(listing.layout, line.words) else { return Ok(false) };
        listing.last_line = line.number;
        if listing.has_callers && is_indented(line) {
            return Ok(true);
        }
        listing.rows += 1;
        let identity = format!("{} {} {}", row.function.as_deref().unwrap_or(""), row.image, row.process);
        let mut cells = vec![
            ("counted", Put::Text(listing.counted.as_str())),
            ("samples", Put::Number(row.samples)),
            ("self_share", Put::Number(row.self_share)),
            ("inclusive_share", Put::Number(row.inclusive_share)),
        ];
        for (column, text) in [
            ("function_name", row.function.as_deref().unwrap_or("")),
            ("image_name", &row.image),
            ("process_name", &row.process),
        ] {
            if !text.is_empty() {
                cells.push((column, Put::Text(text)));
            }
        }
        put(document, PROFILE, listing.when, &identity, &cells);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl Profile {
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
        ["Profiling", "interrupt:", ..] => return Some("cpu".to_owned()),
        // Above the columns of opreport, cut to their width: `CPU_CLK_UNHALT...|`; scanned pages have
        // lost the lines between the words.
        [_, ..] if words.len() <= 3 && words.join("_").starts_with("CPU_CLK_UNHALT") => {
            return Some("cpu".to_owned());
        }
        ["#", "Samples:", .., name] => name.trim_matches('\''),
        _ => return None,
    };
    let lower = name.to_ascii_lowercase();
    let is_cpu = lower.starts_with("cpu_clk_unhalted")
        || lower.starts_with("cycles")
        || lower.starts_with("cpu-clock");
    Some(if is_cpu { "cpu".to_owned() } else { (*name).to_owned() })
}

/// The tool of a line of headings.
fn headings(words: &[&str], is_counted: bool) -> Option<(&'static str, Layout)> {
    let has = |name: &str| words.contains(&name);
    let images = words.windows(2).filter(|pair| matches!(pair, ["image" | "app", "name"])).count();
    let has_symbol = words.windows(2).any(|pair| pair == ["symbol", "name"]);
    match words {
        ["samples", "%", ..] if images > 0 || is_counted => {
            Some(("opreport", Layout::Opreport { images: images.max(1), has_symbol }))
        }
        ["samples"] if is_counted => Some(("opreport", Layout::Opreport { images: 1, has_symbol: false })),
        ["samples", "pcnt", ..] => Some(("perf top", Layout::PerfTop)),
        ["#", first @ ("Overhead" | "Children"), ..] if has("Symbol") && has("Command") => {
            let has_children = *first == "Children";
            Some(("perf report", Layout::PerfReport { has_children, has_samples: has("Samples") }))
        }
        ["Count", kind @ ("genr" | "indv"), "cuml", ..] if has("Caller") && has("CPU+PIL") => {
            Some(("lockstat", Layout::Lockstat { is_inclusive: *kind == "genr" }))
        }
        _ => None,
    }
}

#[derive(Debug, Default, PartialEq)]
struct Row {
    function: Option<String>,
    image: String,
    process: String,
    samples: Option<f64>,
    self_share: Option<f64>,
    inclusive_share: Option<f64>,
}

impl Row {
    fn of(layout: Layout, words: &[&str]) -> Option<Row> {
        match layout {
            Layout::Opreport { images, has_symbol } => Row::of_opreport(words, images, has_symbol),
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
            Layout::PerfReport { has_children, has_samples } => {
                Row::of_perf(words, has_children, has_samples)
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

    fn of_opreport(words: &[&str], images: usize, has_symbol: bool) -> Option<Row> {
        let samples: f64 = words.first()?.parse().ok()?;
        let self_share = Some(percent(words.get(1)?)?);
        let image = (*words.get(2)?).to_owned();
        let process = if images > 1 { (*words.get(3)?).to_owned() } else { String::new() };
        let symbol = words.get(2 + images..).unwrap_or_default().join(" ");
        if symbol.is_empty() == has_symbol {
            return None;
        }
        let function = Some(symbol).filter(|name| !name.is_empty() && name != "(no symbols)");
        Some(Row { function, image, process, samples: Some(samples), self_share, inclusive_share: None })
    }

    fn of_perf(words: &[&str], has_children: bool, has_samples: bool) -> Option<Row> {
        let mut words = words;
        let mut next = || {
            let (first, rest) = words.split_first()?;
            words = rest;
            Some(*first)
        };
        let first = percent(next()?.strip_suffix('%')?)?;
        let second = if has_children { Some(percent(next()?.strip_suffix('%')?)?) } else { None };
        let samples = if has_samples { Some(next()?.parse().ok()?) } else { None };
        let mark =
            words.iter().position(|word| word.len() == 3 && word.starts_with('[') && word.ends_with(']'))?;
        let image = (*words.get(mark.checked_sub(1)?)?).to_owned();
        Some(Row {
            function: Some(words[mark + 1..].join(" ")),
            process: words[..mark - 1].join(" "),
            image,
            samples,
            self_share: second.or(Some(first)),
            inclusive_share: second.map(|_| first),
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
        let read = row(
            "Count genr cuml rcnt nsec Hottest CPU+PIL Caller",
            "387 58% ---- 0.00 947 cpu[2] mutex_vector_enter",
        );
        assert_eq!((read.samples, read.inclusive_share, read.self_share), (Some(387.0), Some(0.58), None));
    }
}
