//! Lists over netlink: one question, messages until the kernel says that this was all.

use std::io::{Error, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};

use crate::error::HostError;
use crate::network_namespace::{self, Kind};

/// `struct nlmsghdr`.
pub(crate) const HEADER_BYTES: usize = 16;
/// The kernel fills at most 32 kB at once.
const BUFFER_BYTES: usize = 32 << 10;
/// The kernel answers at once; no answer for so long is a fault of its own.
const TIMEOUT_S: i64 = 1;

/// A netlink socket that lives in one network namespace.
#[derive(Debug)]
pub(crate) struct Netlink {
    socket: OwnedFd,
    place: &'static str,
}

/// The messages of an answer, one after the other as the kernel wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetlinkDump {
    /// `struct nlmsghdr` and what the question's kind has after it, each padded to 4 bytes.
    pub messages: Vec<u8>,
    /// There was more than was asked for at most.
    pub cut: bool,
}

impl Netlink {
    /// Opens a socket of a netlink protocol; `place` stands for it in errors.
    pub(crate) fn open(
        protocol: libc::c_int,
        place: &'static str,
        namespace_of: Option<i64>,
    ) -> Result<Netlink, HostError> {
        let kind = Kind { family: libc::AF_NETLINK, protocol, place };
        let socket = network_namespace::socket(kind, namespace_of)?;
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
        if set == 0 { Ok(Netlink { socket, place }) } else { Err(last_error(place)) }
    }

    /// Sends a question and gathers the answer, until it takes more than `max_bytes`; after
    /// such a cut the rest is still waiting, so that this socket is of no more use.
    pub(crate) fn dump(&self, request: &[u8], max_bytes: usize) -> Result<NetlinkDump, HostError> {
        // SAFETY: the buffer and its length belong together.
        let sent = unsafe { libc::send(self.socket.as_raw_fd(), request.as_ptr().cast(), request.len(), 0) };
        if sent < 0 {
            return Err(last_error(self.place));
        }
        let mut dump = NetlinkDump::default();
        let mut buffer = vec![0u8; BUFFER_BYTES];
        while dump.messages.len() <= max_bytes {
            // SAFETY: the buffer and its length belong together.
            let got =
                unsafe { libc::recv(self.socket.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) };
            let Ok(got) = usize::try_from(got) else {
                return Err(last_error(self.place));
            };
            if take(&buffer[..got], &mut dump.messages, self.place)? {
                return Ok(dump);
            }
        }
        dump.cut = true;
        Ok(dump)
    }
}

impl Netlink {
    /// Sends a question that has one message for an answer, and brings that, as long as it fits;
    /// how many bytes it has.
    pub(crate) fn ask(&self, request: &[u8], answer: &mut [u8]) -> Result<usize, HostError> {
        // SAFETY: the buffer and its length belong together.
        let sent = unsafe { libc::send(self.socket.as_raw_fd(), request.as_ptr().cast(), request.len(), 0) };
        if sent < 0 {
            return Err(last_error(self.place));
        }
        // SAFETY: the buffer and its length belong together.
        let got = unsafe { libc::recv(self.socket.as_raw_fd(), answer.as_mut_ptr().cast(), answer.len(), 0) };
        let Ok(got) = usize::try_from(got) else {
            return Err(last_error(self.place));
        };
        // For the error that it may be.
        take(&answer[..got], &mut Vec::new(), self.place)?;
        Ok(got)
    }
}

/// The header of a question about one thing; `length` counts the header too.
pub(crate) fn question_header(length: usize, kind: u16) -> [u8; HEADER_BYTES] {
    let mut bytes = dump_header(length, kind);
    bytes[6..8].copy_from_slice(&(libc::NLM_F_REQUEST as u16).to_ne_bytes());
    bytes
}

/// The header of a question for a whole list; `length` counts the header too.
pub(crate) fn dump_header(length: usize, kind: u16) -> [u8; HEADER_BYTES] {
    let mut bytes = [0u8; HEADER_BYTES];
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u16;
    bytes[0..4].copy_from_slice(&(length as u32).to_ne_bytes());
    bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
    bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
    bytes
}

/// Keeps the messages of one datagram; answers whether it was the last.
fn take(datagram: &[u8], messages: &mut Vec<u8>, place: &str) -> Result<bool, HostError> {
    let mut rest = datagram;
    while let Some((length, kind)) = header(rest) {
        match i32::from(kind) {
            libc::NLMSG_DONE => return Ok(true),
            libc::NLMSG_ERROR => {
                let code = rest.get(HEADER_BYTES..HEADER_BYTES + 4).and_then(|code| code.try_into().ok());
                let code = code.map_or(libc::EPROTO, i32::from_ne_bytes);
                return Err(HostError::from_io(place, Error::from_raw_os_error(code.saturating_neg())));
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

fn last_error(place: &str) -> HostError {
    let error = Error::last_os_error();
    if error.kind() == ErrorKind::WouldBlock {
        return HostError::from_io(place, Error::new(ErrorKind::TimedOut, "no answer within a second"));
    }
    HostError::from_io(place, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_and_a_cut_datagram_is_harmless() {
        let mut error = [0u8; 36];
        error[0..4].copy_from_slice(&36u32.to_ne_bytes());
        error[4..6].copy_from_slice(&2u16.to_ne_bytes());
        error[16..20].copy_from_slice(&(-libc::ENOENT).to_ne_bytes());
        let mut messages = Vec::new();
        assert!(take(&error, &mut messages, "x").expect_err("an error").is_absent());
        error[16..20].copy_from_slice(&i32::MIN.to_ne_bytes());
        assert!(take(&error, &mut messages, "x").is_err());
        for end in 1..16 {
            assert!(!take(&error[..end], &mut messages, "x").expect("no message"), "{end}");
        }
        assert!(messages.is_empty());
    }
}
