//! Traffic of interfaces since boot: `ip -s link` (also `-s -s`) and `netstat -i`, of Linux and of Unix.
//!
//! Of an interface with several addresses Unix has a line for each; the first is the interface's own.
//! Of several listings it is what came between. What `ip` prints as dropped and as missed is one number to the
//! kernel's own list of interfaces, and so it is here. Sizes for people (`-h`, `1.2G`) are no counters.

use heldup_model::Record;
use heldup_model::tables::NetIfRow;

use crate::document::put::{Put, put_row, put_since_boot};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::table::totals::Totals;

const IP: &str = "ip -s link";
const NETSTAT: &str = "netstat -i";
/// Lines between two of one listing.
const MOST_GAP: u64 = 3;

/// Headings of `ip` and the column they are added to.
const IP_COLUMNS: [(&str, &str, &str); 13] = [
    ("RX:", "bytes", "rx_bytes"),
    ("RX:", "packets", "rx_packets"),
    ("RX:", "errors", "rx_errors"),
    ("RX:", "dropped", "rx_drops"),
    ("RX:", "missed", "rx_drops"),
    ("TX:", "bytes", "tx_bytes"),
    ("TX:", "packets", "tx_packets"),
    ("TX:", "errors", "tx_errors"),
    ("TX:", "dropped", "tx_drops"),
    ("TX:", "collsns", "collisions"),
    ("TX:", "collsns:", "collisions"),
    ("RX errors:", "fifo", "rx_fifo_errors"),
    ("RX errors:", "missed", "rx_drops"),
];
/// Headings of `netstat -i`; the kernel's `fifo` is its `OVR`.
const NETSTAT_COLUMNS: [(&str, &str); 8] = [
    ("RX-OK", "rx_packets"),
    ("RX-ERR", "rx_errors"),
    ("RX-DRP", "rx_drops"),
    ("RX-OVR", "rx_fifo_errors"),
    ("TX-OK", "tx_packets"),
    ("TX-ERR", "tx_errors"),
    ("TX-DRP", "tx_drops"),
    ("MTU", ""),
];

/// The same of Solaris, AIX, HP-UX and the BSDs.
const UNIX_COLUMNS: [(&str, &str); 11] = [
    ("Ipkts", "rx_packets"),
    ("Ierrs", "rx_errors"),
    ("Idrop", "rx_drops"),
    ("Ibytes", "rx_bytes"),
    ("Opkts", "tx_packets"),
    ("Oerrs", "tx_errors"),
    ("Odrop", "tx_drops"),
    ("Drop", "tx_drops"),
    ("Obytes", "tx_bytes"),
    ("Coll", "collisions"),
    ("Collis", "collisions"),
];

/// Reads traffic of interfaces.
#[derive(Default)]
pub struct Interfaces {
    listing: Option<Listing>,
    totals: Totals,
    last_line: u64,
}

struct Listing {
    format: &'static str,
    when: When,
    /// Of `netstat`; of `ip` those of the line above.
    headings: Vec<String>,
    direction: String,
    interface: String,
    seen: Vec<String>,
    /// Sums of the interface that is being told of.
    sums: Vec<(&'static str, f64)>,
}

impl Importer for Interfaces {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if matches!(line.words, ["Kernel", "Interface", "table"]) {
            return Ok(true);
        }
        if is_netstat_heading(line.words) || is_unix_heading(line.words) {
            self.start(NETSTAT, document)?;
            if let Some(listing) = self.listing.as_mut() {
                listing.headings = line.words.iter().map(|word| (*word).to_owned()).collect();
            }
            self.last_line = line.number;
            return Ok(true);
        }
        let Some(link) = link(line.words) else { return Ok(false) };
        let is_listed = self.listing.as_ref().is_some_and(|listing| {
            listing.format == IP && !listing.seen.iter().any(|name| name == link.name)
        });
        if !is_listed || line.number > self.last_line + MOST_GAP {
            self.start(IP, document)?;
        }
        self.flush(document);
        self.last_line = line.number;
        if let Some(listing) = self.listing.as_mut() {
            link.name.clone_into(&mut listing.interface);
            listing.seen.push(link.name.to_owned());
            let cells = [("mtu_bytes", Put::Number(link.mtu)), ("state", Put::Text(&link.state))];
            let known = if link.state.is_empty() { &cells[..1] } else { &cells[..] };
            put_row(document, NetIfRow::DEF, listing.when, Key::Name(link.name), known);
        }
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(listing) = self.listing.as_mut().filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let is_taken = match listing.format {
            NETSTAT if is_unix_heading(&listing.headings) => {
                listing.unix_row(line, &mut self.totals, document)
            }
            NETSTAT => listing.netstat_row(line, &mut self.totals, document),
            _ => listing.ip_line(line, document),
        };
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.flush(document);
        match self.listing.take() {
            Some(listing) => document.end_sample(listing.format),
            None => Ok(()),
        }
    }
}

