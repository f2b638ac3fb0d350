//! Listings of other systems that are no sar, iostat or mpstat: settings, processes, calls, file systems, logs.

use crate::listings::check;

const MIB: f64 = 1_048_576.0;

#[test]
fn settings_of_aix() {
    let value = |text: &str, key: &str, expected: f64| {
        let what = if text.starts_with("# lsattr") { "lsattr, 1 sample" } else { "tunables, 1 sample" };
        check(text, what, &[("setting", "setting_value", Some(("setting_key", key)), 0, Some(expected))]);
    };
    let assigned = include_str!("../../fixtures/tunables/hand-made-vmo-a.txt");
    value(assigned, "maxclient%", 90.0);
    value(assigned, "page_steal_method", 1.0);
    let listed = include_str!("../../fixtures/tunables/hand-made-vmo-L.txt");
    value(listed, "maxfree", 1088.0);
    value(listed, "minperm%", 3.0);
    value(include_str!("../../fixtures/lsattr/hand-made-hdisk.txt"), "hdisk0/queue_depth", 3.0);
}

#[test]
fn processes_and_threads_of_solaris() {
    check(
        include_str!("../../fixtures/prstat/hand-made-solaris-10.txt"),
        "prstat, 1 sample",
        &[
            ("process", "resident_bytes", Some(("name", "oracle")), 0, Some(1.2 * 1024.0 * MIB)),
            ("process", "threads", Some(("pid", "1182")), 0, Some(11.0)),
            ("system", "load1", None, 0, Some(1.11)),
        ],
    );
    let thread = Some(("tid", "2"));
    check(
        include_str!("../../fixtures/prstat/hand-made-solaris-10-mL.txt"),
        "prstat, 2 samples",
        &[
            ("thread", "user_s", thread, 0, None),
            ("thread", "user_s", thread, 1, Some(2.0)),
            ("thread", "run_delay_s", thread, 1, Some(1.5)),
            ("thread", "involuntary_switches", thread, 1, Some(200.0)),
            // "2K" is no count.
            ("thread", "voluntary_switches", thread, 1, None),
        ],
    );
}

#[test]
fn vmstat_of_more_systems() {
    check(
        "$ vmstat -p 5\n     memory           page          executable      anonymous      filesystem\n\
         \x20  swap  free  re  mf  fr  de  sr  epi  epo  epf  api  apo  apf  fpi  fpo  fpf\n\
         \x20715812 585380  0   0   0   0   0    0    0    0    0    0    0    0    0    0\n\
         \x20715800 585360  5  20   8   0  40    0    0    0  400   80   80   24    8    8\n",
        "vmstat, 2 samples",
        &[
            ("memory", "free_bytes", None, 0, Some(585_380.0 * 1024.0)),
            ("vmstat", "swap_in_pages", None, 1, Some(500.0)),
            ("vmstat", "page_in_bytes", None, 1, Some(424.0 * 1024.0 * 5.0)),
            ("vmstat", "scan_kswapd_pages", None, 1, Some(200.0)),
        ],
    );
    check(
        "Thu Mar 18 12:36:32 UTC 2004\n kthr      memory            page            disk          faults      cpu\n\
         \x20r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id\n\
         \x200 0 0 1021016 200240 1  5  2  1  1  0  0  0  0  0  0  402   31   60  0  0 99\n\
         Thu Mar 18 12:36:42 UTC 2004\n\
         \x207 2 9 1020992 200216 0  9  8  0  0  0 50  0  0  0  0  411   57   71 80 18  2\n",
        "vmstat, 2 samples",
        &[
            ("vmstat", "secs", None, 1, Some(10.0)),
            ("vmstat", "time", None, 1, Some(1_079_613_402_000.0)),
            ("vmstat", "scan_kswapd_pages", None, 1, Some(500.0)),
        ],
    );
    check(
        "System configuration: lcpu=8 mem=16384MB ent=2.00\n\n\
         kthr    memory              page              faults              cpu\n\
         ----- ----------- ------------------------ ------------ -----------------------\n\
         \x20r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa    pc    ec    hr mi se\n\
         \x201  0 1224780 1677   0   0   0   0    0   0 188 1380 157 57 32  0 10  1.20  60.1 23:59:55\n\
         \x202  1 1225060 1609   0   3   7   0    0   0 214 1476 186 48 37  0 16  1.30  65.2 00:00:05\n",
        "vmstat, 2 samples",
        &[
            ("host", "cpus", None, 0, Some(8.0)),
            ("host", "memory_bytes", None, 0, Some(16_384.0 * MIB)),
            ("vmstat", "secs", None, 1, Some(10.0)),
            ("vmstat", "swap_out_pages", None, 1, Some(70.0)),
            ("cpu", "user_s", None, 1, Some(38.4)),
        ],
    );
    check(
        " procs     memory      page                    disks     faults         cpu\n\
         \x20r b w   avm     fre  flt  re  pi  po    fr   sr mm0 mm1   in    sy    cs us sy id\n\
         \x200 1 4 1239976 15016 89 0 3 1 93 2030 340 0 595 1602 1248 7 4 89\n\
         \x200 1 4 1239976 14984 3 0 1 0 0 148 3 0 105 156 237 0 1 99\n",
        "vmstat, 2 samples",
        &[
            ("memory", "free_bytes", None, 1, Some(14_984.0 * 1024.0)),
            ("vmstat", "faults", None, 1, Some(3.0)),
            ("vmstat", "swap_in_pages", None, 1, None),
        ],
    );
}

