//! `mount`: what is mounted where and how, in every mount namespace; sizes are in `filesystem`.
crate::table! {
    /// One mount.
    MountRow = "mount", grain "one row for each mount, once; of other mount namespaces those that ours does not have in the same way", origin "/proc/self/mountinfo, /proc/PID/mountinfo", born_at_zero false;
    key mntns: Int, None, "Inode of the mount namespace";
    key mount_id: Int, None, "Number of the mount in the kernel";
    label parent_id: Int, None, "Number of the mount that it lies on";
    label mount: Text(Path), None, "Mount point, as the namespace sees it";
    label fs_type: Text(Word), None, "File system type";
    label source: Text(Mounted), None, "What is mounted: a device, a server's path, or a word without meaning";
    label device: Text(Word), None, "Kernel name of the block device below; NULL where there is none";
    label dev_id: Text(Word), None, "major:minor of the file system";
    label root: Text(Path), None, "Folder of the file system that is mounted: `/` unless a bind mount or a subvolume";
    label options: Text(Options), None, "Options of the mount";
    label super_options: Text(Options), None, "Options of the file system";
    label read_only: Bool, None, "Mounted read-only, or a file system that is";
    label propagation: Text(Word), None, "shared or private, then slave and unbindable, separated by commas as findmnt does";
    label pid: Int, None, "A process in the namespace; NULL for our own";
    label name: Text(Name), None, "Name of that process";
    label unit: Text(Name), None, "Its systemd unit";
    label container: Text(Name), None, "Its container: twelve digits of the id, or the name (LXC, systemd-nspawn)";
}
