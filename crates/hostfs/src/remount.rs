//! Options of a mounted file system, changed in place: mount(2) with `MS_REMOUNT`.
//!
//! A remount sets every flag anew, so that the caller says all that are to be; options of the file
//! system (`commit=30`) are added to those that it has.

use std::ffi::CString;
use std::io::Error;

use crate::error::HostError;
use crate::files::Host;

/// Flags of mount(2) by the words of `/proc/self/mountinfo`.
const FLAGS: [(&str, libc::c_ulong); 10] = [
    ("ro", libc::MS_RDONLY),
    ("nosuid", libc::MS_NOSUID),
    ("nodev", libc::MS_NODEV),
    ("noexec", libc::MS_NOEXEC),
    ("sync", libc::MS_SYNCHRONOUS),
    ("dirsync", libc::MS_DIRSYNC),
    ("noatime", libc::MS_NOATIME),
    ("nodiratime", libc::MS_NODIRATIME),
    ("relatime", libc::MS_RELATIME),
    ("lazytime", libc::MS_LAZYTIME),
];

impl Host {
    /// Gives a mount flags, by the words that the mount table has for them, and its file system
    /// options. Without options and with `of_mount` the mount alone is changed, and not the file
    /// system that others may have mounted too.
    pub fn remount(
        &self,
        mount: &str,
        flags: &[&str],
        options: &str,
        of_mount: bool,
    ) -> Result<(), HostError> {
        if !self.is_live() {
            return Err(HostError::NotLive { what: "mount" });
        }
        let fail = |error| HostError::from_io(mount, error);
        let known = FLAGS.iter().filter(|(word, _)| flags.contains(word));
        let mut bits = known.fold(libc::MS_REMOUNT, |bits, (_, flag)| bits | flag);
        if of_mount {
            bits |= libc::MS_BIND;
        }
        // Without this the kernel would choose relatime by itself.
        if !flags.iter().any(|word| matches!(*word, "noatime" | "relatime")) {
            bits |= libc::MS_STRICTATIME;
        }
        let target = CString::new(mount).map_err(|error| fail(error.into()))?;
        let data = CString::new(options).map_err(|error| fail(error.into()))?;
        // SAFETY: strings that end in NUL and outlive the call; a remount looks at neither source nor type.
        let done = unsafe {
            libc::mount(std::ptr::null(), target.as_ptr(), std::ptr::null(), bits, data.as_ptr().cast())
        };
        if done == 0 { Ok(()) } else { Err(fail(Error::last_os_error())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_no_mount_is_refused() {
        let folder = std::env::temp_dir().join(format!("heldup-remount-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.to_str().expect("a name");
        assert!(Host::live().remount(path, &["relatime"], "", true).is_err());
        assert!(Host::recorded(&folder).remount("/", &[], "", true).is_err());
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
