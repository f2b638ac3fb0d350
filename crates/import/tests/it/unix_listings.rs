//! Listings of Solaris, AIX and HP-UX, by an independent hand from what manuals print: what was read of each.

use crate::listings::check;

const MIB: f64 = 1_048_576.0;

#[test]
fn sar_of_solaris_with_all_sections_in_one_block() {
    let dad1 = Some(("device", "dad1"));
    check(
        include_str!("../../fixtures/sar/hand-made-solaris-10-blocks.txt"),
        "sar, 2 samples",
        &[
            // Midnight, 20 minutes after the headings.
            ("cpu", "time", None, 0, Some(1_079_654_400_000.0)),
            ("cpu", "user_s", None, 0, Some(240.0)),
            ("cpu", "system_s", None, 1, Some(120.0)),
            ("disk", "requests", dad1, 0, Some(31_200.0)),
            ("disk", "busy_s", dad1, 1, Some(1080.0)),
            ("disk", "queue_s", dad1, 1, Some(0.045 * 80.0 * 1200.0)),
            ("disk", "busy_s", Some(("device", "nfs6")), 0, Some(12.0)),
            ("system", "context_switches", None, 1, Some(512_400.0)),
            ("system", "forks", None, 0, Some(600.0)),
            ("system", "runnable", None, 0, None),
            ("vmstat", "swap_in_pages", None, 1, Some(1200.0)),
            ("vmstat", "faults", None, 1, Some(60_000.0)),
            ("vmstat", "scan_kswapd_pages", None, 1, Some(28_800.0)),
            // Pages of a sun4u have 8 KB.
            ("memory", "free_bytes", None, 0, Some(15_062.0 * 8192.0)),
            ("memory", "swap_free_bytes", None, 1, Some(512_000_000.0)),
        ],
    );
}

#[test]
fn sar_of_aix() {
    check(
        include_str!("../../fixtures/sar/hand-made-aix-4.3-d.txt"),
        "sar, 3 samples",
        &[
            ("disk", "busy_s", Some(("device", "hdisk0")), 0, Some(0.03)),
            ("disk", "secs", Some(("device", "cd0")), 1, Some(3.0)),
            ("disk", "requests", Some(("device", "hdisk0")), 2, Some(3.0)),
            // A request that took no time was not measured.
            ("disk", "queue_s", Some(("device", "hdisk0")), 2, None),
        ],
    );
    check(
        include_str!("../../fixtures/sar/hand-made-aix-7.1-P.txt"),
        "sar, 2 samples",
        &[
            ("host", "cpus", None, 0, Some(2.0)),
            // The line of all: threads of a core share a processor, 35 % of 0.13 and not (40 + 0) / 2 %.
            ("cpu", "user_s", None, 1, Some(3.5)),
            ("cpu", "idle_s", None, 0, Some(7.3)),
            ("cpu", "user_s", Some(("cpu_idx", "0")), 0, None),
            // 2015-11-23 00:00:00: past midnight.
            ("cpu", "time", None, 1, Some(1_448_236_800_000.0)),
        ],
    );
    check(
        "AIX konark 3 5 0002506F4C00    11/22/03\n\n10:00:00 cswch/s\n10:00:10 500\n\n\
         10:00:00   slots cycle/s fault/s  odio/s\n10:00:10  130767    0.00 2314.50    0.00\n",
        "sar, 1 sample",
        &[
            ("system", "context_switches", None, 0, Some(5000.0)),
            ("memory", "swap_free_bytes", None, 0, Some(130_767.0 * 4096.0)),
            ("vmstat", "faults", None, 0, Some(23_145.0)),
        ],
    );
}

