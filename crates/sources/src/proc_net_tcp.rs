//! `/proc/net/tcp`, `tcp6`, `udp` and `udp6`: only the parser. The source `sock_diag` reads
//! them where netlink is not there: in recorded trees, and without the rights.
//!
//! They tell less: no length of a listener's queue, no round-trip time, drops of UDP only.

use std::net::{Ipv4Addr, Ipv6Addr};

use heldup_model::tables::SocketRow;

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};
use crate::socket_state::{LISTEN, TIME_WAIT, state_name};

/// Fields that are looked at; TCP has more.
const FIELDS: usize = 13;

/// Reads one of the four files into rows without namespace and owner; at most `limit` of
/// them. Sockets in time_wait are left out: nobody holds them.
pub fn parse(text: &[u8], protocol: &'static str, limit: usize) -> Parsed<Vec<SocketRow>> {
    let mut parsed: Parsed<Vec<SocketRow>> = Parsed::default();
    for (line, content) in lines(parsed.whole_lines(text)).skip(1) {
        let fields: Vec<&[u8]> = fields(content).take(FIELDS).collect();
        match row(&fields, protocol) {
            Some((TIME_WAIT, _)) => {}
            Some((_, row)) if parsed.value.len() < limit => parsed.value.push(row),
            Some(_) => break,
            None => {
                let expected = "number, two addresses, state, queues, timers, uid, timeout and inode";
                parsed.error(ParseError::new(line, "socket", content, expected));
            }
        }
    }
    parsed
}

/// A row and its state.
fn row(fields: &[&[u8]], protocol: &'static str) -> Option<(u8, SocketRow)> {
    let (local_addr, local_port) = address(fields.get(1)?)?;
    let (peer_addr, peer_port) = address(fields.get(2)?)?;
    let state = u8::try_from(hex(fields.get(3)?)?).ok()?;
    let queues = fields.get(4)?;
    let colon = queues.iter().position(|b| *b == b':')?;
    let listens = protocol == "tcp" && state == LISTEN;
    let row = SocketRow {
        protocol: Some(protocol.into()),
        local_addr: Some(local_addr.into()),
        local_port: Some(local_port),
        peer_addr: Some(peer_addr.into()),
        peer_port: Some(peer_port),
        inode: Some(count(fields.get(9)?)?),
        state: Some(state_name(protocol == "udp", state)?.into()),
        uid: Some(count(fields.get(7)?)?),
        receive_queue: Some(hex(&queues[colon + 1..])?),
        send_queue: Some(hex(&queues[..colon])?).filter(|_| !listens),
        // Only UDP has the column, since 2.6.27.
        drops: fields.get(12).filter(|_| protocol == "udp").and_then(|field| count(field)),
        ..SocketRow::default()
    };
    Some((state, row))
}

/// `0100007F:0050`: each group of eight digits is a word of the address in the byte order
/// of the machine; the port is in the usual order.
fn address(field: &[u8]) -> Option<(String, i64)> {
    let colon = field.iter().position(|b| *b == b':')?;
    let port = hex(&field[colon + 1..]).filter(|port| *port <= i64::from(u16::MAX))?;
    let word = |digits: &[u8]| u32::try_from(hex(digits)?).ok().map(u32::to_le_bytes);
    match &field[..colon] {
        digits if digits.len() == 8 => Some((Ipv4Addr::from(word(digits)?).to_string(), port)),
        digits if digits.len() == 32 => {
            let mut bytes = [0u8; 16];
            for (four, digits) in bytes.chunks_exact_mut(4).zip(digits.chunks_exact(8)) {
                four.copy_from_slice(&word(digits)?);
            }
            Some((Ipv6Addr::from(bytes).to_string(), port))
        }
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    i64::from_str_radix(text, 16).ok().filter(|n| *n >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_both_versions() {
        let shown = |field: &str| address(field.as_bytes()).map(|(addr, port)| format!("{addr} {port}"));
        assert_eq!(shown("0100007F:0050").as_deref(), Some("127.0.0.1 80"));
        let loopback = "00000000000000000000000001000000:1F90";
        assert_eq!(shown(loopback).as_deref(), Some("::1 8080"));
        for bad in ["0100007F", "0100007F:10000", "0100007:0050", "01 0007F:0050", "+100007F:0050", ":0050"] {
            assert_eq!(shown(bad), None, "{bad}");
        }
    }

    #[test]
    fn damaged_lines_are_named_and_the_limit_holds() {
        let one =
            "   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000005 00:00000000 00000000 33 0 17 1 0 100\n";
        let text = format!("  sl  local_address ...\n{one}   1: 0100007F:0CEA 000\n{one}{one}");
        let parsed = parse(text.as_bytes(), "tcp", 2);
        assert_eq!((parsed.value.len(), parsed.errors.len(), parsed.errors[0].line), (2, 1, 3));
        let row = &parsed.value[0];
        assert_eq!(
            (row.state.as_deref(), row.receive_queue, row.send_queue),
            (Some("listen"), Some(5), None)
        );
        assert_eq!((row.uid, row.inode, row.local_port), (Some(33), Some(17), Some(3306)));
    }
}
