//! Messages of the kernel's list of sockets (`struct inet_diag_msg` of linux/inet_diag.h):
//! only the parser.

use std::net::{Ipv4Addr, Ipv6Addr};

use heldup_model::tables::SocketRow;

use crate::kernel_text::{ParseError, Parsed};
use crate::socket_state::{LISTEN, state_name};

const INET_DIAG_INFO: u8 = 2;
const INET_DIAG_SKMEMINFO: u8 = 7;
/// Attributes to ask for: `tcp_info` and the socket's memory, which holds its drops.
pub const ATTRIBUTES: u8 = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_SKMEMINFO - 1);

/// `struct nlmsghdr` and `struct inet_diag_msg`, then attributes.
const HEADER_BYTES: usize = 16;
const MESSAGE_BYTES: usize = HEADER_BYTES + 72;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
/// Where `tcp_info` has `tcpi_rtt` (microseconds) and `tcpi_total_retrans`.
const RTT_AT: usize = 68;
const TOTAL_RETRANS_AT: usize = 100;
/// `SK_MEMINFO_DROPS` of linux/sock_diag.h, an index of 32-bit words; since 4.9.
const DROPS_AT: usize = 8 * 4;

/// Reads messages into rows without namespace and owner. Errors count messages from 1.
pub fn parse(messages: &[u8], udp: bool) -> Parsed<Vec<SocketRow>> {
    let mut parsed: Parsed<Vec<SocketRow>> = Parsed::default();
    let mut rest = messages;
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let length = word(rest, 0).map_or(0, |length| length as usize);
        let message = rest.get(..length).filter(|message| message.len() >= MESSAGE_BYTES);
        let Some(row) = message.and_then(|message| row(message, udp)) else {
            parsed.error(ParseError::new(number, "socket", rest, "a whole message about a socket"));
            if length < HEADER_BYTES {
                break;
            }
            rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
            continue;
        };
        parsed.value.push(row);
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    parsed
}

fn row(message: &[u8], udp: bool) -> Option<SocketRow> {
    let body = message.get(HEADER_BYTES..)?;
    let (family, state) = (*body.first()?, *body.get(1)?);
    let port = |at: usize| Some(i64::from(u16::from_be_bytes(body.get(at..at + 2)?.try_into().ok()?)));
    let number = |at: usize| word(body, at).map(i64::from);
    let listens = !udp && state == LISTEN;
    let info = |at: usize| attribute(message, INET_DIAG_INFO).and_then(|info| word(info, at)).map(i64::from);
    let memory = attribute(message, INET_DIAG_SKMEMINFO);
    Some(SocketRow {
        protocol: Some(if udp { "udp" } else { "tcp" }.into()),
        local_addr: Some(address(family, body.get(8..24)?)?.into()),
        local_port: Some(port(4)?),
        peer_addr: Some(address(family, body.get(24..40)?)?.into()),
        peer_port: Some(port(6)?),
        inode: Some(number(68)?),
        state: Some(state_name(udp, state)?.into()),
        uid: Some(number(64)?),
        receive_queue: Some(number(56)?),
        // A listener has no bytes to send: here stands how many connections may wait.
        send_queue: number(60).filter(|_| !listens),
        backlog_max: number(60).filter(|_| listens),
        receive_memory_bytes: memory.and_then(|memory| word(memory, 0)).map(i64::from),
        receive_buffer_bytes: memory.and_then(|memory| word(memory, 4)).map(i64::from),
        drops: memory.and_then(|memory| word(memory, DROPS_AT)).map(i64::from),
        retransmits: info(TOTAL_RETRANS_AT).filter(|_| !listens),
        // Zero until a first segment was acknowledged.
        rtt_s: info(RTT_AT).filter(|us| *us > 0 && !listens).map(|us| us as f64 / 1e6),
        ..SocketRow::default()
    })
}

fn address(family: u8, bytes: &[u8]) -> Option<String> {
    match family {
        AF_INET => <[u8; 4]>::try_from(bytes.get(..4)?).ok().map(|four| Ipv4Addr::from(four).to_string()),
        AF_INET6 => <[u8; 16]>::try_from(bytes).ok().map(|all| Ipv6Addr::from(all).to_string()),
        _ => None,
    }
}

