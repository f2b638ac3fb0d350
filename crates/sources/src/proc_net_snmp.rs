//! `/proc/net/snmp`, `netstat` and `snmp6`: counters of the network protocols of our own
//! namespace, under the names that nstat prints (table `net_proto`). Other namespaces:
//! [`crate::other_netns`].

use heldup_hostfs::{HostError, KeptFiles};
use heldup_model::tables::NetProtoRow;
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, Parsed, fields, lines};
use crate::network_namespaces;
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};

/// Settings and gauges among the counters of `snmp`: their increase means nothing.
const NO_COUNTERS: [&str; 7] = [
    "IpForwarding",
    "IpDefaultTTL",
    "TcpRtoAlgorithm",
    "TcpRtoMin",
    "TcpRtoMax",
    "TcpMaxConn",
    "TcpCurrEstab",
];

/// A counter and its value.
pub type Counter = (String, i64);

/// Reads `snmp` or `netstat`: two lines for each group, names and values.
pub fn parse_pairs(text: &[u8]) -> Parsed<Vec<Counter>> {
    let mut parsed: Parsed<Vec<Counter>> = Parsed::default();
    let mut lines = lines(parsed.whole_lines(text));
    while let Some((line, names)) = lines.next() {
        let Some((values_line, values)) = lines.next() else {
            parsed.error(ParseError::new(line, "values", names, "a line of values after the line of names"));
            break;
        };
        let (mut names, mut values) = (fields(names), fields(values));
        let (heading, repeated) = (names.next().unwrap_or_default(), values.next().unwrap_or_default());
        if heading != repeated || !heading.ends_with(b":") {
            parsed.error(ParseError::new(values_line, "group", repeated, "the group of the line before"));
            continue;
        }
        let group = String::from_utf8_lossy(&heading[..heading.len() - 1]);
        for name in names {
            let name = format!("{group}{}", String::from_utf8_lossy(name));
            let value = values.next();
            if !NO_COUNTERS.contains(&name.as_str()) {
                let value = counter(&mut parsed, values_line, &name, value);
                parsed.value.extend(value.map(|value| (name, value)));
            }
        }
    }
    parsed
}

/// Reads `snmp6`: a name and a value a line.
pub fn parse_lines(text: &[u8]) -> Parsed<Vec<Counter>> {
    let mut parsed: Parsed<Vec<Counter>> = Parsed::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut parts = fields(content);
        let name = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        let value = counter(&mut parsed, line, &name, parts.next());
        parsed.value.extend(value.map(|value| (name, value)));
    }
    parsed
}

fn counter(parsed: &mut Parsed<Vec<Counter>>, line: usize, name: &str, field: Option<&[u8]>) -> Option<i64> {
    let found = field.unwrap_or_default();
    let value = crate::kernel_text::count(found);
    if value.is_none() {
        parsed.error(ParseError::new(line, name.to_owned(), found, "a number from 0 to 2^63-1"));
    }
    value
}

/// The three files of one namespace below `folder`, as `read` reads them, into rows. A host without IPv6 has no
/// `snmp6`; when one of the other two cannot be read, the first error is answered, and the
/// rows of the rest are there nevertheless.
pub fn read_namespace(
    mut read: impl FnMut(&str, &mut Vec<u8>) -> Result<(), HostError>,
    folder: &str,
    netns: Option<i64>,
    text: &mut Vec<u8>,
    reading: &mut Reading,
    rows: &mut Vec<NetProtoRow>,
) -> Result<(), HostError> {
    let row = |(name, value): Counter| NetProtoRow { netns, name: Some(name.into()), value: Some(value) };
    let mut first_error = None;
    for file in ["snmp", "netstat"] {
        let path = format!("{folder}/{file}");
        match read(&path, text) {
            Ok(()) => rows.extend(reading.take(&path, parse_pairs(text)).into_iter().map(row)),
            Err(error) => _ = first_error.get_or_insert(error),
        }
    }
    let path = format!("{folder}/snmp6");
    if read(&path, text).is_ok() {
        rows.extend(reading.take(&path, parse_lines(text)).into_iter().map(row));
    }
    first_error.map_or(Ok(()), Err)
}

/// The source.
#[derive(Debug, Default)]
pub struct ProcNetSnmp {
    files: KeptFiles,
    text: Vec<u8>,
}

impl Source for ProcNetSnmp {
    fn name(&self) -> &'static str {
        "proc_net_snmp"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[NetProtoRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // A hundred counters of which rules judge rates over many seconds.
        Schedule::every_sample().pace(Pace::SLOW)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let mut rows = Vec::new();
        let netns = network_namespaces::own(host);
        let (files, text) = (&mut self.files, &mut self.text);
        let read = |path: &str, text: &mut Vec<u8>| files.read_into(host, path, text);
        if let Err(error) = read_namespace(read, "/proc/net", netns, text, &mut reading, &mut rows) {
            reading.lacks("net_proto", &error, "mount proc on /proc");
        }
        if !rows.is_empty() {
            reading.rows.push(RowSet::totals(rows));
        }
        reading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_nstat() {
        let text = b"Ip: Forwarding InReceives\nIp: 1 7\nTcp: MaxConn RetransSegs\nTcp: -1 3\n\
            IcmpMsg: InType3\nIcmpMsg: 2\n";
        let expected = [("IpInReceives", 7), ("TcpRetransSegs", 3), ("IcmpMsgInType3", 2)];
        let parsed = parse_pairs(text);
        assert_eq!(parsed.errors, []);
        assert_eq!(parsed.value, expected.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(parse_lines(b"Ip6InReceives       \t9\n").value, [("Ip6InReceives".to_owned(), 9)]);
    }

    #[test]
    fn names_and_values_that_do_not_belong_together() {
        let parsed = parse_pairs(b"Ip: A B\nTcp: 1 2\nUdp: C D\nUdp: 1\nTcpExt: E\n");
        let found: Vec<_> = parsed.errors.iter().map(|error| (error.line, &*error.item)).collect();
        assert_eq!(found, [(2, "group"), (4, "UdpD"), (5, "values")]);
        assert_eq!(parsed.value, [("UdpC".to_owned(), 1)]);
    }
}
