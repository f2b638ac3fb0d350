//! `net_driver`: the statistics that each driver counts by itself, under the driver's names.
crate::table! {
    /// One statistic of one interface in one sample.
    NetDriverRow = "net_driver", grain "one row for each network namespace, interface and statistic of its driver, over the window", origin "ioctl SIOCETHTOOL (ethtool -S)", born_at_zero false;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface; a new one has no increases in its first sample: it may have come from another namespace, with what it counted there";
    key statistic: Text(Word), None, "The driver's own name of it, without blanks around; of a name that comes again the second is `NAME #2`";
    counter value: Int, Count, "How much it grew; bytes, packets, times or whatever the driver counts; NULL where it fell, as a statistic that is no counter may";
}
