//! `pressure`: pressure stall information of the whole machine.
crate::table! {
    /// One resource in one sample.
    PressureRow = "pressure", grain "one row for each resource and sample", origin "/proc/pressure/{cpu,memory,io,irq}", born_at_zero false;
    key resource: Text(Word), None, "cpu, memory, io or irq";
    counter some_s: Float, Seconds, "Time with at least one task stalled (some)";
    counter full_s: Float, Seconds, "Time with all non-idle tasks stalled (full)";
    gauge some_avg10: Float, Ratio, "Kernel's average of some over 10 s";
    gauge full_avg10: Float, Ratio, "Kernel's average of full over 10 s";
}
