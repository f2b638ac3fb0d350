//! Runs a BPF iterator again and again by one link.
//!
//! aya 0.14 gives a link away with the first file that is made of it, so that each pass would attach
//! anew; the ledger makes a pass each second for as long as the machine is up.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Commands of `bpf(2)`, since 5.8, and the kind of attachment (include/uapi/linux/bpf.h).
const BPF_LINK_CREATE: libc::c_int = 28;
const BPF_ITER_CREATE: libc::c_int = 33;
const BPF_TRACE_ITER: u32 = 28;

/// The part of `union bpf_attr` that attaching a program uses.
#[repr(C)]
struct LinkAttr {
    prog_fd: u32,
    target_fd: u32,
    attach_type: u32,
    flags: u32,
    iter_info: u64,
    iter_info_len: u32,
    zero: u32,
}

/// The part of it that making a file of a link uses.
#[repr(C)]
struct IterAttr {
    link_fd: u32,
    flags: u32,
}

/// Attaches a loaded iterator over everything; it runs when [`run`] says so.
pub(crate) fn attach(program: BorrowedFd) -> io::Result<OwnedFd> {
    let prog_fd = program.as_raw_fd() as u32;
    let attach_type = BPF_TRACE_ITER;
    let attr =
        LinkAttr { prog_fd, target_fd: 0, attach_type, flags: 0, iter_info: 0, iter_info_len: 0, zero: 0 };
    // SAFETY: `attr` is what the command reads, and outlives the call.
    unsafe { new_file(BPF_LINK_CREATE, &attr) }
}

/// Makes one pass; what the program wrote is appended to `bytes`.
pub(crate) fn run(link: BorrowedFd, bytes: &mut Vec<u8>) -> io::Result<()> {
    let attr = IterAttr { link_fd: link.as_raw_fd() as u32, flags: 0 };
    // SAFETY: `attr` is what the command reads, and outlives the call.
    let file = File::from(unsafe { new_file(BPF_ITER_CREATE, &attr) }?);
    // Of a `File` itself its size and place would be asked first, which it does not have.
    file.take(u64::MAX).read_to_end(bytes).map(drop)
}

/// A command of `bpf(2)` whose answer is an open file.
///
/// # Safety
///
/// `T` is the part of `union bpf_attr` that the command reads.
unsafe fn new_file<T>(command: libc::c_int, attr: &T) -> io::Result<OwnedFd> {
    // SAFETY: the caller answers for `attr`, which outlives the call.
    let file = unsafe { libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attr), size_of::<T>()) };
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened it for us, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(file as i32) })
}
