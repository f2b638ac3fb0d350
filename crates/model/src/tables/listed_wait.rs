//! `listed_wait`: what share of its time a task waited, as a listing prints it in percent.
crate::table! {
    /// One kind of wait of one task in one listing.
    ListedWaitRow = "listed_wait", grain "one row for each task, kind of wait and listing; only in recordings", origin "iotop (IO, SWAPIN), prstat -m (LAT, DFL, TFL, LCK)", born_at_zero false;
    key subject: Text(Word), None, "process or thread";
    key number: Int, None, "Process or thread id; of prstat -L the thread's number in its process";
    key wait: Text(Word), None, "io, swap_in, cpu, page_faults, lock";
    label pid: Int, None, "Process id, if the listing has it";
    label name: Text(Name), None, "Name of the program, as far as the listing has it";
    gauge share: Float, Ratio, "Share of the interval, or of the process's life in a first report";
    gauge running_share: Float, Ratio, "Share in which it ran on a CPU, if the listing has it";
    gauge read_bytes_per_s: Float, BytesPerSecond, "What it reads, if the listing has it";
    gauge write_bytes_per_s: Float, BytesPerSecond, "What it writes, if the listing has it";
}
