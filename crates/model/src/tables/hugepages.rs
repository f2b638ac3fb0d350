//! `hugepages`: the pools of reserved huge pages (hugetlbfs), of the machine and by node.
crate::table! {
    /// One pool at the start or the end.
    HugepagesRow = "hugepages", grain "one row for each size and node, and each size of the whole machine, at both ends", origin "/sys/kernel/mm/hugepages, /sys/devices/system/node/node*/hugepages", born_at_zero false;
    key page_bytes: Int, Bytes, "Size of a page";
    key node_idx: Int, None, "Number of the NUMA node; NULL for the whole machine";
    gauge pages: Int, Count, "Pages in the pool, surplus included (nr_hugepages)";
    gauge free_pages: Int, Count, "Free pages of the pool (free_hugepages)";
    gauge reserved_pages: Int, Count, "Free pages reserved for mappings; whole machine only (resv_hugepages)";
    gauge surplus_pages: Int, Count, "Pages beyond the configured pool size (surplus_hugepages)";
    gauge overcommit_max_pages: Int, Count, "Maximum of surplus pages; whole machine only (nr_overcommit_hugepages)";
}
