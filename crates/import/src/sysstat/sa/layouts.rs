//! How the structures of sysstat's binary files are laid out, activity by activity and form by form:
//! data, and nothing else.
//!
//! From sysstat 11.7 on a file says of each structure how many 64-bit, long and 32-bit values it has;
//! they stand in this order, text behind them, so that a form's parts are found by their place among
//! their kind. Before that a structure had the C layout of its declaration, in which most values were
//! aligned to 16 bytes. A `long` always has eight bytes, of which a 32-bit machine used the first four.
//! Forms are recognised by the activity's magic number (`0x8a` and up), and in files of before 9.1.6, which
//! had none, by their size. Source: `rd_stats.h` and `sa_conv.h` of sysstat 9.1.5 to 12.7.8.

use super::shows::{self, Show};

/// What a part of a structure is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `unsigned long long`.
    U64,
    /// `unsigned long`, in eight bytes.
    Long,
    /// `unsigned int`.
    U32,
    /// Text of at most so many bytes.
    Text(usize),
}

/// One part of a structure.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The name that sysstat has for it.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// To how many bytes it is aligned where the file does not describe itself.
    pub align: usize,
}

/// One form of a structure.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The activity's magic number.
    pub magic: u32,
    /// Its parts, in order.
    pub parts: &'static [Part],
}

/// What the items of an activity are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Items {
    /// The machine.
    Machine,
    /// All CPUs together, then each.
    Cpus,
    /// Block devices by their numbers.
    Devices,
    /// Things whose name stands in this part.
    Named(&'static str),
    /// File systems: mount point and device.
    Mounts,
    /// Interrupts, for each CPU where the file tells them apart.
    Interrupts,
}

/// One activity.
#[derive(Clone, Copy)]
pub struct Activity {
    /// Its number in the file.
    pub id: u32,
    /// The headings of the section of `sar` that it is printed as.
    pub told_by: &'static [&'static str],
    /// What its items are.
    pub items: Items,
    /// Its forms, oldest first.
    pub forms: &'static [Form],
    /// What `sar` prints of it.
    pub shows: &'static [Show],
}

const fn wide(name: &'static str) -> Part {
    Part { name, kind: Kind::U64, align: 8 }
}
const fn wide16(name: &'static str) -> Part {
    Part { name, kind: Kind::U64, align: 16 }
}
const fn long(name: &'static str) -> Part {
    Part { name, kind: Kind::Long, align: 8 }
}
const fn long16(name: &'static str) -> Part {
    Part { name, kind: Kind::Long, align: 16 }
}
const fn int(name: &'static str) -> Part {
    Part { name, kind: Kind::U32, align: 4 }
}
const fn int_at(name: &'static str, align: usize) -> Part {
    Part { name, kind: Kind::U32, align }
}
const fn text(name: &'static str, bytes: usize) -> Part {
    Part { name, kind: Kind::Text(bytes), align: 1 }
}
const fn text_at(name: &'static str, bytes: usize, align: usize) -> Part {
    Part { name, kind: Kind::Text(bytes), align }
}

/// The parts of one kind under their names.
macro_rules! parts {
    ($kind:ident: $($name:literal)*) => { &[$($kind($name)),*] };
}

/// Stands for the magic number of a form that sysstat 9.0.4 of Red Hat Enterprise Linux 6 has in place of the original:
/// its requests stand before their times. Such a file has no magic numbers of activities.
pub const RED_HAT: u32 = 1;

