//! `cpuidle`: idle states of CPUs and their exit latency.
crate::table! {
    /// One idle state of one CPU.
    CpuidleRow = "cpuidle", grain "one row for each CPU and idle state over the window; evenly spaced CPUs if there are more than 128", origin "/sys/devices/system/cpu/cpu*/cpuidle/state*", born_at_zero false;
    key cpu_idx: Int, None, "CPU number";
    key state_idx: Int, None, "State; a higher one is deeper";
    label state_name: Text(Word), None, "Name, such as POLL, C1, C6";
    label description: Text(Word), None, "Description by the driver";
    label driver: Text(Word), None, "Driver (intel_idle, acpi_idle, haltpoll …)";
    label governor: Text(Word), None, "Governor that chooses the state";
    label disabled: Bool, None, "Switched off by the user";
    gauge latency_s: Float, Seconds, "Time to leave the state";
    gauge target_residency_s: Float, Seconds, "Shortest stay that saves energy (residency)";
    counter entries: Int, Count, "Entries into the state (usage)";
    counter time_s: Float, Seconds, "Time in the state";
    counter rejected: Int, Count, "Entries refused by the hardware (rejected, Linux 5.10)";
    counter too_deep: Int, Count, "Stays too short for this state (above, Linux 4.20)";
    counter too_shallow: Int, Count, "Stays long enough for a deeper state (below, Linux 4.20)";
}
