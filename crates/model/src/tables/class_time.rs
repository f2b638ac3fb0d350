//! `class_time`: the ledger's time of all tasks together, by class: a few rows a second, however many tasks there are.
//!
//! The archive makes it of `task_time` when it seals a journal. Idle time is left out: it would be half of the rows, and
//! nobody looks for it over a day.
crate::table! {
    /// One class in one sample.
    ClassTimeRow = "class_time", grain "one row for each class that is not idle, tasks and kernel threads apart, and sample; in archives only", origin "`task_time`", born_at_zero false;
    key class_name: Text(Word), None, "Class of time";
    key kernel_thread: Bool, None, "Of kernel threads";
    label group_name: Text(Word), None, "running, waiting, peer or other";
    counter seconds: Float, Seconds, "Time of all tasks in the class";
    error error_s: Float, Seconds, "Standard error of sampled seconds, and of run-queue time; errors of several rows add up as squares. NULL if counted exactly";
    counter waits: Int, Count, "Waits of the class that ended in the interval";
    counter idle_elsewhere_s: Float, Seconds, "For class cpu_queue: part of seconds with an idle CPU that the task may use; NULL if not measured";
}
