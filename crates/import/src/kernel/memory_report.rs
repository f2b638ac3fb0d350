//! What the kernel prints of its memory when there is none: zones, free blocks, totals, swap and the
//! tasks, of 2.4 to today, also asked for by sysrq-M. Line by line and pure: what each line says,
//! not what it means.

use heldup_sources::kernel_report::heads::has_key;

/// One number of a report, and where it belongs.
#[derive(Clone, Debug, PartialEq)]
pub enum Said<'a> {
    /// Pages of a zone, by column of the table `zone`.
    Zone { node: i64, zone: &'a str, columns: Vec<(&'static str, f64)> },
    /// Free blocks of a zone: size in bytes and how many, smallest first.
    Blocks { node: i64, zone: &'a str, blocks: Vec<(f64, f64)> },
    /// Numbers of the machine, by table and column.
    Totals(Vec<(Table, &'static str, f64)>),
    /// Headings of the list of tasks.
    TaskHeadings(Vec<&'a str>),
    /// A row of that list: its words, the first of which is the process id.
    Task(Vec<&'a str>),
    /// A report begins.
    Begins,
}

/// A table of one row a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Table {
    /// `memory`.
    Memory,
    /// `vmstat`.
    Vmstat,
}

const KIB: f64 = 1024.0;
/// Pages are told in their own number; those of other sizes than this are on IA-64, Power and some
/// ARM only, and a report does not say.
pub const PAGE_BYTES: f64 = 4096.0;

/// Numbers of a zone, in kB; the table has pages.
const ZONE: [(&str, &str); 14] = [
    ("free", "free_pages"),
    ("boost", "boost_pages"),
    ("min", "min_pages"),
    ("low", "low_pages"),
    ("high", "high_pages"),
    ("active_anon", "active_anon_pages"),
    ("inactive_anon", "inactive_anon_pages"),
    ("active_file", "active_file_pages"),
    ("inactive_file", "inactive_file_pages"),
    ("unevictable", "unevictable_pages"),
    ("writepending", "write_pending_pages"),
    ("present", "present_pages"),
    ("managed", "managed_pages"),
    ("free_cma", "free_cma_pages"),
];

/// Totals, in pages; `true` where the column has bytes.
const TOTALS: [(&str, Table, &str, bool); 14] = [
    ("free", Table::Memory, "free_bytes", true),
    ("active", Table::Memory, "active_bytes", true),
    ("inactive", Table::Memory, "inactive_bytes", true),
    ("active_anon", Table::Memory, "active_anon_bytes", true),
    ("inactive_anon", Table::Memory, "inactive_anon_bytes", true),
    ("active_file", Table::Memory, "active_file_bytes", true),
    ("inactive_file", Table::Memory, "inactive_file_bytes", true),
    ("unevictable", Table::Memory, "unevictable_bytes", true),
    ("slab_reclaimable", Table::Memory, "slab_reclaimable_bytes", true),
    ("slab_unreclaimable", Table::Memory, "slab_unreclaimable_bytes", true),
    ("mapped", Table::Memory, "mapped_bytes", true),
    ("pagetables", Table::Memory, "page_tables_bytes", true),
    ("dirty", Table::Vmstat, "dirty_pages", false),
    ("writeback", Table::Vmstat, "writeback_pages", false),
];

const ZONES: [&str; 6] = ["DMA", "DMA32", "Normal", "HighMem", "Movable", "Device"];

/// What a message says of memory; none where it says nothing of it.
pub fn said(text: &str) -> Option<Said<'_>> {
    let text = text.trim();
    if begins(text) {
        return Some(totals(text).unwrap_or(Said::Begins));
    }
    zone(text)
        .or_else(|| blocks(text))
        .or_else(|| swap_or_ram(text))
        .or_else(|| tasks(text))
        .or_else(|| totals(text))
}

/// Lines that only a report of memory begins with.
pub fn begins(text: &str) -> bool {
    let is_asked = match text.as_bytes().first() {
        Some(b'M') => matches!(text.split(' ').next(), Some("Mem-Info:" | "Mem-info:")),
        Some(b'o') => text.starts_with("oom-killer: gfp_mask="),
        Some(b'F') => text.starts_with("Free pages:") && text.contains("kB ("),
        Some(b'A') => text.starts_with("Active:") && text.contains(" inactive:"),
        Some(b'a') => text.starts_with("active_anon:") && text.contains(" inactive_anon:"),
        Some(b's' | b'S') => {
            let is_sysrq = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("sysrq"));
            is_sysrq && text.to_ascii_lowercase().contains("show memory")
        }
        _ => false,
    };
    is_asked || has_key(text) && text.contains("invoked oom-killer:")
}

/// `Node 0 Normal free:…kB min:…kB …`, `Normal free:…`, and of 2.4 `Zone:Normal freepages: 5 min: 6`.
fn zone(text: &str) -> Option<Said<'_>> {
    if let Some(rest) = text.strip_prefix("Zone:") {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let name = ZONES.iter().find(|zone| Some(*zone) == words.first())?;
        let column = |key: &str, column| {
            let at = words.iter().position(|word| *word == key)?;
            Some((column, words.get(at + 1)?.parse::<f64>().ok()?))
        };
        let found = [
            column("freepages:", "free_pages"),
            column("min:", "min_pages"),
            column("low:", "low_pages"),
            column("high:", "high_pages"),
        ];
        return Some(Said::Zone { node: 0, zone: name, columns: found.into_iter().flatten().collect() });
    }
    let (node, rest) = node(text);
    let (name, rest) = rest.split_once(' ')?;
    let name = ZONES.iter().find(|zone| **zone == name)?;
    if !rest.starts_with("free:") {
        return None;
    }
    Some(Said::Zone { node, zone: name, columns: kilobytes(rest) })
}