#[test]
fn sar_of_hp_ux() {
    check(
        include_str!("../../fixtures/sar/hand-made-hp-ux-11.31-M.txt"),
        "sar, 2 samples",
        &[
            ("cpu", "user_s", Some(("cpu_idx", "0")), 0, Some(5.0)),
            ("cpu", "system_s", Some(("cpu_idx", "1")), 1, Some(2.0)),
            ("cpu", "iowait_s", Some(("cpu_idx", "0")), 1, Some(1.0)),
        ],
    );
}

/// Layouts of AIX' own `sar`, with a row for each CPU (`-P ALL`) in sections of the machine.
#[test]
fn sar_of_aix_by_cpu_in_every_section() {
    check(
        "AIX konark 3 4 0002506F4C00    08/26/99\n\n\
         12:09:50 cpu scall/s sread/s swrit/s  fork/s  exec/s rchar/s wchar/s\n         cpu cswch/s\n         cpu iget/s lookuppn/s dirblk/s\n\
         runq-sz %runocc swpq-sz %swpocc\n           slots cycle/s fault/s  odio/s\n\n\
         12:10:00  0      900     100      50    2.00    1.00   10000    2000\n           1      100      10       5    0.50    0.25    1000     200\n\
                   -     1000     110      55    2.50    1.25   11000    2200\n           0     300\n           1     200\n           -     500\n\
                   0       0         10        1\n           1       0          5        1\n           -       0         15        2\n\
         \x20         2.0      40\n          130767    0.00  100.50    3.00\n",
        "sar, 1 sample",
        &[
            ("system", "forks", None, 0, Some(25.0)),
            ("system", "context_switches", None, 0, Some(5000.0)),
            ("vmstat", "faults", None, 0, Some(1005.0)),
            ("memory", "swap_free_bytes", None, 0, Some(130_767.0 * 4096.0)),
        ],
    );
    // Of some CPUs alone nobody tells what all did.
    check(
        "AIX konark 3 4 0002506F4C00    08/26/99\n\n12:09:50 cpu    %usr    %sys    %wio   %idle\n\
         12:10:00  0       50      10       0      40\n           R       40      10       0      50\n          *1       20      10       0      70\n\n\
         12:10:10 cpu scall/s sread/s swrit/s  fork/s  exec/s rchar/s wchar/s\n12:10:20  0      900     100      50    2.00    1.00   10000    2000\n",
        "sar, 1 sample",
        &[
            ("cpu", "user_s", Some(("cpu_idx", "0")), 0, Some(5.0)),
            ("cpu", "user_s", Some(("cpu_idx", "1")), 0, Some(2.0)),
            ("cpu", "user_s", None, 2, None),
            ("system", "forks", None, 0, None),
        ],
    );
}

#[test]
fn slices_of_disks_and_sets_of_cpus() {
    check(
        "SunOS balmyday 5.10 s10_51 sun4u    03/18/2004\n\n12:36:32   device        %busy   avque   r+w/s  blks/s  avwait  avserv\n\n\
         12:40:01   dad1             15     0.7      26     399    18.1    10.0\n           dad1,a           15     0.7      26     398    18.1    10.0\n",
        "sar, 1 sample",
        &[
            ("disk", "requests", Some(("device", "dad1")), 0, Some(26.0 * 209.0)),
            ("disk", "requests", Some(("device", "dad1,a")), 0, None),
        ],
    );
    check(
        "HP-UX db2 B.11.31 U ia64    03/18/04\n\n10:00:00    pset     cpu    %usr    %sys    %wio   %idle\n\
         10:00:10       0       0      50      10      20      20\n               1       1      30      10       0      60\n",
        "sar, 1 sample",
        &[
            ("cpu", "user_s", Some(("cpu_idx", "1")), 0, Some(3.0)),
            ("cpu", "idle_s", Some(("cpu_idx", "0")), 0, Some(2.0)),
        ],
    );
    check(
        "HP-UX db2 B.11.31 U ia64    03/18/04\n\n10:00:00   device   %busy   avque     r/s     w/s  blks/s  avwait  avserv\n\
         10:00:10    disk3   20.00    0.50      30      10     640    1.00    4.00\n",
        "sar, 1 sample",
        &[
            ("disk", "writes", Some(("device", "disk3")), 0, Some(100.0)),
            ("disk", "queue_s", Some(("device", "disk3")), 0, Some(2.0)),
        ],
    );
}

