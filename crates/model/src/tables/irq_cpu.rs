//! `irq_cpu`: interrupts by line and CPU; only where some were served in the interval.
crate::table! {
    /// One interrupt line on one CPU in one sample.
    IrqCpuRow = "irq_cpu", grain "one row for each interrupt line and CPU that served it in the sample", origin "/proc/interrupts", born_at_zero true;
    key irq: Text(Word), None, "As in the table irq";
    key cpu_idx: Int, None, "CPU number";
    label name: Text(Name), None, "As in the table irq";
    counter interrupts: Int, Count, "Interrupts served by this CPU; rows with 0 are left out";
}
