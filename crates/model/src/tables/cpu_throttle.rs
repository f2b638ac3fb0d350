//! `cpu_throttle`: thermal throttling of CPUs: how often and how long.
crate::table! {
    /// One CPU.
    CpuThrottleRow = "cpu_throttle", grain "one row for each CPU over the window; a sample of evenly spaced CPUs if there are more than 256", origin "/sys/devices/system/cpu/cpu*/thermal_throttle (Intel)", born_at_zero false;
    key cpu_idx: Int, None, "CPU number";
    label package_idx: Int, None, "Package (socket) of the CPU";
    counter core_throttles: Int, Count, "Throttling events of its core; the same in each hyperthread of the core";
    counter core_throttled_s: Float, Seconds, "Throttled time of its core (Linux 5.5)";
    counter package_throttles: Int, Count, "Throttling events of its package; the same in each CPU of the package";
    counter package_throttled_s: Float, Seconds, "Throttled time of its package (Linux 5.5)";
}
