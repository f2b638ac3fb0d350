//! `cpuidle`: which idle states CPUs were in, and what leaving them costs.
crate::table! {
    /// One idle state of one CPU.
    CpuidleRow = "cpuidle", grain "one row for each CPU and idle state over the window; of evenly chosen CPUs where there are more than 128", origin "/sys/devices/system/cpu/cpu*/cpuidle/state*", born_at_zero false;
    key cpu_idx: Int, None, "CPU";
    key state_idx: Int, None, "State; a higher one is deeper";
    label state_name: Text(Word), None, "Name, such as POLL, C1, C6";
    label description: Text(Word), None, "What the driver says of it";
    label driver: Text(Word), None, "Driver (intel_idle, acpi_idle, haltpoll …)";
    label governor: Text(Word), None, "Governor that chooses the state";
    label disabled: Bool, None, "Switched off by the user";
    gauge latency_s: Float, Seconds, "Time to leave the state";
    gauge target_residency_s: Float, Seconds, "Shortest stay that is worth it";
    counter entries: Int, Count, "Times that it was entered (usage)";
    counter time_s: Float, Seconds, "Time in it";
    counter rejected: Int, Count, "Times that the hardware refused it (Linux 5.10)";
    counter too_deep: Int, Count, "Stays that were too short for it (above, Linux 4.20)";
    counter too_shallow: Int, Count, "Stays that would have been worth a deeper one (below, Linux 4.20)";
}
