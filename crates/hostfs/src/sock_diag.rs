//! The kernel's list of sockets over netlink (`NETLINK_SOCK_DIAG`, sock_diag(7)), also of
//! other network namespaces.
//!
//! Only bytes pass this door; what the messages mean is read elsewhere. Asking changes
//! nothing, except that a kernel with these parts as modules loads them, as `ss` does.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::error::HostError;
use crate::files::Host;

/// What stands for the netlink socket in errors.
const PLACE: &str = "netlink sock_diag";
/// `SOCK_DIAG_BY_FAMILY` of linux/sock_diag.h.
const BY_FAMILY: u16 = 20;
const HEADER_BYTES: usize = 16;
/// Header and `struct inet_diag_req_v2` of linux/inet_diag.h.
const REQUEST_BYTES: usize = HEADER_BYTES + 56;
/// The kernel fills at most 32 kB at once.
const BUFFER_BYTES: usize = 32 << 10;
/// The kernel answers at once; no answer for so long is a fault of its own.
const TIMEOUT_S: libc::time_t = 1;

/// Which sockets to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketQuery {
    /// IP version 6 rather than 4.
    pub ipv6: bool,
    /// UDP rather than TCP.
    pub udp: bool,
    /// Bit mask of TCP states, `1 << TCP_LISTEN` and so on.
    pub states: u32,
    /// Bit mask of attributes to add, `1 << (INET_DIAG_… - 1)`.
    pub attributes: u8,
}

/// The messages of an answer, one after the other as the kernel wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SocketDump {
    /// `struct nlmsghdr`, `struct inet_diag_msg` and attributes of each socket.
    pub messages: Vec<u8>,
    /// There was more than was asked for at most.
    pub cut: bool,
}

/// A netlink socket that lives in one network namespace.
#[derive(Debug)]
pub struct SockDiag {
    socket: OwnedFd,
}

impl Host {
    /// Opens the list of sockets of our own network namespace, or of that of a process,
    /// which takes CAP_SYS_ADMIN.
    pub fn sock_diag(&self, namespace_of: Option<i64>) -> Result<SockDiag, HostError> {
        if !self.is_live() {
            return Err(HostError::NotLive { what: PLACE });
        }
        let socket = match namespace_of {
            None => open()?,
            Some(pid) => open_in(&format!("/proc/{pid}/ns/net"))?,
        };
        let timeout = libc::timeval { tv_sec: TIMEOUT_S, tv_usec: 0 };
        // SAFETY: the option's value is a timeval that lives through the call, with its size.
        let set = unsafe {
            libc::setsockopt(
                socket.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_RCVTIMEO,
                std::ptr::from_ref(&timeout).cast(),
                size_of::<libc::timeval>() as libc::socklen_t,
            )
        };
        if set == 0 { Ok(SockDiag { socket }) } else { Err(last_error()) }
    }
}

impl SockDiag {
    /// Lists sockets, until the messages take more than `max_bytes`; after such a cut the
    /// rest of the answer is still waiting, so that this socket is of no more use.
    pub fn dump(&self, query: SocketQuery, max_bytes: usize) -> Result<SocketDump, HostError> {
        let request = request(query);
        // SAFETY: the buffer and its length belong together.
        let sent = unsafe { libc::send(self.socket.as_raw_fd(), request.as_ptr().cast(), request.len(), 0) };
        if sent < 0 {
            return Err(last_error());
        }
        let mut dump = SocketDump::default();
        let mut buffer = vec![0u8; BUFFER_BYTES];
        while dump.messages.len() <= max_bytes {
            // SAFETY: the buffer and its length belong together.
            let got =
                unsafe { libc::recv(self.socket.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) };
            let Ok(got) = usize::try_from(got) else {
                return Err(last_error());
            };
            if take(&buffer[..got], &mut dump.messages)? {
                return Ok(dump);
            }
        }
        dump.cut = true;
        Ok(dump)
    }
}

fn open() -> Result<OwnedFd, HostError> {
    // SAFETY: socket takes no pointers.
    let socket = unsafe {
        libc::socket(libc::AF_NETLINK, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, libc::NETLINK_SOCK_DIAG)
    };
    if socket < 0 {
        return Err(last_error());
    }
    // SAFETY: the descriptor was just opened and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(socket) })
}

/// A socket stays in the namespace in which it was opened: a thread of its own enters the
/// namespace, opens it and ends, and no other thread ever leaves ours.
fn open_in(namespace: &str) -> Result<OwnedFd, HostError> {
    let file = File::open(namespace).map_err(|e| HostError::from_io(namespace, e))?;
    let enter = || {
        // SAFETY: setns takes no pointers; it changes this thread only.
        if unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) } != 0 {
            return Err(HostError::from_io(namespace, Error::last_os_error()));
        }
        open()
    };
    let panicked = |_| HostError::from_io(namespace, Error::other("the thread that entered it panicked"));
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, enter);
        thread.map_err(|e| HostError::from_io(namespace, e))?.join().map_err(panicked)?
    })
}

