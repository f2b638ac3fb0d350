//! `irq`: interrupts by line: how many, of which device, and which CPUs may serve them.
crate::table! {
    /// One interrupt line in one sample.
    IrqRow = "irq", grain "one row for each interrupt line that ever fired, and sample", origin "/proc/interrupts, /proc/irq", born_at_zero true;
    key irq: Text(Word), None, "Number of a device's interrupt, or the kernel's name of one of its own: 36, LOC, IPI0";
    label name: Text(Name), None, "Who asked for it (virtio1-req.0), or what the kernel's own one is for (Local timer interrupts)";
    label chip: Text(Word), None, "Interrupt controller and how the line is triggered; NULL for the kernel's own";
    counter interrupts: Int, Count, "Served, on all CPUs";
    label allowed_cpus: Text(Word), None, "CPUs that may serve it, when it was first seen (smp_affinity_list)";
    label effective_cpus: Text(Word), None, "CPUs that the controller really sends it to, when it was first seen (effective_affinity_list, 4.15)";
}
