//! `disk`: requests, times and settings of each block device, and what it stands on.
crate::table! {
    /// One block device or partition in one sample.
    DiskRow = "disk", grain "one row for each block device and sample", origin "/proc/diskstats, /sys/block", born_at_zero true;
    key device: Text(Word), None, "Kernel name: sda, nvme0n1, loop0, dm-0, md0";
    label dev_id: Text(Word), None, "major:minor";
    label kind: Text(Word), None, "disk, partition, loop, dm, md or zram";
    label parent: Text(Word), None, "The disk that a partition belongs to";
    label backing: Text(Word), None, "Devices directly below (loop, dm, md), separated by spaces";
    label label_name: Text(Name), None, "Name given by device mapper or model name of the disk";
    label mounts: Text(Path), None, "Where it is mounted, separated by spaces";
    counter reads: Int, Count, "Reads completed";
    counter reads_merged: Int, Count, "Reads merged with another before they were sent";
    counter read_bytes: Int, Bytes, "Read";
    counter read_s: Float, Seconds, "Time of all reads, from queueing to completion";
    counter writes: Int, Count, "Writes completed";
    counter writes_merged: Int, Count, "Writes merged with another before they were sent";
    counter write_bytes: Int, Bytes, "Written";
    counter write_s: Float, Seconds, "Time of all writes, from queueing to completion";
    counter discards: Int, Count, "Discards completed (since 4.18)";
    counter discard_bytes: Int, Bytes, "Discarded (since 4.18)";
    counter discard_s: Float, Seconds, "Time of all discards (since 4.18)";
    counter flushes: Int, Count, "Flushes completed (since 5.5)";
    counter flush_s: Float, Seconds, "Time of all flushes (since 5.5)";
    gauge in_flight: Int, Count, "Requests in flight";
    counter busy_s: Float, Seconds, "Time with at least one request in flight; no measure of capacity";
    counter queue_s: Float, Seconds, "Time weighted by requests in flight; over secs it is the mean queue depth";
    label rotational: Bool, None, "Says that it rotates; virtual disks often say so wrongly";
    label scheduler: Text(Word), None, "I/O scheduler in use";
    label write_cache: Text(Word), None, "write back or write through";
    gauge nr_requests: Int, Count, "Requests that the queue holds";
    gauge read_ahead_bytes: Int, Bytes, "Read-ahead";
    gauge max_request_bytes: Int, Bytes, "Largest request that is sent (max_sectors_kb)";
    gauge logical_block_bytes: Int, Bytes, "Logical block size";
    gauge physical_block_bytes: Int, Bytes, "Physical block size";
    gauge size_bytes: Int, Bytes, "Size";
    counter requests: Int, Count, "Requests completed of all kinds, where a foreign tool told no more (tps)";
}
