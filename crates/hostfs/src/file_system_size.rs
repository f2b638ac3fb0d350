//! Sizes of mounted file systems, without waiting for servers that do not answer.
//!
//! Each is asked for by a child process, not by a thread: a request that a FUSE server has
//! taken and never answers cannot be interrupted, not even by SIGKILL (fs/fuse/dev.c,
//! "Either request is already in userspace"), and a program with such a thread cannot end.
//! A child that hangs is left to init, and this program ends when it is done.

use std::ffi::CString;
use std::fs::File;
use std::io::{Error, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::files::{FileSystemSize, Host};

/// At most so many children ask at a time; more mounts than that get no answer. Each costs
/// about a millisecond: the tables of this program's memory are copied.
const MAX_CHILDREN: usize = 64;

/// What a child writes: the error's number or 0, the size of a block, and what `struct statfs`
/// counts in blocks and inodes.
type Answer = [u64; 7];

impl Host {
    /// Sizes of several mounts at once; `None` for one that has not answered in time.
    pub fn file_system_sizes_within(
        &self,
        mounts: &[String],
        limit: Duration,
    ) -> Vec<Option<Result<FileSystemSize, HostError>>> {
        let deadline = Instant::now() + limit;
        let asked: Vec<_> = mounts.iter().take(MAX_CHILDREN).map(|mount| Child::ask(mount)).collect();
        let mut answers: Vec<_> = mounts.iter().map(|_| None).collect();
        for ((place, mount), child) in answers.iter_mut().zip(mounts).zip(asked) {
            let fail = |error| HostError::from_io(mount.as_str(), error);
            *place = match child {
                Ok(child) => child.answer(deadline).map(|answer| size(answer).map_err(fail)),
                Err(error) => Some(Err(fail(error))),
            };
        }
        answers
    }
}

fn size(answer: Answer) -> Result<FileSystemSize, Error> {
    let [error, block, blocks, free, available, inodes, inodes_free] = answer;
    if error != 0 {
        return Err(Error::from_raw_os_error(error as i32));
    }
    let bytes = |blocks: u64| blocks.saturating_mul(block);
    Ok(FileSystemSize {
        size_bytes: bytes(blocks),
        free_bytes: bytes(free),
        available_bytes: bytes(available),
        inodes,
        inodes_free,
    })
}

/// A child process that asks about one mount, and the pipe by which it answers.
struct Child {
    pid: libc::pid_t,
    pipe: File,
}

impl Child {
    fn ask(mount: &str) -> Result<Child, Error> {
        let path = CString::new(mount)?;
        let mut ends = [0; 2];
        // SAFETY: `ends` is a valid place for two descriptors.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: both were just opened and belong to nobody else.
        let [from, to] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
        // SAFETY: the child of a program with threads may only do what is safe in a signal
        // handler: `ask_and_end` makes system calls on memory that is there, and never returns.
        let pid = unsafe { libc::fork() };
        match pid {
            -1 => Err(Error::last_os_error()),
            0 => ask_and_end(&path, to.as_raw_fd()),
            pid => Ok(Child { pid, pipe: File::from(from) }),
        }
    }

    /// Waits for the answer; a child that stays silent is told to end.
    fn answer(mut self, deadline: Instant) -> Option<Answer> {
        let mut bytes = [0u8; size_of::<Answer>()];
        // The child writes all of it at once, which a pipe does not cut.
        let told = self.told_by(deadline) && self.pipe.read_exact(&mut bytes).is_ok();
        let wait = if told {
            0
        } else {
            // SAFETY: kill takes no pointers; the child is ours and was not waited for yet, so
            // that its number belongs to nobody else.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
            libc::WNOHANG
        };
        // SAFETY: waitpid may be called without a place for the status.
        unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), wait) };
        let mut answer = Answer::default();
        for (word, eight) in answer.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_ne_bytes(*eight);
        }
        told.then_some(answer)
    }

    /// Whether the child has said something, or ended, before the deadline.
    fn told_by(&self, deadline: Instant) -> bool {
        loop {
            // One more than the whole milliseconds that are left: not a busy loop at the end.
            let left_ms = deadline.saturating_duration_since(Instant::now()).as_millis() as libc::c_int + 1;
            let mut poll = libc::pollfd { fd: self.pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: `poll` is one valid structure that lives through the call.
            match unsafe { libc::poll(&mut poll, 1, left_ms) } {
                0 => return false,
                ready if ready > 0 => return true,
                _ if Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
                _ => return false,
            }
            if Instant::now() >= deadline {
                return false;
            }
        }
    }
}

/// What the child does. It may hang for ever: with a descriptor of ours open, such as
/// standard output, whoever reads from us would never see the end.
fn ask_and_end(path: &CString, to: libc::c_int) -> ! {
    // SAFETY: only system calls, safe also in the child of a program with threads; `found` is
    // plain data, for which zero is a valid value, and `answer` outlives the write.
    unsafe {
        for descriptor in (0..1024).filter(|descriptor| *descriptor != to) {
            libc::close(descriptor);
        }
        let mut found: libc::statfs = std::mem::zeroed();
        let error = if libc::statfs(path.as_ptr(), &mut found) == 0 { 0 } else { *libc::__errno_location() };
        let block = if found.f_frsize > 0 { found.f_frsize as u64 } else { found.f_bsize as u64 };
        let answer: Answer = [
            error as u64,
            block,
            found.f_blocks as u64,
            found.f_bfree as u64,
            found.f_bavail as u64,
            found.f_files as u64,
            found.f_ffree as u64,
        ];
        libc::write(to, answer.as_ptr().cast(), size_of::<Answer>());
        libc::_exit(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_says_what_a_thread_would() {
        let mounts = ["/".to_owned(), "/no-such-folder".to_owned()];
        let answers = Host::live().file_system_sizes_within(&mounts, Duration::from_secs(10));
        let [Some(Ok(root)), Some(Err(none))] = answers.as_slice() else { panic!("{answers:?}") };
        let direct = Host::live().file_system_size("/").expect("the root");
        assert_eq!((root.size_bytes, root.inodes), (direct.size_bytes, direct.inodes));
        assert!(none.is_absent(), "{none}");
    }
}
