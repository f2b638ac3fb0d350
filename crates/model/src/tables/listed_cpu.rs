//! `listed_cpu`: CPU use as a listing prints it, in percent, where nobody knows how much time that was.
//!
//! One screen of `top` or `ps` has no interval: its percentages are no seconds and stay out of the tables of those. Which time
//! they cover differs by tool and release, so each row says it. Tasks without use are left out.

crate::table! {
    /// What one line of one listing says of CPU use.
    ListedCpuRow = "listed_cpu", grain "one row for each line of a listing that shows CPU use; only in recordings", origin "top, ps, prstat, topas", born_at_zero false;
    key subject: Text(Word), None, "host (all CPUs together), process or thread";
    key number: Int, None, "Process or thread id; NULL for the host";
    label name: Text(Name), None, "Name of the process or thread";
    label pid: Int, None, "Process id";
    label covers: Text(Word), None, "What the percentages cover: interval (since the screen before), recent (a mean that fades), first (first screen of top: since boot, since the start, or an instant), life (since the process started)";
    gauge used_cpus: Float, Count, "CPU use in CPUs: 1 is one CPU; NULL where the tool prints a share of all CPUs";
    gauge used_share: Float, Ratio, "CPU use as a share of all CPUs; NULL where the tool prints percent of one CPU";
    gauge idle_share: Float, Ratio, "Share of all CPUs' time: idle, time with requests in flight excluded";
    gauge iowait_share: Float, Ratio, "Share: idle with requests in flight (wa)";
    gauge user_share: Float, Ratio, "Share: user mode";
    gauge nice_share: Float, Ratio, "Share: user mode at lowered priority";
    gauge system_share: Float, Ratio, "Share: kernel mode";
    gauge interrupt_share: Float, Ratio, "Share: interrupts and softirqs";
    gauge steal_share: Float, Ratio, "Share: stolen by the hypervisor";
}