/// Every activity that has a column, in the order of their numbers.
pub const ACTIVITIES: &[Activity] = &[
    Activity { id: 1, told_by: &["CPU", "%idle"], items: Items::Cpus, forms: CPU, shows: shows::CPU },
    Activity { id: 2, told_by: &["proc/s"], items: Items::Machine, forms: SWITCHES, shows: shows::SWITCHES },
    Activity { id: 3, told_by: &["INTR", "all"], items: Items::Interrupts, forms: INTERRUPTS, shows: &[] },
    Activity { id: 4, told_by: &["pswpin/s"], items: Items::Machine, forms: SWAP, shows: shows::SWAP },
    Activity { id: 5, told_by: &["pgpgin/s"], items: Items::Machine, forms: PAGING, shows: shows::PAGING },
    Activity { id: 7, told_by: &["kbmemfree"], items: Items::Machine, forms: MEMORY, shows: shows::MEMORY },
    Activity { id: 8, told_by: &["file-nr"], items: Items::Machine, forms: KERNEL, shows: shows::KERNEL },
    Activity { id: 9, told_by: &["ldavg-1"], items: Items::Machine, forms: QUEUE, shows: shows::QUEUE },
    Activity { id: 11, told_by: &["DEV", "tps"], items: Items::Devices, forms: DISK, shows: shows::DISK },
    Activity {
        id: 12,
        told_by: &["IFACE", "rxpck/s"],
        items: Items::Named("interface"),
        forms: INTERFACE,
        shows: shows::INTERFACE,
    },
    Activity {
        id: 13,
        told_by: &["IFACE", "rxerr/s"],
        items: Items::Named("interface"),
        forms: INTERFACE_ERRORS,
        shows: shows::INTERFACE_ERRORS,
    },
    Activity { id: 17, told_by: &["irec/s", "idel/s"], items: Items::Machine, forms: IP, shows: shows::IP },
    Activity {
        id: 18,
        told_by: &["ihdrerr/s"],
        items: Items::Machine,
        forms: IP_ERRORS,
        shows: shows::IP_ERRORS,
    },
    Activity { id: 19, told_by: &["imsg/s"], items: Items::Machine, forms: ICMP, shows: shows::ICMP },
    Activity {
        id: 20,
        told_by: &["idstunr/s"],
        items: Items::Machine,
        forms: ICMP_ERRORS,
        shows: shows::ICMP_ERRORS,
    },
    Activity {
        id: 21,
        told_by: &["active/s", "iseg/s"],
        items: Items::Machine,
        forms: TCP,
        shows: shows::TCP,
    },
    Activity {
        id: 22,
        told_by: &["atmptf/s"],
        items: Items::Machine,
        forms: TCP_ERRORS,
        shows: shows::TCP_ERRORS,
    },
    Activity { id: 23, told_by: &["idgm/s"], items: Items::Machine, forms: UDP, shows: shows::UDP },
    Activity { id: 25, told_by: &["irec6/s"], items: Items::Machine, forms: IP6, shows: shows::IP6 },
    Activity {
        id: 26,
        told_by: &["ihdrer6/s"],
        items: Items::Machine,
        forms: IP6_ERRORS,
        shows: shows::IP6_ERRORS,
    },
    Activity { id: 27, told_by: &["imsg6/s"], items: Items::Machine, forms: ICMP6, shows: shows::ICMP6 },
    Activity {
        id: 28,
        told_by: &["idtunr6/s"],
        items: Items::Machine,
        forms: ICMP6_ERRORS,
        shows: shows::ICMP6_ERRORS,
    },
    Activity { id: 29, told_by: &["idgm6/s"], items: Items::Machine, forms: UDP, shows: shows::UDP6 },
    Activity {
        id: 30,
        told_by: &["CPU", "MHz"],
        items: Items::Cpus,
        forms: FREQUENCY,
        shows: shows::FREQUENCY,
    },
    Activity {
        id: 37,
        told_by: &["MBfsfree"],
        items: Items::Mounts,
        forms: FILE_SYSTEM,
        shows: shows::FILE_SYSTEM,
    },
    Activity {
        id: 39,
        told_by: &["CPU", "total/s", "squeezd/s"],
        items: Items::Cpus,
        forms: SOFTNET,
        shows: shows::SOFTNET,
    },
    Activity {
        id: 40,
        told_by: &["%scpu-10"],
        items: Items::Machine,
        forms: PRESSURE_CPU,
        shows: shows::PRESSURE_CPU,
    },
    Activity {
        id: 41,
        told_by: &["%sio-10"],
        items: Items::Machine,
        forms: PRESSURE,
        shows: shows::PRESSURE_IO,
    },
    Activity {
        id: 42,
        told_by: &["%smem-10"],
        items: Items::Machine,
        forms: PRESSURE,
        shows: shows::PRESSURE_MEMORY,
    },
];

