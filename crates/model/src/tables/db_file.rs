//! `db_file`: I/O of a database by tablespace and file, as the database measures it.
crate::table! {
    /// One tablespace or file.
    DbFileRow = "db_file", grain "one row for each tablespace and each of its files, instance and report", origin "recordings of Oracle statspack and AWR: Tablespace and File IO Stats", born_at_zero false;
    key instance: Text(Name), None, "Instance; NULL if the report has no header";
    key tablespace_name: Text(Name), None, "Tablespace";
    key file_name: Text(Path), None, "File; NULL for all files of the tablespace together";
    gauge reads: Int, Count, "Read requests";
    gauge mean_read_s: Float, Seconds, "Mean time of a read";
    gauge blocks_per_read: Float, Count, "Blocks per read";
    gauge writes: Int, Count, "Write requests";
    gauge buffer_waits: Int, Count, "Waits for a block that another session was reading or changing (buffer waits)";
    gauge mean_buffer_wait_s: Float, Seconds, "Mean time of such a wait";
}
