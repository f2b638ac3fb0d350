//! What `sar` prints of the counters in a binary file, under its own headings: data, and nothing else.
//!
//! The headings lead to columns by [`crate::sar_fields`], as those of the text do. What follows from
//! others (means, shares) is left out. Source: `pr_stats.c` and `rd_stats.c` of sysstat 12.6.

/// How a number is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    /// Increase a second.
    Rate,
    /// As it stands.
    Level,
    /// Percent of what all of a CPU's ticks increased by.
    Share,
}

/// One heading.
#[derive(Clone, Copy, Debug)]
pub struct Show {
    /// As `sar` prints it.
    pub heading: &'static str,
    /// How it is made.
    pub how: How,
    /// The part that it is made of.
    pub of: &'static str,
    /// A part that is taken away; empty for none.
    pub without: &'static str,
    /// What the result is multiplied by.
    pub factor: f64,
}

const fn rate(heading: &'static str, of: &'static str, factor: f64) -> Show {
    Show { heading, how: How::Rate, of, without: "", factor }
}
const fn level(heading: &'static str, of: &'static str, factor: f64) -> Show {
    Show { heading, how: How::Level, of, without: "", factor }
}
const fn rest(heading: &'static str, of: &'static str, without: &'static str, factor: f64) -> Show {
    Show { heading, how: How::Level, of, without, factor }
}
const fn share(heading: &'static str, of: &'static str, without: &'static str) -> Show {
    Show { heading, how: How::Share, of, without, factor: 1.0 }
}

/// Rates of parts that are called after their headings.
macro_rules! rates {
    ($($heading:literal)*) => { &[$(rate($heading, $heading, 1.0)),*] };
}

const PER_MIB: f64 = 1.0 / 1_048_576.0;

/// Guests are in `user` and `nice` too.
pub const CPU: &[Show] = &[
    share("%usr", "user", "guest"),
    share("%nice", "nice", "guest_nice"),
    share("%sys", "sys", ""),
    share("%iowait", "iowait", ""),
    share("%steal", "steal", ""),
    share("%irq", "hardirq", ""),
    share("%soft", "softirq", ""),
    share("%guest", "guest", ""),
    share("%gnice", "guest_nice", ""),
    share("%idle", "idle", ""),
];
/// Forks and switches.
pub const SWITCHES: &[Show] = &[rate("proc/s", "processes", 1.0), rate("cswch/s", "context_switch", 1.0)];
/// Swapping.
pub const SWAP: &[Show] = &[rate("pswpin/s", "pswpin", 1.0), rate("pswpout/s", "pswpout", 1.0)];
/// Paging.
pub const PAGING: &[Show] = &[
    rate("pgpgin/s", "pgpgin", 1.0),
    rate("pgpgout/s", "pgpgout", 1.0),
    rate("fault/s", "pgfault", 1.0),
    rate("majflt/s", "pgmajfault", 1.0),
    rate("pgscank/s", "pgscan_kswapd", 1.0),
    rate("pgscand/s", "pgscan_direct", 1.0),
];
/// Memory; its size is in the file and printed by no version.
pub const MEMORY: &[Show] = &[
    level("kbmemfree", "free", 1.0),
    level("kbmemtotal", "total", 1.0),
    level("kbavail", "available", 1.0),
    level("kbbuffers", "buffers", 1.0),
    level("kbcached", "cached", 1.0),
    level("kbcommit", "committed", 1.0),
    level("kbactive", "active", 1.0),
    level("kbinact", "inactive", 1.0),
    level("kbdirty", "dirty", 1.0),
    level("kbanonpg", "anon", 1.0),
    level("kbkstack", "kernel_stack", 1.0),
    level("kbpgtbl", "page_tables", 1.0),
    level("kbvmused", "vmalloc", 1.0),
    level("kbshmem", "shmem", 1.0),
    level("kbswpfree", "swap_free", 1.0),
    rest("kbswpused", "swap_total", "swap_free", 1.0),
    level("kbswpcad", "swap_cached", 1.0),
];
/// Tables of the kernel.
pub const KERNEL: &[Show] = &[level("file-nr", "files", 1.0)];
/// Run queue and load.
pub const QUEUE: &[Show] = &[
    level("runq-sz", "running", 1.0),
    level("plist-sz", "threads", 1.0),
    level("ldavg-1", "load1", 0.01),
    level("ldavg-5", "load5", 0.01),
    level("ldavg-15", "load15", 0.01),
    level("blocked", "blocked", 1.0),
];
/// Two sectors are a kilobyte; a second of busy time is 1,000 ms and 100 %.
pub const DISK: &[Show] = &[
    rate("tps", "ios", 1.0),
    rate("rkB/s", "rd_sect", 0.5),
    rate("wkB/s", "wr_sect", 0.5),
    rate("dkB/s", "dc_sect", 0.5),
    rate("aqu-sz", "rq_ticks", 0.001),
    rate("%util", "tot_ticks", 0.1),
];
/// Traffic.
pub const INTERFACE: &[Show] = &[
    rate("rxpck/s", "rx_packets", 1.0),
    rate("txpck/s", "tx_packets", 1.0),
    rate("rxkB/s", "rx_bytes", 1.0 / 1024.0),
    rate("txkB/s", "tx_bytes", 1.0 / 1024.0),
];
/// Errors of interfaces.
pub const INTERFACE_ERRORS: &[Show] = &[
    rate("rxerr/s", "rx_errors", 1.0),
    rate("txerr/s", "tx_errors", 1.0),
    rate("coll/s", "collisions", 1.0),
    rate("rxdrop/s", "rx_dropped", 1.0),
    rate("txdrop/s", "tx_dropped", 1.0),
    rate("rxfifo/s", "rx_fifo", 1.0),
];
/// Packets of IPv4.
pub const IP: &[Show] =
    rates!("irec/s" "fwddgm/s" "idel/s" "orq/s" "asmrq/s" "asmok/s" "fragok/s" "fragcrt/s");
