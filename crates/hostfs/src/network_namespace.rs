//! Sockets of a network namespace: our own, or that of a process.

use std::fs::File;
use std::io::Error;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::error::HostError;

/// What kind of socket; `place` stands for it in errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub family: libc::c_int,
    pub protocol: libc::c_int,
    pub place: &'static str,
}

/// A datagram socket in our own network namespace, or in that of a process, which takes
/// CAP_SYS_ADMIN.
pub(crate) fn socket(kind: Kind, namespace_of: Option<i64>) -> Result<OwnedFd, HostError> {
    match namespace_of {
        None => open(kind),
        Some(pid) => open_in(kind, &format!("/proc/{pid}/ns/net")),
    }
}

fn open(kind: Kind) -> Result<OwnedFd, HostError> {
    // SAFETY: socket takes no pointers.
    let socket = unsafe { libc::socket(kind.family, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, kind.protocol) };
    if socket < 0 {
        return Err(HostError::from_io(kind.place, Error::last_os_error()));
    }
    // SAFETY: the descriptor was just opened and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(socket) })
}

/// A socket stays in the namespace in which it was opened: a thread of its own enters the
/// namespace, opens it and ends, and no other thread ever leaves ours.
fn open_in(kind: Kind, namespace: &str) -> Result<OwnedFd, HostError> {
    let file = File::open(namespace).map_err(|e| HostError::from_io(namespace, e))?;
    let enter = || {
        // SAFETY: setns takes no pointers; it changes this thread only.
        if unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) } != 0 {
            return Err(HostError::from_io(namespace, Error::last_os_error()));
        }
        open(kind)
    };
    let panicked = |_| HostError::from_io(namespace, Error::other("the thread that entered it panicked"));
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, enter);
        thread.map_err(|e| HostError::from_io(namespace, e))?.join().map_err(panicked)?
    })
}
