//! `cpu_time`: what each CPU's time went into, as the ledger measured it at the switches.
crate::table! {
    /// One CPU in one sample, from the ledger.
    CpuTimeRow = "cpu_time", grain "one row for each online CPU and sample, eBPF only", origin "sched_switch", born_at_zero false;
    key cpu_idx: Int, None, "Number of the CPU";
    counter busy_s: Float, Seconds, "A task was on the CPU";
    counter idle_s: Float, Seconds, "The idle task was on the CPU, measured at its own switches";
    counter switches: Int, Count, "Context switches on this CPU";
}
