//! `ss` (`-a`, `-l`, `-t`, `-u`, `-i`, `-m`, `-e`, `-p`) and `netstat -a` of Linux: sockets of TCP and UDP.
//!
//! Others (Unix, netlink, raw) have no table. Of listings of one protocol `ss` does not say which: states and
//! what it tells of a connection (`-i`) do, else the protocol is NULL. What a connection sent again and a socket
//! dropped counts since it was made: what grew from one listing to the next. Sums (`-s`) have an
//! importer of their own.

use heldup_model::Record;
use heldup_model::tables::SocketRow;

use crate::document::first_line::{self, FirstLine, form_of};
use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::net::socket_line::{Details, Socket, details, end, protocol, row, state};
use crate::table::sheets::When;
use crate::table::totals::Totals;

const SS: &str = "ss";
const NETSTAT: &str = "netstat";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;

/// What `netstat` has room for in an address and its port, beside ends of both.
const LONGEST_ADDRESS: usize = 22;

/// Reads sockets.
#[derive(Default)]
pub struct Sockets {
    listing: Option<Listing>,
    /// A socket of which the next line may tell more.
    held: Option<Socket>,
    totals: Totals,
    last_line: u64,
    first: FirstLine,
}

#[derive(Clone, Copy)]
struct Listing {
    format: &'static str,
    when: When,
    has_kind: bool,
    has_state: bool,
}

impl Importer for Sockets {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((format, has_kind, has_state)) = heading(line.words) else {
            return self.begins_without_heading(line, document);
        };
        self.ends(document)?;
        document.begin(format);
        let when = self.totals.sample(document.moment(format));
        self.listing = Some(Listing { format, when, has_kind, has_state });
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if heading(line.words).is_some() {
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        // The line below a socket, set in by a tab.
        if line.text.starts_with(['\t', ' ']) && self.held.is_some() && is_info(line.words) {
            if let Some(held) = self.held.as_mut() {
                held.details = with(&held.details, details(line.words));
            }
            self.last_line = line.number;
            return Ok(true);
        }
        let found = match listing.format {
            SS => row(line.words, listing.has_kind, listing.has_state),
            _ => netstat_row(line.words),
        };
        let Some(socket) = found else {
            let is_damaged = is_begun_row(line.words, &listing);
            if is_damaged {
                let what =
                    format!("{}: {} words; expected queues and addresses", listing.format, line.words.len());
                document.flaw(line.number, what);
                self.last_line = line.number;
            }
            return Ok(is_damaged);
        };
        self.let_go(document);
        self.last_line = line.number;
        self.held = socket;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.let_go(document);
        match self.listing.take() {
            Some(listing) => document.end_sample(listing.format),
            None => Ok(()),
        }
    }
}

impl Sockets {
    /// Rows that `grep` left: two of TCP with a state begin a listing.
    fn begins_without_heading(
        &mut self,
        line: &Line<'_>,
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        let Some(listing) = row_alone(line.words) else { return Ok(false) };
        let held = self.first.before(line);
        let Some(held) = held.filter(|(_, text)| form_of(text, row_alone) == Some(listing)) else {
            self.first.hold(line);
            return Ok(false);
        };
        self.ends(document)?;
        let (format, has_kind, has_state) = listing;
        document.begin(format);
        let when = self.totals.sample(document.moment(format));
        self.listing = Some(Listing { format, when, has_kind, has_state });
        self.last_line = held.0;
        first_line::replay(&held, document, |line, document| self.goes_on(line, document))?;
        self.goes_on(line, document)
    }

    /// Writes the socket that was held.
    fn let_go(&mut self, document: &mut Document) {
        let (Some(socket), Some(listing)) = (self.held.take(), self.listing) else { return };
        let of_state = match socket.state {
            Some("established" | "unconnected" | "close") | None => None,
            Some(_) => Some("tcp"),
        };
        let of_details = socket.details.is_tcp.then_some("tcp");
        let protocol = socket.protocol.or(of_state).or(of_details);
        let state = match socket.state {
            Some("unconnected") if protocol == Some("tcp") => Some("close"),
            state => state,
        };
        let is_listener = state == Some("listen");
        let number = |value: Option<i64>| Put::Number(value.map(|value| value as f64));
        let identity = format!(
            "{} {:?} {:?} {:?} {:?} {:?}",
            protocol.unwrap_or(""),
            socket.local.address,
            socket.local.port,
            socket.peer.address,
            socket.peer.port,
            socket.details.inode
        );
        let told = &socket.details;
        let mut grew = |what: &str, total: Option<i64>| {
            Put::Number(
                total.and_then(|total| self.totals.growth(&format!("{identity} {what}"), total as f64)),
            )
        };
        let drops = grew("drops", told.drops);
        // A connection that sent nothing again says nothing of it.
        let again = told.retransmits.or(told.is_tcp.then_some(0));
        let retransmits = grew("retransmits", again);
        let mut cells = vec![
            ("local_port", number(socket.local.port)),
            ("peer_port", number(socket.peer.port)),
            ("inode", number(told.inode)),
            ("uid", number(told.uid)),
            ("pid", number(told.owner.as_ref().map(|(_, pid)| *pid))),
            ("receive_queue", number(socket.receive_queue)),
            ("send_queue", number(socket.send_queue.filter(|_| !is_listener || listing.format != SS))),
            ("backlog_max", number(socket.send_queue.filter(|_| is_listener && listing.format == SS))),
            ("receive_buffer_bytes", number(told.receive_buffer)),
            ("receive_memory_bytes", number(told.receive_memory.filter(|_| told.receive_buffer.is_some()))),
            ("drops_total", number(told.drops)),
            ("retransmits_total", number(again)),
            ("sent_total", number(told.sent)),
            ("drops", drops),
            ("retransmits", retransmits),
            ("rtt_s", Put::Number(told.rtt_s)),
        ];
        let name = told.owner.as_ref().map(|(name, _)| name.as_str());
        let ends = [("local_addr", &socket.local), ("peer_addr", &socket.peer)];
        let addresses = ends.map(|(column, end)| (column, end.address.as_deref()));
        for (column, text) in
            [("protocol", protocol), ("state", state), ("name", name)].into_iter().chain(addresses)
        {
            if let Some(text) = text {
                cells.push((column, Put::Text(text)));
            }
        }
        put(document, SocketRow::DEF, listing.when, &identity, &cells);
    }
}

