//! `ip -s -j link` (or `addr`) and `nstat -j`, also with `-p`: the numbers of their texts under other names.
//!
//! Each link and each list of counters is handed on as the lines that the tool would have printed: what a heading
//! means is said once, in [`super::interfaces`] and [`super::nstat`]. Of what was dropped `ip -s -j` leaves out the
//! part that was missed (`-s -s -j` has it), which its text has: without it nothing is told of drops.

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::net::interfaces::Interfaces;
use crate::net::nstat::Nstat;
use crate::text::json_token::token;

/// Lines between two of one listing.
const MOST_GAP: u64 = 2;
/// Values of a link, or counters.
const MOST_VALUES: usize = 1 << 16;
/// Deeper than either tool nests.
const DEEPEST: usize = 16;
/// What `ip` prints before the headings of its text.
const LABELS: [&str; 3] = ["RX:", "RX errors:", "TX:"];
/// Numbers of a link: where they stand, under which name, and below which heading of the text.
const HEADINGS: [(&str, &str, &str, &str); 9] = [
    ("rx", "bytes", "RX:", "bytes"),
    ("rx", "packets", "RX:", "packets"),
    ("rx", "errors", "RX:", "errors"),
    ("rx", "fifo_errors", "RX errors:", "fifo"),
    ("tx", "bytes", "TX:", "bytes"),
    ("tx", "packets", "TX:", "packets"),
    ("tx", "errors", "TX:", "errors"),
    ("tx", "dropped", "TX:", "dropped"),
    ("tx", "collisions", "TX:", "collsns"),
];
/// What makes the drops of a link, only together.
const DROPS: [(&str, &str, &str, &str); 2] =
    [("rx", "dropped", "RX:", "dropped"), ("rx", "missed_errors", "RX:", "missed")];

/// Reads both.
#[derive(Default)]
pub struct NetJson {
    listing: Option<Listing>,
    interfaces: Interfaces,
    nstat: Nstat,
}

#[derive(Clone, Copy, PartialEq)]
enum Tool {
    Ip,
    Nstat,
}

struct Listing {
    tool: Tool,
    /// The lines handed on have the number of the first: they are one listing.
    first_line: u64,
    last_line: u64,
    /// Names of the groups that are open; of those in a list nothing.
    path: Vec<String>,
    key: String,
    /// Of the link, or of all counters: groups that they stand in, name, value.
    values: Vec<(String, String, String)>,
}

impl Importer for NetJson {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let squeezed = |start: &str| line.text.trim_start().starts_with(start);
        // Printed for people, the first line is a bracket, which may be anybody's.
        let (tool, path) = match line.words {
            ["\"ifindex\":", ..] => (Tool::Ip, vec![String::new(); 2]),
            ["\"kernel\":", "{"] => (Tool::Nstat, vec![String::new()]),
            _ if squeezed("[{") && line.text.contains("{\"ifindex\":") => (Tool::Ip, Vec::new()),
            _ if squeezed("{\"kernel\":{") => (Tool::Nstat, Vec::new()),
            _ => return Ok(false),
        };
        self.ends(document)?;
        let (first_line, last_line) = (line.number, line.number);
        let (key, values) = (String::new(), Vec::new());
        self.listing = Some(Listing { tool, first_line, last_line, path, key, values });
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_json = line.text.trim_start().starts_with(['"', '{', '}', '[', ']', ',']);
        let Some(listing) = &mut self.listing else { return Ok(false) };
        if !is_json || line.number > listing.last_line + MOST_GAP {
            return Ok(false);
        }
        listing.last_line = line.number;
        let mut rest = line.text.trim_start();
        while let Some(sign) = rest.chars().next() {
            let Some(listing) = &mut self.listing else { break };
            match sign {
                '{' | '[' => {
                    if listing.path.len() >= DEEPEST {
                        let what = "JSON: groups more than 16 deep; expected what ip or nstat print";
                        document.flaw(line.number, what.to_owned());
                        self.listing = None;
                        return Ok(true);
                    }
                    listing.path.push(std::mem::take(&mut listing.key));
                }
                '}' | ']' => {
                    listing.path.pop();
                    if listing.is_complete() {
                        self.hand_on(document)?;
                    }
                }
                ':' | ',' => {}
                _ => {
                    let (word, is_quoted, behind) = token(rest);
                    listing.take(word, is_quoted && behind.trim_start().starts_with(':'));
                    rest = behind.trim_start();
                    continue;
                }
            }
            rest = rest[1..].trim_start();
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if let Some(listing) = self.listing.take() {
            let (name, what) = match listing.tool {
                Tool::Ip => ("ip -j", "link"),
                Tool::Nstat => ("nstat -j", "list of counters"),
            };
            let closing = listing.path.len();
            let what =
                format!("{name}: ends within a {what}, which is left out; expected {closing} closing signs");
            document.flaw(listing.last_line, what);
        }
        self.interfaces.ends(document)?;
        self.nstat.ends(document)
    }
}

