//! `cpufreq`: how fast CPUs run, may run, and who decides it.
crate::table! {
    /// One policy (CPUs that change their frequency together) in one sample.
    CpufreqRow = "cpufreq", grain "one row for each frequency policy and sample at the start and end of the window; evenly chosen ones where there are more than 128", origin "/sys/devices/system/cpu/cpufreq/policy*, /sys/devices/system/cpu/cpu*/cpufreq on old kernels", born_at_zero false;
    key policy_idx: Int, None, "Number of the policy: its first CPU";
    label cpu_list: Text(Word), None, "CPUs that change their frequency together (affected_cpus)";
    label driver: Text(Word), None, "Driver (scaling_driver)";
    label governor: Text(Word), None, "Governor (scaling_governor)";
    label preference: Text(Word), None, "Preference of energy or performance, of drivers that have one";
    label boost: Bool, None, "Frequencies above the base one are allowed (boost, or not no_turbo)";
    gauge cpus: Int, Count, "CPUs of the policy";
    gauge current_hz: Int, Hertz, "Frequency as the driver tells it (scaling_cur_freq): on some only the one that was asked for";
    gauge min_hz: Int, Hertz, "Lowest that is allowed (scaling_min_freq)";
    gauge max_hz: Int, Hertz, "Highest that is allowed (scaling_max_freq)";
    gauge hardware_min_hz: Int, Hertz, "Lowest that the hardware can (cpuinfo_min_freq)";
    gauge hardware_max_hz: Int, Hertz, "Highest that the hardware can, boost included (cpuinfo_max_freq)";
    gauge base_hz: Int, Hertz, "Highest without boost, of intel_pstate";
    gauge firmware_max_hz: Int, Hertz, "Highest that the firmware allows (bios_limit)";
    counter transitions: Int, Count, "Changes of the frequency (stats/total_trans)";
}
