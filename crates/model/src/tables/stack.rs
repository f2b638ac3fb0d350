//! `stack`: where tasks ran and what they waited for, with the objects of the waits.
crate::table! {
    /// One stack of one task over the window.
    StackRow = "stack", grain "one row for each task, class, stack, object and waker over the whole window", origin "eBPF: late stacks at sched_switch, samples of the CPU clock; else what looks at /proc saw of held-up threads", born_at_zero false;
    label kind: Text(Word), None, "wait (a late stack) or cpu (a sample on a CPU); of a recording of perf also the name of another event";
    key tid: Int, None, "Thread id";
    label pid: Int, None, "Process id";
    label name: Text(Name), None, "Name of the thread (comm)";
    label process_name: Text(Name), None, "Name of the first thread of its process";
    label kernel_thread: Bool, None, "Belongs to the kernel";
    label cgroup: Text(Path), None, "Control group";
    key class_name: Text(Word), None, "Class of time that the stack was classed to";
    key kernel_stack: Text(Word), None, "Functions, outermost first, separated by semicolons";
    key user_stack: Text(Name), None, "Functions, outermost first, separated by semicolons";
    key syscall: Text(Word), None, "System call that the task was in";
    key object_kind: Text(Word), None, "device, inode, futex, peer or lock (of the kernel)";
    key object_name: Text(Path), None, "Device name, path or device:inode, address, function that asks for the lock";
    label object_device: Text(Word), None, "Kernel name of the block device of the object";
    label object_inode: Int, None, "Inode number of the object";
    key waker_tid: Int, None, "Thread that ended the wait";
    label waker_pid: Int, None, "Process of that thread";
    label waker_name: Text(Name), None, "Name of that thread";
    counter seconds: Float, Seconds, "Time that the stack stands for; of waits it may hold up to 5 ms more a task and class than task_time: short ones from before the window, which the first longer one tells with it";
    counter samples: Int, Count, "How often it was taken";
    counter events: Int, Count, "Events that the samples stand for, where a recording says how many each does (its period)";
}
