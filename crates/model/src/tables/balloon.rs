//! `balloon`: memory that the hypervisor takes from this guest and gives back.
crate::table! {
    /// The balloon over the window.
    BalloonRow = "balloon", grain "one row a sample, at the end of the window", origin "/proc/vmstat, /sys/bus/virtio/drivers/virtio_balloon, /sys/devices/system/xen_memory, /sys/kernel/debug/hv-balloon", born_at_zero false;
    label driver: Text(Word), None, "virtio, hyperv or xen; NULL where none was found";
    gauge balloon_bytes: Int, Bytes, "Held by the balloon (nr_balloon_pages, 6.16; Hyper-V: pages_ballooned)";
    gauge current_bytes: Int, Bytes, "What the guest has now (Xen: current_kb)";
    gauge target_bytes: Int, Bytes, "What the hypervisor wants it to have (Xen: target_kb)";
    counter inflated_pages: Int, Pages, "Given away (balloon_inflate, 3.8)";
    counter deflated_pages: Int, Pages, "Taken back (balloon_deflate, 3.8)";
    counter migrated_pages: Int, Pages, "Moved within the balloon by compaction (balloon_migrate, 3.8)";
}