/// Which tool's headings a line is, and whether they have a kind of socket and a state.
fn heading(words: &[&str]) -> Option<(&'static str, bool, bool)> {
    if words.starts_with(&["Proto", "Recv-Q", "Send-Q", "Local", "Address"]) {
        return Some((NETSTAT, true, words.contains(&"State")));
    }
    let is_ss = words.contains(&"Recv-Q")
        && words.contains(&"Send-Q")
        && words.contains(&"Local")
        && words.iter().any(|word| word.starts_with("Address:Port"))
        && words.contains(&"Peer");
    is_ss.then(|| (SS, words.first() == Some(&"Netid"), words.contains(&"State")))
}

/// The tool, and the columns, of a row of TCP that has a state.
fn row_alone(words: &[&str]) -> Option<(&'static str, bool, bool)> {
    let has_ends = |socket: &Socket| socket.protocol != Some("udp") && socket.state.is_some();
    let is_row = |row: Option<Option<Socket>>| row.flatten().is_some_and(|socket| has_ends(&socket));
    match () {
        () if is_row(netstat_row(words)) => Some((NETSTAT, true, true)),
        () if is_row(row(words, true, true)) => Some((SS, true, true)),
        () if is_row(row(words, false, true)) => Some((SS, false, true)),
        () => None,
    }
}

/// `tcp 0 0 10.0.0.5:22 10.0.0.9:51000 ESTABLISHED 77/sshd`. Addresses of IPv6 that may be cut off are not read.
fn netstat_row(words: &[&str]) -> Option<Option<Socket>> {
    let [kind, receive, send, local, peer, rest @ ..] = words else { return None };
    let (receive_queue, send_queue) = (receive.parse().ok()?, send.parse().ok()?);
    let Some(protocol) = protocol(kind) else {
        return matches!(*kind, "raw" | "raw6" | "udplite" | "icmp" | "icmp6").then_some(None);
    };
    let (state, rest) = match rest {
        [word, rest @ ..] if state(word).is_some() => (state(word), rest),
        rest => (None, rest),
    };
    let owner = rest.iter().find_map(|word| {
        let (pid, name) = word.split_once('/')?;
        Some((name.trim_end_matches(':').to_owned(), pid.parse().ok()?))
    });
    let details = Details { owner, ..Details::default() };
    let state = state.or((protocol == "udp").then_some("unconnected"));
    let whole = |word: &str| {
        let mut end = end(word)?;
        let is_long =
            word.len() >= LONGEST_ADDRESS && end.address.as_ref().is_some_and(|it| it.contains(':'));
        if is_long {
            end.address = None;
        }
        Some(end)
    };
    let (local, peer) = (whole(local)?, whole(peer)?);
    Some(Some(Socket {
        protocol: Some(protocol),
        state,
        receive_queue: Some(receive_queue),
        send_queue: Some(send_queue),
        local,
        peer,
        details,
    }))
}

/// Whether a line tells more of the socket above it.
fn is_info(words: &[&str]) -> bool {
    words.iter().any(|word| word.contains(':') || *word == "ts" || *word == "sack") && end(words[0]).is_none()
}

/// A kind and a state, or a state and a queue, of which the rest is missing.
fn is_begun_row(words: &[&str], listing: &Listing) -> bool {
    let is_number = |at: usize| words.get(at).is_some_and(|word| word.parse::<u64>().is_ok());
    let kind = words.first().and_then(|word| protocol(word));
    match (listing.format, listing.has_kind, listing.has_state) {
        (NETSTAT, ..) => kind.is_some() && is_number(1),
        (_, true, _) => kind.is_some() && words.get(1).is_some_and(|word| state(word).is_some()),
        (_, false, true) => words.first().is_some_and(|word| state(word).is_some()) && is_number(1),
        (_, false, false) => is_number(0) && is_number(1),
    }
}

/// What two lines tell together.
fn with(one: &Details, other: Details) -> Details {
    Details {
        owner: one.owner.clone().or(other.owner),
        uid: one.uid.or(other.uid),
        inode: one.inode.or(other.inode),
        rtt_s: one.rtt_s.or(other.rtt_s),
        retransmits: one.retransmits.or(other.retransmits),
        sent: one.sent.or(other.sent),
        drops: one.drops.or(other.drops),
        receive_memory: one.receive_memory.or(other.receive_memory),
        receive_buffer: one.receive_buffer.or(other.receive_buffer),
        is_tcp: one.is_tcp || other.is_tcp,
    }
}
