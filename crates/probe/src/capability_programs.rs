//! Capabilities that need a trial: programs are loaded and attached.

use heldup_hostfs::{Host, own_pid};

use crate::block_latency::BlockLatency;
use crate::calls::Calls;
use crate::error::ProbeError;
use crate::kernel_symbols::KernelSymbols;
use crate::ledger::{Ledger, LedgerOptions};
use crate::memory_event::MemoryEvents;
use crate::needed_types::kernel_types;
use crate::net_drop::NetDrop;
use crate::pmu::Pmu;
use crate::profile::{Profile, ProfileOptions};
use heldup_model::Capability;

const RIGHTS: &str = "run as root, or with CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE";
/// The kernel that the ledger needs.
pub const KERNEL: &str = "needs Linux 5.15 or later with CONFIG_BPF_SYSCALL and CONFIG_DEBUG_INFO_BTF";

/// Loads, attaches and drops again each program that heldup uses.
pub(crate) fn programs(host: &Host) -> Vec<Capability> {
    if !host.is_live() {
        let detail = "a recorded tree: no running kernel";
        let names = [
            "ledger",
            "kernel types",
            "CPU samples",
            "block latencies",
            "memory events",
            "packet drops",
            "hardware counters",
            "system calls",
            "kernel function names",
        ];
        return names.map(|name| Capability::missing(name, detail, "")).into();
    }
    vec![
        types(),
        ledger(host),
        samples(host),
        block_latencies(host),
        memory_events(host),
        packet_drops(host),
        hardware_counters(host),
        system_calls(host),
        function_names(host),
    ]
}

fn types() -> Capability {
    let name = "kernel types";
    match kernel_types() {
        Ok(_) => Capability::works(name, "BTF in /sys/kernel/btf/vmlinux: programs adapt to this kernel"),
        Err(error) => Capability::missing(name, error.to_string(), KERNEL),
    }
}

fn ledger(host: &Host) -> Capability {
    let name = "ledger";
    match Ledger::start(host, LedgerOptions::default()) {
        Ok(_) => Capability::works(
            name,
            "sched_switch, sched_waking and the task iterator attached: every context switch is counted",
        ),
        Err(error) => {
            refused(name, &error, "wait times are sampled from /proc instead, without short-lived tasks")
        }
    }
}

fn samples(host: &Host) -> Capability {
    let name = "CPU samples";
    match Profile::start(host, ProfileOptions::default()) {
        Ok(_) => Capability::works(name, "CPU clock samples with user and kernel stacks"),
        Err(error) => refused(name, &error, "no stacks of running tasks, no system call mix"),
    }
}

fn block_latencies(host: &Host) -> Capability {
    let name = "block latencies";
    match BlockLatency::start(host) {
        Ok(_) => Capability::works(name, "every request to a disk is timed: table block_latency"),
        Err(error) => refused(name, &error, "no latency histograms, only averages (table disk)"),
    }
}

fn memory_events(host: &Host) -> Capability {
    let name = "memory events";
    match MemoryEvents::start(host) {
        Ok(_) => Capability::works(
            name,
            "processes that reclaim and compact memory, with times: table memory_event",
        ),
        Err(error) => refused(name, &error, "only machine counters (table vmstat) and waits"),
    }
}

fn packet_drops(host: &Host) -> Capability {
    let name = "packet drops";
    match NetDrop::start(host) {
        Ok(_) => Capability::works(name, "every dropped packet is counted, with its reason: table net_drop"),
        Err(error) => {
            refused(name, &error, "no drop reasons, only the counters of net_if, net_proto and net_qdisc")
        }
    }
}

fn hardware_counters(host: &Host) -> Capability {
    let name = "hardware counters";
    match Pmu::start(host) {
        Ok(_) => Capability::works(name, "cycles, instructions, cache and TLB misses by process: table pmu"),
        Err(error @ ProbeError::NoCounters) => Capability::missing(name, error.to_string(), error.remedy()),
        Err(error) => refused(name, &error, "no cycles, instructions and cache misses"),
    }
}

fn system_calls(host: &Host) -> Capability {
    let name = "system calls";
    match Calls::start(host, own_pid()) {
        Ok(_) => Capability::works(
            name,
            "system calls and their errors are counted while that is cheap: table system_call",
        ),
        Err(error) => refused(name, &error, "no failed calls, only limits that are reached"),
    }
}

fn function_names(host: &Host) -> Capability {
    let name = "kernel function names";
    let mut symbols = KernelSymbols::new(host);
    if symbols.asks_kernel() {
        return Capability::works(name, "resolved by the kernel");
    }
    let addresses = host
        .read_text("/proc/kallsyms")
        .is_ok_and(|text| text.lines().take(100).any(|line| !line.starts_with("0000000000000000")));
    match addresses {
        true => Capability::limited(name, "from /proc/kallsyms (40 ms of CPU each time)", RIGHTS),
        false => Capability::missing(
            name,
            "no addresses in /proc/kallsyms (kernel.kptr_restrict): kernel stacks are numbers",
            RIGHTS,
        ),
    }
}

fn refused(name: &'static str, error: &ProbeError, without: &str) -> Capability {
    let how = if error.is_denied() { RIGHTS } else { KERNEL };
    Capability::missing(name, format!("{error}; {without}"), how)
}
