//! `source_cost`: what each source of this capture cost and how it went.
crate::table! {
    /// One source over the capture; `ledger`, `sampling` and `delays` are the account of time itself.
    SourceCostRow = "source_cost", grain "one row a source over the whole capture", origin "the program itself", born_at_zero false;
    key source_name: Text(Word), None, "Source";
    gauge reads: Int, Count, "How often it was read";
    gauge cpu_s: Float, Seconds, "CPU time of all its reads";
    gauge wall_s: Float, Seconds, "Time of all its reads";
    gauge rows_read: Int, Count, "Rows that it gave";
    label status: Text(Word), None, "ok, missing or failed";
    label detail: Text(Message), None, "Why, where it was not ok";
}
