//! `file_extents`: fragmentation of the files and the free space of a file system. Linux reports it for single
//! files only; VxFS for the whole file system.
crate::table! {
    /// One file system in one listing.
    FileExtentsRow = "file_extents", grain "one row for each report", origin "recordings of fsadm -E (VxFS)", born_at_zero false;
    key mount: Text(Path), None, "Mount point; NULL where the recording does not name it";
    label fs_type: Text(Word), None, "File system type";
    gauge files: Int, Count, "Files with blocks";
    gauge file_blocks_mean: Float, Count, "Mean blocks per file";
    gauge file_extents_mean: Float, Count, "Mean extents per file";
    gauge free_blocks: Int, Count, "Free blocks";
    gauge free_below_8_ratio: Float, Ratio, "Share of the free blocks in extents of fewer than 8 blocks";
    gauge free_below_64_ratio: Float, Ratio, "Share of the free blocks in extents of fewer than 64 blocks";
    gauge free_large_blocks: Int, Count, "Free blocks in extents of 64 blocks or more (lower bound: each counts as the smallest of its class)";
    gauge used_large_ratio: Float, Ratio, "Share of the used blocks in extents of 64 blocks or more";
    gauge free_fragmentation_index: Int, Count, "Fragmentation index of the free space in the report: 0 contiguous, 100 fragmented";
    gauge file_fragmentation_index: Int, Count, "Fragmentation index of the files in the report";
}
