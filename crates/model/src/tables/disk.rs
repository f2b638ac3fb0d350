//! `disk`: requests, latencies and settings of each block device, and its underlying devices.
crate::table! {
    /// One block device or partition in one sample.
    DiskRow = "disk", grain "one row for each block device and sample", origin "/proc/diskstats, /sys/block", born_at_zero true;
    key device: Text(Word), None, "Kernel name: sda, nvme0n1, loop0, dm-0, md0";
    label dev_id: Text(Word), None, "major:minor";
    label kind: Text(Word), None, "disk, partition, loop, dm, md or zram";
    label parent: Text(Word), None, "Disk of a partition";
    label backing: Text(Word), None, "Underlying devices (loop, dm, md), separated by spaces";
    label label_name: Text(Name), None, "Device-mapper name, or model name of the disk";
    label mounts: Text(Path), None, "Mount points, separated by spaces";
    counter reads: Int, Count, "Reads completed";
    counter reads_merged: Int, Count, "Reads merged before dispatch";
    counter read_bytes: Int, Bytes, "Bytes read";
    counter read_s: Float, Seconds, "Sum of read latencies, from queueing to completion";
    counter writes: Int, Count, "Writes completed";
    counter writes_merged: Int, Count, "Writes merged before dispatch";
    counter write_bytes: Int, Bytes, "Bytes written";
    counter write_s: Float, Seconds, "Sum of write latencies, from queueing to completion";
    counter discards: Int, Count, "Discards completed (since 4.18)";
    counter discard_bytes: Int, Bytes, "Bytes discarded (since 4.18)";
    counter discard_s: Float, Seconds, "Sum of discard latencies (since 4.18)";
    counter flushes: Int, Count, "Flushes completed (since 5.5)";
    counter flush_s: Float, Seconds, "Sum of flush latencies (since 5.5)";
    gauge in_flight: Int, Count, "Requests in flight";
    counter busy_s: Float, Seconds, "Time with at least one request in flight (%util); not a measure of saturation";
    counter queue_s: Float, Seconds, "Time weighted by requests in flight; divided by secs, the mean queue depth (aqu-sz)";
    label rotational: Bool, None, "Reported as rotational; often wrong for virtual disks";
    label scheduler: Text(Word), None, "I/O scheduler in use";
    label write_cache: Text(Word), None, "write back or write through";
    gauge nr_requests: Int, Count, "Size of the request queue (nr_requests)";
    gauge read_ahead_bytes: Int, Bytes, "Read-ahead (read_ahead_kb)";
    gauge max_request_bytes: Int, Bytes, "Largest request size (max_sectors_kb)";
    gauge logical_block_bytes: Int, Bytes, "Logical block size";
    gauge physical_block_bytes: Int, Bytes, "Physical block size";
    gauge size_bytes: Int, Bytes, "Size";
    counter requests: Int, Count, "Requests completed of all kinds, if another tool reports no more (tps)";
}