#[test]
fn sums_below_the_processes_of_prstat_are_no_processes() {
    let read = crate::table_text::import(
        b"   PID USERNAME  SIZE   RSS STATE  PRI NICE      TIME  CPU PROCESS/NLWP\n\
          26330 webservd 1575M 1209M cpu23    0    0 300:37:03 1.8% java/8\n\
          ZONEID    NPROC  SWAP   RSS MEMORY      TIME  CPU ZONE\n     1       11   92M   36M   0.9%   0:00:18 6.7% zone1\n\
          \x20NPROC USERNAME  SWAP   RSS MEMORY      TIME  CPU\n   129 root     3222M  830M    20%   0:02:09 4.8%\n\
          Total: 140 processes, 930 lwps, load averages: 0.44, 0.20, 0.13\n",
    );
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    assert_eq!(crate::table_text::number(&read, "process", "pid", None, 1), None);
    assert_eq!(crate::table_text::number(&read, "system", "load1", None, 0), Some(0.44));
}

#[test]
fn sizes_of_processes_have_the_unit_of_their_system() {
    let size = |text: &str, expected: Option<f64>| {
        check(text, "ps, 1 sample", &[("process", "virtual_bytes", Some(("pid", "1234")), 0, expected)]);
    };
    let row = "USER       PID %CPU %MEM   SZ  RSS TT       S    START  TIME COMMAND\n\
               oracle    1234 10.0 20.0 1000 900 ?   O 10:00:00 12:34 ora_dbw0_PROD\n";
    size(row, Some(1_024_000.0));
    let long = " F S      UID     PID    PPID   C PRI NI ADDR    SZ    WCHAN    TTY  TIME CMD\n\
                200001 A   oracle    1234       1   0  60 20 7c0f  1000        -      -  0:10 ora_dbw0\n";
    size(&format!("AIX konark 3 5 0002506F4C00\n{long}"), Some(1_024_000.0));
    size(&format!("SunOS balmyday 5.10 Generic_147440-01 sun4u sparc SUNW\n{long}"), Some(8_192_000.0));
    size(&format!("HP-UX db2 B.11.31 U ia64\n{long}"), None);
    size(long, Some(4_096_000.0));
}

#[test]
fn the_level_of_aix() {
    let os = |text: &str| {
        let read = crate::table_text::import(text.as_bytes());
        let told = crate::table_text::told(&read);
        told.lines().find_map(|line| line.split_once("os=").map(|(_, os)| os.to_owned()))
    };
    let of = |text: &str| os(text).map(|os| os.split(" window_s").next().unwrap_or("").to_owned());
    assert_eq!(of("7100-04-03-1642\n"), Some("AIX 7.1 (7100-04-03-1642)".to_owned()));
    assert_eq!(
        of("# oslevel -r\n6100-02\n# oslevel -s\n6100-02-06-0943\n"),
        Some("AIX 6.1 (6100-02-06-0943)".to_owned())
    );
    assert_eq!(of("# oslevel\n4.3.2.0\n"), Some("AIX 4.3 (4.3.2.0)".to_owned()));
    assert_eq!(of("the invoice has number\n6100-02\nand version\n7.1.0.0\n"), None);
}

#[test]
fn sizes_of_tables_are_no_open_files_of_linux() {
    check(
        "10:00:00  proc-sz    ov  inod-sz    ov  file-sz    ov   lock-sz\n\
         10:00:10  96/30000  0  1357/65535  0  851/851  0  0/0\n\
         10:00:00  freemem freeswap\n10:00:10  15062 1024000\n",
        "sar, 1 sample",
        &[
            ("limits", "used", None, 0, None),
            ("memory", "swap_free_bytes", None, 0, Some(524_288_000.0)),
            // Nobody tells how large a page is.
            ("memory", "free_bytes", None, 0, None),
        ],
    );
}

