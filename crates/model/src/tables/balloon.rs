//! `balloon`: memory that the hypervisor takes from this guest and returns.
crate::table! {
    /// The balloon over the window.
    BalloonRow = "balloon", grain "one row a sample, at the end of the window", origin "/proc/vmstat, /sys/bus/virtio/drivers/virtio_balloon, /sys/devices/system/xen_memory, /sys/kernel/debug/hv-balloon", born_at_zero false;
    label driver: Text(Word), None, "virtio, hyperv or xen; NULL where none was found";
    gauge balloon_bytes: Int, Bytes, "Memory in the balloon (nr_balloon_pages, 6.16; Hyper-V: pages_ballooned)";
    gauge current_bytes: Int, Bytes, "Memory that the guest has now (Xen: current_kb)";
    gauge target_bytes: Int, Bytes, "Memory that the hypervisor intends for the guest (Xen: target_kb)";
    counter inflated_pages: Int, Pages, "Pages given to the hypervisor (balloon_inflate, 3.8)";
    counter deflated_pages: Int, Pages, "Pages returned to the guest (balloon_deflate, 3.8)";
    counter migrated_pages: Int, Pages, "Balloon pages moved by compaction (balloon_migrate, 3.8)";
}
