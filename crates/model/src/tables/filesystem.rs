//! `filesystem`: size and use of each mounted file system.
crate::table! {
    /// One mount in one sample.
    FilesystemRow = "filesystem", grain "one row for each mount with a size and sample at the start and end of the window", origin "/proc/self/mountinfo, statvfs", born_at_zero false;
    key mount: Text(Path), None, "Mount point";
    label dev_id: Text(Word), None, "major:minor";
    label device: Text(Mounted), None, "Kernel name of the underlying block device, or the source of the mount";
    label fs_type: Text(Word), None, "File system type";
    label options: Text(Options), None, "Mount and file-system options";
    label read_only: Bool, None, "Mounted read-only";
    gauge size_bytes: Int, Bytes, "Size";
    gauge free_bytes: Int, Bytes, "Free, reserved blocks included";
    gauge available_bytes: Int, Bytes, "Free for ordinary users";
    gauge inodes: Int, Count, "Inodes; NULL if the file system allocates them dynamically";
    gauge inodes_free: Int, Count, "Free inodes";
}