#[test]
fn mpstat_of_solaris_and_aix() {
    check(
        include_str!("../../fixtures/mpstat/hand-made-solaris-10.txt"),
        "mpstat, 2 samples",
        &[
            ("host", "cpus", None, 0, Some(2.0)),
            ("cpu", "user_s", Some(("cpu_idx", "0")), 0, None),
            ("cpu", "user_s", Some(("cpu_idx", "0")), 1, Some(3.0)),
            ("cpu", "idle_s", Some(("cpu_idx", "1")), 1, Some(0.25)),
            ("system", "context_switches", None, 0, Some(10_000.0)),
            ("system", "interrupts", None, 0, Some(3240.0)),
            ("vmstat", "faults", None, 0, Some(150.0)),
        ],
    );
    check(
        include_str!("../../fixtures/mpstat/hand-made-aix-7.1.txt"),
        "mpstat, 2 samples",
        &[
            ("cpu", "user_s", None, 1, Some(9.0)),
            ("cpu", "user_s", Some(("cpu_idx", "0")), 0, None),
            ("system", "context_switches", None, 0, Some(3500.0)),
            ("vmstat", "major_faults", None, 0, Some(10.0)),
        ],
    );
}

#[test]
fn iostat_of_solaris() {
    let disk = Some(("device", "c0t0d0"));
    check(
        include_str!("../../fixtures/iostat/hand-made-solaris-10-xn.txt"),
        "iostat, 2 samples",
        &[
            ("disk", "reads", disk, 0, None),
            ("disk", "writes", disk, 1, Some(950.0)),
            ("disk", "write_bytes", disk, 1, Some(6080.0 * 1024.0 * 5.0)),
            // Four in the driver and six at the device.
            ("disk", "queue_s", disk, 1, Some(50.0)),
            ("disk", "busy_s", disk, 1, Some(5.0)),
        ],
    );
    check(
        include_str!("../../fixtures/iostat/hand-made-solaris-10-xtc.txt"),
        "iostat, 2 samples",
        &[
            ("disk", "read_bytes", Some(("device", "sd0")), 1, Some(1_024_000.0)),
            ("disk", "busy_s", Some(("device", "sd0")), 1, Some(0.3)),
            ("cpu", "user_s", None, 1, Some(1.0)),
            ("cpu", "iowait_s", None, 1, Some(0.0)),
            ("cpu", "idle_s", None, 1, Some(8.4)),
        ],
    );
    check(
        "sd0       Soft Errors: 0 Hard Errors: 3 Transport Errors: 1\n\
         Vendor: HITACHI  Product: H101414SCSUN146G Revision: SA25 Serial No: 0000\n\
         Size: 146.80GB <146800115712 bytes>\nMedia Error: 0 Device Not Ready: 0 No Device: 0 Recoverable: 0\n",
        "iostat, 1 sample",
        &[("disk", "size_bytes", Some(("label_name", "H101414SCSUN146G")), 0, Some(146_800_115_712.0))],
    );
}

#[test]
fn iostat_of_aix() {
    let disk = Some(("device", "hdisk1"));
    check(
        include_str!("../../fixtures/iostat/hand-made-aix-5.3.txt"),
        "iostat, 2 samples",
        &[
            ("disk", "requests", disk, 0, None),
            // 20,525 KB at 4,105 a second.
            ("disk", "secs", disk, 1, Some(5.0)),
            ("disk", "requests", disk, 1, Some(1650.0)),
            ("disk", "read_bytes", disk, 1, Some(12_288_000.0)),
            ("disk", "busy_s", disk, 1, Some(4.6)),
            ("cpu", "iowait_s", None, 1, Some(2.0)),
        ],
    );
    let disk = Some(("device", "hdisk0"));
    check(
        include_str!("../../fixtures/iostat/hand-made-aix-7.1-D.txt"),
        "iostat, 2 samples",
        &[
            ("disk", "reads", disk, 0, None),
            ("disk", "reads", disk, 1, Some(1500.0)),
            ("disk", "write_bytes", disk, 1, Some(10.0 * MIB)),
            ("disk", "queue_s", disk, 1, Some(90.0)),
            ("disk", "busy_s", disk, 1, Some(9.8)),
        ],
    );
}