#[test]
fn calls_and_requests_of_a_slow_copy() {
    check(
        include_str!("../../fixtures/truss/hand-made-c.txt"),
        "truss, 1 sample",
        &[
            ("system_call", "secs", Some(("syscall", "read")), 0, Some(1.25)),
            ("system_call", "calls", Some(("syscall", "read")), 0, Some(140.0)),
            ("system_call", "calls", Some(("syscall", "open64")), 0, Some(17.0)),
        ],
    );
    check(
        "29986:   0.0146 mmap64(0xFE800000, 8388608, PROT_READ, MAP_SHARED|MAP_FIXED, 3, 0x07000000) = 0xFE800000\n\
         29986:   0.2394 write(4, \"\\0\\0\\0\\0\".., 8388608) = 8388608\n\
         29986:   0.0107 mmap64(0xFE800000, 8388608, PROT_READ, MAP_SHARED|MAP_FIXED, 3, 0x07800000) = 0xFE800000\n\
         29986:   0.2599 write(4, \"\\0\\0\\0\\0\".., 8388608) = 8388608\n\
         29986:   0.0001 open(\"/x\", O_RDONLY) Err#2 ENOENT\n",
        "truss, 1 sample",
        &[
            ("process", "write_calls", Some(("pid", "29986")), 0, Some(2.0)),
            ("process", "write_chars", Some(("pid", "29986")), 0, Some(16_777_216.0)),
            ("process", "secs", Some(("pid", "29986")), 0, Some(0.5247)),
            ("system_call", "calls", Some(("error_name", "ENOENT")), 0, Some(1.0)),
        ],
    );
    check(
        "looking for pid 12045\nNow(ms) duration(ms) pid thread call return errno\n\
         48335.67488000 15.83081400 12045 0x30101ab09a0 mmap64 0x7fffffff 0\n\
         48351.53089800 254.21403800 12045 0x30101ab09a0 write 0x800000 0\n",
        "TNF, 1 sample",
        &[
            ("process", "write_chars", Some(("pid", "12045")), 0, Some(8_388_608.0)),
            ("system_call", "secs", Some(("syscall", "write")), 0, Some(0.270_070_056)),
        ],
    );
    check(
        "48545.230384 - 12045 1 0x30101ab09a0 224 strategy device: 273,4015 block: 39690624 size: 0x10000 buf: 0x3004185e058 flags: 0x88511\n\
         48549.243496 - 0 0 0x2a100477d20 64 biodone device: 273,4015 block: 39690624 buf: 0x3004185e058\n",
        "TNF, 1 sample",
        &[
            ("disk", "writes", Some(("device", "273,4015")), 0, Some(1.0)),
            ("disk", "write_bytes", Some(("device", "273,4015")), 0, Some(65_536.0)),
            ("disk", "write_s", Some(("device", "273,4015")), 0, Some(0.004_013_112)),
            ("disk", "reads", Some(("device", "273,4015")), 0, Some(0.0)),
        ],
    );
}

#[test]
fn counters_of_kstat_become_increases() {
    check(
        include_str!("../../fixtures/kstat/hand-made-p-two-readings.txt"),
        "kstat, 2 samples",
        &[
            ("host", "cpus", None, 0, Some(2.0)),
            ("system", "load1", None, 1, Some(3.0)),
            ("cpu", "user_s", None, 0, Some(8.0)),
            ("cpu", "secs", None, 0, Some(10.0)),
            ("disk", "reads", Some(("device", "sd0")), 0, Some(128.0)),
            ("disk", "read_bytes", Some(("device", "sd0")), 0, Some(1_048_576.0)),
            ("disk", "busy_s", Some(("device", "sd0")), 0, Some(8.0)),
            ("disk", "queue_s", Some(("device", "sd0")), 0, Some(30.0)),
        ],
    );
}

#[test]
fn extents_and_parameters_of_vxfs() {
    check(
        include_str!("../../fixtures/fsadm/hand-made-vxfs-manual.txt"),
        "fsadm, 1 sample",
        &[
            ("file_extents", "files", Some(("mount", "/home")), 0, Some(9293.0)),
            ("file_extents", "free_below_64_ratio", None, 0, Some(0.104)),
            ("file_extents", "free_below_8_ratio", None, 0, Some(0.0056)),
            ("file_extents", "used_large_ratio", None, 0, Some(0.9167)),
            // 155 × 64 and so on up to 32768.
            ("file_extents", "free_large_blocks", None, 0, Some(133_824.0)),
        ],
    );
    check(
        "Filesystem i/o parameters for /filesystem\nread_pref_io = 65536\nwrite_pref_io = 65536\nmax_direct_iosz = 1048576\n",
        "vxtunefs, 1 sample",
        &[("setting", "setting_value", Some(("setting_key", "vxfs/write_pref_io")), 0, Some(65_536.0))],
    );
}

