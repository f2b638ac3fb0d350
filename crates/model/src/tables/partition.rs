//! `partition`: start of partitions, and their alignment to the underlying blocks and stripes.
crate::table! {
    /// One block device.
    PartitionRow = "partition", grain "one row for each disk, partition, md and device-mapper device, once", origin "/sys/class/block", born_at_zero false;
    key device: Text(Word), None, "Kernel name";
    label kind: Text(Word), None, "disk, partition, loop, dm, md or zram";
    label parent: Text(Word), None, "Disk of a partition";
    gauge start_bytes: Int, Bytes, "Start of a partition on its disk; NULL for whole devices";
    gauge size_bytes: Int, Bytes, "Size";
    gauge logical_block_bytes: Int, Bytes, "Logical block size; a partition has that of its disk, as in the next three";
    gauge physical_block_bytes: Int, Bytes, "Physical block size: smallest write without a read first";
    gauge minimum_io_bytes: Int, Bytes, "Smallest preferred request (minimum_io_size): the chunk of a striped device";
    gauge optimal_io_bytes: Int, Bytes, "Preferred request size (optimal_io_size): the full stripe of a striped device; NULL if not reported";
    gauge alignment_offset_bytes: Int, Bytes, "Bytes from the start of the device to the first natural boundary (alignment_offset); NULL if there is none or it is not reported";
    label misaligned: Bool, None, "Not aligned to max(physical_block_bytes, minimum_io_bytes): aligned requests touch two blocks or chunks";
    gauge misaligned_bytes: Int, Bytes, "Offset from the last such boundary; 0 if aligned; NULL if the layers below have no common boundary";
    gauge stripe_misaligned_bytes: Int, Bytes, "Offset from the last boundary of optimal_io_bytes; NULL without stripes";
    label raid_level: Text(Word), None, "Level of an md device: raid0, raid1, raid5 …";
    gauge raid_devices: Int, Count, "Member devices of an md device";
    gauge chunk_bytes: Int, Bytes, "Chunk size of an md device; NULL if its level has none";
    label dm_name: Text(Name), None, "Device-mapper name";
    label dm_uuid: Text(Name), None, "Device-mapper UUID; its first word is the creator: LVM, CRYPT, mpath";
}
