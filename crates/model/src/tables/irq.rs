//! `irq`: interrupts by line: how many, of which device, and which CPUs may serve them.
crate::table! {
    /// One interrupt line in one sample.
    IrqRow = "irq", grain "one row for each interrupt line that ever fired, and sample", origin "/proc/interrupts, /proc/irq", born_at_zero true;
    key irq: Text(Word), None, "Interrupt number of a device, or the kernel's name of an internal one: 36, LOC, IPI0";
    label name: Text(Name), None, "Device or driver (virtio1-req.0), or description of an internal one (Local timer interrupts)";
    label chip: Text(Word), None, "Interrupt controller and trigger type; NULL for internal ones";
    counter interrupts: Int, Count, "Interrupts served, on all CPUs";
    label allowed_cpus: Text(Word), None, "CPUs that may serve it, at its first sample (smp_affinity_list)";
    label effective_cpus: Text(Word), None, "CPUs that the controller delivers it to, at its first sample (effective_affinity_list, 4.15)";
}
