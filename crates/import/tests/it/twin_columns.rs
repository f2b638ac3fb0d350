//! Where each number of `sadf -j` has to be found: written down for the tests alone, apart from what
//! the importers go by. A number that is in neither list fails the test.

/// How a printed number and a column's value belong together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    /// A second's worth, times this, of an increase.
    Rate(f64),
    /// Percent of the interval.
    Share,
    /// A level, times this.
    Level(f64),
}

use How::{Level, Rate, Share};

/// `group.member`, table, key (where the group does not name its things), columns that add up to it,
/// columns that are taken away from them, how.
pub type Taken =
    (&'static str, &'static str, Option<&'static str>, &'static [&'static str], &'static [&'static str], How);

const KIB: How = Level(1024.0);
const COUNT: How = Rate(1.0);
const PER_KIB: How = Rate(1024.0);

/// Numbers that have a column.
pub const TAKEN: &[Taken] = &[
    ("cpu-load.usr", "cpu", None, &["user_s"], &["guest_s"], Share),
    ("cpu-load.nice", "cpu", None, &["nice_s"], &["guest_nice_s"], Share),
    ("cpu-load.sys", "cpu", None, &["system_s"], &[], Share),
    ("cpu-load.iowait", "cpu", None, &["iowait_s"], &[], Share),
    ("cpu-load.steal", "cpu", None, &["steal_s"], &[], Share),
    ("cpu-load.irq", "cpu", None, &["irq_s"], &[], Share),
    ("cpu-load.soft", "cpu", None, &["softirq_s"], &[], Share),
    ("cpu-load.guest", "cpu", None, &["guest_s"], &[], Share),
    ("cpu-load.gnice", "cpu", None, &["guest_nice_s"], &[], Share),
    ("cpu-load.idle", "cpu", None, &["idle_s"], &[], Share),
    ("process-and-context-switch.proc", "system", None, &["forks"], &[], COUNT),
    ("process-and-context-switch.cswch", "system", None, &["context_switches"], &[], COUNT),
    ("swap-pages.pswpin", "vmstat", None, &["swap_in_pages"], &[], COUNT),
    ("swap-pages.pswpout", "vmstat", None, &["swap_out_pages"], &[], COUNT),
    ("paging.pgpgin", "vmstat", None, &["page_in_bytes"], &[], PER_KIB),
    ("paging.pgpgout", "vmstat", None, &["page_out_bytes"], &[], PER_KIB),
    ("paging.fault", "vmstat", None, &["faults"], &[], COUNT),
    ("paging.majflt", "vmstat", None, &["major_faults"], &[], COUNT),
    ("paging.pgscank", "vmstat", None, &["scan_kswapd_pages"], &[], COUNT),
    ("paging.pgscand", "vmstat", None, &["scan_direct_pages"], &[], COUNT),
    ("memory.memfree", "memory", None, &["free_bytes"], &[], KIB),
    ("memory.avail", "memory", None, &["available_bytes"], &[], KIB),
    ("memory.buffers", "memory", None, &["buffers_bytes"], &[], KIB),
    ("memory.cached", "memory", None, &["cached_bytes"], &[], KIB),
    ("memory.commit", "memory", None, &["committed_bytes"], &[], KIB),
    ("memory.active", "memory", None, &["active_bytes"], &[], KIB),
    ("memory.inactive", "memory", None, &["inactive_bytes"], &[], KIB),
    ("memory.dirty", "memory", None, &["dirty_bytes"], &[], KIB),
    ("memory.anonpg", "memory", None, &["anon_bytes"], &[], KIB),
    ("memory.kstack", "memory", None, &["kernel_stack_bytes"], &[], KIB),
    ("memory.pgtbl", "memory", None, &["page_tables_bytes"], &[], KIB),
    ("memory.vmused", "memory", None, &["vmalloc_used_bytes"], &[], KIB),
    ("memory.swpfree", "memory", None, &["swap_free_bytes"], &[], KIB),
    ("memory.swpused", "memory", None, &["swap_used_bytes"], &[], KIB),
    ("memory.swpcad", "memory", None, &["swap_cached_bytes"], &[], KIB),
    ("kernel.file-nr", "limits", Some("open_files"), &["used"], &[], Level(1.0)),
    ("queue.runq-sz", "system", None, &["runnable"], &[], Level(1.0)),
    ("queue.plist-sz", "system", None, &["tasks"], &[], Level(1.0)),
    ("queue.ldavg-1", "system", None, &["load1"], &[], Level(1.0)),
    ("queue.ldavg-5", "system", None, &["load5"], &[], Level(1.0)),
    ("queue.ldavg-15", "system", None, &["load15"], &[], Level(1.0)),
    ("queue.blocked", "system", None, &["blocked"], &[], Level(1.0)),
    ("disk.tps", "disk", None, &["requests"], &[], COUNT),
    ("disk.rkB", "disk", None, &["read_bytes"], &[], PER_KIB),
    ("disk.wkB", "disk", None, &["write_bytes"], &[], PER_KIB),
    ("disk.dkB", "disk", None, &["discard_bytes"], &[], PER_KIB),
    ("disk.aqu-sz", "disk", None, &["queue_s"], &[], COUNT),
    ("disk.avgqu-sz", "disk", None, &["queue_s"], &[], COUNT),
    ("disk.util-percent", "disk", None, &["busy_s"], &[], Share),
    ("net-dev.rxpck", "net_if", None, &["rx_packets"], &[], COUNT),
    ("net-dev.txpck", "net_if", None, &["tx_packets"], &[], COUNT),
    ("net-dev.rxkB", "net_if", None, &["rx_bytes"], &[], PER_KIB),
    ("net-dev.txkB", "net_if", None, &["tx_bytes"], &[], PER_KIB),
    ("net-edev.rxerr", "net_if", None, &["rx_errors"], &[], COUNT),
    ("net-edev.txerr", "net_if", None, &["tx_errors"], &[], COUNT),
    ("net-edev.coll", "net_if", None, &["collisions"], &[], COUNT),
    ("net-edev.rxdrop", "net_if", None, &["rx_drops"], &[], COUNT),
    ("net-edev.txdrop", "net_if", None, &["tx_drops"], &[], COUNT),
    ("net-edev.rxfifo", "net_if", None, &["rx_fifo_errors"], &[], COUNT),
    ("softnet.total", "softnet", None, &["processed"], &[], COUNT),
    ("softnet.dropd", "softnet", None, &["dropped"], &[], COUNT),
    ("softnet.squeezd", "softnet", None, &["time_squeezes"], &[], COUNT),
    ("softnet.rx_rps", "softnet", None, &["received_rps"], &[], COUNT),
    ("softnet.flw_lim", "softnet", None, &["flow_limits"], &[], COUNT),
    ("softnet.blg_len", "softnet", None, &["backlog_packets"], &[], Level(1.0)),
    ("cpu-frequency.frequency", "cpufreq", None, &["current_hz"], &[], Level(1e6)),
    ("filesystems.MBfsfree", "filesystem", None, &["free_bytes"], &[], Level(1_048_576.0)),
    ("filesystems.MBfsused", "filesystem", None, &["size_bytes"], &["free_bytes"], Level(1_048_576.0)),
    ("filesystems.Ifree", "filesystem", None, &["inodes_free"], &[], Level(1.0)),
    ("filesystems.Iused", "filesystem", None, &["inodes"], &["inodes_free"], Level(1.0)),
    ("psi-cpu.some_avg10", "pressure", Some("cpu"), &["some_avg10"], &[], Level(0.01)),
    ("psi-cpu.some_avg", "pressure", Some("cpu"), &["some_s"], &[], Share),
    ("psi-io.some_avg10", "pressure", Some("io"), &["some_avg10"], &[], Level(0.01)),
    ("psi-io.some_avg", "pressure", Some("io"), &["some_s"], &[], Share),
    ("psi-io.full_avg10", "pressure", Some("io"), &["full_avg10"], &[], Level(0.01)),
    ("psi-io.full_avg", "pressure", Some("io"), &["full_s"], &[], Share),
    ("psi-mem.some_avg10", "pressure", Some("memory"), &["some_avg10"], &[], Level(0.01)),
    ("psi-mem.some_avg", "pressure", Some("memory"), &["some_s"], &[], Share),
    ("psi-mem.full_avg10", "pressure", Some("memory"), &["full_avg10"], &[], Level(0.01)),
    ("psi-mem.full_avg", "pressure", Some("memory"), &["full_s"], &[], Share),
];

/// Counters of protocols: group, prefix of their names, members and what nstat calls them.
pub const PROTOCOLS: &[(&str, &str, &str, &str)] = &[
    (
        "net-ip",
        "Ip",
        "irec fwddgm idel orq asmrq asmok fragok fragcrt",
        "InReceives ForwDatagrams InDelivers OutRequests ReasmReqds ReasmOKs FragOKs FragCreates",
    ),
    (
        "net-eip",
        "Ip",
        "ihdrerr iadrerr iukwnpr idisc odisc onort asmf fragf",
        "InHdrErrors InAddrErrors InUnknownProtos InDiscards OutDiscards OutNoRoutes ReasmFails FragFails",
    ),
    (
        "net-icmp",
        "Icmp",
        "imsg omsg iech iechr oech oechr itm itmr otm otmr iadrmk iadrmkr oadrmk oadrmkr",
        "InMsgs OutMsgs InEchos InEchoReps OutEchos OutEchoReps InTimestamps InTimestampReps OutTimestamps \
         OutTimestampReps InAddrMasks InAddrMaskReps OutAddrMasks OutAddrMaskReps",
    ),
    (
        "net-eicmp",
        "Icmp",
        "ierr oerr idstunr odstunr itmex otmex iparmpb oparmpb isrcq osrcq iredir oredir",
        "InErrors OutErrors InDestUnreachs OutDestUnreachs InTimeExcds OutTimeExcds InParmProbs OutParmProbs \
         InSrcQuenchs OutSrcQuenchs InRedirects OutRedirects",
    ),
    ("net-tcp", "Tcp", "active passive iseg oseg", "ActiveOpens PassiveOpens InSegs OutSegs"),
    (
        "net-etcp",
        "Tcp",
        "atmptf estres retrans isegerr orsts",
        "AttemptFails EstabResets RetransSegs InErrs OutRsts",
    ),
    ("net-udp", "Udp", "idgm odgm noport idgmerr", "InDatagrams OutDatagrams NoPorts InErrors"),
    (
        "net-ip6",
        "Ip6",
        "irec6 fwddgm6 idel6 orq6 asmrq6 asmok6 imcpck6 omcpck6 fragok6 fragcr6",
        "InReceives OutForwDatagrams InDelivers OutRequests ReasmReqds ReasmOKs InMcastPkts OutMcastPkts \
         FragOKs FragCreates",
    ),
    (
        "net-eip6",
        "Ip6",
        "ihdrer6 iadrer6 iukwnp6 i2big6 idisc6 odisc6 inort6 onort6 asmf6 fragf6 itrpck6",
        "InHdrErrors InAddrErrors InUnknownProtos InTooBigErrors InDiscards OutDiscards InNoRoutes \
         OutNoRoutes ReasmFails FragFails InTruncatedPkts",
    ),
    (
        "net-icmp6",
        "Icmp6",
        "imsg6 omsg6 iech6 iechr6 oechr6 igmbq6 igmbr6 ogmbr6 igmbrd6 ogmbrd6 irtsol6 ortsol6 irtad6 inbsol6 \
         onbsol6 inbad6 onbad6",
        "InMsgs OutMsgs InEchos InEchoReplies OutEchoReplies InGroupMembQueries InGroupMembResponses \
         OutGroupMembResponses InGroupMembReductions OutGroupMembReductions InRouterSolicits OutRouterSolicits \
         InRouterAdvertisements InNeighborSolicits OutNeighborSolicits InNeighborAdvertisements \
         OutNeighborAdvertisements",
    ),
    (
        "net-eicmp6",
        "Icmp6",
        "ierr6 idtunr6 odtunr6 itmex6 otmex6 iprmpb6 oprmpb6 iredir6 oredir6 ipck2b6 opck2b6",
        "InErrors InDestUnreachs OutDestUnreachs InTimeExcds OutTimeExcds InParmProblems OutParmProblems \
         InRedirects OutRedirects InPktTooBigs OutPktTooBigs",
    ),
    ("net-udp6", "Udp6", "idgm6 odgm6 noport6 idgmer6", "InDatagrams OutDatagrams NoPorts InErrors"),
];

/// Numbers that have no column, and why: a group, or one of its members.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("paging.pgfree", "pages that were given back: no table has it"),
    ("paging.pgsteal", "the sum of two columns, which the tool does not tell apart"),
    ("paging.pgprom", "pages that moved to a faster node: no table has it"),
    ("paging.pgdem", "pages that moved to a slower node: no table has it"),
    ("paging.vmeff-percent", "follows from pages looked at and freed"),
    ("io", "sums of what each disk tells"),
    ("io-reads", "sums of what each disk tells"),
    ("io-writes", "sums of what each disk tells"),
    ("io-discard", "sums of what each disk tells"),
    ("memory.memused", "follows from the others; by another formula in each generation"),
    ("memory.memused-percent", "follows from the others"),
    ("memory.commit-percent", "follows from the others"),
    ("memory.slab", "the sum of two columns, which the tool does not tell apart"),
    ("memory.swpused-percent", "follows from the others"),
    ("memory.swpcad-percent", "follows from the others"),
    ("hugepages", "kilobytes of pages of unknown size; the tables count pages"),
    ("kernel.dentunusd", "entries of a cache: no table has them"),
    ("kernel.inode-nr", "entries of a cache: no table has them"),
    ("kernel.pty-nr", "terminals: no table has them"),
    ("serial", "serial lines: no table has them"),
    ("disk.rd_sec", "repeats rkB"),
    ("disk.wr_sec", "repeats wkB"),
    ("disk.dc_sec", "repeats dkB"),
    ("disk.avgrq-sz", "follows from bytes and requests"),
    ("disk.areq-sz", "follows from bytes and requests"),
    ("disk.await", "follows from queue and requests"),
    ("net-dev.rxcmp", "compressed packets: no table has them"),
    ("net-dev.txcmp", "compressed packets: no table has them"),
    ("net-dev.rxmcst", "multicast packets: no table has them"),
    ("net-dev.ifutil-percent", "follows from bytes and speed"),
    ("net-edev.txcarr", "carrier errors: no table has them"),
    ("net-edev.rxfram", "frame errors: no table has them"),
    ("net-edev.txfifo", "overruns while sending: no table has them"),
    ("cpu-weighted-frequency", "follows from the frequencies"),
    ("fan-speed", "fans: no table has them"),
    ("temperature", "temperatures: no table has them"),
    ("voltage-input", "voltages: no table has them"),
    ("usb-devices", "devices of USB: no table has them"),
    ("net-nfs", "the table of NFS counts by mount"),
    ("net-nfsd", "no table of the server"),
    ("net-sock", "sockets by state: no table counts them of the whole machine"),
    ("net-sock6", "sockets by state: no table counts them of the whole machine"),
    ("filesystems.%fsused", "follows from the others"),
    ("filesystems.%ufsused", "follows from the others"),
    ("filesystems.%Iused", "follows from the others"),
    ("psi-cpu.some_avg60", "the kernel's longer means: no table has them"),
    ("psi-cpu.some_avg300", "the kernel's longer means: no table has them"),
    ("psi-io.some_avg60", "the kernel's longer means: no table has them"),
    ("psi-io.some_avg300", "the kernel's longer means: no table has them"),
    ("psi-io.full_avg60", "the kernel's longer means: no table has them"),
    ("psi-io.full_avg300", "the kernel's longer means: no table has them"),
    ("psi-mem.some_avg60", "the kernel's longer means: no table has them"),
    ("psi-mem.some_avg300", "the kernel's longer means: no table has them"),
    ("psi-mem.full_avg60", "the kernel's longer means: no table has them"),
    ("psi-mem.full_avg300", "the kernel's longer means: no table has them"),
];

/// Members that name a thing.
pub const ITEMS: [&str; 8] =
    ["cpu", "number", "intr", "disk-device", "iface", "filesystem", "mountpoint", "line"];
