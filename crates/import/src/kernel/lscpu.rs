//! `lscpu` as text, as JSON (`-J`) and as a table (`-e`): the CPUs that are online, their model, the nodes they are of.
//!
//! Left out: caches, flags and vulnerabilities, for which there is no column, and `CPU(s)`, which counts CPUs that are
//! offline too. Of a table the CPUs that are offline are left out.

use std::collections::BTreeMap;

use heldup_model::Record;
use heldup_model::tables::{HostRow, NumaRow};

use crate::document::put::{Put, put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::Key;
use crate::text::cpu_list;

const NAME: &str = "lscpu";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;
/// How the second line of a listing begins; the first is the architecture, which `hostnamectl` prints too.
const SECOND: [&str; 4] = ["Address sizes", "Byte Order", "CPU op-mode(s)", "CPU(s)"];

/// Reads `lscpu`.
#[derive(Default)]
pub struct Lscpu {
    /// The architecture, and the line that named it: by itself it is no listing.
    architecture: Option<(String, u64)>,
    listing: Option<Listing>,
    last_line: u64,
}

#[derive(Default)]
struct Listing {
    form: Form,
    /// Of a table: its headings.
    headings: Vec<String>,
    /// Of JSON: the name whose value comes next.
    field: String,
    online: Vec<u32>,
    model: Option<String>,
    architecture: Option<String>,
    hypervisor: Option<String>,
    /// CPUs of each node.
    nodes: BTreeMap<i64, Vec<u32>>,
    /// How many nodes are said to be there.
    node_count: Option<i64>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Form {
    #[default]
    Text,
    Json,
    Table,
}

impl Importer for Lscpu {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["Architecture:", architecture] = line.words {
            self.architecture = Some(((*architecture).to_owned(), line.number));
            return Ok(false);
        }
        let architecture = self.architecture.take().filter(|(_, at)| at + 1 == line.number);
        let is_text =
            architecture.is_some() && pair(line.text).is_some_and(|(name, _)| SECOND.contains(&name));
        let form = match line.words {
            ["\"lscpu\":", "["] | ["{\"lscpu\":", ..] => Form::Json,
            ["CPU", rest @ ..] if rest.contains(&"CORE") && rest.contains(&"SOCKET") => Form::Table,
            _ if is_text => Form::Text,
            _ => return Ok(false),
        };
        self.ends(document)?;
        document.begin(NAME);
        let mut listing = Listing { form, ..Listing::default() };
        listing.architecture = architecture.map(|(name, _)| name);
        match form {
            Form::Text => _ = listing.text(line.text),
            Form::Json => {}
            Form::Table => listing.headings = line.words.iter().map(|word| (*word).to_owned()).collect(),
        }
        self.listing = Some(listing);
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(listing) = self.listing.as_mut().filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let is_taken = match listing.form {
            Form::Text => listing.text(line.text),
            Form::Json => listing.json(line.text),
            Form::Table => listing.row(line.words),
        };
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(listing) => listing.write(document),
            None => Ok(()),
        }
    }
}

impl Listing {
    /// `NUMA node0 CPU(s):   0-15,32-47`.
    fn text(&mut self, text: &str) -> bool {
        // On a terminal long values go on in the next line.
        let Some((name, value)) = pair(text) else { return text.starts_with("      ") };
        let is_vulnerability = name.starts_with("Vulnerability ") || text.starts_with(' ');
        let is_known = self.take(name, value) || is_vulnerability || FIELDS.contains(&name);
        is_known || (value.is_empty() && SECTIONS.contains(&name))
    }

    /// `"field": "Architecture:",` and `"data": "x86_64"`, in lines of their own or in one.
    fn json(&mut self, text: &str) -> bool {
        let is_bracket = text.trim().bytes().all(|byte| b"{}[], ".contains(&byte));
        let mut is_taken = is_bracket || text.contains("\"children\"");
        let mut rest = text;
        while let Some((name, value, behind)) = member(rest) {
            match name {
                "field" => value.trim_end_matches(':').clone_into(&mut self.field),
                "data" => {
                    let field = std::mem::take(&mut self.field);
                    self.take(&field, value);
                }
                _ => {}
            }
            is_taken |= matches!(name, "field" | "data");
            rest = behind;
        }
        is_taken || text.contains("\"data\":")
    }

    /// `  0    0      0    0 0:0:0:0          yes`.
    fn row(&mut self, words: &[&str]) -> bool {
        if words.len() != self.headings.len() {
            return false;
        }
        let cell = |name: &str| {
            let at = self.headings.iter().position(|heading| heading == name)?;
            words.get(at).copied()
        };
        let Some(cpu) = cell("CPU").and_then(|word| word.parse().ok()) else { return false };
        let node = cell("NODE").and_then(|word| word.parse().ok());
        if matches!(cell("ONLINE"), Some("no" | "N" | "0")) {
            return true;
        }
        self.online.push(cpu);
        if let Some(node) = node {
            self.nodes.entry(node).or_default().push(cpu);
        }
        true
    }