/// Names of activities without a column, for the note that says so.
pub const UNREAD: [(u32, &str); 14] = [
    (6, "all disks together (A_IO)"),
    (10, "serial lines (A_SERIAL)"),
    (14, "NFS client (A_NET_NFS)"),
    (15, "NFS server (A_NET_NFSD)"),
    (16, "sockets (A_NET_SOCK)"),
    (24, "sockets of IPv6 (A_NET_SOCK6)"),
    (31, "fans (A_PWR_FAN)"),
    (32, "temperatures (A_PWR_TEMP)"),
    (33, "voltages (A_PWR_IN)"),
    (34, "huge pages in kB (A_HUGE)"),
    (35, "weighted frequencies (A_PWR_FREQ)"),
    (36, "USB devices (A_PWR_USB)"),
    (38, "Fibre Channel (A_NET_FC)"),
    (43, "batteries (A_PWR_BAT)"),
];

/// The CPU's ticks; guests at lowered priority since 10.1.2.
const CPU: &[Form] = &[
    Form {
        magic: 0x8a,
        parts: parts!(wide16: "user" "nice" "sys" "idle" "iowait" "steal" "hardirq" "softirq" "guest" "guest_nice"),
    },
    Form {
        magic: 0x8b,
        parts: parts!(wide: "user" "nice" "sys" "idle" "iowait" "steal" "hardirq" "softirq" "guest" "guest_nice"),
    },
];
const SWITCHES: &[Form] = &[
    Form { magic: 0x8a, parts: &[wide16("context_switch"), long16("processes")] },
    Form { magic: 0x8b, parts: &[wide("context_switch"), long("processes")] },
];
/// Until 12.5.5 an interrupt's number was its place: first the sum, then interrupt 0.
const INTERRUPTS: &[Form] = &[
    Form { magic: 0x8a, parts: &[wide16("count")] },
    Form { magic: 0x8b, parts: &[wide("count")] },
    Form { magic: 0x8c, parts: &[int("count"), text("name", 8)] },
];
const SWAP: &[Form] = &[Form { magic: 0x8a, parts: parts!(long: "pswpin" "pswpout") }];
const PAGING: &[Form] = &[Form {
    magic: 0x8a,
    parts: parts!(long: "pgpgin" "pgpgout" "pgfault" "pgmajfault" "pgfree" "pgscan_kswapd" "pgscan_direct" "pgsteal" "pgpromote" "pgdemote"),
}];
/// Kilobytes; the structure grew at its end.
const MEMORY: &[Form] = &[
    Form {
        magic: 0x8a,
        parts: parts!(long: "free" "buffers" "cached" "total" "swap_free" "swap_total" "swap_cached" "committed" "active" "inactive" "dirty" "anon" "slab" "kernel_stack" "page_tables" "vmalloc" "available"),
    },
    Form {
        magic: 0x8b,
        parts: parts!(wide: "free" "buffers" "cached" "total" "swap_free" "swap_total" "swap_cached" "committed" "active" "inactive" "dirty" "anon" "slab" "kernel_stack" "page_tables" "vmalloc" "available" "shmem"),
    },
];
const KERNEL: &[Form] = &[
    Form { magic: 0x8a, parts: parts!(int: "files" "inodes" "dentries" "ptys") },
    Form { magic: 0x8b, parts: parts!(wide: "files" "inodes" "dentries" "ptys") },
];
/// Loads are hundredths.
const QUEUE: &[Form] = &[
    Form {
        magic: 0x8a,
        parts: &[long("running"), int_at("load1", 8), int("load5"), int("load15"), int("threads")],
    },
    Form {
        magic: 0x8b,
        parts: &[
            long("running"),
            long("blocked"),
            int_at("load1", 8),
            int("load5"),
            int("load15"),
            int("threads"),
        ],
    },
    Form {
        magic: 0x8c,
        parts: &[
            wide("running"),
            wide("blocked"),
            wide("threads"),
            int("load1"),
            int("load5"),
            int("load15"),
        ],
    },
];
/// Sectors of 512 bytes and milliseconds.
const DISK: &[Form] = &[
    Form {
        magic: RED_HAT,
        parts: &[
            wide16("rd_sect"),
            wide16("wr_sect"),
            long16("ios"),
            long("rd_ticks"),
            long("wr_ticks"),
            long("tot_ticks"),
            long("rq_ticks"),
            int_at("major", 8),
            int("minor"),
        ],
    },
    Form {
        magic: 0x8a,
        parts: &[
            wide16("rd_sect"),
            wide16("wr_sect"),
            long16("rd_ticks"),
            long("wr_ticks"),
            long("tot_ticks"),
            long("rq_ticks"),
            long("ios"),
            int_at("major", 8),
            int("minor"),
        ],
    },
    Form {
        magic: 0x8b,
        parts: &[
            wide16("ios"),
            long16("rd_sect"),
            long("wr_sect"),
            int_at("rd_ticks", 8),
            int("wr_ticks"),
            int("tot_ticks"),
            int("rq_ticks"),
            int("major"),
            int("minor"),
        ],
    },
    Form {
        magic: 0x8c,
        parts: &[
            wide("ios"),
            wide("wwn0"),
            wide("wwn1"),
            long("rd_sect"),
            long("wr_sect"),
            long("dc_sect"),
            int("rd_ticks"),
            int("wr_ticks"),
            int("tot_ticks"),
            int("rq_ticks"),
            int("major"),
            int("minor"),
            int("dc_ticks"),
            int("part_nr"),
        ],
    },
];
const INTERFACE: &[Form] = &[
    Form {
        magic: 0x8a,
        parts: &[
            long("rx_packets"),
            long("tx_packets"),
            long("rx_bytes"),
            long("tx_bytes"),
            long("rx_compressed"),
            long("tx_compressed"),
            long("multicast"),
            text_at("interface", 16, 8),
        ],
    },
    Form {
        magic: 0x8b,
        parts: &[
            wide16("rx_packets"),
            wide16("tx_packets"),
            wide16("rx_bytes"),
            wide16("tx_bytes"),
            wide16("rx_compressed"),
            wide16("tx_compressed"),
            wide16("multicast"),
            text_at("interface", 16, 16),
        ],
    },
    Form {
        magic: 0x8c,
        parts: &[
            wide16("rx_packets"),
            wide16("tx_packets"),
            wide16("rx_bytes"),
            wide16("tx_bytes"),
            wide16("rx_compressed"),
            wide16("tx_compressed"),
            wide16("multicast"),
            int_at("speed", 16),
            text_at("interface", 16, 4),
            text("duplex", 1),
        ],
    },
    Form {
        magic: 0x8d,
        parts: &[
            wide("rx_packets"),
            wide("tx_packets"),
            wide("rx_bytes"),
            wide("tx_bytes"),
            wide("rx_compressed"),
            wide("tx_compressed"),
            wide("multicast"),
            int("speed"),
            text("interface", 16),
            text("duplex", 1),
        ],
    },
];
/// The counters of errors with a name behind them.
macro_rules! errors {
    ($kind:ident, $align:literal) => {
        &[
            $kind("collisions"),
            $kind("rx_errors"),
            $kind("tx_errors"),
            $kind("rx_dropped"),
            $kind("tx_dropped"),
            $kind("rx_fifo"),
            $kind("tx_fifo"),
            $kind("rx_frame"),
            $kind("tx_carrier"),
            text_at("interface", 16, $align),
        ]
    };
}
const INTERFACE_ERRORS: &[Form] = &[
    Form { magic: 0x8a, parts: errors!(long, 8) },
    Form { magic: 0x8b, parts: errors!(wide16, 16) },
    Form { magic: 0x8c, parts: errors!(wide, 1) },
];
/// Counters that were `long`, then 64 bits each in 16 bytes, then in eight.
macro_rules! grown {
    ($($name:literal)*) => {
        &[
            Form { magic: 0x8a, parts: parts!(long: $($name)*) },
            Form { magic: 0x8b, parts: parts!(wide16: $($name)*) },
            Form { magic: 0x8c, parts: parts!(wide: $($name)*) },
        ]
    };
}
/// Counters that have always been `long`.
macro_rules! longs {
    ($($name:literal)*) => { &[Form { magic: 0x8a, parts: parts!(long: $($name)*) }] };
}
const IP: &[Form] = grown!("irec/s" "fwddgm/s" "idel/s" "orq/s" "asmrq/s" "asmok/s" "fragok/s" "fragcrt/s");
const IP_ERRORS: &[Form] =
    grown!("ihdrerr/s" "iadrerr/s" "iukwnpr/s" "idisc/s" "odisc/s" "onort/s" "asmf/s" "fragf/s");
