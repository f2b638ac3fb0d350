//! `cgroup_io_limit`: limits on the block I/O of control groups, and the I/O within them.
crate::table! {
    /// One limited device of one control group in one sample.
    CgroupIoLimitRow = "cgroup_io_limit", grain "one row for each control group, device with a limit, and sample; a limit that is set within the window appears some seconds later", origin "/sys/fs/cgroup: io.max, io.stat, blkio.throttle.*", born_at_zero false;
    key path: Text(Path), None, "Path of the group below the hierarchy's root";
    key device: Text(Word), None, "Kernel name of the device";
    label version: Text(Word), None, "v1 or v2";
    gauge read_limit_bytes: Int, Bytes, "Limit in bytes read per second (rbps); NULL without a limit, as in the next three";
    gauge write_limit_bytes: Int, Bytes, "Limit in bytes written per second (wbps)";
    gauge read_limit: Int, Count, "Limit in reads per second (riops)";
    gauge write_limit: Int, Count, "Limit in writes per second (wiops)";
    counter read_bytes: Int, Bytes, "Read from the device by the group and (v2) its descendants; requests that wait for the limit are included";
    counter write_bytes: Int, Bytes, "Written to the device, likewise";
    counter reads: Int, Count, "Reads, likewise";
    counter writes: Int, Count, "Writes, likewise";
}
