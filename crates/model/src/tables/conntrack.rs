//! `conntrack`: connection tracking; a full table drops packets silently.
crate::table! {
    /// One CPU in one sample.
    ConntrackRow = "conntrack", grain "one row for each network namespace, possible CPU and sample; other namespaces at the start and end of the window", origin "/proc/net/stat/nf_conntrack, /proc/sys/net/netfilter", born_at_zero true;
    key netns: Int, None, "Inode of the network namespace";
    key cpu_idx: Int, None, "CPU number";
    gauge entries: Int, Count, "Connections tracked in the whole namespace; the same on every CPU";
    gauge entries_max: Int, Count, "Maximum of tracked connections (nf_conntrack_max); the same on every CPU; NULL for other namespaces";
    counter searched: Int, Count, "Lookups in the table; only before 4.9";
    counter found: Int, Count, "Lookups that found an entry; hardly counted since 4.9";
    counter invalid: Int, Count, "Packets that cannot be tracked (invalid)";
    counter ignored: Int, Count, "Packets already tracked or excluded from tracking (ignore); only before 5.10";
    counter insertions: Int, Count, "Entries inserted (insert); hardly counted since 4.9";
    counter insert_failures: Int, Count, "Insertions that failed because the same connection existed (insert_failed)";
    counter drops: Int, Count, "Packets dropped because the table was full or an entry could not be made (drop)";
    counter early_drops: Int, Count, "Entries evicted to make room for new ones (early_drop)";
    counter clashes_resolved: Int, Count, "Concurrent insertions of the same connection, resolved without a drop (clashres, since 5.10)";
    counter chains_too_long: Int, Count, "Insertions refused because a hash chain was too long (chainlength, since 5.15)";
    counter icmp_errors: Int, Count, "ICMP errors without a valid connection (icmp_error)";
    counter search_restarts: Int, Count, "Lookups restarted because an entry moved to another hash chain, for example during a resize (search_restart)";
    counter expectations_new: Int, Count, "Packets that matched an expected connection (expect_new)";
    counter expectations_created: Int, Count, "Expected connections added (expect_create)";
    counter expectations_deleted: Int, Count, "Expected connections removed (expect_delete)";
}
