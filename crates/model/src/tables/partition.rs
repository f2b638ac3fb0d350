//! `partition`: where partitions begin, and whether that fits the blocks and stripes below.
crate::table! {
    /// One block device.
    PartitionRow = "partition", grain "one row for each disk, partition, md and device-mapper device, once", origin "/sys/class/block", born_at_zero false;
    key device: Text(Word), None, "Kernel name";
    label kind: Text(Word), None, "disk, partition, loop, dm, md or zram";
    label parent: Text(Word), None, "The disk that a partition belongs to";
    gauge start_bytes: Int, Bytes, "Where a partition begins on its disk; NULL for whole devices";
    gauge size_bytes: Int, Bytes, "Size";
    gauge logical_block_bytes: Int, Bytes, "Smallest unit that can be addressed; a partition has those of its disk, as in the next three";
    gauge physical_block_bytes: Int, Bytes, "Smallest unit that the device writes without reading first";
    gauge minimum_io_bytes: Int, Bytes, "Smallest preferred request (minimum_io_size): the chunk of a striped device";
    gauge optimal_io_bytes: Int, Bytes, "Preferred size of requests (optimal_io_size): the full stripe of a striped device; NULL where none is told";
    gauge alignment_offset_bytes: Int, Bytes, "Bytes from the beginning of the device to the first natural boundary (alignment_offset); NULL where there is no such place, or it is not told";
    label misaligned: Bool, None, "Begins beside a boundary of max(physical_block_bytes, minimum_io_bytes), so that aligned requests touch two blocks or chunks";
    gauge misaligned_bytes: Int, Bytes, "How far after the last such boundary it begins; 0 where aligned; NULL where the layers below have no common boundary";
    gauge stripe_misaligned_bytes: Int, Bytes, "How far after the last boundary of optimal_io_bytes it begins; NULL where there are no stripes";
    label raid_level: Text(Word), None, "Level of an md device: raid0, raid1, raid5 …";
    gauge raid_devices: Int, Count, "Devices that an md device is made of";
    gauge chunk_bytes: Int, Bytes, "Chunk of an md device; NULL where its level has none";
    label dm_name: Text(Name), None, "Name given by device mapper";
    label dm_uuid: Text(Name), None, "Identity given by device mapper; its first word is who made it: LVM, CRYPT, mpath";
}
