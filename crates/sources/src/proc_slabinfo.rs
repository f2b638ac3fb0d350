//! `/proc/slabinfo`: caches of kernel objects (table `slab`); root only (since 2.6.33).
//!
//! Read at both ends: to count objects, the kernel walks lists of every cache under its lock
//! (of at most 10,000 slabs each, and estimates the rest, since 6.10: 046f4c69090c): 3 to 7 ms of
//! CPU on a machine that has run for a day. So the file is not read again while the memory of all
//! caches is what it was; the rows of the last reading are given again. Caches without memory
//! have no row.

use heldup_hostfs::Host;
use heldup_model::tables::SlabRow;
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, Parsed, fields, lines};
use crate::proc_meminfo;
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};

const PATH: &str = "/proc/slabinfo";
/// 2.1 since 2.6.10; 2.0 differs in statistics behind the columns that are read here.
const VERSIONS: [&[u8]; 2] = [b"slabinfo - version: 2.1", b"slabinfo - version: 2.0"];

const MEMINFO: &str = "/proc/meminfo";
/// Caches that all together came nearer to each other than this are as they were: a thirtieth of
/// the growth that mem.slab-growth speaks of, and more than an idle machine's caches move.
const SAME_BYTES: u64 = 1 << 20;

/// Memory of all caches: what can be reclaimed, and what cannot.
type AllCaches = [i64; 2];

/// Reads the file into one buffer; remembers what it read.
#[derive(Debug, Default)]
pub struct ProcSlabinfo {
    buffer: Vec<u8>,
    before: Option<(AllCaches, Vec<SlabRow>)>,
}

impl Source for ProcSlabinfo {
    fn name(&self) -> &'static str {
        "proc_slabinfo"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[SlabRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // The kernel walks lists under a lock: milliseconds, docs/decisions/0010.
        Schedule::ends().pace(Pace::COSTLY)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let all = if context.asked { None } else { self.all_caches(host) };
        if let (Some(all), Some((before, rows))) = (all, &self.before)
            && are_same(all, *before)
        {
            reading.rows.push(RowSet::totals(rows.clone()));
            return reading;
        }
        match host.read_into(PATH, &mut self.buffer) {
            Ok(()) => {
                let page_bytes = host.units().page_bytes as i64;
                let rows = reading.take(PATH, parse(&self.buffer, page_bytes));
                self.before = all.map(|all| (all, rows.clone()));
                reading.rows.push(RowSet::totals(rows));
            }
            // A kernel without CONFIG_SLUB_DEBUG (before 6.8) or CONFIG_SLAB has no such file.
            Err(error) => {
                reading.lacks("slab", &error, "a kernel with CONFIG_SLUB_DEBUG, and /proc unmasked")
            }
        }
        reading
    }
}

impl ProcSlabinfo {
    /// None where the kernel does not say.
    fn all_caches(&mut self, host: &Host) -> Option<AllCaches> {
        host.read_into(MEMINFO, &mut self.buffer).ok()?;
        let memory = proc_meminfo::parse(&self.buffer).value?;
        Some([memory.slab_reclaimable_bytes?, memory.slab_unreclaimable_bytes?])
    }
}

fn are_same(now: AllCaches, before: AllCaches) -> bool {
    now.iter().zip(before).all(|(now, before)| now.abs_diff(before) < SAME_BYTES)
}

/// Reads `name active objects size per_slab pages : tunables … : slabdata active slabs …` lines.
pub fn parse(text: &[u8], page_bytes: i64) -> Parsed<Vec<SlabRow>> {
    let mut parsed = Parsed::<Vec<SlabRow>>::default();
    let known = |line: &[u8]| VERSIONS.iter().any(|version| line.starts_with(version));
    let text = parsed.whole_lines(text);
    match lines(text).next() {
        Some((_, first)) if known(first) => {}
        first => {
            let found = first.map_or(text, |(_, first)| first);
            parsed.error(ParseError::new(1, "version", found, "slabinfo - version: 2.1"));
            return parsed;
        }
    }
    for (line, content) in lines(text).skip(1).filter(|(_, content)| !content.starts_with(b"#")) {
        let row = cache(&mut parsed, line, content, page_bytes);
        parsed.value.extend(row.filter(|row| row.slabs != Some(0)));
    }
    parsed
}

fn cache<T>(parsed: &mut Parsed<T>, line: usize, content: &[u8], page_bytes: i64) -> Option<SlabRow> {
    // Some drivers name a cache with a colon in it; the parts stand between blanks.
    let mut words = fields(content);
    let name = words.next().unwrap_or_default();
    let numbers: Vec<&[u8]> = words.collect();
    let slabdata = numbers.iter().position(|word| *word == b"slabdata");
    let (Some(slabdata), true) = (slabdata, numbers.len() > 5) else {
        parsed.error(ParseError::new(line, "cache", content, "a name, 5 numbers, tunables and slabdata"));
        return None;
    };
    let mut at = |index: usize, item| parsed.count(line, item, numbers.get(index).copied());
    let slab_pages = at(4, "pages per slab");
    let slabs = at(slabdata + 2, "slabs");
    Some(SlabRow {
        name: Some(String::from_utf8_lossy(name).into()),
        active_objects: at(0, "active objects"),
        objects: at(1, "objects"),
        object_bytes: at(2, "size of an object"),
        objects_per_slab: at(3, "objects per slab"),
        slab_pages,
        slabs,
        cache_bytes: slabs
            .zip(slab_pages)
            .and_then(|(slabs, pages)| slabs.checked_mul(pages)?.checked_mul(page_bytes)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "slabinfo - version: 2.1\n# name <active_objs> …\n";

    #[test]
    fn a_malformed_line_is_named_and_the_rest_is_read() {
        let text = format!(
            "{HEAD}ext4_inode 10 20 1000 8 2 : tunables 0 0 0 : slabdata 3 3 0\n\
             short 1 2 3\n\
             dentry 10 x 192 21 1 : tunables 0 0 0 : slabdata 3 5 0\n\
             unused 0 0 192 21 1 : tunables 0 0 0 : slabdata 0 0 0\n"
        );
        let parsed = parse(text.as_bytes(), 4096);
        assert_eq!(parsed.errors.iter().map(|error| error.line).collect::<Vec<_>>(), [4, 5]);
        let caches: Vec<_> =
            parsed.value.iter().map(|row| (row.name.as_deref(), row.objects, row.cache_bytes)).collect();
        let expected = [(Some("ext4_inode"), Some(20), Some(24_576)), (Some("dentry"), None, Some(20_480))];
        assert_eq!(caches, expected);
    }

    #[test]
    fn caches_are_the_same_until_all_together_move() {
        assert!(are_same([50 << 20, 9 << 20], [(50 << 20) + 4096, 9 << 20]));
        assert!(!are_same([50 << 20, 9 << 20], [49 << 20, 9 << 20]));
        assert!(!are_same([50 << 20, 9 << 20], [51 << 20, 8 << 20]), "one is not set against the other");
    }

    #[test]
    fn an_unknown_version_is_not_guessed_at() {
        let parsed = parse(b"slabinfo - version: 3.0\ndentry 1 2 3 4 5 : slabdata 1 1 0\n", 4096);
        assert_eq!((parsed.value.len(), parsed.errors.len()), (0, 1));
        assert_eq!(parse(b"", 4096).errors.len(), 1);
    }
}
