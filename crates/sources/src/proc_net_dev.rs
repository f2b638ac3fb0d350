//! `/proc/net/dev`: traffic, errors and drops of the interfaces of our own network
//! namespace (table `net_if`). Other namespaces: [`crate::other_netns`].
//!
//! Speed, state and packet size come from `/sys/class/net` and are read when an interface
//! is first seen: asking a driver for its speed takes a lock that all of networking shares.

use std::collections::HashMap;

use heldup_hostfs::{Host, KeptFiles};
use heldup_model::tables::NetIfRow;
use heldup_model::{Record, RowSet, TableDef, Text};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};
use crate::network_namespaces;
use crate::source::{ReadContext, Reading, Schedule, Source};

const PATH: &str = "/proc/net/dev";
/// Columns of the file after the name; the same since 2.2.
const NUMBERS: usize = 16;

/// Reads the file into rows without namespace and settings.
pub fn parse(text: &[u8]) -> Parsed<Vec<NetIfRow>> {
    let mut parsed: Parsed<Vec<NetIfRow>> = Parsed::default();
    // Two lines of headings.
    for (line, content) in lines(parsed.whole_lines(text)).skip_while(|(line, _)| *line <= 2) {
        // Names may hold colons (aliases), numbers may follow without a blank.
        let Some(colon) = content.iter().rposition(|b| *b == b':') else {
            parsed.error(ParseError::new(line, "interface", content, "a name, a colon and 16 numbers"));
            continue;
        };
        let name = String::from_utf8_lossy(content[..colon].trim_ascii_start()).into_owned();
        let numbers: Vec<&[u8]> = fields(&content[colon + 1..]).take(NUMBERS).collect();
        if numbers.len() < NUMBERS {
            parsed.error(ParseError::new(line, "interface", content, "a name, a colon and 16 numbers"));
            continue;
        }
        let mut at = |index: usize, item| parsed.count(line, item, numbers.get(index).copied());
        let row = NetIfRow {
            name: Some(name.into()),
            rx_bytes: at(0, "received bytes"),
            rx_packets: at(1, "received packets"),
            rx_errors: at(2, "received errs"),
            rx_drops: at(3, "received drop"),
            rx_fifo_errors: at(4, "received fifo"),
            tx_bytes: at(8, "sent bytes"),
            tx_packets: at(9, "sent packets"),
            tx_errors: at(10, "sent errs"),
            tx_drops: at(11, "sent drop"),
            collisions: at(13, "colls"),
            ..NetIfRow::default()
        };
        parsed.value.push(row);
    }
    parsed
}

/// What `/sys/class/net` says of an interface.
#[derive(Clone, Debug, Default, PartialEq)]
struct Settings {
    speed_bits_per_s: Option<i64>,
    mtu_bytes: Option<i64>,
    state: Option<Text>,
}

/// The source.
#[derive(Debug, Default)]
pub struct ProcNetDev {
    files: KeptFiles,
    text: Vec<u8>,
    settings: HashMap<Text, Settings>,
    /// Our own namespace, in which the program stays; none before the first reading.
    netns: Option<Option<i64>>,
}

impl Source for ProcNetDev {
    fn name(&self) -> &'static str {
        "proc_net_dev"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[NetIfRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::every_sample()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        if let Err(error) = self.files.read_into(host, PATH, &mut self.text) {
            reading.lacks("net_if", &error, "mount proc on /proc");
            return reading;
        }
        let mut rows = reading.take(PATH, parse(&self.text));
        let netns = *self.netns.get_or_insert_with(|| network_namespaces::own(host));
        for row in &mut rows {
            let Some(name) = row.name.clone() else { continue };
            let known = self.settings.entry(name).or_insert_with_key(|name| settings(host, name));
            row.netns = netns;
            row.speed_bits_per_s = known.speed_bits_per_s;
            row.mtu_bytes = known.mtu_bytes;
            row.state = known.state.clone();
        }
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

fn settings(host: &Host, name: &str) -> Settings {
    let folder = format!("/sys/class/net/{name}");
    let number = |file: &str| count(host.read(format!("{folder}/{file}")).ok()?.trim_ascii());
    // A virtual interface has no device and an invented speed (veth says 10 Gbit/s). A link
    // that is down, and a paravirtual one that does not know, say -1 or give an error.
    let physical = host.exists(format!("{folder}/device"));
    let megabits = number("speed").filter(|_| physical);
    Settings {
        speed_bits_per_s: megabits.and_then(|speed| speed.checked_mul(1_000_000)),
        mtu_bytes: number("mtu"),
        state: host.read_text(format!("{folder}/operstate")).ok().map(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADINGS: &str = "Inter-| Receive | Transmit\n face |bytes | bytes\n";

    #[test]
    fn names_with_colons_and_numbers_without_blanks() {
        let text = format!("{HEADINGS}eth0:1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
        let parsed = parse(text.as_bytes());
        assert_eq!((parsed.value.len(), parsed.errors.len()), (1, 0));
        let text = format!("{HEADINGS}  eth0:1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
        let row = &parse(text.as_bytes()).value[0];
        assert_eq!((row.name.as_deref(), row.rx_bytes, row.tx_bytes), (Some("eth0:1"), Some(1), Some(9)));
        assert_eq!((row.rx_fifo_errors, row.collisions), (Some(5), Some(14)));
    }

    #[test]
    fn damaged_lines_are_named() {
        let text =
            format!("{HEADINGS} lo: 1 2\n eth0 1\n eth1: x 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n e: 1");
        let parsed = parse(text.as_bytes());
        let lines: Vec<_> = parsed.errors.iter().map(|error| error.line).collect();
        assert_eq!(lines, [6, 3, 4, 5]);
        assert_eq!((parsed.value.len(), parsed.value[0].rx_bytes), (1, None));
    }
}
