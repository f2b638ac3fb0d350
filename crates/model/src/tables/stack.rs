//! `stack`: stacks of running and waiting tasks, with the objects of the waits.
crate::table! {
    /// One stack of one task over the window.
    StackRow = "stack", grain "one row for each task, class, stack, object and waker over the whole window", origin "eBPF: late stacks at sched_switch, samples of the CPU clock; else samples of /proc of waiting threads", born_at_zero false;
    label kind: Text(Word), None, "wait (a late stack, or a waiting thread of a dump) or cpu (a sample on a CPU); imported also: runnable (a thread of a dump outside of known waits), off-cpu (folded stacks of waits), another event of perf";
    key tid: Int, None, "Thread id";
    label pid: Int, None, "Process id";
    label name: Text(Name), None, "Name of the thread (comm)";
    label process_name: Text(Name), None, "Name of the first thread of its process";
    label kernel_thread: Bool, None, "Kernel thread";
    label cgroup: Text(Path), None, "Control group";
    key class_name: Text(Word), None, "Class of time of the stack";
    key kernel_stack: Text(Word), None, "Functions, outermost first, separated by semicolons";
    key user_stack: Text(Name), None, "Functions, outermost first, separated by semicolons";
    key syscall: Text(Word), None, "System call";
    key object_kind: Text(Word), None, "device, inode, futex, peer or lock (kernel)";
    key object_name: Text(Path), None, "Device name, path or device:inode, address, function that requests the lock";
    label object_device: Text(Word), None, "Kernel name of the block device of the object";
    label object_inode: Int, None, "Inode number of the object";
    key waker_tid: Int, None, "Thread that ended the wait";
    label waker_pid: Int, None, "Process of that thread";
    label waker_name: Text(Name), None, "Name of that thread";
    counter seconds: Float, Seconds, "Time of the stack; for waits up to 5 ms more per task and class than task_time, from short waits before the window";
    counter samples: Int, Count, "Samples of this stack";
    counter events: Int, Count, "Events behind the samples, if the recording has a period";
}