/// The rest of a zone's numbers in a line of their own, as narrow terminals break them.
pub fn goes_on_in(text: &str) -> Vec<(&'static str, f64)> {
    let text = text.trim();
    if text.starts_with("present:") { kilobytes(text) } else { Vec::new() }
}

fn kilobytes(text: &str) -> Vec<(&'static str, f64)> {
    text.split(' ')
        .filter_map(|word| {
            let (key, value) = word.split_once(':')?;
            let kib: f64 = value.strip_suffix("kB")?.parse().ok()?;
            let (_, column) = ZONE.iter().find(|(name, _)| *name == key)?;
            Some((*column, kib * KIB / PAGE_BYTES))
        })
        .collect()
}

/// `Node 1 ` in front.
fn node(text: &str) -> (i64, &str) {
    let split = text.strip_prefix("Node ").and_then(|rest| rest.split_once(' '));
    match split.and_then(|(node, rest)| Some((node.parse().ok()?, rest))) {
        Some(split) => split,
        None => (0, text),
    }
}

/// `Node 0 DMA: 4*4kB (U) 3*8kB (M) … = 15636kB`.
fn blocks(text: &str) -> Option<Said<'_>> {
    let (node, rest) = node(text);
    let (name, rest) = rest.split_once(':')?;
    let zone = ZONES.iter().find(|zone| **zone == name)?;
    let blocks: Vec<(f64, f64)> = rest
        .split(' ')
        .filter_map(|word| {
            let (count, size) = word.split_once('*')?;
            Some((size.strip_suffix("kB")?.parse::<f64>().ok()? * KIB, count.parse().ok()?))
        })
        .collect();
    (!blocks.is_empty()).then_some(Said::Blocks { node, zone, blocks })
}

/// `Free swap  = 5kB` and `Free swap: 5kB`, `Total swap = 5kB`, `123 pages RAM` and `123 pages of RAM`.
fn swap_or_ram(text: &str) -> Option<Said<'_>> {
    let mut found = Vec::new();
    for (name, column) in [("Free swap", "swap_free_bytes"), ("Total swap", "swap_total_bytes")] {
        let Some((_, rest)) = text.split_once(name) else { continue };
        let number = rest.trim_start_matches([' ', '=', ':']);
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        if number[digits..].starts_with("kB")
            && let Ok(kib) = number[..digits].parse::<f64>()
        {
            found.push((Table::Memory, column, kib * KIB));
        }
    }
    for end in [" pages RAM", " pages of RAM"] {
        if let Some((before, _)) = text.split_once(end)
            && let Some(pages) = before.rsplit(' ').next().and_then(|word| word.parse::<f64>().ok())
        {
            found.push((Table::Memory, "total_bytes", pages * PAGE_BYTES));
        }
    }
    (!found.is_empty()).then_some(Said::Totals(found))
}