impl Interfaces {
    fn start(&mut self, format: &'static str, document: &mut Document) -> Result<(), ImportError> {
        self.ends(document)?;
        document.begin(format);
        document.note("counters of interfaces count since boot: the first listing has no increases");
        self.listing = Some(Listing {
            format,
            when: self.totals.sample(document.moment(format)),
            headings: Vec::new(),
            direction: String::new(),
            interface: String::new(),
            seen: Vec::new(),
            sums: Vec::new(),
        });
        Ok(())
    }

    /// Writes what was told of an interface.
    fn flush(&mut self, document: &mut Document) {
        let Some(listing) = self.listing.as_mut() else { return };
        let sums = std::mem::take(&mut listing.sums);
        if sums.is_empty() {
            return;
        }
        let name = listing.interface.clone();
        let mut cells: Vec<(&str, Put<'_>)> = Vec::new();
        for (column, total) in &sums {
            // The two tools count packets that were dropped differently: each for itself.
            let key = format!("{} {name} {column}", listing.format);
            cells.push((*column, Put::Number(self.totals.growth(&key, *total))));
            if self.totals.is_new(&key) {
                put_since_boot(document, listing.when, ("net_if", column), Some(&name), *total);
            }
        }
        put_row(document, NetIfRow::DEF, listing.when, Key::Name(&name), &cells);
    }
}

impl Listing {
    /// Headings of `ip`, or the numbers below them.
    fn ip_line(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        match line.words {
            [direction @ ("RX:" | "TX:"), headings @ ..] => {
                (*direction).clone_into(&mut self.direction);
                self.headings = headings.iter().map(|word| (*word).to_owned()).collect();
                return true;
            }
            [direction @ ("RX" | "TX"), "errors:", headings @ ..] => {
                self.direction = format!("{direction} errors:");
                self.headings = headings.iter().map(|word| (*word).to_owned()).collect();
                return true;
            }
            [kind, ..] if kind.starts_with("link/") => return true,
            ["altname" | "inet" | "inet6" | "alias" | "valid_lft" | "vf" | "bridge" | "vlan", ..] => {
                return true;
            }
            _ => {}
        }
        let starts = line.words.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        if self.headings.is_empty() || !starts {
            return false;
        }
        let headings = std::mem::take(&mut self.headings);
        if line.words.len() != headings.len() {
            let what = format!("{IP}: {} numbers; expected {}", line.words.len(), headings.join(" "));
            document.flaw(line.number, what);
            return true;
        }
        for (heading, word) in headings.iter().zip(line.words) {
            let known = IP_COLUMNS
                .iter()
                .find(|(direction, name, _)| *direction == self.direction && name == heading);
            let (Some((.., column)), Ok(value)) = (known, word.parse::<u64>()) else { continue };
            match self.sums.iter_mut().find(|(there, _)| there == column) {
                Some((_, sum)) => *sum += value as f64,
                None => self.sums.push((column, value as f64)),
            }
        }
        true
    }

    fn netstat_row(&self, line: &Line<'_>, totals: &mut Totals, document: &mut Document) -> bool {
        let [name, rest @ ..] = line.words else { return false };
        if matches!(rest, [_, "-", "no", "statistics", ..]) {
            return true;
        }
        let numbers = rest.iter().take_while(|word| word.parse::<u64>().is_ok()).count();
        let expected = self.headings.len().saturating_sub(2);
        if numbers < expected {
            if numbers < 3 {
                return false;
            }
            let what =
                format!("{NETSTAT}: {numbers} numbers of {name}; expected {}", self.headings.join(" "));
            document.flaw(line.number, what);
            return true;
        }
        let value = |heading: &str| {
            let at = self.headings.iter().position(|there| there == heading)?;
            line.words.get(at)?.parse::<u64>().ok().map(|value| value as f64)
        };
        let mut cells = vec![("mtu_bytes", Put::Number(value("MTU")))];
        for (heading, column) in NETSTAT_COLUMNS.iter().filter(|(_, column)| !column.is_empty()) {
            let Some(total) = value(heading) else { continue };
            let key = format!("{NETSTAT} {name} {column}");
            cells.push((*column, Put::Number(totals.growth(&key, total))));
            if totals.is_new(&key) {
                put_since_boot(document, self.when, ("net_if", column), Some(name), total);
            }
        }
        put_row(document, NetIfRow::DEF, self.when, Key::Name(name), &cells);
        true
    }

