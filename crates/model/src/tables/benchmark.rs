//! `benchmark`: what programs measured that try how fast something is. Not what a machine did for others.
crate::table! {
    /// One figure of one run.
    BenchmarkRow = "benchmark", grain "one row for each figure of a run", origin "recordings of bonnie++", born_at_zero false;
    key tool: Text(Word), None, "Program that measured";
    key machine_name: Text(Host), None, "What it calls the machine";
    key figure_name: Text(Word), None, "Figure: write_char, write_block, rewrite, read_char, read_block in bytes a second; seek, and create, stat and delete with _sequential or _random, a second";
    gauge value: Float, None, "A second's worth: bytes, seeks or files; NULL where it was too fast to be measured";
    gauge cpu_ratio: Float, Ratio, "Share of a CPU that it took";
}
