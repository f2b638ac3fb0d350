//! `limits`: limits of the whole machine and how much of each is used.
crate::table! {
    /// One limit in one sample.
    LimitsRow = "limits", grain "one row for each limit of the machine and sample at the start and end of the window", origin "/proc/sys, /proc/sysvipc", born_at_zero false;
    key limit_name: Text(Word), None, "open_files, processes, threads, aio_requests, shared_memory_pages, shared_memory_segments, semaphores, semaphore_sets, message_queues, conntrack_entries, inotify_watches …";
    label setting_key: Text(Word), None, "Setting of the limit";
    gauge used: Int, Count, "In use";
    gauge max: Int, Count, "Limit";
}
