//! What every format has to have: a recording that is claimed by it alone. Recordings are also what damage is done to
//! (`tests/limits/fuzz.rs` goes through all of their folders), so that none can be without.

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::rc::Rc;

    use crate::document::{Document, Hints, Line};
    use crate::error::ImportError;
    use crate::importer::Importer;
    use crate::sysstat::sysstat_json::Tool;
    use crate::text::lines::Lines;
    use crate::text::what::Encoding;
    use crate::whole::{self, Whole};
    use crate::{formats, read_lines};

    /// The largest that is damaged.
    const MOST_BYTES: u64 = 128 << 10;

    /// All recordings, but for what was read of them.
    fn recordings() -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let folders = fs::read_dir(root).expect("fixtures").map(|entry| entry.expect("an entry").path());
        let files = folders.filter(|path| path.is_dir()).flat_map(|folder| {
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        });
        let is_small = |path: &PathBuf| fs::metadata(path).expect("a file").len() <= MOST_BYTES;
        let mut files: Vec<PathBuf> = files
            .filter(|path| path.extension().is_some_and(|end| end != "expect"))
            .filter(is_small)
            .collect();
        files.sort();
        files
    }

    /// A format, and the first line that it took.
    struct Watched {
        format: Box<dyn Importer>,
        first: Rc<Cell<Option<u64>>>,
    }

    impl Watched {
        fn took(&self, line: &Line<'_>, is_taken: bool) -> bool {
            if is_taken && self.first.get().is_none() {
                self.first.set(Some(line.number));
            }
            is_taken
        }
    }

    impl Importer for Watched {
        fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
            let is_taken = self.format.begins(line, document)?;
            Ok(self.took(line, is_taken))
        }

        fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
            let is_taken = self.format.goes_on(line, document)?;
            Ok(self.took(line, is_taken))
        }

        fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
            self.format.ends(document)
        }
    }

    /// The formats that take the first line of a text that any of them takes when it is asked alone.
    fn claimants(text: &[u8]) -> BTreeSet<&'static str> {
        let mut claims: BTreeSet<(u64, &'static str)> = BTreeSet::new();
        for at in 0..formats().len() {
            let format = formats().swap_remove(at);
            let (kind, first) = (format.kind(), Rc::new(Cell::new(None)));
            let watched = Watched { format, first: Rc::clone(&first) };
            let mut document = Document::of("recording", Hints::default());
            let read =
                read_lines(&mut Lines::of(text), &mut document, Encoding::Bytes, vec![Box::new(watched)]);
            read.expect("memory can be read");
            claims.extend(first.get().filter(|_| !document.notes.told.is_empty()).map(|line| (line, kind)));
        }
        let first = claims.first().map(|(line, _)| *line);
        claims.into_iter().filter(|(line, _)| Some(*line) == first).map(|(_, kind)| kind).collect()
    }

    #[test]
    fn every_format_has_a_recording_that_it_alone_claims() {
        let mut claimed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut shared = Vec::new();
        for file in recordings() {
            let text = fs::read(&file).expect("a recording");
            let is_binary = text.contains(&0) || std::str::from_utf8(&text).is_err();
            // What has files of the kernel is for the sources.
            let of_kernel = file.parent().is_some_and(|folder| folder.ends_with("bundles"))
                && crate::bundle::is_series(&text);
            if is_binary || of_kernel || whole::look(&text).is_some() {
                continue;
            }
            let claimants = claimants(&text);
            let name = file.display().to_string();
            match claimants.iter().collect::<Vec<_>>()[..] {
                [only] => claimed.entry(only).or_default().push(name),
                _ => shared.push((name, claimants)),
            }
        }
        let kinds: BTreeSet<&str> = formats().iter().map(|format| format.kind()).collect();
        let without: Vec<&&str> = kinds.iter().filter(|kind| !claimed.contains_key(**kind)).collect();
        assert!(
            without.is_empty(),
            "no recording of their own: {without:#?}; of several or none: {shared:#?}"
        );
        assert!(shared.is_empty(), "claimed by several or none: {shared:#?}");
    }

    /// Formats of which a single line gives rows: it is all of the listing (uptime), names what it measures and where (a line of
    /// a log, of a trace, of `sadf -p`), or is a head that nobody else writes. Who adds one looks for another tool with such a line first.
    const OF_ONE_LINE: [&str; 31] = [
        "MySQL slow log",
        "Oracle parameters",
        "PostgreSQL log",
        "TNF",
        "ifconfig",
        "innodb_status",
        "ip -s link",
        "ipcs",
        "kernel log",
        "kstat",
        "ls -l /dev",
        "lsattr",
        "lsblk",
        "lscpu",
        "mount",
        "mysql_status",
        "mysql_variables",
        "nstat",
        "oslevel",
        "perf script",
        "perf stat",
        "process maps",
        "sadf",
        "smartctl",
        "ss",
        "swap",
        "sysctl",
        "top",
        "top of Unix",
        "tunables",
        "uptime",
    ];

    #[test]
    fn no_listing_is_one_weak_line() {
        let mut of_one: BTreeMap<&str, String> = BTreeMap::new();
        for file in recordings() {
            let text = fs::read(&file).expect("a recording");
            let Ok(text) = std::str::from_utf8(&text) else { continue };
            if text.contains('\0') || whole::look(text.as_bytes()).is_some() {
                continue;
            }
            // Each of the first lines, among others that say nothing.
            for line in text.lines().filter(|line| !line.trim().is_empty()).take(40) {
                let alone = format!("a line of prose\nanother of them\n{line}\nand what is behind\n");
                let import =
                    crate::read("line", alone.as_bytes(), Hints::default()).expect("memory can be read");
                let rows: u64 = import.file.rows.iter().map(|(_, rows)| rows).sum();
                if import.file.is_known && rows > 0 {
                    let kind = import.file.what.split(',').next().unwrap_or("").to_owned();
                    let kind: &'static str = Box::leak(kind.into_boxed_str());
                    of_one.entry(kind).or_insert_with(|| line.to_owned());
                }
            }
        }
        let others: Vec<_> = of_one
            .iter()
            .filter(|(kind, _)| !OF_ONE_LINE.contains(kind))
            .map(|(kind, line)| (kind, line.chars().take(60).collect::<String>()))
            .collect();
        assert!(others.is_empty(), "{others:#?}");
        let gone: Vec<_> = OF_ONE_LINE.iter().filter(|kind| !of_one.contains_key(**kind)).collect();
        assert!(gone.is_empty(), "no longer of one line: {gone:?}");
    }

    /// Folders of recordings that are no format: packings, and trees of many files.
    const OF_NO_FORMAT: [&str; 4] = ["bundles", "packed", "sadc", "ls"];

    #[test]
    fn the_documentation_names_every_format() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = fs::read_to_string(root.join("../../docs/import.md")).expect("the page");
        let folders =
            fs::read_dir(root.join("fixtures")).expect("fixtures").map(|entry| entry.expect("an entry"));
        let folders = folders.filter(|entry| entry.path().is_dir());
        let names: Vec<String> =
            folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        let is_named = |name: &String| page.contains(name.as_str()) || page.contains(&name.replace('_', " "));
        let unnamed: Vec<_> =
            names.iter().filter(|name| !OF_NO_FORMAT.contains(&name.as_str()) && !is_named(name)).collect();
        assert!(unnamed.is_empty(), "not in docs/import.md: {unnamed:?}");
    }

    #[test]
    fn every_kind_of_whole_file_has_a_recording() {
        // Who adds a kind adds it here, and its name below.
        let name = |kind: Whole| match kind {
            Whole::AwrPage => "a page of AWR",
            Whole::Sa => "sadc",
            Whole::SadfJson => "sadf -j",
            Whole::SadfXml => "sadf -x",
            Whole::Reports(Tool::Iostat) => "iostat -o JSON",
            Whole::Reports(Tool::Mpstat) => "mpstat -o JSON",
        };
        let files = recordings();
        let kinds = files.iter().filter_map(|file| whole::look(&fs::read(file).expect("a recording")));
        let kinds: BTreeSet<&str> = kinds.map(name).collect();
        let expected = ["a page of AWR", "iostat -o JSON", "mpstat -o JSON", "sadc", "sadf -j", "sadf -x"];
        assert_eq!(kinds.into_iter().collect::<Vec<_>>(), expected);
    }
}