impl NetJson {
    /// A link is complete, or the list of counters, or all.
    fn hand_on(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(listing) = &mut self.listing else { return Ok(()) };
        let values = std::mem::take(&mut listing.values);
        let (tool, number, is_over) = (listing.tool, listing.first_line, listing.path.is_empty());
        match tool {
            Tool::Ip => self.link(&values, number, document)?,
            Tool::Nstat => self.counters(&values, number, document)?,
        }
        if is_over {
            self.listing = None;
            self.ends(document)?;
        }
        Ok(())
    }

    fn counters(
        &mut self,
        values: &[(String, String, String)],
        number: u64,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        if values.is_empty() {
            return Ok(());
        }
        self.nstat.begins(&line(number, &["#kernel"]), document)?;
        for (_, name, value) in values {
            self.nstat.goes_on(&line(number, &[name, value]), document)?;
        }
        Ok(())
    }

    fn link(
        &mut self,
        values: &[(String, String, String)],
        number: u64,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        let value = |within: &str, name: &str| {
            let found = values.iter().find(|(group, key, _)| group == within && key == name);
            found.map(|(.., value)| value.as_str())
        };
        let Some(name) = value("", "ifname").filter(|name| !name.contains(char::is_whitespace)) else {
            return Ok(());
        };
        let name = format!("{name}:");
        let mut words = vec!["1:", &name, "<>"];
        for (key, label) in [("mtu", "mtu"), ("operstate", "state")] {
            words.extend(value("", key).into_iter().flat_map(|value| [label, value]));
        }
        self.interfaces.begins(&line(number, &words), document)?;
        let drops =
            DROPS.iter().filter(|_| DROPS.iter().all(|(group, name, ..)| value(group, name).is_some()));
        let told: Vec<_> = HEADINGS.iter().chain(drops).collect();
        for label in LABELS {
            let mut headings: Vec<&str> = label.split(' ').collect();
            let mut numbers = Vec::new();
            for (group, name, _, heading) in told.iter().filter(|(_, _, below, _)| *below == label) {
                if let Some(number) = value(group, name) {
                    headings.push(heading);
                    numbers.push(number);
                }
            }
            if !numbers.is_empty() {
                self.interfaces.goes_on(&line(number, &headings), document)?;
                self.interfaces.goes_on(&line(number, &numbers), document)?;
            }
        }
        Ok(())
    }
}

impl Listing {
    /// Takes a name or a value.
    fn take(&mut self, word: &str, is_key: bool) {
        if is_key {
            word.clone_into(&mut self.key);
            return;
        }
        let key = std::mem::take(&mut self.key);
        let group = match (self.tool, self.path.iter().map(String::as_str).collect::<Vec<_>>().as_slice()) {
            (Tool::Ip, [_, _]) | (Tool::Nstat, [_, "kernel"]) => "",
            (Tool::Ip, [_, _, "stats64" | "stats", direction]) => *direction,
            _ => return,
        };
        if !key.is_empty() && self.values.len() < MOST_VALUES {
            self.values.push((group.to_owned(), key, word.to_owned()));
        }
    }

    /// Whether a group was closed that is listed by itself.
    fn is_complete(&self) -> bool {
        self.path.len() <= usize::from(self.tool == Tool::Ip)
    }
}

fn line<'a>(number: u64, words: &'a [&'a str]) -> Line<'a> {
    Line { number, words, text: "", is_cut: false }
}
