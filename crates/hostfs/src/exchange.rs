//! Two paths exchanged in one step, so that a reader sees the old or the new, never neither.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Exchanges what two existing paths name (renameat2 with RENAME_EXCHANGE, since Linux 3.15).
///
/// Some file systems cannot (NFS, 9p, some FUSE) and answer EINVAL; then nothing has changed.
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    let one = CString::new(one.as_os_str().as_bytes())?;
    let other = CString::new(other.as_os_str().as_bytes())?;
    // SAFETY: both are strings that end in NUL and outlive the call; AT_FDCWD needs no open descriptor.
    // The call goes through syscall() because older C libraries (glibc before 2.28) lack a wrapper.
    let done = unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            libc::AT_FDCWD,
            one.as_ptr(),
            libc::AT_FDCWD,
            other.as_ptr(),
            libc::RENAME_EXCHANGE,
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
