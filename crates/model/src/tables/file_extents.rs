//! `file_extents`: in how many pieces the files and the free space of a file system are. Linux tells it of single
//! files only; the report of VxFS tells it of all.
crate::table! {
    /// One file system in one listing.
    FileExtentsRow = "file_extents", grain "one row for each report", origin "recordings of fsadm -E (VxFS)", born_at_zero false;
    key mount: Text(Path), None, "Mount point; NULL where the recording does not name it";
    label fs_type: Text(Word), None, "File system type";
    gauge files: Int, Count, "Files that have blocks";
    gauge file_blocks_mean: Float, Count, "Blocks of a file, on average";
    gauge file_extents_mean: Float, Count, "Pieces of a file, on average";
    gauge free_blocks: Int, Count, "Free blocks";
    gauge free_below_8_ratio: Float, Ratio, "Share of the free blocks in pieces of fewer than 8 blocks";
    gauge free_below_64_ratio: Float, Ratio, "Share of the free blocks in pieces of fewer than 64 blocks";
    gauge free_large_blocks: Int, Count, "Free blocks in pieces of 64 blocks or more, at least: each counts as the smallest of its class";
    gauge used_large_ratio: Float, Ratio, "Share of the used blocks in pieces of 64 blocks or more";
    gauge free_fragmentation_index: Int, Count, "What the report itself makes of the free space: 0 whole, 100 in pieces";
    gauge file_fragmentation_index: Int, Count, "The same of the files";
}
