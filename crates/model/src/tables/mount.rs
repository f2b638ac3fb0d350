//! `mount`: what is mounted where and how, in every mount namespace; sizes are in `filesystem`.
crate::table! {
    /// One mount.
    MountRow = "mount", grain "one row for each mount, once; from other mount namespaces only mounts that differ from ours", origin "/proc/self/mountinfo, /proc/PID/mountinfo", born_at_zero false;
    key mntns: Int, None, "Inode of the mount namespace";
    key mount_id: Int, None, "Mount id";
    label parent_id: Int, None, "Mount id of the parent";
    label mount: Text(Path), None, "Mount point, as the namespace sees it";
    label fs_type: Text(Word), None, "File system type";
    label source: Text(Mounted), None, "Mount source: a device, a server's path, or an arbitrary word";
    label device: Text(Word), None, "Kernel name of the underlying block device; NULL if there is none";
    label dev_id: Text(Word), None, "major:minor of the file system";
    label root: Text(Path), None, "Mounted directory of the file system: `/` unless a bind mount or a subvolume";
    label options: Text(Options), None, "Mount options";
    label super_options: Text(Options), None, "File-system options";
    label read_only: Bool, None, "The mount or the file system is read-only";
    label propagation: Text(Word), None, "shared or private, then slave and unbindable, separated by commas as findmnt does";
    label pid: Int, None, "A process in the namespace; NULL for our own";
    label name: Text(Name), None, "Name of that process";
    label unit: Text(Name), None, "Its systemd unit";
    label container: Text(Name), None, "Its container: twelve digits of the id, or the name (LXC, systemd-nspawn)";
}
