//! `pmu`: what the CPUs' hardware counters counted, by process.
//!
//! Counts of the CPUs are exact; whose they are is sampled. A process with few samples has rough
//! numbers, and one without any no row.
crate::table! {
    /// What the hardware counters counted for one process in one sample.
    PmuRow = "pmu", grain "one row for each process that was met when a counter overflowed, and sample; eBPF and hardware counters only", origin "perf_event_open", born_at_zero false;
    key pid: Int, None, "Process id";
    label name: Text(Name), None, "Name (comm) of its first thread";
    counter cycles: Int, Count, "Cycles of the CPU, at its frequency of the moment";
    counter instructions: Int, Count, "Instructions that were completed; over cycles it is how many at a time";
    counter llc_misses: Int, Count, "Memory accesses that the last level of cache did not have";
    counter tlb_misses: Int, Count, "Data reads whose address no TLB had";
    counter branches: Int, Count, "Branches that were completed";
    counter branch_misses: Int, Count, "Branches that were predicted wrong";
    counter samples: Int, Count, "Samples that the row rests on, of all events together; a share of n samples of one event has a standard error of about 1/√n of itself";
}
