//! `/proc/net/sockstat`: sockets and their memory, by protocol.
//!
//! Only the parser: the source `limits` reads the file, because each number has a limit.
//! Orphans and memory are the whole machine's, the rest the network namespace's.

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};

/// What `/proc/net/sockstat` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcNetSockstat {
    /// TCP sockets that no process holds any more (`TCP: orphan`).
    pub tcp_orphans: Option<i64>,
    /// TCP sockets in TIME_WAIT (`TCP: tw`).
    pub tcp_time_waits: Option<i64>,
    /// Memory of all TCP sockets (`TCP: mem`).
    pub tcp_memory_pages: Option<i64>,
    /// Memory of all UDP sockets (`UDP: mem`).
    pub udp_memory_pages: Option<i64>,
}

/// Reads lines such as `TCP: inuse 1 orphan 0 tw 0 alloc 1 mem 251`.
pub fn parse(text: &[u8]) -> Parsed<ProcNetSockstat> {
    let mut parsed = Parsed::<ProcNetSockstat>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut rest = fields(content);
        let protocol = rest.next().unwrap_or_default();
        while let Some(name) = rest.next() {
            let value = rest.next().unwrap_or_default();
            let cell = match (protocol, name) {
                (b"TCP:", b"orphan") => &mut parsed.value.tcp_orphans,
                (b"TCP:", b"tw") => &mut parsed.value.tcp_time_waits,
                (b"TCP:", b"mem") => &mut parsed.value.tcp_memory_pages,
                (b"UDP:", b"mem") => &mut parsed.value.udp_memory_pages,
                _ => continue,
            };
            *cell = count(value);
            if cell.is_none() {
                let item = String::from_utf8_lossy(name).into_owned();
                parsed.error(ParseError::new(line, item, value, "a number, not negative"));
            }
        }
    }
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_followed_by_their_numbers() {
        let parsed = parse(
            b"sockets: used 28\nTCP: inuse 1 orphan 2 tw 3 alloc 1 mem 251\nUDP: inuse 0 mem -4\nTCP: tw\n",
        );
        let lines: Vec<_> = parsed.errors.iter().map(|e| (e.line, &*e.item)).collect();
        assert_eq!(lines, [(3, "mem"), (4, "tw")]);
        let expected = ProcNetSockstat {
            tcp_orphans: Some(2),
            tcp_time_waits: None,
            tcp_memory_pages: Some(251),
            udp_memory_pages: None,
        };
        assert_eq!(parsed.value, expected);
    }
}
