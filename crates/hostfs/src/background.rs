//! Work in the background: a child of this program's own binary that gives way to everybody.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use crate::error::HostError;

/// The lowest priority of ordinary processes.
const LOWEST_NICE: libc::c_int = 19;
/// `IOPRIO_WHO_PROCESS` and `IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT` of include/uapi/linux/ioprio.h,
/// which libc does not have.
const IOPRIO_WHO_PROCESS: libc::c_int = 1;
const IOPRIO_IDLE: libc::c_int = 3 << 13;

/// Starts this program again with other arguments, in a process group of its own, so that Ctrl-C
/// at the terminal does not end it with us. It writes to this program's standard error.
pub fn start_again(arguments: &[OsString]) -> Result<Child, HostError> {
    // The file that runs, also when another has been installed in its place.
    let mut command = Command::new("/proc/self/exe");
    command.args(arguments).stdin(Stdio::null()).stdout(io::stderr()).process_group(0);
    command.spawn().map_err(|error| HostError::from_io("/proc/self/exe", error))
}

/// Starts this program again in a process group of its own, for as long as this one lives: its input ends with us,
/// however that is. What it says on standard error is ours to read.
pub fn start_beside(arguments: &[OsString]) -> Result<Child, HostError> {
    let mut command = Command::new("/proc/self/exe");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.process_group(0).spawn().map_err(|error| HostError::from_io("/proc/self/exe", error))
}

/// Starts this program again in a session of its own, without a terminal and without anything of
/// ours open: it goes on when this program and its terminal have ended.
pub fn start_detached(arguments: &[OsString]) -> Result<Child, HostError> {
    let mut command = Command::new("/proc/self/exe");
    command.args(arguments).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: one system call that takes nothing, which may be made between fork and exec.
    unsafe {
        command.pre_exec(|| if libc::setsid() < 0 { Err(io::Error::last_os_error()) } else { Ok(()) });
    }
    command.spawn().map_err(|error| HostError::from_io("/proc/self/exe", error))
}

/// Whether there is a process of this number.
pub fn is_alive(pid: i64) -> bool {
    let Ok(pid @ 1..) = libc::pid_t::try_from(pid) else { return false };
    // SAFETY: signal 0 sends nothing.
    let asked = unsafe { libc::kill(pid, 0) };
    asked == 0 || io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

/// Stops this process as Ctrl-Z would; returns when somebody fetches it back.
pub fn stop_to_background() {
    // SAFETY: it takes a number. The group is stopped, as a shell expects of what it started.
    unsafe { libc::kill(0, libc::SIGTSTP) };
}

/// From now on this process gives way to all others: nice 19, and disks only when nobody else wants
/// them, where the disk's scheduler knows that. What is refused stays as it was.
pub fn give_way() {
    // SAFETY: both take numbers only. ioprio_set has no wrapper in C libraries; 0 is this process.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, LOWEST_NICE);
        libc::syscall(libc::SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a child, since nobody gets back what was given away.
    #[test]
    fn a_process_gives_way() {
        let script = "cut -d' ' -f19 /proc/self/stat; ionice 2>/dev/null || echo idle";
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        // SAFETY: two system calls, which may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                give_way();
                Ok(())
            });
        }
        let output = command.output().expect("sh runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(said.lines().next(), Some("19"), "{said}");
        assert!(said.lines().nth(1).is_some_and(|line| line.starts_with("idle")), "{said}");
    }
}
