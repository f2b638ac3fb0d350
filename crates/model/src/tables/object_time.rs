//! `object_time`: waits of processes by object, each second, without stacks.
//!
//! `stack` has more details of a wait, but for a whole window. This table has the same content for a live window and for
//! any part of an archive.
crate::table! {
    /// One process, class and object in one sample.
    ObjectTimeRow = "object_time", grain "one row for each process, wait class with objects, object and sample", origin "eBPF: late records at sched_switch", born_at_zero false;
    key pid: Int, None, "Process id";
    label process_name: Text(Name), None, "Name of the first thread of its process";
    key class_name: Text(Word), None, "Class of time";
    key object_kind: Text(Word), None, "device (all waits for block devices), inode, futex, peer or lock (kernel); others: objects beyond the first 64 of a process and class in a minute; NULL if unknown";
    key object_name: Text(Path), None, "Device name, path or device:inode, address, function that requests the lock";
    key object_device: Text(Word), None, "Kernel name of the block device of the object";
    key object_inode: Int, None, "Inode number of the object";
    counter seconds: Float, Seconds, "Wait time; short waits are counted with the next longer one, so at most 5 ms of a task and class appear late";
    counter waits: Int, Count, "Waits that ended in the interval";
}
