//! `softirq`: soft interrupts of each CPU by kind: which deferred work runs where.
crate::table! {
    /// One CPU in one sample.
    SoftirqRow = "softirq", grain "one row for each CPU that was ever online, and sample", origin "/proc/softirqs", born_at_zero false;
    key cpu_idx: Int, None, "Number of the CPU";
    counter hi: Int, Count, "Urgent tasklets (HI)";
    counter timer: Int, Count, "Timers (TIMER)";
    counter net_tx: Int, Count, "Sending of packets (NET_TX)";
    counter net_rx: Int, Count, "Receipt of packets (NET_RX)";
    counter block: Int, Count, "Completion of requests to block devices (BLOCK)";
    counter irq_poll: Int, Count, "Polling of block devices (IRQ_POLL; BLOCK_IOPOLL before 4.5)";
    counter tasklet: Int, Count, "Tasklets (TASKLET)";
    counter sched: Int, Count, "Balancing of CPUs (SCHED)";
    counter hrtimer: Int, Count, "High-resolution timers (HRTIMER)";
    counter rcu: Int, Count, "Read-copy-update callbacks (RCU)";
}
