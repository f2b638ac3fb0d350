//! A kernel's file system that nobody has mounted: seen through a mount of its own that no
//! folder shows (`fsmount(2)`), and that ends with its descriptor. Nothing on the machine changes.

use std::ffi::CStr;
use std::fs::File;
use std::io::{Error, Read, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `FSCONFIG_CMD_CREATE` of linux/mount.h.
const CREATE: libc::c_uint = 6;
/// `FSOPEN_CLOEXEC` and `FSMOUNT_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_uint = 1;
/// `MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC`.
const READ_ONLY: libc::c_uint = 1 | 2 | 4 | 8;

/// A small text file of the file system `kind`, by its path there. Takes CAP_SYS_ADMIN and
/// Linux 5.2; not to be mixed up with what is mounted in the tree of the host.
pub(crate) fn read_text(kind: &CStr, path: &CStr) -> Result<String> {
    // SAFETY: the name ends in NUL and outlives the call; a new descriptor or -1 comes back.
    let context = owned(unsafe { libc::syscall(libc::SYS_fsopen, kind.as_ptr(), CLOSE_ON_EXEC) })?;
    let none = std::ptr::null::<libc::c_char>();
    // SAFETY: this command takes neither key nor value.
    let created = unsafe { libc::syscall(libc::SYS_fsconfig, context.as_raw_fd(), CREATE, none, none, 0) };
    if created != 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: takes numbers; a new descriptor or -1 comes back.
    let mount =
        owned(unsafe { libc::syscall(libc::SYS_fsmount, context.as_raw_fd(), CLOSE_ON_EXEC, READ_ONLY) })?;
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    // SAFETY: the path ends in NUL and outlives the call; a new descriptor or -1 comes back.
    let file = owned(unsafe { libc::openat(mount.as_raw_fd(), path.as_ptr(), flags) }.into())?;
    let mut text = String::new();
    File::from(file).read_to_string(&mut text)?;
    Ok(text.trim_end().to_owned())
}

fn owned(descriptor: libc::c_long) -> Result<OwnedFd> {
    match libc::c_int::try_from(descriptor) {
        // SAFETY: the kernel has just made it for us.
        Ok(descriptor) if descriptor >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }),
        _ => Err(Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_file_system_that_is_not_mounted_for_it() {
        if !crate::own::is_root() {
            return heldup_skip::skipped("needs root");
        }
        let read = read_text(c"proc", c"sys/kernel/ostype");
        match read {
            Ok(name) => assert_eq!(name, "Linux"),
            // Containers may forbid it, and old kernels do not know it.
            Err(error) => {
                assert!(matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS)), "{error}")
            }
        }
        let wrong = read_text(c"no-such-file-system", c"x").expect_err("no such kind");
        assert!(matches!(wrong.raw_os_error(), Some(libc::ENODEV | libc::EPERM | libc::ENOSYS)), "{wrong}");
    }
}