fn request(query: SocketQuery) -> [u8; REQUEST_BYTES] {
    let mut bytes = [0u8; REQUEST_BYTES];
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u16;
    bytes[0..4].copy_from_slice(&(REQUEST_BYTES as u32).to_ne_bytes());
    bytes[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
    bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
    bytes[16] = if query.ipv6 { libc::AF_INET6 } else { libc::AF_INET } as u8;
    bytes[17] = if query.udp { libc::IPPROTO_UDP } else { libc::IPPROTO_TCP } as u8;
    bytes[18] = query.attributes;
    bytes[20..24].copy_from_slice(&query.states.to_ne_bytes());
    bytes
}

/// Keeps the messages of one datagram; answers whether it was the last.
fn take(datagram: &[u8], messages: &mut Vec<u8>) -> Result<bool, HostError> {
    let mut rest = datagram;
    while let Some((length, kind)) = header(rest) {
        match i32::from(kind) {
            libc::NLMSG_DONE => return Ok(true),
            libc::NLMSG_ERROR => {
                let code = rest.get(HEADER_BYTES..HEADER_BYTES + 4).and_then(|code| code.try_into().ok());
                let code = code.map_or(libc::EPROTO, i32::from_ne_bytes);
                return Err(HostError::from_io(PLACE, Error::from_raw_os_error(code.saturating_neg())));
            }
            _ => {
                messages.extend_from_slice(&rest[..length]);
                messages.resize(messages.len().next_multiple_of(4), 0);
            }
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(datagram.is_empty())
}

fn header(message: &[u8]) -> Option<(usize, u16)> {
    let length = u32::from_ne_bytes(message.get(0..4)?.try_into().ok()?) as usize;
    let kind = u16::from_ne_bytes(message.get(4..6)?.try_into().ok()?);
    (HEADER_BYTES..=message.len()).contains(&length).then_some((length, kind))
}

fn last_error() -> HostError {
    let error = Error::last_os_error();
    if error.kind() == ErrorKind::WouldBlock {
        return HostError::from_io(PLACE, Error::new(ErrorKind::TimedOut, "no answer within a second"));
    }
    HostError::from_io(PLACE, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_of_ours_is_listed() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a listener");
        let port = listener.local_addr().expect("its address").port();
        let query = SocketQuery { ipv6: false, udp: false, states: 1 << 10, attributes: 0 };
        let dump = Host::live().sock_diag(None).and_then(|diag| diag.dump(query, 1 << 20)).expect("sockets");
        assert!(!dump.cut);
        let port = port.to_be_bytes();
        // The port is the first field after netlink's header and four bytes.
        assert!(dump.messages.windows(2).any(|bytes| bytes == port), "port {port:?} is not listed");
    }

    /// A thread that has entered a namespace of its own stands for a process in a container.
    #[test]
    fn a_listener_of_another_namespace_is_listed() {
        use std::io::Write;
        if !crate::own::is_root() {
            // Past the capture of the test's output: skipped aloud.
            let _ =
                std::io::stderr().write_all(b"skipped, needs root: sockets of another network namespace\n");
            return;
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
        assert_eq!(entered, 0, "unshare: {}", Error::last_os_error());
        let query = SocketQuery { ipv6: false, udp: false, states: 1 << 10, attributes: 0 };
        let dump = Host::live().sock_diag(Some(tid)).and_then(|diag| diag.dump(query, 1 << 20));
        // It is the only one in its namespace; its port follows netlink's header and four bytes.
        assert_eq!(dump.expect("sockets").messages.get(20..22), Some(&port.to_be_bytes()[..]));
        drop(stay);
        container.join().expect("the thread");
    }

    #[test]
    fn an_error_is_told_and_a_cut_datagram_is_harmless() {
        let mut error = [0u8; 36];
        error[0..4].copy_from_slice(&36u32.to_ne_bytes());
        error[4..6].copy_from_slice(&2u16.to_ne_bytes());
        error[16..20].copy_from_slice(&(-libc::ENOENT).to_ne_bytes());
        let mut messages = Vec::new();
        assert!(take(&error, &mut messages).expect_err("an error").is_absent());
        error[16..20].copy_from_slice(&i32::MIN.to_ne_bytes());
        assert!(take(&error, &mut messages).is_err());
        for end in 1..16 {
            assert!(!take(&error[..end], &mut messages).expect("no message"), "{end}");
        }
        assert!(messages.is_empty());
    }

    #[test]
    fn a_recorded_tree_has_no_sockets() {
        assert!(Host::recorded("/no-such-tree").sock_diag(None).expect_err("recorded").is_absent());
    }
}