#[test]
fn memory_and_partition_of_aix() {
    check(
        include_str!("../../fixtures/svmon/hand-made-G.txt"),
        "svmon, 1 sample",
        &[
            ("memory", "total_bytes", None, 0, Some(4_294_967_296.0)),
            ("memory", "free_bytes", None, 0, Some(623_301.0 * 4096.0)),
            ("memory", "swap_used_bytes", None, 0, Some(31_995.0 * 4096.0)),
            ("memory", "cached_bytes", None, 0, Some(275_195.0 * 4096.0)),
        ],
    );
    check(
        include_str!("../../fixtures/svmon/hand-made-P.txt"),
        "svmon, 1 sample",
        &[
            ("process", "resident_bytes", Some(("name", "java")), 0, Some(75_896.0 * 4096.0)),
            ("process", "swap_bytes", Some(("pid", "385236")), 0, Some(120.0 * 4096.0)),
            ("process", "virtual_bytes", Some(("name", "aioserver")), 0, Some(4700.0 * 4096.0)),
        ],
    );
    check(
        include_str!("../../fixtures/lparstat/hand-made-aix-6.1.txt"),
        "lparstat, 3 samples",
        &[
            ("host", "cpus", None, 0, Some(4.0)),
            ("host", "memory_bytes", None, 0, Some(4096.0 * MIB)),
            ("cpu", "user_s", None, 1, Some(0.301 * 5.0 * 4.0)),
        ],
    );
}

#[test]
fn paging_space() {
    check(
        include_str!("../../fixtures/lsps/hand-made-a.txt"),
        "lsps, 1 sample",
        &[
            // The one that is not active cannot be paged to.
            ("memory", "swap_total_bytes", None, 0, Some(2560.0 * MIB)),
            ("memory", "swap_used_bytes", None, 0, Some((2048.0 * 0.05 + 512.0 * 0.25) * MIB)),
        ],
    );
    check(
        include_str!("../../fixtures/lsps/hand-made-s.txt"),
        "lsps, 1 sample",
        &[("memory", "swap_free_bytes", None, 0, Some(2560.0 * 0.91 * MIB))],
    );
    check(
        include_str!("../../fixtures/swap/hand-made-l.txt"),
        "swap, 1 sample",
        &[
            ("memory", "swap_total_bytes", None, 0, Some((2_097_632.0 + 4_194_296.0) * 512.0)),
            ("memory", "swap_used_bytes", None, 0, Some(97_632.0 * 512.0)),
        ],
    );
    check(
        include_str!("../../fixtures/swap/hand-made-s.txt"),
        "swap, 1 sample",
        &[
            ("memory", "committed_bytes", None, 0, Some(1_637_736.0 * 1024.0)),
            ("memory", "commit_limit_bytes", None, 0, Some(8_922_184.0 * 1024.0)),
            ("memory", "swap_total_bytes", None, 0, None),
        ],
    );
    check(
        include_str!("../../fixtures/swapinfo/hand-made-tam.txt"),
        "swapinfo, 1 sample",
        &[
            ("memory", "swap_total_bytes", None, 0, Some(6144.0 * MIB)),
            ("memory", "swap_free_bytes", None, 0, Some(6044.0 * MIB)),
            ("memory", "committed_bytes", None, 0, Some(5156.0 * MIB)),
        ],
    );
}