    /// Whether a field was one that there is a place for.
    fn take(&mut self, name: &str, value: &str) -> bool {
        let words = || Some(value.to_owned()).filter(|value| !value.is_empty() && value != "-");
        match name {
            "Architecture" => self.architecture = words(),
            "On-line CPU(s) list" => self.online = cpu_list::parse(value).unwrap_or_default(),
            // On a machine with several models the first counts.
            "Model name" => self.model = self.model.take().or_else(words),
            "Hypervisor vendor" => self.hypervisor = words(),
            "NUMA node(s)" => self.node_count = value.parse().ok(),
            _ => {
                let node = name.strip_prefix("NUMA node").and_then(|rest| rest.strip_suffix(" CPU(s)"));
                let Some(node) = node.and_then(|node| node.trim().parse().ok()) else { return false };
                // A node without CPUs has an empty list.
                let Some(cpus) = cpu_list::parse(value) else { return false };
                self.nodes.insert(node, cpus);
            }
        }
        true
    }

    fn write(self, document: &mut Document) -> Result<(), ImportError> {
        let when = document.moment(NAME);
        let cpus = self.online.len() as i64;
        let row = &mut document.facts.row;
        row.cpus = row.cpus.or(Some(cpus).filter(|cpus| *cpus > 0));
        row.nodes =
            row.nodes.or(self.node_count).or(Some(self.nodes.len() as i64).filter(|nodes| *nodes > 0));
        row.cpu_model = self.model.map(Into::into);
        row.hypervisor = self.hypervisor.map(Into::into);
        if row.architecture.is_none() {
            row.architecture = self.architecture.map(Into::into);
        }
        // What the file says of its machine is written when all of it was read, in the place of this row.
        put_row(document, HostRow::DEF, when, Key::Host, &[("cpus", Put::Number(Some(cpus as f64)))]);
        for (node, cpus) in &self.nodes {
            let list = cpu_list::text(cpus);
            let cells = [("node_idx", Put::Number(Some(*node as f64))), ("cpus", Put::Text(&list))];
            put(document, NumaRow::DEF, when, &node.to_string(), &cells);
        }
        document.end_sample(NAME)
    }
}

/// Fields without a column.
const FIELDS: [&str; 44] = [
    "Address sizes",
    "BIOS CPU family",
    "BIOS Model name",
    "BIOS Vendor ID",
    "BogoMIPS",
    "Book(s) per drawer",
    "Byte Order",
    "CPU dynamic MHz",
    "CPU MHz",
    "CPU family",
    "CPU max MHz",
    "CPU min MHz",
    "CPU op-mode(s)",
    "CPU revision",
    "CPU scaling MHz",
    "CPU static MHz",
    "CPU(s)",
    "CPU(s) scaling MHz",
    "Core(s) per cluster",
    "Core(s) per socket",
    "Cluster(s)",
    "Dispatching mode",
    "Drawer(s)",
    "Flags",
    "Frequency boost",
    "Hypervisor",
    "L1d cache",
    "L1i cache",
    "L2 cache",
    "L2d cache",
    "L2i cache",
    "L3 cache",
    "L4 cache",
    "Machine type",
    "Model",
    "Off-line CPU(s) list",
    "Physical chips",
    "Physical cores/chip",
    "Physical sockets",
    "Socket(s)",
    "Socket(s) per book",
    "Stepping",
    "Thread(s) per core",
    "Vendor ID",
];
/// Headings of its sections, and fields of which the value may be empty.
const SECTIONS: [&str; 6] =
    ["Caches (sum of all)", "NUMA", "Virtualization features", "Virtualization", "Vulnerabilities", "Flags"];

/// A name and its value; the value of a heading is empty.
fn pair(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    Some((name.trim(), value.trim())).filter(|(name, _)| !name.is_empty())
}

/// The next member of a line of JSON with a text as its value, and what is behind it.
fn member(text: &str) -> Option<(&str, &str, &str)> {
    let (_, rest) = text.split_once('"')?;
    let (name, rest) = rest.split_once('"')?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (value, rest) = rest.split_once('"')?;
    Some((name, value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_json_in_one_line_or_two() {
        let mut listing = Listing::default();
        assert!(listing.json("         \"field\": \"NUMA node1 CPU(s):\","));
        assert!(listing.json("         \"data\": \"8-15\""));
        assert!(listing.json("{\"field\":\"Model name:\",\"data\":\"Some CPU\",\"children\":["));
        assert!(listing.json("      },{"));
        assert!(!listing.json("a text"));
        assert_eq!(listing.nodes.get(&1).map(Vec::len), Some(8));
        assert_eq!(listing.model.as_deref(), Some("Some CPU"));
    }

    #[test]
    fn lines_of_others_are_left_alone() {
        let mut listing = Listing::default();
        for (text, expect) in [
            ("Thread(s) per core:  2", true),
            ("Vulnerability Mds:   Not affected", true),
            ("  L1d:               96 KiB (2 instances)", true),
            ("NUMA:", true),
            ("Machine ID: 4711", false),
            ("total used free", false),
        ] {
            assert_eq!(listing.text(text), expect, "{text}");
        }
    }
}
