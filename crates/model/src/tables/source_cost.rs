//! `source_cost`: overhead and status of each source of this capture.
crate::table! {
    /// One source over the capture; `ledger`, `sampling` and `delays` are the time accounting itself.
    SourceCostRow = "source_cost", grain "one row a source over the whole capture", origin "the program itself", born_at_zero false;
    key source_name: Text(Word), None, "Source";
    gauge reads: Int, Count, "Reads";
    gauge cpu_s: Float, Seconds, "CPU time of all its reads";
    gauge wall_s: Float, Seconds, "Elapsed time of all its reads";
    gauge rows_read: Int, Count, "Rows returned";
    label status: Text(Word), None, "ok, missing or failed";
    label detail: Text(Message), None, "Reason, if not ok";
}
