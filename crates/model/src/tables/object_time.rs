//! `object_time`: what processes waited for, second by second, without stacks.
//!
//! `stack` says more of a wait, but over a window as a whole. This table says the same of a live window and of
//! any part of an archive.
crate::table! {
    /// One process, class and object in one sample.
    ObjectTimeRow = "object_time", grain "one row for each process, class of waiting that has objects, object, and sample", origin "eBPF: late records at sched_switch", born_at_zero false;
    key pid: Int, None, "Process id";
    label process_name: Text(Name), None, "Name of the first thread of its process";
    key class_name: Text(Word), None, "Class of time";
    key object_kind: Text(Word), None, "device (of all waits for block devices), inode, futex, peer or lock (of the kernel); others: objects beyond the 64 that are named for a process and class in a minute; NULL where it is not known";
    key object_name: Text(Path), None, "Device name, path or device:inode, address, function that asks for the lock";
    key object_device: Text(Word), None, "Kernel name of the block device of the object";
    key object_inode: Int, None, "Inode number of the object";
    counter seconds: Float, Seconds, "Time of the waits; short ones are counted with the first longer one, so that at most 5 ms of a task and class are told late";
    counter waits: Int, Count, "Waits that ended in the interval";
}
