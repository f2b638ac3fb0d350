//! The kernel's list of sockets over netlink (`NETLINK_SOCK_DIAG`, sock_diag(7)), also of
//! other network namespaces.
//!
//! Only bytes pass this door; what the messages mean is read elsewhere. Asking changes
//! nothing, except that a kernel with these parts as modules loads them, as `ss` does.

use crate::error::HostError;
use crate::files::Host;
use crate::netlink::{HEADER_BYTES, Netlink, NetlinkDump, dump_header};

/// What stands for the netlink socket in errors.
const PLACE: &str = "netlink sock_diag";
/// `SOCK_DIAG_BY_FAMILY` of linux/sock_diag.h.
const BY_FAMILY: u16 = 20;
/// Header and `struct inet_diag_req_v2` of linux/inet_diag.h.
const REQUEST_BYTES: usize = HEADER_BYTES + 56;
/// `TCPDIAG_GETSOCK` of linux/inet_diag.h, the older question, and its `struct inet_diag_req`.
const TCP_OF_ANY_FAMILY: u16 = 18;
const OLDER_REQUEST_BYTES: usize = HEADER_BYTES + 60;

/// Protocol and IP version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketKind {
    /// TCP over both versions in one list. The kernel walks its whole table of connections for
    /// each list, which has a quarter of a million places where there is much memory: asked by
    /// version it would walk it twice. Only the question of before 3.3 can be put so.
    Tcp,
    /// TCP over version 4.
    Tcp4,
    /// TCP over version 6.
    Tcp6,
    /// UDP over version 4.
    Udp4,
    /// UDP over version 6.
    Udp6,
}

impl SocketKind {
    /// Whether the sockets are UDP's.
    pub fn is_udp(self) -> bool {
        matches!(self, SocketKind::Udp4 | SocketKind::Udp6)
    }

    /// Whether the question is about version 6 alone.
    pub fn is_ipv6(self) -> bool {
        matches!(self, SocketKind::Tcp6 | SocketKind::Udp6)
    }
}

/// Which sockets to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketQuery {
    /// Protocol and version.
    pub kind: SocketKind,
    /// Bit mask of TCP states, `1 << TCP_LISTEN` and so on.
    pub states: u32,
    /// Bit mask of attributes to add, `1 << (INET_DIAG_… - 1)`.
    pub attributes: u8,
}

/// A netlink socket that lives in one network namespace.
#[derive(Debug)]
pub struct SockDiag {
    netlink: Netlink,
}

impl Host {
    /// Opens the list of sockets of our own network namespace, or of that of a process,
    /// which takes CAP_SYS_ADMIN.
    pub fn sock_diag(&self, namespace_of: Option<i64>) -> Result<SockDiag, HostError> {
        if !self.is_live() {
            return Err(HostError::NotLive { what: PLACE });
        }
        Ok(SockDiag { netlink: Netlink::open(libc::NETLINK_SOCK_DIAG, PLACE, namespace_of)? })
    }
}

impl SockDiag {
    /// Lists sockets (`struct inet_diag_msg` and attributes), until the messages take more
    /// than `max_bytes`; after such a cut this socket is of no more use.
    pub fn dump(&self, query: SocketQuery, max_bytes: usize) -> Result<NetlinkDump, HostError> {
        match query.kind {
            SocketKind::Tcp => self.netlink.dump(&older_request(query), max_bytes),
            _ => self.netlink.dump(&request(query), max_bytes),
        }
    }
}

fn request(query: SocketQuery) -> [u8; REQUEST_BYTES] {
    let mut bytes = [0u8; REQUEST_BYTES];
    bytes[..HEADER_BYTES].copy_from_slice(&dump_header(REQUEST_BYTES, BY_FAMILY));
    bytes[16] = if query.kind.is_ipv6() { libc::AF_INET6 } else { libc::AF_INET } as u8;
    bytes[17] = if query.kind.is_udp() { libc::IPPROTO_UDP } else { libc::IPPROTO_TCP } as u8;
    bytes[18] = query.attributes;
    bytes[20..24].copy_from_slice(&query.states.to_ne_bytes());
    bytes
}