const ICMP: &[Form] = longs!("imsg/s" "omsg/s" "iech/s" "iechr/s" "oech/s" "oechr/s" "itm/s" "itmr/s" "otm/s" "otmr/s" "iadrmk/s" "iadrmkr/s" "oadrmk/s" "oadrmkr/s");
const ICMP_ERRORS: &[Form] = longs!("ierr/s" "oerr/s" "idstunr/s" "odstunr/s" "itmex/s" "otmex/s" "iparmpb/s" "oparmpb/s" "isrcq/s" "osrcq/s" "iredir/s" "oredir/s");
const TCP: &[Form] = longs!("active/s" "passive/s" "iseg/s" "oseg/s");
const TCP_ERRORS: &[Form] = longs!("atmptf/s" "estres/s" "retrans/s" "isegerr/s" "orsts/s");
const UDP: &[Form] = longs!("received" "sent" "noport" "errors");
const IP6: &[Form] = grown!("irec6/s" "fwddgm6/s" "idel6/s" "orq6/s" "asmrq6/s" "asmok6/s" "imcpck6/s" "omcpck6/s" "fragok6/s" "fragcr6/s");
const IP6_ERRORS: &[Form] = grown!("ihdrer6/s" "iadrer6/s" "iukwnp6/s" "i2big6/s" "idisc6/s" "odisc6/s" "inort6/s" "onort6/s" "asmf6/s" "fragf6/s" "itrpck6/s");
const ICMP6: &[Form] = longs!("imsg6/s" "omsg6/s" "iech6/s" "iechr6/s" "oechr6/s" "igmbq6/s" "igmbr6/s" "ogmbr6/s" "igmbrd6/s" "ogmbrd6/s" "irtsol6/s" "ortsol6/s" "irtad6/s" "inbsol6/s" "onbsol6/s" "inbad6/s" "onbad6/s");
const ICMP6_ERRORS: &[Form] = longs!("ierr6/s" "idtunr6/s" "odtunr6/s" "itmex6/s" "otmex6/s" "iprmpb6/s" "oprmpb6/s" "iredir6/s" "oredir6/s" "ipck2b6/s" "opck2b6/s");
/// Hundredths of a megahertz.
const FREQUENCY: &[Form] = &[Form { magic: 0x8a, parts: &[long("frequency")] }];
/// Bytes. The mount point since 11.1.4, which made room for longer names too.
const FILE_SYSTEM: &[Form] = &[
    Form {
        magic: 0x8a,
        parts: &[
            wide16("blocks"),
            wide16("free"),
            wide16("available"),
            wide16("files"),
            wide16("files_free"),
            text_at("device", 128, 16),
            text("mount", 128),
        ],
    },
    Form {
        magic: 0x8b,
        parts: &[
            wide("blocks"),
            wide("free"),
            wide("available"),
            wide("files"),
            wide("files_free"),
            text("device", 128),
            text("mount", 128),
        ],
    },
];
const SOFTNET: &[Form] = &[Form {
    magic: 0x8a,
    parts: parts!(int: "processed" "dropped" "time_squeeze" "received_rps" "flow_limit" "backlog"),
}];
/// Microseconds, and hundredths of a percent.
const PRESSURE_CPU: &[Form] =
    &[Form { magic: 0x8a, parts: &[wide("some_total"), long("some_10"), long("some_60"), long("some_300")] }];
const PRESSURE: &[Form] = &[Form {
    magic: 0x8a,
    parts: &[
        wide("some_total"),
        wide("full_total"),
        long("some_10"),
        long("some_60"),
        long("some_300"),
        long("full_10"),
        long("full_60"),
        long("full_300"),
    ],
}];
