//! A program that runs until it is dropped.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::condition::{PATIENCE, until_within};
use crate::control_group::ControlGroup;
use crate::ordinary_user::{before_loads, load};
use crate::programs;

/// A process and the group it leads; both are killed when dropped.
pub struct Running {
    child: Child,
    what: String,
}

impl Running {
    /// Starts one of the programs in `programs/`.
    pub fn program(name: &str, arguments: &[&dyn AsRef<OsStr>]) -> Result<Running> {
        let mut command = Command::new(programs::built(name)?);
        command.args(arguments.iter().map(AsRef::as_ref));
        Running::start(command)
    }

    /// Starts one of the programs under commands that run it in their own place, such as
    /// `taskset`, so that the process is the program's.
    pub fn program_under(under: &[&str], name: &str, arguments: &[&dyn AsRef<OsStr>]) -> Result<Running> {
        let (first, rest) = under.split_first().context("no command to run it under")?;
        let mut command = Command::new(first);
        command.args(rest).arg(programs::built(name)?).args(arguments.iter().map(AsRef::as_ref));
        Running::start(command)
    }

    /// Starts one of the programs as a member of a control group from its first page on.
    pub fn program_in(group: &ControlGroup, name: &str, arguments: &[&dyn AsRef<OsStr>]) -> Result<Running> {
        let members = group.members_file();
        let mut command = Command::new("sh");
        command.args(["-c", "echo 0 > \"$0\" && exec \"$@\""]).arg(members);
        command.args(before_loads()).arg(programs::built(name)?).args(arguments.iter().map(AsRef::as_ref));
        Running::spawn(command)
    }

    /// Starts a script of the shell as a member of a control group; `$0` and so on are its arguments.
    pub fn script_in(group: &ControlGroup, script: &str, arguments: &[&dyn AsRef<OsStr>]) -> Result<Running> {
        let mut command = Command::new("sh");
        command.args(["-c", "echo 0 > \"$0\" && exec \"$@\""]).arg(group.members_file());
        command.args(["sh", "-c", script]).args(arguments.iter().map(AsRef::as_ref));
        Running::spawn(command)
    }

    /// Starts a command in a process group of its own, with its standard output to be
    /// read by [`Running::line`].
    pub fn start(command: Command) -> Result<Running> {
        Running::spawn(load(command))
    }

    fn spawn(mut command: Command) -> Result<Running> {
        let what = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
        ends_with_this_thread(&mut command);
        let child = command.spawn().with_context(|| format!("start {what}"))?;
        Ok(Running { child, what })
    }

    /// Process id.
    pub fn pid(&self) -> i64 {
        i64::from(self.child.id())
    }

    /// Reads one line that the program prints; fails when it ends without one.
    pub fn line(&mut self) -> Result<String> {
        let output =
            self.child.stdout.take().with_context(|| format!("{}: output already read", self.what))?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        if line.is_empty() {
            anyhow::bail!("{} ended without a word: {:?}", self.what, self.child.wait());
        }
        Ok(line.trim_end().to_owned())
    }

    /// Hands over the lines that it prints from now on, as they come.
    pub fn lines(&mut self) -> Result<Receiver<String>> {
        let output =
            self.child.stdout.take().with_context(|| format!("{}: output already read", self.what))?;
        let (send, lines) = channel();
        // It ends with the program, or with who listens.
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        Ok(lines)
    }

    /// Sends it a signal.
    pub fn signal(&self, number: libc::c_int) {
        // SAFETY: the child has not been waited for, so that its number is still its own.
        unsafe { libc::kill(self.child.id() as libc::pid_t, number) };
    }

    /// What Ctrl-C does, and how it ends after that.
    pub fn interrupt(&mut self) -> Result<ExitStatus> {
        self.interrupt_within(PATIENCE)
    }

    /// The same, for what takes its time.
    pub fn interrupt_within(&mut self, patience: Duration) -> Result<ExitStatus> {
        self.signal(libc::SIGINT);
        let mut ended = None;
        until_within(patience, "it ends when it is asked to", || {
            ended = self.child.try_wait()?;
            Ok(ended.is_some())
        })?;
        ended.context("it has not ended")
    }

    /// Fails when the program has ended.
    pub fn still_runs(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => anyhow::bail!("{} ended early: {status}", self.what),
        }
    }
}

/// Lets a command not outlive the thread that starts it, even when its test is killed.
pub(crate) fn ends_with_this_thread(command: &mut Command) {
    // SAFETY: prctl is async-signal-safe and takes no pointers.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let group = -(self.child.id() as libc::pid_t);
        // SAFETY: the group was made for this child alone, and its leader has not been
        // waited for, so that its number cannot belong to anybody else.
        unsafe { libc::kill(group, libc::SIGKILL) };
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_dropped_program_is_gone() -> Result<()> {
        let mut running = Running::program("spin", &[&"1", &"0", &"0", &"1000"])?;
        running.still_runs()?;
        let folder = format!("/proc/{}", running.pid());
        assert!(Path::new(&folder).exists());
        drop(running);
        assert!(!Path::new(&folder).exists());
        Ok(())
    }
}
