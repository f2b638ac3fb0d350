//! `recorder`: work and overhead of the recorder of an archive, by sample.
crate::table! {
    /// One sample of a recorder.
    RecorderRow = "recorder", grain "one row a sample of a recorder", origin "the program itself", born_at_zero false;
    label method: Text(Word), None, "Method of time accounting: ebpf, sampling or delays";
    gauge coverage: Float, Ratio, "Share of the task time that was accounted for directly";
    counter cpu_s: Float, Seconds, "CPU time of the recorder: threads, sealing children and the task iterator, without its other eBPF programs";
    counter bpf_s: Float, Seconds, "Run time of its eBPF programs in other tasks, without the task iterator (in cpu_s). Every 10 s; NULL without eBPF";
    label bpf_time: Text(Word), None, "Source of bpf_s: estimated (runs timed by the programs) or measured (by the kernel, --measure-overhead)";
    gauge resident_bytes: Int, Bytes, "Resident memory of the recorder";
    counter written_bytes: Int, Bytes, "Bytes written to the journal for the previous sample";
    gauge tasks: Int, Count, "Tasks in the time accounting";
    gauge processes: Int, Count, "Processes";
    label thinned: Text(Word), None, "Sources read less often than declared, to keep the CPU budget: name and factor; NULL for none";
    gauge booted_ms: Int, TimeMs, "Boot time by the clock of this sample; it changes only when the clock is set";
    label boot_id: Text(Word), None, "Random id of this boot; booted_ms is comparable within it";
    counter missed_samples: Int, Count, "Missed samples before this one (no CPU for the recorder, suspend, or stopped)";
}