/// Their errors.
pub const IP_ERRORS: &[Show] =
    rates!("ihdrerr/s" "iadrerr/s" "iukwnpr/s" "idisc/s" "odisc/s" "onort/s" "asmf/s" "fragf/s");
/// Messages of ICMP.
pub const ICMP: &[Show] = rates!("imsg/s" "omsg/s" "iech/s" "iechr/s" "oech/s" "oechr/s" "itm/s" "itmr/s" "otm/s" "otmr/s" "iadrmk/s" "iadrmkr/s" "oadrmk/s" "oadrmkr/s");
/// Errors that they tell of.
pub const ICMP_ERRORS: &[Show] = rates!("ierr/s" "oerr/s" "idstunr/s" "odstunr/s" "itmex/s" "otmex/s" "iparmpb/s" "oparmpb/s" "isrcq/s" "osrcq/s" "iredir/s" "oredir/s");
/// Connections and segments.
pub const TCP: &[Show] = rates!("active/s" "passive/s" "iseg/s" "oseg/s");
/// Their errors.
pub const TCP_ERRORS: &[Show] = rates!("atmptf/s" "estres/s" "retrans/s" "isegerr/s" "orsts/s");
/// Datagrams over IPv4.
pub const UDP: &[Show] = &[
    rate("idgm/s", "received", 1.0),
    rate("odgm/s", "sent", 1.0),
    rate("noport/s", "noport", 1.0),
    rate("idgmerr/s", "errors", 1.0),
];
/// Packets of IPv6.
pub const IP6: &[Show] = rates!("irec6/s" "fwddgm6/s" "idel6/s" "orq6/s" "asmrq6/s" "asmok6/s" "imcpck6/s" "omcpck6/s" "fragok6/s" "fragcr6/s");
/// Their errors.
pub const IP6_ERRORS: &[Show] = rates!("ihdrer6/s" "iadrer6/s" "iukwnp6/s" "i2big6/s" "idisc6/s" "odisc6/s" "inort6/s" "onort6/s" "asmf6/s" "fragf6/s" "itrpck6/s");
/// Messages of ICMP over IPv6.
pub const ICMP6: &[Show] = rates!("imsg6/s" "omsg6/s" "iech6/s" "iechr6/s" "oechr6/s" "igmbq6/s" "igmbr6/s" "ogmbr6/s" "igmbrd6/s" "ogmbrd6/s" "irtsol6/s" "ortsol6/s" "irtad6/s" "inbsol6/s" "onbsol6/s" "inbad6/s" "onbad6/s");
/// Errors that they tell of.
pub const ICMP6_ERRORS: &[Show] = rates!("ierr6/s" "idtunr6/s" "odtunr6/s" "itmex6/s" "otmex6/s" "iprmpb6/s" "oprmpb6/s" "iredir6/s" "oredir6/s" "ipck2b6/s" "opck2b6/s");
/// Datagrams over IPv6.
pub const UDP6: &[Show] = &[
    rate("idgm6/s", "received", 1.0),
    rate("odgm6/s", "sent", 1.0),
    rate("noport6/s", "noport", 1.0),
    rate("idgmer6/s", "errors", 1.0),
];
/// Frequencies.
pub const FREQUENCY: &[Show] = &[level("MHz", "frequency", 0.01)];
/// File systems.
pub const FILE_SYSTEM: &[Show] = &[
    level("MBfsfree", "free", PER_MIB),
    rest("MBfsused", "blocks", "free", PER_MIB),
    level("Ifree", "files_free", 1.0),
    rest("Iused", "files", "files_free", 1.0),
];
/// Packets that CPUs took.
pub const SOFTNET: &[Show] = &[
    rate("total/s", "processed", 1.0),
    rate("dropd/s", "dropped", 1.0),
    rate("squeezd/s", "time_squeeze", 1.0),
    rate("rx_rps/s", "received_rps", 1.0),
    rate("flw_lim/s", "flow_limit", 1.0),
    level("blg_len", "backlog", 1.0),
];
/// A second is a million microseconds and 100 %.
pub const PRESSURE_CPU: &[Show] = &[level("%scpu-10", "some_10", 0.01), rate("%scpu", "some_total", 1e-4)];
/// The same of I/O.
pub const PRESSURE_IO: &[Show] = &[
    level("%sio-10", "some_10", 0.01),
    rate("%sio", "some_total", 1e-4),
    level("%fio-10", "full_10", 0.01),
    rate("%fio", "full_total", 1e-4),
];
/// The same of memory.
pub const PRESSURE_MEMORY: &[Show] = &[
    level("%smem-10", "some_10", 0.01),
    rate("%smem", "some_total", 1e-4),
    level("%fmem-10", "full_10", 0.01),
    rate("%fmem", "full_total", 1e-4),
];
