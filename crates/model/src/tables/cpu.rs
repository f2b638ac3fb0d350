//! `cpu`: CPU time by state, as the kernel's tick counts it.
crate::table! {
    /// One CPU in one sample.
    CpuRow = "cpu", grain "one row for each online CPU and sample", origin "/proc/stat", born_at_zero false;
    key cpu_idx: Int, None, "CPU number; NULL for all CPUs together, if another tool reports no more (their number is in table host, else it is one average CPU)";
    counter user_s: Float, Seconds, "User mode, guests included";
    counter nice_s: Float, Seconds, "User mode at lowered priority";
    counter system_s: Float, Seconds, "Kernel mode";
    counter idle_s: Float, Seconds, "Idle without I/O outstanding";
    counter iowait_s: Float, Seconds, "Idle while a task of this CPU waited for I/O (iowait); can decrease";
    counter irq_s: Float, Seconds, "Serving interrupts";
    counter softirq_s: Float, Seconds, "Serving softirqs";
    counter steal_s: Float, Seconds, "Stolen by the hypervisor";
    counter guest_s: Float, Seconds, "Running a guest (also in user)";
    counter guest_nice_s: Float, Seconds, "Running a guest at lowered priority (also in nice)";
}
