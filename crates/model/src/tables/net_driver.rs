//! `net_driver`: the statistics that each driver counts by itself, under the driver's names.
crate::table! {
    /// One statistic of one interface in one sample.
    NetDriverRow = "net_driver", grain "one row for each network namespace, interface and statistic of its driver, over the window", origin "ioctl SIOCETHTOOL (ethtool -S)", born_at_zero false;
    key netns: Int, None, "Inode of the network namespace";
    key name: Text(Name), None, "Interface; a new one has no increases in its first sample, because it may come from another namespace with its counts";
    key statistic: Text(Word), None, "Name of the statistic by the driver, without surrounding blanks; a repeated name becomes `NAME #2`";
    counter value: Int, Count, "Increase; bytes, packets, times or whatever the driver counts; NULL if it decreased (not a counter)";
}
