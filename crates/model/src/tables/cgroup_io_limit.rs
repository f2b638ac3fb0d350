//! `cgroup_io_limit`: limits on the block I/O of control groups, and what passes through them.
crate::table! {
    /// One limited device of one control group in one sample.
    CgroupIoLimitRow = "cgroup_io_limit", grain "one row for each control group, device that it has a limit on, and sample; a limit that is set within the window from some seconds later on", origin "/sys/fs/cgroup: io.max, io.stat, blkio.throttle.*", born_at_zero false;
    key path: Text(Path), None, "Path of the group below the hierarchy's root";
    key device: Text(Word), None, "Kernel name of the device";
    label version: Text(Word), None, "v1 or v2";
    gauge read_limit_bytes: Int, Bytes, "Bytes that it may read in a second; NULL without a limit, like the next three";
    gauge write_limit_bytes: Int, Bytes, "Bytes that it may write in a second";
    gauge read_limit: Int, Count, "Reads that it may make in a second";
    gauge write_limit: Int, Count, "Writes that it may make in a second";
    counter read_bytes: Int, Bytes, "Read from the device, by the group and (v2) all below it; what still waits for the limit counts";
    counter write_bytes: Int, Bytes, "Written to the device, likewise";
    counter reads: Int, Count, "Reads, likewise";
    counter writes: Int, Count, "Writes, likewise";
}
