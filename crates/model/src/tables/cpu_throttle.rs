//! `cpu_throttle`: how often and how long CPUs were slowed down because of heat.
crate::table! {
    /// One CPU.
    CpuThrottleRow = "cpu_throttle", grain "one row for each CPU over the window; evenly chosen ones where there are more than 256", origin "/sys/devices/system/cpu/cpu*/thermal_throttle (Intel)", born_at_zero false;
    key cpu_idx: Int, None, "CPU";
    label package_idx: Int, None, "Package (socket) that it is in";
    counter core_throttles: Int, Count, "Times that its core was throttled; hyperthreads of a core count the same ones";
    counter core_throttled_s: Float, Seconds, "Time that its core was throttled (Linux 5.5)";
    counter package_throttles: Int, Count, "Times that its package was throttled: the same in every CPU of the package";
    counter package_throttled_s: Float, Seconds, "Time that its package was throttled (Linux 5.5)";
}
