//! `pressure`: pressure stall information of the whole machine.
crate::table! {
    /// One resource in one sample.
    PressureRow = "pressure", grain "one row for each resource and sample", origin "/proc/pressure/{cpu,memory,io,irq}", born_at_zero false;
    key resource: Text(Word), None, "cpu, memory, io or irq";
    counter some_s: Float, Seconds, "Time in which at least one task was stalled";
    counter full_s: Float, Seconds, "Time in which all non-idle tasks were stalled";
    gauge some_avg10: Float, Ratio, "Kernel's average of some over ten seconds";
    gauge full_avg10: Float, Ratio, "Kernel's average of full over ten seconds";
}