#[test]
fn disks_of_aix_in_one_line_each() {
    let row = |name: &str, tm: &str| {
        format!(
            "{name}  {tm}  16.4K   2.5   4.1K  12.3K   0.5   6.6    0.1  138.5     0    0   2.0   1.6   0.3   1.2S     0    0   0.4    0.0   40.7    0.5   1.5   0.1\n"
        )
    };
    let head = "Disks:                     xfers                                read                                write                                  queue\n\
        -------------- -------------------------------- ------------------------------------ ------------------------------------ --------------------------------------\n\
                         %tm    bps   tps  bread  bwrtn   rps    avg    min    max time fail   wps    avg    min    max time fail    avg    min    max   avg   avg  serv\n\
                         act                                    serv   serv   serv outs              serv   serv   serv outs        time   time   time  wqsz  sqsz qfull\n";
    let text = format!(
        "# iostat -Dl 10 2\n\nSystem configuration: lcpu=8 drives=2 paths=2 vdisks=0\n\n{head}{}{}{head}{}{}",
        row("hdisk0", "0.4"),
        row("hdisk1", "0.5"),
        row("hdisk0", "40.0"),
        row("hdisk1", "0.5"),
    );
    let hdisk0 = Some(("device", "hdisk0"));
    check(
        &text,
        "iostat, 2 samples",
        &[
            ("disk", "busy_s", hdisk0, 0, None),
            ("disk", "busy_s", hdisk0, 1, Some(4.0)),
            ("disk", "requests", hdisk0, 1, Some(25.0)),
            ("disk", "reads", hdisk0, 1, Some(5.0)),
            ("disk", "writes", Some(("device", "hdisk1")), 1, Some(20.0)),
            ("disk", "queue_s", hdisk0, 1, Some(20.0)),
        ],
    );
}

#[test]
fn sums_of_aix() {
    check(
        "              1048576 memory pages\n              1002054 lruable pages\n               100000 free pages\n                    1 memory pools\n               200000 pinned pages\n                 80.0 maxpin percentage\n                  3.0 minperm percentage\n                 25.5 numperm percentage\n               256000 file pages\n               164918 pending disk I/Os blocked with no pbuf\n                 2228 external pager filesystem I/Os blocked with no fsbuf\n",
        "vmstat of AIX, 1 sample",
        &[
            ("memory", "total_bytes", None, 0, Some(4_294_967_296.0)),
            ("memory", "free_bytes", None, 0, Some(409_600_000.0)),
            ("memory", "cached_bytes", None, 0, Some(1_048_576_000.0)),
        ],
    );
    let sums = |faults: u64, ins: u64| {
        format!(
            "{faults} total address trans. faults\n   55 page ins\n   66 page outs\n   {ins} paging space page ins\n   7 paging space page outs\n   0 total reclaims\n"
        )
    };
    check(
        &format!("{}\n{}", sums(1000, 10), sums(1500, 42)),
        "vmstat of AIX, 2 samples",
        &[
            ("vmstat", "faults", None, 0, None),
            ("vmstat", "faults", None, 1, Some(500.0)),
            ("vmstat", "swap_in_pages", None, 1, Some(32.0)),
        ],
    );
}

#[test]
fn the_error_log_of_aix() {
    check(
        "IDENTIFIER TIMESTAMP  T C RESOURCE_NAME  DESCRIPTION\nA924A5FC   0326142310 P S SYSPROC        SOFTWARE PROGRAM ABNORMALLY TERMINATED\n4B436A3D   0325081510 T H fscsi0         LINK ERROR\n",
        "errpt, 2 samples",
        &[
            ("event", "event_ms", None, 0, Some(1_269_504_900_000.0)),
            ("event", "event_ms", None, 1, Some(1_269_613_380_000.0)),
        ],
    );
}

#[test]
fn iostat_of_solaris_with_groups() {
    let sd1 = Some(("device", "sd1"));
    check(
        "$ iostat 5 3\n   tty        sd0           sd1          nfs1           cpu\n tin tout kps tps serv  kps tps serv  kps tps serv   us sy wt id\n   0    4  14   2   26    9   1   12    0   0    0    2  1  0 97\n   0  234   8   1   10  800 100   50    0   0    0   40 10  0 50\n   0   80   0   0    0  400  50   20    0   0    0   20 10  0 70\n",
        "iostat, 3 samples",
        &[
            ("disk", "requests", sd1, 0, None),
            ("disk", "requests", sd1, 1, Some(500.0)),
            ("disk", "queue_s", sd1, 1, Some(25.0)),
            ("disk", "requests", sd1, 2, Some(250.0)),
            ("cpu", "user_s", None, 0, None),
            ("cpu", "user_s", None, 1, Some(2.0)),
            ("cpu", "idle_s", None, 2, Some(3.5)),
        ],
    );
}
