//! What a task is given by calls: nice, scheduling policy, CPUs, priority of its requests, limits.
//!
//! Numbers as the kernel has them. A task is named by its number alone here: that it is still the one
//! that is meant, by its start, the caller has to see to.

use std::io::Error;

use crate::error::HostError;
use crate::files::Host;

/// `IOPRIO_WHO_PROCESS` of linux/ioprio.h: one task.
const IOPRIO_WHO_PROCESS: libc::c_int = 1;
/// `SCHED_RESET_ON_FORK`, which a policy may have beside it.
const RESET_ON_FORK: libc::c_int = 0x4000_0000;
/// Files of a process that are settings of it.
const FILES: [&str; 3] = ["oom_adj", "oom_score_adj", "timerslack_ns"];
/// CPUs of one word of a mask.
const WORD_BITS: usize = libc::c_ulong::BITS as usize;

/// Limits of a process, by the names of getrlimit(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessLimit {
    /// `RLIMIT_NOFILE`.
    OpenFiles,
    /// `RLIMIT_NPROC`.
    Tasks,
    /// `RLIMIT_MEMLOCK`.
    LockedMemory,
}

impl Host {
    /// Gives a task another nice value.
    pub fn set_nice(&self, tid: i64, nice: i64) -> Result<(), HostError> {
        let (who, nice) = (self.task(tid)? as libc::id_t, number(tid, nice)?);
        // SAFETY: numbers alone.
        answered(tid, unsafe { libc::setpriority(libc::PRIO_PROCESS, who, nice) }.into())
    }

    /// Gives a task another scheduling policy (`SCHED_…`) and priority; that its children begin
    /// without it stays as it is.
    pub fn set_policy(&self, tid: i64, policy: i32, priority: i32) -> Result<(), HostError> {
        let task = self.task(tid)?;
        // SAFETY: numbers alone.
        let now = unsafe { libc::sched_getscheduler(task) };
        answered(tid, now.into())?;
        // SAFETY: plain data; zero is a valid value of it.
        let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
        parameters.sched_priority = priority;
        // By number: musl's function does nothing.
        // SAFETY: the structure outlives the call, which only reads it.
        let done = unsafe {
            libc::syscall(libc::SYS_sched_setscheduler, task, policy | (now & RESET_ON_FORK), &parameters)
        };
        answered(tid, done)
    }

    /// Lets a task run on these CPUs alone.
    pub fn set_affinity(&self, tid: i64, cpus: &[usize]) -> Result<(), HostError> {
        let task = self.task(tid)?;
        let words = cpus.iter().max().map_or(1, |last| last / WORD_BITS + 1);
        let mut mask = vec![0 as libc::c_ulong; words];
        for cpu in cpus {
            mask[cpu / WORD_BITS] |= 1 << (cpu % WORD_BITS);
        }
        let bytes = size_of_val(mask.as_slice());
        // SAFETY: the mask has as many bytes as are said, and outlives the call, which only reads it.
        answered(tid, unsafe { libc::syscall(libc::SYS_sched_setaffinity, task, bytes, mask.as_ptr()) })
    }

    /// Priority of a task's requests: class in the bits from 13 on, level below.
    pub fn io_priority(&self, tid: i64) -> Result<i64, HostError> {
        let task = self.task(tid)?;
        // SAFETY: numbers alone.
        let value = unsafe { libc::syscall(libc::SYS_ioprio_get, IOPRIO_WHO_PROCESS, task) };
        answered(tid, value).map(|()| value)
    }

    /// Gives a task's requests another priority.
    pub fn set_io_priority(&self, tid: i64, value: i64) -> Result<(), HostError> {
        let task = self.task(tid)?;
        // SAFETY: numbers alone.
        answered(tid, unsafe { libc::syscall(libc::SYS_ioprio_set, IOPRIO_WHO_PROCESS, task, value) })
    }

