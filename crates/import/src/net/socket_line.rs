//! The words of `ss` and `netstat` about one socket. Pure.

use crate::text::number::cell;

/// One end of a connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// Address, without the interface that it is bound to and without brackets; none where a name stands there.
    pub address: Option<String>,
    /// Port; none where it is a name or any.
    pub port: Option<i64>,
}

/// What is told of one socket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Socket {
    /// `tcp` or `udp`; none where the listing does not tell.
    pub protocol: Option<&'static str>,
    /// State, by the name of the table.
    pub state: Option<&'static str>,
    /// Bytes not read yet, or connections not accepted.
    pub receive_queue: Option<i64>,
    /// Bytes not acknowledged; of a listener how many connections may wait.
    pub send_queue: Option<i64>,
    /// This end.
    pub local: End,
    /// The other.
    pub peer: End,
    /// What stands behind the addresses, and in the line below.
    pub details: Details,
}

/// What `-p`, `-e`, `-i` and `-m` add.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details {
    /// Process that holds it, and its name.
    pub owner: Option<(String, i64)>,
    /// Owner.
    pub uid: Option<i64>,
    /// Inode.
    pub inode: Option<i64>,
    /// Smoothed round-trip time.
    pub rtt_s: Option<f64>,
    /// Segments that were sent again since the connection began.
    pub retransmits: Option<i64>,
    /// Segments that were sent since the connection began.
    pub sent: Option<i64>,
    /// Packets dropped at the socket since it was made.
    pub drops: Option<i64>,
    /// Memory of what was received, and its limit.
    pub receive_memory: Option<i64>,
    /// The limit.
    pub receive_buffer: Option<i64>,
    /// Something that only TCP has is told.
    pub is_tcp: bool,
}

/// Names of states, as `ss` and `netstat` print them, and as the table has them.
const STATES: [(&str, &str); 25] = [
    ("ESTAB", "established"),
    ("ESTABLISHED", "established"),
    ("SYN-SENT", "syn_sent"),
    ("SYN_SENT", "syn_sent"),
    ("SYN-RECV", "syn_recv"),
    ("SYN_RECV", "syn_recv"),
    ("FIN-WAIT-1", "fin_wait1"),
    ("FIN_WAIT1", "fin_wait1"),
    ("FIN-WAIT-2", "fin_wait2"),
    ("FIN_WAIT2", "fin_wait2"),
    ("TIME-WAIT", "time_wait"),
    ("TIME_WAIT", "time_wait"),
    ("CLOSE-WAIT", "close_wait"),
    ("CLOSE_WAIT", "close_wait"),
    ("CLOSE", "close"),
    ("CLOSED", "close"),
    ("LAST-ACK", "last_ack"),
    ("LAST_ACK", "last_ack"),
    ("LISTEN", "listen"),
    ("CLOSING", "closing"),
    ("UNCONN", "unconnected"),
    ("BOUND", "bound"),
    ("BOUND-INACTIVE", "bound"),
    ("NEW-SYN-RECV", "syn_recv"),
    // netstat in German.
    ("VERBUNDEN", "established"),
];

/// The name of a state in the table.
pub fn state(word: &str) -> Option<&'static str> {
    STATES.iter().find(|(printed, _)| *printed == word).map(|(_, name)| *name)
}

/// The protocol of the table; none of those that it has no place for.
pub fn protocol(word: &str) -> Option<&'static str> {
    match word {
        "tcp" | "tcp4" | "tcp6" => Some("tcp"),
        "udp" | "udp4" | "udp6" => Some("udp"),
        _ => None,
    }
}

/// An address and a port: `10.0.0.1:22`, `[::1]:22`, `::1:22`, `*:*`, `127.0.0.53%lo:53`, `localhost:http`.
pub fn end(word: &str) -> Option<End> {
    let (address, port) = word.rsplit_once(':')?;
    // An interface stands within the brackets or behind them.
    let bare = address.trim_start_matches('[').split(['%', ']']).next().unwrap_or(address);
    let is_written = bare.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':'));
    let is_address = bare == "*" || (is_written && bare.contains(['.', ':']));
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+*".contains(&byte))
    };
    let address = is_address.then(|| bare.to_owned());
    (is_name(port) && (is_address || is_name(bare))).then(|| End { address, port: port.parse().ok() })
}

/// A row of `ss`, whose headings are with or without the kind of socket and the state; none where the words are
/// of something else, and nothing within where it is of another kind than TCP and UDP.
pub fn row(words: &[&str], has_kind: bool, has_state: bool) -> Option<Option<Socket>> {
    let mut words = words;
    let mut socket = Socket::default();
    let mut is_other = false;
    if has_kind {
        let (first, rest) = words.split_first()?;
        socket.protocol = protocol(first);
        is_other = socket.protocol.is_none();
        words = rest;
    }
    if has_state {
        let (first, rest) = words.split_first()?;
        socket.state = Some(state(first)?);
        words = rest;
    }
    let [receive, send, local, rest @ ..] = words else { return None };
    socket.receive_queue = Some(receive.parse().ok()?);
    socket.send_queue = Some(send.parse().ok()?);
    if is_other {
        return Some(None);
    }
    // An address and its port may stand a blank apart.
    let (local, rest) = joined(local, rest)?;
    let (peer, rest) = match rest {
        [peer, rest @ ..] => joined(peer, rest)?,
        [] => return None,
    };
    (socket.local, socket.peer) = (local, peer);
    socket.details = details(rest);
    Some(Some(socket))
}

