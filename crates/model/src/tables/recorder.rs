//! `recorder`: what the recorder of an archive did and cost, sample by sample.
crate::table! {
    /// One sample of a recorder.
    RecorderRow = "recorder", grain "one row a sample of a recorder", origin "the program itself", born_at_zero false;
    label method: Text(Word), None, "How time was accounted for: ebpf, sampling or delays";
    gauge coverage: Float, Ratio, "Share of the task time that was seen as it happened";
    counter cpu_s: Float, Seconds, "CPU time of the recorder, its threads and the children that seal, with its iterator over tasks; other eBPF programs apart";
    counter bpf_s: Float, Seconds, "Run time of its eBPF programs in what others do; what its iterator over tasks takes is part of cpu_s. Reported every ten seconds; NULL where there are none";
    label bpf_time: Text(Word), None, "How bpf_s is known: estimated, by runs that the programs time themselves, or measured by the kernel (--own-cost)";
    gauge resident_bytes: Int, Bytes, "Resident memory of the recorder";
    counter written_bytes: Int, Bytes, "Bytes written to the journal by the sample before";
    gauge tasks: Int, Count, "Tasks that time was accounted for";
    gauge processes: Int, Count, "Processes";
    label thinned: Text(Word), None, "Sources that are read less often than declared, to keep to the budget: name and how many times less often; NULL for none";
    gauge booted_ms: Int, TimeMs, "When the machine booted, by its clock as it was at this sample: moves when the clock is set, and only then";
    label boot_id: Text(Word), None, "Random id of this boot, within which booted_ms can be compared";
    counter missed_samples: Int, Count, "Samples before this one that were not taken, because the machine gave the recorder no CPU, slept or was stopped";
}
