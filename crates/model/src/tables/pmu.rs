//! `pmu`: what the CPUs' hardware counters counted, by process.
//!
//! Counts of the CPUs are exact; the process of each is sampled. A process with few samples has rough
//! numbers; a process without samples has no row.
crate::table! {
    /// What the hardware counters counted for one process in one sample.
    PmuRow = "pmu", grain "one row for each process that was sampled at a counter overflow, and sample; eBPF and hardware counters only", origin "perf_event_open", born_at_zero false;
    key pid: Int, None, "Process id";
    label name: Text(Name), None, "Name (comm) of its first thread";
    counter cycles: Int, Count, "CPU cycles, at the current frequency";
    counter instructions: Int, Count, "Instructions retired; divided by cycles, the IPC";
    counter llc_misses: Int, Count, "Last-level cache misses";
    counter tlb_misses: Int, Count, "Data TLB read misses";
    counter branches: Int, Count, "Branches retired";
    counter branch_misses: Int, Count, "Mispredicted branches";
    counter samples: Int, Count, "Samples behind this row, all events together; with n samples of one event the relative standard error is about 1/√n";
}
