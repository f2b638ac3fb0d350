//! Messages of the kernel's lists of queueing disciplines and of their classes (`struct tcmsg`
//! of linux/rtnetlink.h, `struct gnet_stats_…` of linux/gen_stats.h): only the parser.

use heldup_model::tables::NetQdiscRow;

use crate::kernel_text::{ParseError, Parsed};
use crate::netlink_attribute::{attribute, long, word};
use crate::tc_options;

const HEADER_BYTES: usize = 16;
/// `struct nlmsghdr` and `struct tcmsg`, then attributes.
const MESSAGE_BYTES: usize = HEADER_BYTES + 20;
/// Attributes of the message, and within the second those of its statistics.
const KIND: u16 = 1;
const OPTIONS: u16 = 2;
const STATISTICS: u16 = 7;
const BASIC: u16 = 1;
const QUEUE: u16 = 3;
/// 64-bit packets (5.5): 32 bits run over within minutes.
const PACKETS_64: u16 = 8;
/// `TC_H_ROOT`, `TC_H_INGRESS` and, with the same number, clsact.
const ROOT: u32 = 0xffff_ffff;
const INGRESS: u32 = 0xffff_fff1;

/// `RTM_NEWTCLASS`: the message is about a class.
const CLASS: u16 = 40;

/// Reads messages into rows, each with the number of its interface. Errors count messages
/// from 1. An interface without any queue has the discipline `noqueue`, which is left out.
pub fn parse(messages: &[u8]) -> Parsed<Vec<(i64, NetQdiscRow)>> {
    let mut parsed: Parsed<Vec<_>> = Parsed::default();
    let mut rest = messages;
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let length = word(rest, 0).map_or(0, |length| length as usize);
        let message = rest.get(..length).filter(|message| message.len() >= MESSAGE_BYTES);
        match message.and_then(row) {
            Some((_, row)) if row.kind.as_deref() == Some("noqueue") => {}
            Some(row) => parsed.value.push(row),
            None => {
                let what = "a whole message about a queueing discipline";
                parsed.error(ParseError::new(number, "qdisc", rest, what));
            }
        }
        if length < HEADER_BYTES {
            break;
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    parsed
}

fn row(message: &[u8]) -> Option<(i64, NetQdiscRow)> {
    let of_class = u16::from_ne_bytes(message.get(4..6)?.try_into().ok()?) == CLASS;
    let body = message.get(HEADER_BYTES..)?;
    let interface = i64::from(word(body, 4)?);
    let attributes = message.get(MESSAGE_BYTES..)?;
    let kind = attribute(attributes, KIND)?.split(|byte| *byte == 0).next()?;
    let kind = String::from_utf8_lossy(kind);
    let set = tc_options::parse(&kind, of_class, attribute(attributes, OPTIONS).unwrap_or_default());
    let statistics = attribute(attributes, STATISTICS).unwrap_or_default();
    let basic = attribute(statistics, BASIC).unwrap_or_default();
    let queue = attribute(statistics, QUEUE).unwrap_or_default();
    let packets = attribute(statistics, PACKETS_64).and_then(|packets| long(packets, 0));
    let of_queue = |at: usize| word(queue, at).map(i64::from);
    let row = NetQdiscRow {
        handle: Some(if of_class { class(word(body, 8)?) } else { handle(word(body, 8)?) }.into()),
        parent: Some(parent(word(body, 12)?).into()),
        kind: Some(if of_class { format!("{kind} class") } else { kind.to_string() }.into()),
        rate_bits_per_s: set.rate_bits_per_s,
        ceil_bits_per_s: set.ceil_bits_per_s,
        delay_s: set.delay_s,
        sent_bytes: long(basic, 0),
        sent_packets: packets.or_else(|| word(basic, 8).map(i64::from)),
        drops: of_queue(8),
        overlimits: of_queue(16),
        requeues: of_queue(12),
        throttled: tc_options::throttled(&kind, statistics),
        backlog_bytes: of_queue(4),
        backlog_packets: of_queue(0),
        ..NetQdiscRow::default()
    };
    Some((interface, row))
}

/// `8001:`, as tc writes it: hexadecimal.
fn handle(handle: u32) -> String {
    format!("{:x}:", handle >> 16)
}

fn parent(parent: u32) -> String {
    match parent {
        ROOT => "root".to_owned(),
        INGRESS => "ingress".to_owned(),
        other => class(other),
    }
}

/// `1:10`, hexadecimal too.
fn class(class: u32) -> String {
    format!("{:x}:{:x}", class >> 16, class & 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_written_as_tc_does() {
        assert_eq!(handle(0x8001_0000), "8001:");
        assert_eq!(handle(0), "0:");
        assert_eq!((parent(ROOT), parent(INGRESS)), ("root".to_owned(), "ingress".to_owned()));
        assert_eq!(parent(0x0001_00a0), "1:a0");
    }

    /// A discipline of kind `x` on interface 3, with 7 drops and `packets` in two widths.
    fn message(wide: bool) -> Vec<u8> {
        let attribute = |kind: u16, content: &[u8]| {
            let mut bytes = ((4 + content.len()) as u16).to_ne_bytes().to_vec();
            bytes.extend(kind.to_ne_bytes());
            bytes.extend(content);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        };
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
        let mut statistics = attribute(BASIC, &words(&[1000, 0, 9, 0]));
        statistics.extend(attribute(QUEUE, &words(&[2, 3000, 7, 1, 4])));
        if wide {
            statistics.extend(attribute(PACKETS_64, &5_000_000_000u64.to_ne_bytes()));
        }
        let mut bytes = vec![0; HEADER_BYTES];
        bytes.extend(words(&[0, 3, 0x0001_0000, ROOT, 0]));
        bytes.extend(attribute(KIND, b"x\0"));
        bytes.extend(attribute(STATISTICS | 0x8000, &statistics));
        let length = bytes.len() as u32;
        bytes[..4].copy_from_slice(&length.to_ne_bytes());
        bytes
    }

    #[test]
    fn statistics_and_packets_of_either_width() {
        let rows = parse(&[message(false), message(true)].concat());
        assert_eq!(rows.errors, []);
        let shown: Vec<_> =
            rows.value.iter().map(|(interface, row)| (*interface, row.sent_packets, row.drops)).collect();
        assert_eq!(shown, [(3, Some(9), Some(7)), (3, Some(5_000_000_000), Some(7))]);
        let row = &rows.value[0].1;
        assert_eq!((row.backlog_packets, row.backlog_bytes), (Some(2), Some(3000)));
        assert_eq!((row.requeues, row.overlimits, row.sent_bytes), (Some(1), Some(4), Some(1000)));
    }

    #[test]
    fn messages_that_are_cut_or_garbled() {
        let whole = message(true);
        for end in 1..whole.len() {
            assert_eq!(parse(&whole[..end]).value, [], "{end}: a discipline is made up");
        }
        for at in 0..whole.len() {
            let mut garbled = whole.clone();
            garbled[at] ^= 0xff;
            // It must end and not panic; other figures may be read.
            assert!(parse(&garbled).value.len() <= 1, "{at}");
        }
    }
}
