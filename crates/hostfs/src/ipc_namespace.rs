//! Files of `/proc` that show the IPC namespace of whoever opens them, opened in that of
//! another process.
//!
//! A thread of its own enters the namespace, reads and ends; no other thread ever leaves ours.

use std::fs::File;
use std::io::Error;
use std::os::fd::AsRawFd;

use crate::error::HostError;
use crate::files::Host;

/// What each file held, or why it could not be read.
pub type FilesRead = Vec<Result<Vec<u8>, HostError>>;

impl Host {
    /// Files such as `/proc/sysvipc/shm` as a process in the IPC namespace of `pid` sees
    /// them; takes CAP_SYS_ADMIN. Process ids in them stay those of our own PID namespace.
    pub fn read_in_ipc_namespace(&self, pid: i64, paths: &[&str]) -> Result<FilesRead, HostError> {
        if !self.is_live() {
            return Err(HostError::NotLive { what: "files of another IPC namespace" });
        }
        let namespace = format!("/proc/{pid}/ns/ipc");
        let file = File::open(&namespace).map_err(|e| HostError::from_io(&namespace, e))?;
        let enter = || {
            // SAFETY: setns takes no pointers; it changes this thread only.
            if unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWIPC) } != 0 {
                return Err(HostError::from_io(&namespace, Error::last_os_error()));
            }
            Ok(paths.iter().map(|path| self.read(path)).collect())
        };
        let panicked =
            |_| HostError::from_io(&namespace, Error::other("the thread that entered it panicked"));
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, enter);
            thread.map_err(|e| HostError::from_io(&namespace, e))?.join().map_err(panicked)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHM: &str = "/proc/sysvipc/shm";

    /// A thread that has entered a namespace of its own stands for a process in a container.
    #[test]
    fn a_segment_of_another_namespace_is_listed_there_only() {
        if !crate::own::is_root() {
            return heldup_skip::skipped("needs root");
        }
        let (told, tell) = std::sync::mpsc::channel();
        let (stay, leave) = std::sync::mpsc::channel::<()>();
        let container = std::thread::spawn(move || {
            // SAFETY: these calls take no pointers; unshare concerns this thread only.
            let made = unsafe {
                let entered = libc::unshare(libc::CLONE_NEWIPC);
                (entered, libc::gettid(), libc::shmget(libc::IPC_PRIVATE, 12_345, 0o600))
            };
            told.send(made).expect("told");
            let _ = leave.recv();
        });
        let (entered, tid, segment) = tell.recv().expect("the thread's answer");
        assert!(entered == 0 && segment >= 0, "{}", Error::last_os_error());
        let host = Host::live();
        let read = host.read_in_ipc_namespace(i64::from(tid), &[SHM]).expect("the namespace");
        let there = String::from_utf8_lossy(read[0].as_ref().expect("its list")).into_owned();
        assert_eq!(there.lines().count(), 2, "{there}");
        assert!(there.contains(" 12345 "), "{there}");
        assert!(!String::from_utf8_lossy(&host.read(SHM).expect("our list")).contains(" 12345 "));
        // The segment goes with its namespace.
        drop(stay);
        container.join().expect("the thread");
    }

    #[test]
    fn a_recorded_tree_has_no_other_namespace() {
        let host = Host::recorded("/no-such-tree");
        assert!(host.read_in_ipc_namespace(1, &[SHM]).expect_err("recorded").is_absent());
    }
}
