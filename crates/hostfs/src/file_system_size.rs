//! Sizes of mounted file systems, without waiting for servers that do not answer.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::files::{FileSystemSize, Host};

/// At most so many threads ask at a time; more mounts than that get no answer.
const MAX_THREADS: usize = 64;

impl Host {
    /// Sizes of several mounts at once, each asked for in a thread of its own; `None` for
    /// one that has not answered in time. Its thread is left behind: it waits in the kernel
    /// for a server that is away, and ends with the program.
    pub fn file_system_sizes_within(
        &self,
        mounts: &[String],
        limit: Duration,
    ) -> Vec<Option<Result<FileSystemSize, HostError>>> {
        let deadline = Instant::now() + limit;
        let (sender, receiver) = mpsc::channel();
        let mut waiting = 0;
        for (at, mount) in mounts.iter().enumerate().take(MAX_THREADS) {
            let (host, mount, sender) = (self.clone(), mount.clone(), sender.clone());
            let ask = move || {
                // Nobody listens any more when the time is over.
                let _ = sender.send((at, host.file_system_size(&mount)));
            };
            waiting += usize::from(std::thread::Builder::new().spawn(ask).is_ok());
        }
        let mut answers: Vec<_> = mounts.iter().map(|_| None).collect();
        while waiting > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok((at, answer)) = receiver.recv_timeout(left) else { break };
            answers[at] = Some(answer);
            waiting -= 1;
        }
        answers
    }
}
