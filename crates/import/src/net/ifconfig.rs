//! `ifconfig` of Linux: traffic of interfaces since boot, as net-tools 1 (`RX packets:1 errors:0 …`) and 2 (`RX packets 1  bytes 2 …`)
//! print it. What it calls overruns is the kernel's `fifo`.

use heldup_model::Record;
use heldup_model::tables::NetIfRow;

use crate::document::put::{Put, put_row, put_since_boot};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::table::totals::Totals;

const NAME: &str = "ifconfig";
/// Lines of one interface, and the empty one behind it: addresses have a line each.
const MOST_GAP: u64 = 12;

/// What a line is about, a word of it, and its column.
const COLUMNS: [(&str, &str, &str); 10] = [
    ("RX", "packets", "rx_packets"),
    ("RX", "bytes", "rx_bytes"),
    ("RX", "errors", "rx_errors"),
    ("RX", "dropped", "rx_drops"),
    ("RX", "overruns", "rx_fifo_errors"),
    ("TX", "packets", "tx_packets"),
    ("TX", "bytes", "tx_bytes"),
    ("TX", "errors", "tx_errors"),
    ("TX", "dropped", "tx_drops"),
    ("TX", "collisions", "collisions"),
];

/// Reads `ifconfig`.
#[derive(Default)]
pub struct Ifconfig {
    listing: Option<Listing>,
    totals: Totals,
    last_line: u64,
}

struct Listing {
    when: When,
    interface: String,
    seen: Vec<String>,
}

impl Importer for Ifconfig {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((name, mtu)) = interface(line.words) else { return Ok(false) };
        let is_listed =
            self.listing.as_ref().is_some_and(|listing| !listing.seen.iter().any(|seen| seen == name));
        if !is_listed || line.number > self.last_line + MOST_GAP {
            self.ends(document)?;
            document.begin(NAME);
            document.note("counters of interfaces count since boot: the first listing has no increases");
            let when = self.totals.sample(document.moment(NAME));
            self.listing = Some(Listing { when, interface: String::new(), seen: Vec::new() });
        }
        self.last_line = line.number;
        if let Some(listing) = self.listing.as_mut() {
            name.clone_into(&mut listing.interface);
            listing.seen.push(name.to_owned());
            let cells = [("mtu_bytes", Put::Number(mtu))];
            put_row(document, NetIfRow::DEF, listing.when, Key::Name(name), &cells);
        }
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(listing) = self.listing.as_ref().filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let (mut cells, mut is_taken) = (Vec::new(), false);
        let mut direction =
            if line.words.first().is_some_and(|word| word.starts_with("collisions")) { "TX" } else { "" };
        for (at, word) in line.words.iter().enumerate() {
            if let "RX" | "TX" = *word {
                direction = word;
                continue;
            }
            // The number stands behind a colon, or is the next word.
            let (label, number) = match word.split_once(':') {
                Some((label, number)) => (label, number),
                None => (*word, line.words.get(at + 1).copied().unwrap_or("")),
            };
            if let ("MTU", Ok(mtu)) = (label, number.parse::<f64>()) {
                cells.push(("mtu_bytes", Put::Number(Some(mtu))));
                is_taken = true;
            }
            let known = COLUMNS.iter().find(|(of, name, _)| *of == direction && *name == label);
            if let (Some((.., column)), Ok(total)) = (known, number.parse::<u64>()) {
                let key = format!("{} {column}", listing.interface);
                cells.push((*column, Put::Number(self.totals.growth(&key, total as f64))));
                if self.totals.is_new(&key) {
                    let thing = Some(listing.interface.as_str());
                    put_since_boot(document, listing.when, ("net_if", column), thing, total as f64);
                }
                is_taken = true;
            }
        }
        let is_address = matches!(line.words, ["inet" | "inet6" | "ether" | "loop" | "infiniband", ..]);
        if !is_taken && !is_address {
            return Ok(false);
        }
        put_row(document, NetIfRow::DEF, listing.when, Key::Name(&listing.interface), &cells);
        self.last_line = line.number;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

/// `eth0      Link encap:Ethernet …`, `eth0: flags=4163<UP,…>  mtu 1500`: the interface, and its largest packet.
fn interface<'w>(words: &[&'w str]) -> Option<(&'w str, Option<f64>)> {
    match words {
        [name, "Link", encapsulation, ..] if encapsulation.starts_with("encap:") => Some((name, None)),
        [name, flags, "mtu", mtu, ..] if flags.starts_with("flags=") => {
            Some((name.strip_suffix(':')?, mtu.parse().ok()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_exist() {
        assert!(COLUMNS.iter().all(|(.., column)| NetIfRow::DEF.position(column).is_some()));
    }

    #[test]
    fn interfaces_are_told_from_prose() {
        let check = |line: &str| {
            interface(&line.split_whitespace().collect::<Vec<_>>()).map(|(name, _)| name.to_owned())
        };
        assert_eq!(check("eth0:1    Link encap:Ethernet  HWaddr 00:11"), Some("eth0:1".to_owned()));
        assert_eq!(check("lo: flags=73<UP,LOOPBACK,RUNNING>  mtu 65536"), Some("lo".to_owned()));
        assert_eq!(check("The Link is down"), None);
    }
}
