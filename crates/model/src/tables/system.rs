//! `system`: load, switches and forks of the whole machine.
crate::table! {
    /// The whole machine in one sample.
    SystemRow = "system", grain "one row a sample", origin "/proc/stat, /proc/loadavg, /proc/uptime", born_at_zero false;
    gauge load1: Float, Count, "Load average over one minute: runnable and uninterruptible tasks";
    gauge load5: Float, Count, "Load average over five minutes";
    gauge load15: Float, Count, "Load average over fifteen minutes";
    gauge runnable: Int, Count, "Tasks running or waiting for a CPU (procs_running)";
    gauge blocked: Int, Count, "Tasks blocked on I/O (procs_blocked)";
    gauge tasks: Int, Count, "Threads on the machine (fourth field of loadavg)";
    counter context_switches: Int, Count, "Context switches (ctxt)";
    counter forks: Int, Count, "Processes and threads created (processes)";
    counter interrupts: Int, Count, "Interrupts served (intr)";
    counter softirqs: Int, Count, "Softirqs served (softirq)";
    gauge uptime_s: Float, Seconds, "Time since boot";
}
