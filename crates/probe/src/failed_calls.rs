//! System calls that failed, where eBPF may not be used: rows of `system_call`.
//!
//! The kernel's trace point hands out returns with errors of limits, through a
//! filter; what does not fail is not counted here. Each return on the machine passes by the trace
//! point while it is on, at about 0.2 µs, so it is on for the first second and then for a tenth
//! of each. What fails again and again is seen; one failure in between is not.

use std::collections::HashMap;

use heldup_hostfs::{CallReturn, CallReturns, Host, HostError, monotonic_ns, own_pid};
use heldup_model::tables::SystemCallRow;
use heldup_model::{Form, Record, RowSet, Text};
use nix::errno::Errno;

use crate::counter::Counter;
use crate::error::ProbeError;
use crate::overhead::ProgramTime;
use crate::syscall_names::syscall_name;

/// The first burst, and those after each reading.
const FIRST_NS: u64 = 1_000_000_000;
const BURST_NS: u64 = 100_000_000;
/// Processes whose mappings are counted at one reading: 65,530 of them take 30 ms.
const MOST_COUNTED: usize = 2;

/// Returns that are handed out.
pub(crate) struct FailedCalls {
    host: Host,
    cpus: Vec<CallReturns>,
    /// When the burst that goes on ends; none while it rests.
    ends_ns: Option<u64>,
    lost: u64,
}

/// What one process failed at.
#[derive(Default)]
struct Failures {
    calls: i64,
    arguments: Option<[u64; 3]>,
}

impl FailedCalls {
    pub(crate) fn start(host: &Host) -> Result<FailedCalls, ProbeError> {
        let filter = filter();
        let mut cpus = Vec::new();
        for cpu in crate::pmu::cpus(host)? {
            match host.call_returns(cpu, &filter) {
                Ok(returns) => cpus.push(returns),
                // It is offline.
                Err(HostError::Io { source, .. }) if source.raw_os_error() == Some(libc::ENODEV) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut calls = FailedCalls { host: host.clone(), cpus, ends_ns: None, lost: 0 };
        calls.begin(FIRST_NS)?;
        Ok(calls)
    }

    fn begin(&mut self, length_ns: u64) -> Result<(), ProbeError> {
        self.cpus.iter().try_for_each(|cpu| cpu.switch(true))?;
        self.ends_ns = Some(monotonic_ns() + length_ns);
        Ok(())
    }

    fn row(&self, (pid, call, error): (u32, i64, i64), failures: &Failures, counts: bool) -> SystemCallRow {
        let argument = |index: usize| failures.arguments.map(|all| all[index].cast_signed());
        let name = self.host.read_text(format!("/proc/{pid}/comm")).ok();
        let of_memory = error == i64::from(libc::ENOMEM);
        let call_name = u16::try_from(call).ok().and_then(syscall_name);
        SystemCallRow {
            pid: Some(pid.into()),
            syscall: Some(call_name.map_or_else(|| call.to_string().into(), Text::from)),
            error_name: Some(format!("{:?}", Errno::from_raw(error as i32)).into()),
            name: name.map(Into::into),
            argument_1: argument(0),
            argument_2: argument(1),
            argument_3: argument(2),
            mappings: if of_memory && counts { self.mappings(pid) } else { None },
            locked_bytes: if of_memory { self.locked_bytes(pid) } else { None },
            calls: Some(failures.calls),
            seconds: None,
            counted_s: None,
        }
    }

    fn mappings(&self, pid: u32) -> Option<i64> {
        let maps = self.host.read(format!("/proc/{pid}/maps")).ok()?;
        i64::try_from(maps.iter().filter(|byte| **byte == b'\n').count()).ok()
    }

    fn locked_bytes(&self, pid: u32) -> Option<i64> {
        let status = self.host.read_text(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmLck:"))?;
        let kib: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib * 1024)
    }
}

impl Counter for FailedCalls {
    fn read(&mut self) -> Result<RowSet, ProbeError> {
        let mut failures: HashMap<(u32, i64, i64), Failures> = HashMap::new();
        let mut take = |call: CallReturn| {
            if i64::from(call.pid) != own_pid() && call.pid != 0 {
                let of_call = failures.entry((call.pid, call.call, -call.result)).or_default();
                of_call.calls += 1;
                of_call.arguments = call.arguments.or(of_call.arguments);
            }
        };
        self.lost += self.cpus.iter_mut().map(|cpu| cpu.take(&mut take)).sum::<u64>();
        let mut keys: Vec<(u32, i64, i64)> = failures.keys().copied().collect();
        keys.sort_by_key(|key| (std::cmp::Reverse(failures[key].calls), *key));
        let mut set = RowSet::empty(SystemCallRow::DEF, Form::Increases);
        for (at, key) in keys.into_iter().enumerate() {
            self.row(key, &failures[&key], at < MOST_COUNTED).push_to(&mut set.cells);
            set.len += 1;
        }
        if self.ends_ns.is_none() {
            self.begin(BURST_NS)?;
        }
        Ok(set)
    }

    fn dropped(&self) -> (u64, &'static str) {
        (self.lost, "more failed calls than the buffer holds")
    }

    fn program_time(&self) -> ProgramTime {
        ProgramTime::default()
    }

    fn wants_ns(&self) -> Option<u64> {
        self.ends_ns
    }

    fn look_after(&mut self) -> Result<(), ProbeError> {
        if self.ends_ns.is_some_and(|ends| monotonic_ns() >= ends) {
            self.ends_ns = None;
            self.cpus.iter().try_for_each(|cpu| cpu.switch(false))?;
        }
        Ok(())
    }
}

/// Errors of limits. EAGAIN is everyday business of sockets, so that counts of calls
/// alone that start processes, lock memory or set up requests.
fn filter() -> String {
    let any = [libc::EMFILE, libc::ENFILE, libc::ENOSPC, libc::ENOMEM];
    let again = [
        libc::SYS_clone,
        libc::SYS_clone3,
        libc::SYS_mlock,
        libc::SYS_mlock2,
        libc::SYS_mlockall,
        libc::SYS_io_setup,
    ];
    let mut parts: Vec<String> = any.iter().map(|error| format!("ret == -{error}")).collect();
    #[cfg(target_arch = "x86_64")]
    let again = again.into_iter().chain([libc::SYS_fork, libc::SYS_vfork]);
    #[cfg(not(target_arch = "x86_64"))]
    let again = again.into_iter();
    let calls: Vec<String> = again.map(|call| format!("id == {call}")).collect();
    parts.push(format!("(ret == -{} && ({}))", libc::EAGAIN, calls.join(" || ")));
    parts.join(" || ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_names_errors_and_calls() {
        let filter = filter();
        assert!(
            filter.starts_with("ret == -24 || ret == -23 || ret == -28 || ret == -12 || (ret == -11 && (")
        );
        assert!(filter.ends_with("id == 58))"), "{filter}");
    }
}