/// The content of an attribute after the message: `struct rtattr` is length and type.
fn attribute(message: &[u8], wanted: u8) -> Option<&[u8]> {
    let mut rest = message.get(MESSAGE_BYTES..)?;
    loop {
        let length = usize::from(u16::from_ne_bytes(rest.get(0..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(rest.get(2..4)?.try_into().ok()?);
        let content = rest.get(4..length)?;
        if kind == u16::from(wanted) {
            return Some(content);
        }
        rest = rest.get(length.next_multiple_of(4)..)?;
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TCP: &[u8] = include_bytes!("../fixtures/inet_diag/debian-12-6.18.44-loopback-tcp.bin");
    const UDP: &[u8] = include_bytes!("../fixtures/inet_diag/debian-12-6.18.44-loopback-udp.bin");

    fn shown(row: &SocketRow) -> String {
        let number = |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        format!(
            "{} {}:{} {}:{} {} rq {} sq {} max {} drops {} again {} rtt {}",
            row.state.as_deref().unwrap_or("-"),
            row.local_addr.as_deref().unwrap_or("-"),
            number(row.local_port),
            row.peer_addr.as_deref().unwrap_or("-"),
            number(row.peer_port),
            row.protocol.as_deref().unwrap_or("-"),
            number(row.receive_queue),
            number(row.send_queue),
            number(row.backlog_max),
            number(row.drops),
            number(row.retransmits),
            row.rtt_s.map_or_else(|| "-".to_owned(), |rtt| format!("{:.0} us", rtt * 1e6)),
        )
    }

    /// The figures are those that `ss -tuanimO` printed of the same sockets.
    #[test]
    fn the_figures_of_ss() {
        let parsed = parse(TCP, false);
        assert_eq!(parsed.errors, []);
        let mut rows: Vec<String> = parsed.value.iter().map(shown).collect();
        rows.sort();
        let expected = [
            "established 127.0.0.1:33962 127.0.0.1:8080 tcp rq 0 sq 0 max - drops 0 again 0 rtt 24 us",
            "established 127.0.0.1:33966 127.0.0.1:8080 tcp rq 0 sq 0 max - drops 0 again 0 rtt 6 us",
            "established 127.0.0.1:8080 127.0.0.1:33962 tcp rq 11 sq 0 max - drops 0 again 0 rtt 18 us",
            "established 127.0.0.1:8080 127.0.0.1:33966 tcp rq 0 sq 0 max - drops 0 again 0 rtt 7 us",
            "listen 127.0.0.1:8080 0.0.0.0:0 tcp rq 2 sq - max 1 drops 4 again - rtt -",
            "listen ::1:8081 :::0 tcp rq 0 sq - max 5 drops 0 again - rtt -",
            "syn_sent 127.0.0.1:33970 127.0.0.1:8080 tcp rq 0 sq 1 max - drops 0 again 1 rtt -",
            "syn_sent 127.0.0.1:33978 127.0.0.1:8080 tcp rq 0 sq 1 max - drops 0 again 1 rtt -",
        ];
        assert_eq!(rows, expected);
        let mut rows: Vec<String> = parse(UDP, true).value.iter().map(shown).collect();
        rows.sort();
        let expected = [
            "unconnected 0.0.0.0:51613 0.0.0.0:0 udp rq 0 sq 0 max - drops 0 again - rtt -",
            "unconnected 127.0.0.1:5353 0.0.0.0:0 udp rq 3840 sq 0 max - drops 17 again - rtt -",
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn messages_that_are_cut_or_garbled() {
        let whole = parse(TCP, false).value;
        for end in 0..TCP.len() {
            let parsed = parse(&TCP[..end], false);
            assert!(parsed.value.len() <= whole.len(), "{end}");
            assert!(
                parsed.value.iter().eq(whole.iter().take(parsed.value.len())),
                "{end}: a socket is made up"
            );
        }
        for at in 0..TCP.len() {
            let mut garbled = TCP.to_vec();
            garbled[at] ^= 0xff;
            // It must end and not panic; a socket may be lost or have other figures.
            assert!(parse(&garbled, false).value.len() <= whole.len(), "{at}");
        }
        assert_eq!(parse(&[0; 64], false).errors.len(), 1);
    }
}
