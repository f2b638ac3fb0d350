//! `cpu_time`: busy and idle time of each CPU, measured at context switches.
crate::table! {
    /// One CPU in one sample, from the ledger.
    CpuTimeRow = "cpu_time", grain "one row for each online CPU and sample, eBPF only", origin "sched_switch", born_at_zero false;
    key cpu_idx: Int, None, "CPU number";
    counter busy_s: Float, Seconds, "Time with a task on the CPU";
    counter idle_s: Float, Seconds, "Time with the idle task on the CPU, measured at its context switches";
    counter switches: Int, Count, "Context switches on this CPU";
}
