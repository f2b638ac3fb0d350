//! `benchmark`: results of benchmark programs; not the normal work of a machine.
crate::table! {
    /// One figure of one run.
    BenchmarkRow = "benchmark", grain "one row for each figure of a run", origin "recordings of bonnie++", born_at_zero false;
    key tool: Text(Word), None, "Benchmark program";
    key machine_name: Text(Host), None, "Machine name in its output";
    key figure_name: Text(Word), None, "Figure: write_char, write_block, rewrite, read_char, read_block (bytes/s); seek, and create, stat, delete with _sequential or _random (per second)";
    gauge value: Float, None, "Bytes, seeks or files per second; NULL if too fast to be measured";
    gauge cpu_ratio: Float, Ratio, "CPU use during the run, of one CPU";
}
