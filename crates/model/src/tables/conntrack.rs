//! `conntrack`: connection tracking, whose full table drops packets without a word to anybody.
crate::table! {
    /// One CPU in one sample.
    ConntrackRow = "conntrack", grain "one row for each network namespace, possible CPU and sample; other namespaces at the start and end of the window", origin "/proc/net/stat/nf_conntrack, /proc/sys/net/netfilter", born_at_zero true;
    key netns: Int, None, "Inode of the network namespace";
    key cpu_idx: Int, None, "Number of the CPU";
    gauge entries: Int, Count, "Connections tracked in the whole namespace; the same on every CPU";
    gauge entries_max: Int, Count, "Connections that may be tracked (nf_conntrack_max); the same on every CPU; NULL for other namespaces";
    counter searched: Int, Count, "Lookups in the table; only before 4.9";
    counter found: Int, Count, "Lookups that found an entry; hardly counted since 4.9";
    counter invalid: Int, Count, "Packets that no connection could be made of";
    counter ignored: Int, Count, "Packets that were tracked already or are not to be (ignore); only before 5.10";
    counter insertions: Int, Count, "Entries inserted (insert); hardly counted since 4.9";
    counter insert_failures: Int, Count, "Entries that could not be inserted because the same connection was there (insert_failed)";
    counter drops: Int, Count, "Packets dropped because the table was full or an entry could not be made (drop)";
    counter early_drops: Int, Count, "Entries thrown out to make room for new ones (early_drop)";
    counter clashes_resolved: Int, Count, "Insertions of the same connection by two CPUs that were settled without a drop (clashres, since 5.10)";
    counter chains_too_long: Int, Count, "Insertions refused because too many entries share a hash (chainlength, since 5.15)";
    counter icmp_errors: Int, Count, "ICMP errors without a valid connection (icmp_error)";
    counter search_restarts: Int, Count, "Lookups begun again because an entry moved to another chain meanwhile, as when the table is resized (search_restart)";
    counter expectations_new: Int, Count, "Packets that matched an expected connection (expect_new)";
    counter expectations_created: Int, Count, "Expected connections added (expect_create)";
    counter expectations_deleted: Int, Count, "Expected connections removed (expect_delete)";
}