/// Family, two lengths, attributes, 48 bytes that name one socket, states, tables.
fn older_request(query: SocketQuery) -> [u8; OLDER_REQUEST_BYTES] {
    let mut bytes = [0u8; OLDER_REQUEST_BYTES];
    bytes[..HEADER_BYTES].copy_from_slice(&dump_header(OLDER_REQUEST_BYTES, TCP_OF_ANY_FAMILY));
    bytes[19] = query.attributes;
    bytes[68..72].copy_from_slice(&query.states.to_ne_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Family and local port of each listener.
    fn listeners(kind: SocketKind) -> Vec<(u8, [u8; 2])> {
        let query = SocketQuery { kind, states: 1 << 10, attributes: 0 };
        let dump = Host::live().sock_diag(None).and_then(|diag| diag.dump(query, 1 << 20)).expect("sockets");
        assert!(!dump.cut);
        let mut rest = &dump.messages[..];
        let mut found = Vec::new();
        while let Some(length) = rest.first_chunk().map(|length| u32::from_ne_bytes(*length) as usize) {
            // The family is the first field after netlink's header, the port follows after four bytes.
            found.push((rest[HEADER_BYTES], [rest[HEADER_BYTES + 4], rest[HEADER_BYTES + 5]]));
            rest = &rest[length.next_multiple_of(4)..];
        }
        found
    }

    #[test]
    fn a_listener_of_ours_is_listed() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a listener");
        let port = listener.local_addr().expect("its address").port().to_be_bytes();
        let ours = (libc::AF_INET as u8, port);
        assert!(listeners(SocketKind::Tcp4).contains(&ours), "port {port:?} is not listed");
        assert!(!listeners(SocketKind::Tcp6).iter().any(|(family, _)| *family == ours.0));
        let both = listeners(SocketKind::Tcp);
        assert!(both.contains(&ours), "port {port:?} is not listed among all");
        if let Ok(listener) = std::net::TcpListener::bind("[::1]:0") {
            let port = listener.local_addr().expect("its address").port().to_be_bytes();
            assert!(listeners(SocketKind::Tcp).contains(&(libc::AF_INET6 as u8, port)), "of version 6");
        }
    }

    /// A thread that has entered a namespace of its own stands for a process in a container.
    #[test]
    fn a_listener_of_another_namespace_is_listed() {
        if !crate::own::is_root() {
            return heldup_skip::skipped("needs root");
        }
        let (told, tell) = std::sync::mpsc::channel();
        let (stay, leave) = std::sync::mpsc::channel::<()>();
        let container = std::thread::spawn(move || {
            // SAFETY: unshare and gettid take no pointers; they concern this thread only.
            let (entered, tid) = unsafe { (libc::unshare(libc::CLONE_NEWNET), libc::gettid()) };
            let listener = std::net::TcpListener::bind("0.0.0.0:0").expect("a listener");
            told.send((entered, i64::from(tid), listener.local_addr().expect("its address").port()))
                .expect("told");
            let _ = leave.recv();
        });
        let (entered, tid, port) = tell.recv().expect("the thread's answer");
        assert_eq!(entered, 0, "unshare: {}", std::io::Error::last_os_error());
        let query = SocketQuery { kind: SocketKind::Tcp4, states: 1 << 10, attributes: 0 };
        let dump = Host::live().sock_diag(Some(tid)).and_then(|diag| diag.dump(query, 1 << 20));
        // It is the only one in its namespace; its port follows netlink's header and four bytes.
        assert_eq!(dump.expect("sockets").messages.get(20..22), Some(&port.to_be_bytes()[..]));
        drop(stay);
        container.join().expect("the thread");
    }

    #[test]
    fn a_recorded_tree_has_no_sockets() {
        assert!(Host::recorded("/no-such-tree").sock_diag(None).expect_err("recorded").is_absent());
    }
}
