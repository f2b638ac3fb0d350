//! `benchmark`: results of benchmark programs; not the normal work of a machine.
crate::table! {
    /// One figure of one run.
    BenchmarkRow = "benchmark", grain "one row for each figure of a run", origin "recordings of bonnie++ and fio", born_at_zero false;
    key tool: Text(Word), None, "Benchmark program";
    key machine_name: Text(Host), None, "Machine name in its output";
    key figure_name: Text(Word), None, "Figure: write_char, write_block, rewrite, read_char, read_block (bytes/s); seek, and create, stat, delete with _sequential or _random (per second). Of fio: job, a dot, and read, write, trim or sync with _per_s, _bytes_per_s, _mean_s, _p50_s, _p99_s, _p99_9_s, _max_s";
    gauge value: Float, None, "Bytes, seeks, files or requests per second, or seconds; NULL if too fast to be measured";
    gauge cpu_ratio: Float, Ratio, "CPU use during the run, of one CPU";
}