fn joined<'w>(first: &str, rest: &'w [&'w str]) -> Option<(End, &'w [&'w str])> {
    if let Some(end) = end(first) {
        return Some((end, rest));
    }
    let (second, rest) = rest.split_first()?;
    let port = second.strip_prefix(':').unwrap_or(second);
    Some((end(&format!("{}:{port}", first.trim_end_matches(':')))?, rest))
}

/// What words behind the addresses, or in a line of their own, tell.
pub fn details(words: &[&str]) -> Details {
    let mut details = Details::default();
    for word in words {
        if let Some(users) = word.strip_prefix("users:((") {
            details.owner = owner(users);
            continue;
        }
        let Some((label, value)) = word.split_once(':') else { continue };
        match label {
            "uid" => details.uid = value.parse().ok(),
            "ino" => details.inode = value.parse().ok(),
            "rtt" => {
                let smoothed = value.split('/').next().unwrap_or(value);
                details.rtt_s = cell(smoothed).value().map(|ms| ms / 1000.0);
            }
            // Those that wait for an answer now, and all since the connection began.
            "retrans" => details.retransmits = value.split_once('/').and_then(|(_, all)| all.parse().ok()),
            "segs_out" => details.sent = value.parse().ok(),
            "skmem" | "mem" => {
                let field = |name: &str| {
                    let mut fields = value.trim_matches(['(', ')']).split(',');
                    fields.find_map(|field| field.strip_prefix(name)?.parse().ok())
                };
                // Of `mem` only the memory in use is told.
                details.receive_memory = field("r");
                details.receive_buffer = field("rb");
                details.drops = field("d");
            }
            _ => {}
        }
        details.is_tcp |= matches!(label, "rtt" | "cwnd" | "mss" | "rto" | "retrans" | "ssthresh" | "wscale");
    }
    details
}

/// `"sshd",pid=1234,fd=3),("sshd",pid=1230,fd=3))`: the first of those that hold it.
fn owner(users: &str) -> Option<(String, i64)> {
    let (name, rest) = users.strip_prefix('"')?.split_once('"')?;
    let rest = rest.trim_start_matches([',']);
    let pid = rest.strip_prefix("pid=").unwrap_or(rest).split([',', ')']).next()?;
    Some((name.to_owned(), pid.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<&str> {
        line.split_whitespace().collect()
    }

    #[test]
    fn ends_of_connections() {
        let check = |word: &str, expect: Option<(&str, Option<i64>)>| {
            let found = end(word);
            let parts = found.as_ref().map(|end| (end.address.as_deref().unwrap_or("a name"), end.port));
            assert_eq!(parts, expect, "{word}");
        };
        check("10.0.0.1:22", Some(("10.0.0.1", Some(22))));
        check("[::ffff:10.0.0.1]:22", Some(("::ffff:10.0.0.1", Some(22))));
        check("::1:22", Some(("::1", Some(22))));
        check(":::22", Some(("::", Some(22))));
        check("*:*", Some(("*", None)));
        check("127.0.0.53%lo:53", Some(("127.0.0.53", Some(53))));
        check("[fe80::1%eth0]:546", Some(("fe80::1", Some(546))));
        check("[fe80::1]%eth0:123", Some(("fe80::1", Some(123))));
        check("0.0.0.0:http", Some(("0.0.0.0", None)));
        check("localhost.localdoma:ssh", Some(("a name", None)));
        check("/run/user/1000/bus:7", None);
        check("22", None);
    }

    #[test]
    fn rows_of_every_form() {
        let socket = row(
            &words("tcp ESTAB 0 36 10.0.0.5:22 10.0.0.9:51000 users:((\"sshd\",pid=77,fd=3)) uid:12 ino:99 sk:1 <->"),
            true,
            true,
        )
        .flatten()
        .expect("a socket");
        assert_eq!(socket.protocol, Some("tcp"));
        assert_eq!((socket.receive_queue, socket.send_queue), (Some(0), Some(36)));
        assert_eq!(socket.peer.port, Some(51_000));
        assert_eq!(socket.details.owner, Some(("sshd".to_owned(), 77)));
        assert_eq!((socket.details.uid, socket.details.inode), (Some(12), Some(99)));
        // Before iproute2 4: no pid=, and blanks before ports.
        let old = row(&words("LISTEN 0 128 *: 22 *: * users:((\"sshd\",1234,3))"), false, true);
        let old = old.flatten().expect("a socket");
        assert_eq!((old.local.port, old.peer.port), (Some(22), None));
        assert_eq!(old.details.owner, Some(("sshd".to_owned(), 1234)));
        let other = row(&words("nl UNCONN 768 0 rtnl:kernel *"), true, true);
        assert_eq!(other, Some(None));
        assert_eq!(row(&words("LISTEN is a word of 3"), false, true), None);
    }

    #[test]
    fn what_the_line_below_tells() {
        let told = details(&words(
            "cubic wscale:7,7 rto:204 rtt:1.5/0.75 mss:1448 cwnd:10 bytes_sent:5 retrans:1/17 skmem:(r0,rb87380,t0,tb46080,f0,w0,o0,bl0,d3)",
        ));
        assert_eq!((told.rtt_s, told.retransmits, told.drops), (Some(0.0015), Some(17), Some(3)));
        assert!(told.is_tcp);
        assert!(!details(&words("skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d0)")).is_tcp);
    }
}