/// `active_anon:42449 inactive_anon:1110 …`, two numbers at least; `free:42449 free_pcp:23 …`.
fn totals(text: &str) -> Option<Said<'_>> {
    let found: Vec<(Table, &'static str, f64)> = text
        .split(' ')
        .filter_map(|word| {
            let (key, value) = word.split_once(':')?;
            let key = key.to_ascii_lowercase();
            let (_, table, column, is_bytes) = TOTALS.iter().find(|(name, ..)| *name == key)?;
            let pages: f64 = value.parse().ok()?;
            Some((*table, *column, if *is_bytes { pages * PAGE_BYTES } else { pages }))
        })
        .collect();
    // The line of free pages tells besides only pages that are cached for each CPU, and those of its own kind.
    let is_free = text.starts_with("free:") && (text.contains(" free_pcp:") || text.contains(" free_cma:"));
    (found.len() >= 2 || !found.is_empty() && is_free).then_some(Said::Totals(found))
}

/// `[ pid ]   uid  tgid total_vm      rss …`, and rows `[ 1234]     0  1234 …`.
fn tasks(text: &str) -> Option<Said<'_>> {
    let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    if inside.trim() == "pid" && words.contains(&"tgid") {
        return Some(Said::TaskHeadings(std::iter::once("pid").chain(words).collect()));
    }
    let pid = inside.trim();
    let is_pid = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
    (is_pid && words.len() >= 6).then(|| Said::Task(std::iter::once(pid).chain(words).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_of_every_age() {
        let check = |text: &str, at: (i64, &str), expect: &[(&str, f64)]| match said(text) {
            Some(Said::Zone { node, zone, columns }) => {
                assert_eq!((node, zone), at, "{text}");
                for (column, value) in expect {
                    assert!(columns.contains(&(*column, *value)), "{text}: {columns:?}");
                }
            }
            other => panic!("{text}: {other:?}"),
        };
        check(
            "Normal free:656kB min:928kB low:1856kB high:2784kB active:6976kB present:901120kB",
            (0, "Normal"),
            &[("free_pages", 164.0), ("min_pages", 232.0), ("present_pages", 225_280.0)],
        );
        check(
            "Node 1 DMA32 free:40kB boost:0kB min:20kB low:24kB high:28kB reserved_highatomic:0KB active_anon:8kB writepending:4kB managed:400kB",
            (1, "DMA32"),
            &[("free_pages", 10.0), ("write_pending_pages", 1.0), ("managed_pages", 100.0)],
        );
        check(
            "Zone:HighMem freepages: 500 min: 255 low: 510 high: 765",
            (0, "HighMem"),
            &[("free_pages", 500.0)],
        );
    }

    #[test]
    fn other_lines_of_a_report() {
        assert_eq!(
            said("Normal: 0*4kB 18*8kB (UM) = 144kB"),
            Some(Said::Blocks { node: 0, zone: "Normal", blocks: vec![(4096.0, 0.0), (8192.0, 18.0)] })
        );
        assert_eq!(
            said("Free swap:       8kB"),
            Some(Said::Totals(vec![(Table::Memory, "swap_free_bytes", 8192.0)]))
        );
        assert_eq!(
            said("3 pages of RAM"),
            Some(Said::Totals(vec![(Table::Memory, "total_bytes", 12_288.0)]))
        );
        assert!(
            matches!(said("Active:34146 inactive:1995536 dirty:255"), Some(Said::Totals(all)) if all.len() == 3)
        );
        assert_eq!(
            said(" free:919956 free_pcp:23 free_cma:128398"),
            Some(Said::Totals(vec![(Table::Memory, "free_bytes", 919_956.0 * 4096.0)]))
        );
        assert!(matches!(
            said("[ 1234]     0  1234     2600      112       8        3 0 sh"),
            Some(Said::Task(_))
        ));
        assert_eq!(said("java invoked oom-killer: gfp_mask=0xd0, order=0"), Some(Said::Begins));
        for text in ["free: as in beer", "DMA engine ready", "Node 0 is near", "[ 12] ok", "Normal: yes"] {
            assert_eq!(said(text), None, "{text}");
        }
    }
}
