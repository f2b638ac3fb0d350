//! `cpufreq_time`: how long CPUs ran at each frequency.
crate::table! {
    /// One frequency of one policy.
    CpufreqTimeRow = "cpufreq_time", grain "one row for each frequency policy and frequency over the window; evenly spaced policies if there are more than 128", origin "/sys/devices/system/cpu/cpufreq/policy*/stats/time_in_state", born_at_zero false;
    key policy_idx: Int, None, "Policy number: its first CPU";
    key frequency_hz: Int, Hertz, "Frequency";
    counter time_s: Float, Seconds, "Time at this frequency, idle time included";
}