    /// Networks and addresses may lack, so that numbers are counted from the end.
    fn unix_row(&mut self, line: &Line<'_>, totals: &mut Totals, document: &mut Document) -> bool {
        let [name, mtu, rest @ ..] = line.words else { return false };
        let headings = self.headings.get(4..).unwrap_or_default();
        let is_number = |word: &&str| *word == "-" || word.parse::<u64>().is_ok();
        let numbers = rest.iter().rev().take_while(|word| is_number(word)).count();
        if !is_number(mtu) || numbers == 0 {
            return false;
        }
        if numbers < headings.len() {
            let what = format!("{NETSTAT}: {numbers} numbers of {name}; expected {}", headings.join(" "));
            document.flaw(line.number, what);
            return true;
        }
        // `en1*` is down.
        let name = name.trim_end_matches('*');
        if self.seen.iter().any(|there| there == name) {
            return true;
        }
        self.seen.push(name.to_owned());
        let mut cells = vec![("mtu_bytes", Put::Number(mtu.parse().ok()))];
        for (heading, word) in headings.iter().zip(&rest[rest.len() - headings.len()..]) {
            let column = UNIX_COLUMNS.iter().find(|(known, _)| known == heading);
            let (Some((_, column)), Ok(total)) = (column, word.parse::<u64>()) else { continue };
            let key = format!("{NETSTAT} {name} {column}");
            cells.push((*column, Put::Number(totals.growth(&key, total as f64))));
            if totals.is_new(&key) {
                put_since_boot(document, self.when, ("net_if", column), Some(name), total as f64);
            }
        }
        put_row(document, NetIfRow::DEF, self.when, Key::Name(name), &cells);
        true
    }
}

/// `Name Mtu Network Address Ipkts Ierrs Opkts Oerrs Coll`, of Solaris with `Net/Dest` and a `Queue`.
fn is_unix_heading(words: &[impl AsRef<str>]) -> bool {
    let is = |at: usize, heading: &str| words.get(at).is_some_and(|word| word.as_ref() == heading);
    is(0, "Name") && is(1, "Mtu") && is(3, "Address") && is(4, "Ipkts")
}

/// `Iface MTU RX-OK RX-ERR …`; before net-tools 2 with `Met` between.
fn is_netstat_heading(words: &[&str]) -> bool {
    words.starts_with(&["Iface", "MTU"]) && words.contains(&"RX-OK") && words.contains(&"TX-OK")
}

struct Link<'w> {
    name: &'w str,
    mtu: Option<f64>,
    state: String,
}

/// `2: eth0: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP …`.
fn link<'w>(words: &[&'w str]) -> Option<Link<'w>> {
    let [number, name, flags, rest @ ..] = words else { return None };
    number.strip_suffix(':')?.parse::<u32>().ok()?;
    let name = name.strip_suffix(':')?;
    if !flags.starts_with('<') || !flags.ends_with('>') {
        return None;
    }
    let after = |label: &str| {
        let at = rest.iter().position(|word| *word == label)?;
        rest.get(at + 1).copied()
    };
    Some(Link {
        // `veth0@if7`: what stands behind the sign is the other end.
        name: name.split('@').next().unwrap_or(name),
        mtu: after("mtu").and_then(|mtu| mtu.parse().ok()),
        state: after("state").unwrap_or("").to_ascii_lowercase(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_exist() {
        let columns = IP_COLUMNS.iter().map(|(.., column)| *column);
        let others = NETSTAT_COLUMNS.iter().chain(&UNIX_COLUMNS).map(|(_, column)| *column);
        for column in columns.chain(others).filter(|column| !column.is_empty()) {
            assert!(NetIfRow::DEF.position(column).is_some(), "{column}");
        }
    }

    #[test]
    fn links_are_told_from_prose() {
        let check = |line: &str| {
            link(&line.split_whitespace().collect::<Vec<_>>())
                .map(|link| (link.name.to_owned(), link.mtu, link.state))
        };
        assert_eq!(
            check("2: eth0@if7: <BROADCAST,UP,LOWER_UP> mtu 1400 qdisc noop state UP mode DEFAULT"),
            Some(("eth0".to_owned(), Some(1400.0), "up".to_owned()))
        );
        assert_eq!(check("2: second: the mtu is 1500"), None);
    }
}
