//! A command whose run is clocked: its output is kept in memory, its end is noted when it happens.
//!
//! A thread waits for the end, so that the length of the run does not depend on what this program
//! does meanwhile. The command has a process group of its own: whoever ends it ends with it all that it
//! started and that stayed in the group.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;

use crate::clock::monotonic_ns;
use crate::error::HostError;
use crate::interrupt::{has_ended, reap};
use crate::spawn_beside::in_memory;

/// Output that is read: the measure of a run is in its last lines.
const LONGEST_OUTPUT: u64 = 4 << 20;

/// A command that runs.
#[derive(Debug)]
pub struct ClockedRun {
    child: Child,
    begun_ns: u64,
    end: Option<JoinHandle<u64>>,
    output: File,
    complaints: File,
}

/// A run that is over.
#[derive(Debug)]
pub struct EndedRun {
    /// How it ended.
    pub status: Option<ExitStatus>,
    /// From before its start to its end.
    pub wall_ns: u64,
    /// What it wrote to standard output; of more than 4 MiB the end.
    pub output: String,
    /// The same of standard error.
    pub complaints: String,
}

impl ClockedRun {
    /// Starts a command without input.
    pub fn start(command: &[OsString]) -> Result<ClockedRun, HostError> {
        let Some((program, args)) = command.split_first() else {
            return Err(HostError::from_io("", io::Error::new(io::ErrorKind::InvalidInput, "no command")));
        };
        let fail = |error| HostError::from_io(program, error);
        // A pipe that is not read would hold the command up.
        let (output, complaints) = (in_memory(b"").map_err(fail)?, in_memory(b"").map_err(fail)?);
        let mut child = Command::new(program);
        child.args(args).stdin(Stdio::null()).process_group(0);
        child.stdout(output.try_clone().map_err(fail)?).stderr(complaints.try_clone().map_err(fail)?);
        let begun_ns = monotonic_ns();
        let child = child.spawn().map_err(fail)?;
        let pid = child.id();
        let end = std::thread::Builder::new().name("heldup-clock".to_owned()).spawn(move || end_of(pid));
        Ok(ClockedRun { child, begun_ns, end: Some(end.map_err(fail)?), output, complaints })
    }

    /// Whether it has ended. It can still be read as a task.
    pub fn has_ended(&self) -> Result<bool, HostError> {
        has_ended(&self.child)
    }

    /// Ends it with all that it started: asks, or makes it.
    pub fn end(&self, by_force: bool) {
        let signal = if by_force { libc::SIGKILL } else { libc::SIGTERM };
        // SAFETY: takes numbers only. The child has not been waited for, so that its number, which
        // is that of its group, is nobody else's.
        unsafe { libc::kill(-(self.child.id() as libc::pid_t), signal) };
    }

    /// Waits for its end; what there is to say of it.
    pub fn finish(mut self) -> Result<EndedRun, HostError> {
        // The thread cannot panic, and would tell no later time than now.
        let ended_ns = self.end.take().and_then(|end| end.join().ok()).unwrap_or_else(monotonic_ns);
        let status = reap(&mut self.child)?;
        let wall_ns = ended_ns.saturating_sub(self.begun_ns);
        Ok(EndedRun {
            status,
            wall_ns,
            output: last_output(&mut self.output),
            complaints: last_output(&mut self.complaints),
        })
    }
}

impl Drop for ClockedRun {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            self.end(true);
            let _ = end.join();
            let _ = reap(&mut self.child);
        }
    }
}

/// Waits until a child has ended and leaves it to be waited for; when that was.
fn end_of(pid: u32) -> u64 {
    loop {
        // SAFETY: siginfo is plain data, for which zero is a valid value; WNOWAIT leaves the child.
        let waited = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, pid, &raw mut info, libc::WEXITED | libc::WNOWAIT)
        };
        let interrupted = io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
        if waited == 0 || !interrupted {
            return monotonic_ns();
        }
    }
}

/// The end of what was written.
fn last_output(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let long = file.metadata().map_or(0, |facts| facts.len()).saturating_sub(LONGEST_OUTPUT);
    let read =
        file.seek(io::SeekFrom::Start(long)).and_then(|_| file.take(LONGEST_OUTPUT).read_to_end(&mut bytes));
    // Memory that cannot be read is output that is not there: the figure is then missing, and that is said.
    if read.is_err() { String::new() } else { String::from_utf8_lossy(&bytes).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(line: &str) -> ClockedRun {
        ClockedRun::start(&["sh", "-c", line].map(OsString::from)).expect("sh runs")
    }

    #[test]
    fn a_run_is_clocked_to_its_end_and_not_to_when_somebody_asks() {
        let run = sh("echo to output; echo to error >&2; sleep 0.2; exit 3");
        std::thread::sleep(std::time::Duration::from_millis(600));
        assert!(run.has_ended().expect("ours"));
        let ended = run.finish().expect("ended");
        assert_eq!(ended.status.and_then(|status| status.code()), Some(3));
        assert_eq!((ended.output.as_str(), ended.complaints.as_str()), ("to output\n", "to error\n"));
        // Asked for after 600 ms at the earliest.
        assert!((200_000_000..600_000_000).contains(&ended.wall_ns), "{}", ended.wall_ns);
    }

    #[test]
    fn who_is_ended_ends_with_all_that_it_started() {
        let run = sh("sleep 60 & echo $!; wait");
        let mut other = run.output.try_clone().expect("a file");
        let pid = loop {
            let said = last_output(&mut other);
            if said.ends_with('\n') {
                break said.trim().to_owned();
            }
            std::thread::yield_now();
        };
        run.end(true);
        let ended = run.finish().expect("ended");
        assert!(ended.status.is_some_and(|status| !status.success()));
        // It is init's to wait for: gone, or a zombie.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        let alive =
            || std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "));
        let until = monotonic_ns() + 10_000_000_000;
        while alive() && monotonic_ns() < until {
            std::thread::yield_now();
        }
        assert!(!alive(), "{stat:?}");
    }
}
