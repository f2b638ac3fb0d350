//! `docker stats` and `podman stats`: what each container uses, as rows of control groups.
//!
//! CPU use is of about a second, whose length nobody tells. What was sent, received, read and written is counted since
//! a container was started, and left out. A limit that is not set is printed as the memory of the machine.

use heldup_model::Record;
use heldup_model::tables::CgroupRow;

use crate::document::first_line::{self, FirstLine};
use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};

const NAME: &str = "docker stats";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;
/// Units of sizes: those with an `i` are powers of 1024.
const UNITS: [(&str, f64); 12] = [
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("kiB", 1024.0),
    ("kB", 1e3),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("PB", 1e15),
    ("B", 1.0),
];

/// Reads `docker stats`.
#[derive(Default)]
pub struct DockerStats {
    when: Option<When>,
    last_line: u64,
    first: FirstLine,
    /// The first container: where it comes again, so does the listing.
    container: Option<String>,
}

/// One row.
#[derive(Debug, PartialEq)]
struct Container<'t> {
    id: Option<&'t str>,
    name: &'t str,
    cpus: f64,
    memory_bytes: f64,
    limit_bytes: f64,
    processes: Option<f64>,
}

impl Importer for DockerStats {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            self.begin(line.number, document)?;
            return Ok(true);
        }
        if row(line.words).is_none() {
            return Ok(false);
        }
        let Some(held) = self.first.before(line) else {
            self.first.hold(line);
            return Ok(false);
        };
        self.begin(held.0, document)?;
        first_line::replay(&held, document, |line, document| self.goes_on(line, document))?;
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            return self.begins(line, document);
        }
        if self.when.is_none() || line.number > self.last_line + MOST_GAP {
            return Ok(false);
        }
        let Some(container) = row(line.words) else { return Ok(false) };
        if self.container.as_deref() == Some(container.name) {
            self.begin(line.number, document)?;
        }
        self.container.get_or_insert_with(|| container.name.to_owned());
        self.last_line = line.number;
        let Some(when) = self.when else { return Ok(true) };
        let mut cells = vec![
            ("container", Put::Text(container.id.unwrap_or(container.name))),
            ("cpu_s", Put::Number(when.secs.map(|secs| container.cpus * secs))),
            ("memory_bytes", Put::Number(Some(container.memory_bytes))),
            ("processes", Put::Number(container.processes)),
        ];
        if container.limit_bytes > 0.0 {
            cells.push(("memory_limit_bytes", Put::Number(Some(container.limit_bytes))));
        }
        put_row(document, CgroupRow::DEF, when, Key::Name(container.name), &cells);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.container = None;
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl DockerStats {
    fn begin(&mut self, line: u64, document: &mut Document) -> Result<(), ImportError> {
        self.ends(document)?;
        document.begin(NAME);
        document.note("docker stats: sums since a container was started are not used");
        self.when = Some(document.moment_of_run(NAME, document.clock(), false, None));
        self.last_line = line;
        Ok(())
    }
}

/// `CONTAINER ID NAME CPU % MEM USAGE / LIMIT MEM % NET I/O BLOCK I/O PIDS`, and its older and podman's form.
fn is_heading(words: &[&str]) -> bool {
    let has = |pair: [&str; 2]| words.windows(2).any(|two| two == pair);
    let is_first = matches!(words.first(), Some(&("CONTAINER" | "NAME" | "ID")));
    is_first
        && has(["CPU", "%"])
        && has(["MEM", "%"])
        && (has(["MEM", "USAGE"]) || has(["MEM", "USAGE/LIMIT"]))
}

/// A row: `1965d7ae7104 web 30.93% 2.482GiB / 12GiB 20.68% 3.47GB / 22.3GB 16GB / 3.59GB 113`.
fn row<'t>(words: &[&'t str]) -> Option<Container<'t>> {
    let at = words.iter().position(|word| share(word).is_some())?;
    let (id, name) = match words.get(..at)? {
        [name] => (None, *name),
        [id, name] => (Some(*id), *name),
        _ => return None,
    };
    // Old ones have a blank before a unit, and none around the bar.
    let rest = words.get(at + 1..)?.join("").replace('/', " ");
    let (memory, rest) = first_size(&rest)?;
    let (limit, rest) = first_size(rest.trim_start())?;
    let share_end = rest.find('%')?;
    rest.get(..share_end)?.trim().parse::<f64>().ok()?;
    let is_id = |word: &str| word.len() >= 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let processes = words.last().filter(|_| words.len() > at + 5).and_then(|word| word.parse().ok());
    let cpus = share(words.get(at)?)?;
    let id = id.filter(|id| is_id(id)).map(|id| &id[..12]);
    Some(Container { id, name, cpus, memory_bytes: memory, limit_bytes: limit, processes })
}

fn share(word: &str) -> Option<f64> {
    Some(word.strip_suffix('%')?.parse::<f64>().ok()? / 100.0)
}

/// The size that a text begins with, and what follows.
fn first_size(text: &str) -> Option<(f64, &str)> {
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let number: f64 = text.get(..digits)?.parse().ok()?;
    let rest = text.get(digits..)?;
    let (name, unit) = UNITS.iter().find(|(name, _)| rest.starts_with(name))?;
    Some((number * unit, rest.get(name.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_both_forms() {
        let read = |line: &'static str| row(&line.split_whitespace().collect::<Vec<_>>());
        let web = read("1965d7ae7104 web 130.93% 2GiB / 12GiB 20.68% 3.47GB / 22.3GB 16GB / 3.59GB 113")
            .expect("a row");
        assert_eq!((web.id, web.name, web.processes), (Some("1965d7ae7104"), "web", Some(113.0)));
        assert_eq!((web.memory_bytes, web.limit_bytes), (2_147_483_648.0, 12_884_901_888.0));
        assert!((web.cpus - 1.3093).abs() < 1e-9);
        let old = read("fbapi 0.00% 41.16 MiB/994 MiB 4.14% 2.945 MiB/781.2 KiB").expect("a row");
        assert_eq!((old.name, old.limit_bytes, old.processes), ("fbapi", 994.0 * 1_048_576.0, None));
        assert_eq!(read("/dev/sda1 50G 48G 2.0G 97% /"), None);
        assert_eq!(read("of all 12% 3 words are 4"), None);
    }
}
