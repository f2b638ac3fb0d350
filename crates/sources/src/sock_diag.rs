//! Sockets: every TCP and UDP socket of every network namespace, its queues, its drops and
//! who holds it (table `socket`).
//!
//! Read over netlink ([`heldup_hostfs::SockDiag`]); where that is not there or not allowed,
//! from `/proc/net/tcp` and the like, which tell less. Sockets in time_wait are left out:
//! nobody holds them and nothing waits in them, and a busy client has tens of thousands.
//! Listeners are read first, so that a limit cuts off connections only.

use heldup_hostfs::{Host, HostError, SockDiag, SocketKind, SocketQuery};
use heldup_model::tables::SocketRow;
use heldup_model::{Missing, Record, RowSet, TableDef};

use crate::inet_diag::{self, ATTRIBUTES};
use crate::network_namespaces::{self, OtherNamespaces};
use crate::other_netns::unseen;
use crate::proc_net_tcp;
use crate::process_owner::ProcessOwners;
use crate::socket_owners::SocketOwners;
use crate::socket_state::{LISTEN, TIME_WAIT};
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};

/// At most so many sockets are kept; each costs about 2 µs.
const MAX_SOCKETS: usize = 20_000;
/// What the kernel writes about a TCP connection: 72 bytes, `tcp_info` and memory.
const MESSAGE_BYTES: usize = 450;
/// Every state but time_wait, among the 13 that there are.
const OTHERS: u32 = 0x3ffe & !(1 << TIME_WAIT) & !(1 << LISTEN);
/// What is asked, one after the other.
const QUERIES: [(SocketKind, u32); 4] = [
    (SocketKind::Tcp, 1 << LISTEN),
    (SocketKind::Udp4, u32::MAX),
    (SocketKind::Udp6, u32::MAX),
    (SocketKind::Tcp, OTHERS),
];
/// A kernel that does not know the question about both versions is asked about each.
const BY_VERSION: [SocketKind; 2] = [SocketKind::Tcp4, SocketKind::Tcp6];
const FILES: [(&str, &str); 4] = [("tcp", "tcp"), ("tcp6", "tcp"), ("udp", "udp"), ("udp6", "udp")];

/// The source; keeps the owners of sockets from the first reading to the last.
#[derive(Debug, Default)]
pub struct Socket {
    owners: SocketOwners,
    text: Vec<u8>,
}

