//! `cpufreq`: CPU frequencies, their limits, and the governor.
crate::table! {
    /// One policy (CPUs that change their frequency together) in one sample.
    CpufreqRow = "cpufreq", grain "one row for each frequency policy and sample at the start and end of the window; evenly spaced ones if there are more than 128", origin "/sys/devices/system/cpu/cpufreq/policy*, /sys/devices/system/cpu/cpu*/cpufreq on old kernels", born_at_zero false;
    key policy_idx: Int, None, "Policy number: its first CPU";
    label cpu_list: Text(Word), None, "CPUs that change their frequency together (affected_cpus)";
    label driver: Text(Word), None, "Driver (scaling_driver)";
    label governor: Text(Word), None, "Governor (scaling_governor)";
    label preference: Text(Word), None, "Energy-performance preference (energy_performance_preference), if the driver has one";
    label boost: Bool, None, "Frequencies above the base one are allowed (boost, or not no_turbo)";
    gauge cpus: Int, Count, "CPUs of the policy";
    gauge current_hz: Int, Hertz, "Frequency reported by the driver (scaling_cur_freq); some drivers report the requested one";
    gauge min_hz: Int, Hertz, "Lowest frequency allowed (scaling_min_freq)";
    gauge max_hz: Int, Hertz, "Highest frequency allowed (scaling_max_freq)";
    gauge hardware_min_hz: Int, Hertz, "Lowest frequency of the hardware (cpuinfo_min_freq)";
    gauge hardware_max_hz: Int, Hertz, "Highest frequency of the hardware, boost included (cpuinfo_max_freq)";
    gauge base_hz: Int, Hertz, "Highest frequency without boost (base_frequency, intel_pstate)";
    gauge firmware_max_hz: Int, Hertz, "Highest frequency allowed by the firmware (bios_limit)";
    counter transitions: Int, Count, "Frequency changes (stats/total_trans)";
}