    /// Gives a process another limit: now, and up to where it may raise it itself. `u64::MAX` is none.
    pub fn set_limit(&self, pid: i64, limit: ProcessLimit, soft: u64, hard: u64) -> Result<(), HostError> {
        let task = self.task(pid)?;
        let resource = match limit {
            ProcessLimit::OpenFiles => libc::RLIMIT_NOFILE,
            ProcessLimit::Tasks => libc::RLIMIT_NPROC,
            ProcessLimit::LockedMemory => libc::RLIMIT_MEMLOCK,
        };
        let wanted = libc::rlimit64 { rlim_cur: soft, rlim_max: hard };
        // SAFETY: the structure outlives the call, which only reads it; the former limit is not asked for.
        let done = unsafe {
            libc::syscall(
                libc::SYS_prlimit64,
                task,
                resource,
                &wanted,
                std::ptr::null_mut::<libc::rlimit64>(),
            )
        };
        answered(pid, done)
    }

    /// Writes a file of a process that is a setting of it.
    pub fn write_process_setting(&self, pid: i64, file: &str, value: &str) -> Result<(), HostError> {
        let path = format!("/proc/{pid}/{file}");
        if !FILES.contains(&file) {
            return Err(HostError::from_io(path, Error::from_raw_os_error(libc::EINVAL)));
        }
        let located = self.locate(std::path::Path::new(&path));
        let opened = std::fs::File::options().write(true).truncate(!self.is_live()).open(located);
        let written = opened.and_then(|mut file| std::io::Write::write_all(&mut file, value.as_bytes()));
        written.map_err(|error| HostError::from_io(path, error))
    }

    /// The number for a call; 0 would be ourselves.
    fn task(&self, tid: i64) -> Result<libc::pid_t, HostError> {
        if !self.is_live() {
            return Err(HostError::NotLive { what: "task settings" });
        }
        let task = libc::pid_t::try_from(tid).ok().filter(|task| *task > 0);
        task.ok_or_else(|| HostError::NotFound { path: place(tid).into() })
    }
}

fn place(tid: i64) -> String {
    format!("/proc/{tid}")
}

fn number(tid: i64, value: i64) -> Result<libc::c_int, HostError> {
    let unfit = |_| HostError::from_io(place(tid), Error::from_raw_os_error(libc::EINVAL));
    libc::c_int::try_from(value).map_err(unfit)
}

fn answered(tid: i64, answer: i64) -> Result<(), HostError> {
    if answer >= 0 { Ok(()) } else { Err(HostError::from_io(place(tid), Error::last_os_error())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_ours_is_given_less_and_a_task_that_is_not_there_nothing() {
        let host = Host::live();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep runs");
        let pid = i64::from(child.id());
        let field = |at: usize| {
            let stat = host.read_text(format!("/proc/{pid}/stat")).expect("its record");
            let fields: Vec<String> =
                stat.rsplit(')').next().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
            fields[at - 3].clone()
        };
        host.set_nice(pid, 7).expect("nicer is always allowed");
        host.set_policy(pid, libc::SCHED_BATCH, 0).expect("so is batch");
        host.set_affinity(pid, &[0]).expect("the first CPU");
        host.set_io_priority(pid, 3 << 13).expect("idle");
        host.set_limit(pid, ProcessLimit::OpenFiles, 100, 200).expect("less");
        host.write_process_setting(pid, "oom_score_adj", "500").expect("killed earlier");
        let found = (field(19), field(41), host.io_priority(pid).expect("its priority"));
        let limits = host.read_text(format!("/proc/{pid}/limits")).expect("limits");
        let status = host.read_text(format!("/proc/{pid}/status")).expect("status");
        let score = host.read_text(format!("/proc/{pid}/oom_score_adj")).expect("a file");
        child.kill().expect("it ends");
        child.wait().expect("it ended");
        assert_eq!(found, ("7".to_owned(), libc::SCHED_BATCH.to_string(), 3 << 13));
        let files = limits.lines().find(|line| line.starts_with("Max open files")).expect("a line");
        assert_eq!(files.split_whitespace().skip(3).take(2).collect::<Vec<_>>(), ["100", "200"]);
        assert!(status.lines().any(|line| line == "Cpus_allowed_list:\t0"), "{status}");
        assert_eq!(score, "500");
        assert!(host.set_nice(pid, 1).expect_err("it has ended").is_absent());
        assert!(host.set_nice(0, 1).is_err() && host.set_nice(-1, 1).is_err());
        assert!(host.write_process_setting(1, "mem", "x").is_err());
    }
}