impl Source for Socket {
    fn name(&self) -> &'static str {
        "sock_diag"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[SocketRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // A row for each socket, and the processes that hold it.
        Schedule::ends().pace(Pace::COSTLY)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let mut rows = Vec::new();
        let own = network_namespaces::own(host);
        if let Err(error) = self.namespace(host, None, own, &mut rows, &mut reading) {
            reading.lacks("socket", &error, "mount proc on /proc");
        }
        let others = network_namespaces::others(host, context.namespaces);
        for namespace in &others.namespaces {
            let netns = Some(namespace.inode);
            // Its last process has ended meanwhile, or its files are masked.
            let _ = self.namespace(host, Some(namespace.pid), netns, &mut rows, &mut reading);
        }
        reading.missing.extend(unseen(&others, "socket.netns"));
        if rows.len() >= MAX_SOCKETS {
            reading.missing.push(Missing {
                what: "socket".to_owned(),
                why: format!(
                    "more than {MAX_SOCKETS} sockets; all listeners and the first of the others were read"
                ),
                how: "check one process: ss -tpn".to_owned(),
            });
        }
        // Of the first reading only the counters are used; the search for owners is most of the cost.
        if !context.base_only {
            self.name_owners(context, &others, &mut rows, &mut reading);
        }
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl Socket {
    /// Sockets of our own namespace, or of that of a process.
    fn namespace(
        &mut self,
        host: &Host,
        pid: Option<i64>,
        netns: Option<i64>,
        rows: &mut Vec<SocketRow>,
        reading: &mut Reading,
    ) -> Result<(), HostError> {
        let before = rows.len();
        let listed = host.sock_diag(pid).and_then(|diag| list(host, diag, pid, rows, reading));
        if let Err(error) = &listed {
            rows.truncate(before);
            if host.is_live() {
                // What only netlink tells.
                reading.lacks("socket.backlog_max", error, "load the modules tcp_diag and udp_diag");
            }
        }
        let read = if listed.is_ok() { Ok(()) } else { self.files(host, pid, rows, reading) };
        rows[before..].iter_mut().for_each(|row| row.netns = netns);
        read
    }

    /// The same from the files, which tell less. What can be read is in the rows also when
    /// the error of another file is answered.
    fn files(
        &mut self,
        host: &Host,
        pid: Option<i64>,
        rows: &mut Vec<SocketRow>,
        reading: &mut Reading,
    ) -> Result<(), HostError> {
        let folder = pid.map_or_else(|| "/proc/net".to_owned(), |pid| format!("/proc/{pid}/net"));
        let mut first_error = None;
        for (file, protocol) in FILES {
            let path = format!("{folder}/{file}");
            match host.read_into(&path, &mut self.text) {
                Ok(()) => {
                    let room = MAX_SOCKETS.saturating_sub(rows.len());
                    rows.extend(reading.take(&path, proc_net_tcp::parse(&self.text, protocol, room)));
                }
                // A host without IPv6 has no such files.
                Err(error) if error.is_absent() && file.ends_with('6') => {}
                Err(error) => _ = first_error.get_or_insert(error),
            }
        }
        first_error.map_or(Ok(()), Err)
    }

    fn name_owners(
        &mut self,
        context: &ReadContext,
        others: &OtherNamespaces,
        rows: &mut [SocketRow],
        reading: &mut Reading,
    ) {
        let host = context.host;
        let mut owners = ProcessOwners::default();
        let whole = {
            let processes = context.namespaces.processes(host);
            self.owners.find(host, &processes, rows.iter().filter_map(|row| row.inode))
        };
        for row in rows.iter_mut() {
            if let Some(owner) = row.inode.and_then(|inode| self.owners.of(inode)) {
                row.pid = Some(owner.pid);
                row.name = owner.process.name.clone();
                (row.unit, row.container) = (owner.process.unit.clone(), owner.process.container.clone());
            } else if let Some(one) = others.namespaces.iter().find(|one| Some(one.inode) == row.netns) {
                let inside = owners.of(host, one.pid);
                (row.unit, row.container) = (inside.unit, inside.container);
            }
        }
        if !whole {
            reading.missing.push(Missing {
                what: "socket.pid".to_owned(),
                why: "too many open files to find the holder of every socket in 0.2 s".to_owned(),
                how: "check one port: ss -tlpn".to_owned(),
            });
        }
    }
}

/// Asks for one kind of sockets after the other.
fn list(
    host: &Host,
    mut diag: SockDiag,
    pid: Option<i64>,
    rows: &mut Vec<SocketRow>,
    reading: &mut Reading,
) -> Result<(), HostError> {
    for (kind, states) in QUERIES {
        let before = rows.len();
        let listed = list_kind(host, &mut diag, pid, (kind, states), rows, reading);
        if listed.is_err() && kind == SocketKind::Tcp {
            rows.truncate(before);
            for kind in BY_VERSION {
                list_kind(host, &mut diag, pid, (kind, states), rows, reading)?;
            }
        } else {
            listed?;
        }
    }
    Ok(())
}

/// An answer that was cut leaves the socket unusable, so that the next question takes a new one.
fn list_kind(
    host: &Host,
    diag: &mut SockDiag,
    pid: Option<i64>,
    (kind, states): (SocketKind, u32),
    rows: &mut Vec<SocketRow>,
    reading: &mut Reading,
) -> Result<(), HostError> {
    let room = MAX_SOCKETS.saturating_sub(rows.len());
    if room == 0 {
        return Ok(());
    }
    let dump = match diag.dump(SocketQuery { kind, states, attributes: ATTRIBUTES }, room * MESSAGE_BYTES) {
        Ok(dump) => dump,
        // A kernel without IPv6 knows no such sockets.
        Err(error) if error.is_absent() && kind.is_ipv6() => return Ok(()),
        Err(error) => return Err(error),
    };
    let place = if kind.is_udp() { "sock_diag udp" } else { "sock_diag tcp" };
    let mut found = reading.take(place, inet_diag::parse(&dump.messages, kind.is_udp()));
    found.truncate(room);
    rows.append(&mut found);
    if dump.cut {
        *diag = host.sock_diag(pid)?;
    }
    Ok(())
}
