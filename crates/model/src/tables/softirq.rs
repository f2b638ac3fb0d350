//! `softirq`: softirqs of each CPU by kind.
crate::table! {
    /// One CPU in one sample.
    SoftirqRow = "softirq", grain "one row for each CPU that was ever online, and sample", origin "/proc/softirqs", born_at_zero false;
    key cpu_idx: Int, None, "CPU number";
    counter hi: Int, Count, "Urgent tasklets (HI)";
    counter timer: Int, Count, "Timers (TIMER)";
    counter net_tx: Int, Count, "Packet transmission (NET_TX)";
    counter net_rx: Int, Count, "Packet reception (NET_RX)";
    counter block: Int, Count, "Completion of requests to block devices (BLOCK)";
    counter irq_poll: Int, Count, "Polling of block devices (IRQ_POLL; BLOCK_IOPOLL before 4.5)";
    counter tasklet: Int, Count, "Tasklets (TASKLET)";
    counter sched: Int, Count, "Load balancing (SCHED)";
    counter hrtimer: Int, Count, "High-resolution timers (HRTIMER)";
    counter rcu: Int, Count, "RCU callbacks (RCU)";
}
