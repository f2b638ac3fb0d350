//! Listings as people write them down: in prose, numbered, as a table, filtered; of old tools and of
//! other systems. What was read of each.

use crate::table_text::{import, number, told};

/// One number that has to be read: table, column, key, which row, value.
pub type Expected<'a> = (&'a str, &'a str, Option<(&'a str, &'a str)>, usize, Option<f64>);

/// Reads a listing, and compares what it was and numbers of it.
pub fn check(text: &str, what: &str, expected: &[Expected<'_>]) {
    let import = import(text.as_bytes());
    assert_eq!(import.file.what, what, "{}", told(&import));
    for (table, column, key, row, value) in expected {
        let read = number(&import, table, column, *key, *row);
        let is_same = match (read, value) {
            (Some(read), Some(value)) => (read - value).abs() <= 1e-6 * value.abs().max(1.0),
            (read, value) => read == *value,
        };
        assert!(
            is_same,
            "{table}.{column} {key:?} row {row}: {read:?}, expected {value:?}\n{}",
            told(&import)
        );
    }
}

const SDJ: Option<(&str, &str)> = Some(("device", "sdj"));

#[test]
fn filtered_iostat_in_prose() {
    check(
        "We write large blocks and look on.\n\nhost:~ # iostat -x 1 100|egrep \"sdj|sdk\"\n\n\
         Device:    rrqm/s wrqm/s   r/s   w/s  rsec/s   wsec/s   rkB/s   wkB/s avgrq-sz avgqu-sz   await  svctm  %util\n\n\
         sdj         0.00 32512.00  0.00 281.00    0.00 262144.00     0.00 131072.00   932.90   141.99  394.24   3.56 100.00\n\
         sdk         0.00   0.00  0.00  0.00    0.00    0.00     0.00    0.00   0.00     0.00    0.00   0.00   0.00\n\
         sdj         0.00 36576.00  0.00 277.00    0.00 294929.00    0.00 147464.50  1064.73   142.75  511.21   3.61 100.00\n\n\
         Of 13 numbers in such a line, 3 are enough: 1024 sectors are 512 KB.\n",
        "iostat, 2 samples",
        &[
            ("disk", "secs", SDJ, 0, Some(1.0)),
            ("disk", "writes", SDJ, 0, Some(281.0)),
            ("disk", "writes_merged", SDJ, 0, Some(32_512.0)),
            ("disk", "queue_s", SDJ, 0, Some(141.99)),
            ("disk", "busy_s", SDJ, 1, Some(1.0)),
            // The time of reads and of writes apart was not told.
            ("disk", "write_s", SDJ, 0, None),
        ],
    );
}

#[test]
fn numbered_listings() {
    check(
        "Listing 1\n01 #vmstat 2\n\
         02 procs -----------memory---------- ---swap-- -----io---- --system-- -----cpu------\n\
         03 r  b  swpd     free   buff cache  si   so   bi    bo    in  cs     us sy id wa\n\
         04 7  0  34328    757464 2712 26416   0    0    0     0    12  616773 34 28 37 0\n\
         05 360  0      0 15730644  17980 120336    0    0     0     0  320 140047 0 100  0  0\n",
        "vmstat, 2 samples",
        &[
            ("memory", "swap_used_bytes", None, 0, Some(34_328.0 * 1024.0)),
            ("system", "runnable", None, 1, Some(360.0)),
            ("system", "context_switches", None, 0, None),
            ("system", "context_switches", None, 1, Some(280_094.0)),
            ("cpu", "system_s", None, 1, Some(2.0)),
        ],
    );
    check(
        "01 #iostat -x sda 1\n02 avg-cpu: %user %nice %system %iowait %steal %idle\n\
         03          0.00  0.00  2.16    20.86   0.00   76.98\n04\n\
         05 Device: rrqm/s   wrqm/s r/s     w/s  rsec/s     wsec/s avgrq-sz avgqu-sz await svctm %util\n\
         06 sda     17184.16 0.00   1222.77 0.00 147271.29  0.00   120.44   3.08     2.52  0.81  99.01\n",
        "iostat, 1 sample",
        &[
            ("disk", "busy_s", None, 0, Some(0.9901)),
            ("disk", "reads", None, 0, Some(1223.0)),
            ("cpu", "iowait_s", None, 0, Some(0.2086)),
        ],
    );
}

#[test]
fn a_listing_made_into_a_table() {
    check(
        "Vmstat 10\n\n| procs | | | memory | | | swap | | io | | system | | cpu | | | |\n|----|---|\n\
         | r | b | swpd | free | buff | cache | si | so | bi | bo | in | cs | us | sy | wa | id |\n\
         | 2 | 0 | 0 | 5483524 | 200524 | 234576 | 0 | 0 | 54 | 63 | 152 | 513 | 0 | 3 | 0 | 96 |\n\
         | 0 | 2 | 0 | 1662340 | 200524 | 234576 | 0 | 0 | 578 | 50482 | 1085 | 3994 | 1 | 22 | 14 | 63 |\n\
         | 3 | 0 | 235678 | 7384 | 200524 | 234576 | 18754 | 23745 | 193 | 58946 | 3243 | 14430 | 7 | 32 | 18 | 42 |\n",
        "vmstat, 3 samples",
        &[
            ("vmstat", "swap_in_pages", None, 2, Some(46_885.0)),
            ("memory", "swap_used_bytes", None, 2, Some(235_678.0 * 1024.0)),
            // wa stands before id here.
            ("cpu", "iowait_s", None, 1, Some(1.4)),
            ("cpu", "idle_s", None, 1, Some(6.3)),
        ],
    );
}

#[test]
fn sar_of_several_days_with_a_restart() {
    check(
        "Linux 2.6.18-308.el5 (db1) \t01/31/2012 \t_x86_64_\t(4 CPU)\n\n\
         11:30:01 PM       CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
         11:40:01 PM       all     10.00      0.00      5.00     25.00      0.00     60.00\n\
         12:00:01 AM       all     20.00      0.00      5.00     25.00      0.00     50.00\n\
         Average:          all     15.00      0.00      5.00     25.00      0.00     55.00\n\n\
         12:01:10 AM       LINUX RESTART\n\n\
         12:10:01 AM       CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
         12:20:01 AM       all      1.00      0.00      0.50      0.00      0.00     98.50\n\n\
         Linux 2.6.18-308.el5 (db1) \t02/02/2012 \t_x86_64_\t(4 CPU)\n\n\
         00:00:01      runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15\n\
         00:10:01            3       211      0,52      0,40      0,30\n\
         Moyenne :           3       211      0,52      0,40      0,30\n",
        "sar, 4 samples",
        &[
            ("cpu", "time", None, 0, Some(1_328_053_201_000.0)),
            ("cpu", "user_s", None, 0, Some(240.0)),
            ("cpu", "secs", None, 1, Some(1200.0)),
            ("cpu", "time", None, 1, Some(1_328_054_401_000.0)),
            ("cpu", "secs", None, 2, Some(600.0)),
            ("system", "load1", None, 0, Some(0.52)),
            ("system", "time", None, 0, Some(1_328_141_401_000.0)),
        ],
    );
}

#[test]
fn a_long_name_has_a_line_of_its_own() {
    check(
        "Linux 2.6.18-308.el5 (db1) \t01/31/2012\n\nTime: 10:00:00 AM\n\
         Device:         rrqm/s   wrqm/s   r/s   w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
         VolGroup00-LogVol00\n                  0.00     0.00  1.00  2.00     8.00    16.00     8.00     0.10    1.00   0.50   0.15\n\n\
         Time: 10:00:10 AM\n\
         Device:         rrqm/s   wrqm/s   r/s   w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
         VolGroup00-LogVol00\n                  0.00     0.00  1.50  2.00     8.00    16.00     8.00     0.10    1.00   0.50   0.15\n",
        "iostat, 2 samples",
        &[
            ("disk", "reads", Some(("device", "VolGroup00-LogVol00")), 0, None),
            ("disk", "reads", Some(("device", "VolGroup00-LogVol00")), 1, Some(15.0)),
            ("disk", "write_bytes", Some(("device", "VolGroup00-LogVol00")), 1, Some(81_920.0)),
        ],
    );
}

#[test]
fn vmstat_of_other_systems() {
    check(
        "kthr    memory              page              faults        cpu\n\
         ----- ----------- ------------------------ ------------ -----------\n\
         \x20r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n\
         \x201  0 22478  1677   0   0   0   0    0   0 188 1380 157 57 32  0 10\n\
         \x202  1 22506  1609   0   3   7   0    0   0 214 1476 186 48 37  0 16\n",
        "vmstat, 2 samples",
        &[
            ("memory", "free_bytes", None, 0, Some(1677.0 * 4096.0)),
            ("vmstat", "swap_out_pages", None, 1, Some(7.0)),
            ("cpu", "system_s", None, 1, Some(0.37)),
            ("system", "context_switches", None, 1, Some(186.0)),
        ],
    );
    check(
        " kthr      memory            page            disk          faults      cpu\n\
         \x20r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id\n\
         \x200 0 0 1021016 200240 1  5  2  1  1  0  0  0  0  0  0  402   31   60  0  0 99\n\
         \x200 2 0 1020992 200216 0  9  8  0  0  0  0  0  0  0  0  411   57   71  1  2 97\n",
        "vmstat, 2 samples",
        &[
            ("memory", "free_bytes", None, 1, Some(200_216.0 * 1024.0)),
            ("vmstat", "page_in_bytes", None, 1, Some(8192.0)),
            ("system", "blocked", None, 1, Some(2.0)),
            ("cpu", "idle_s", None, 1, Some(0.97)),
        ],
    );
}

#[test]
fn a_database_that_gets_no_shared_memory() {
    check(
        "ORA-27102: out of memory\nLinux-x86_64 Error: 28: No space left on device\n\nSystem parameters are as follows:\n\n\
         # ipcs\n------ Shared Memory Segments --------\n\n   key shmid owner perms bytes nattch status\n\n\
         \x20  0x00000000 1245184 gdm 600 393216 2 dest\n\n   0x852af124 127926273 oracle 640 8192000 15\n\
         kernel.shmall = 2097152\n",
        "ipcs, 1 sample; Oracle error, 2 samples; sysctl, 1 sample",
        &[
            ("ipc", "size_bytes", None, 1, Some(8_192_000.0)),
            ("limits", "used", Some(("limit_name", "shared_memory_pages")), 0, Some(2096.0)),
            ("limits", "used", Some(("limit_name", "shared_memory_segments")), 0, Some(2.0)),
        ],
    );
}

#[test]
fn a_journal_as_json() {
    let entry = |us: u64, identifier: &str, message: &str| {
        format!(
            "{{\"_HOSTNAME\":\"web\",\"PRIORITY\":\"3\",\"SYSLOG_IDENTIFIER\":\"{identifier}\",\"MESSAGE\":\"{message}\",\"__REALTIME_TIMESTAMP\":\"{us}\",\"_BOOT_ID\":\"00\"}}\n"
        )
    };
    let text = entry(1_795_325_999_250_000, "kernel", "INFO: task dd:77 blocked for more than 120 seconds.")
        + &entry(
            1_795_325_999_250_100,
            "kernel",
            "task:dd              state:D stack:    0 pid:   77 ppid:     1",
        )
        + &entry(1_795_325_999_250_200, "kernel", " io_schedule+0x42/0x70")
        + &entry(1_795_325_999_250_200, "sshd", "session opened")
        + &entry(1_795_325_999_250_300, "kernel", " jbd2_log_wait_commit+0xb2/0x120 [jbd2]")
        + &entry(1_795_325_999_250_400, "kernel", " __x64_sys_fsync+0x10/0x20");
    check(
        &text,
        "kernel log, 5 samples",
        &[
            ("event", "event_ms", None, 0, Some(1_795_325_999_250.0)),
            ("stack", "seconds", None, 0, Some(120.0)),
            ("stack", "tid", None, 0, Some(77.0)),
        ],
    );
}

#[test]
fn the_journal_as_export_and_as_pretty_json() {
    let messages = [
        "mysqld invoked oom-killer: gfp_mask=0x201da, order=0, oom_score_adj=0",
        "Mem-Info:",
        "Node 0 DMA free:15896kB min:20kB low:24kB high:28kB",
        "Out of memory: Kill process 4711 (mysqld) score 900 or sacrifice child",
        "Killed process 4711 (mysqld) total-vm:2000000kB, anon-rss:1500000kB, file-rss:0kB",
    ];
    // Each entry has more lines than a report may have gaps.
    let fields = |at: usize, text: &str| -> Vec<(String, String)> {
        let told = |name: &str, value: String| (name.to_owned(), value);
        let mut fields = vec![
            told("__CURSOR", format!("s=1;i={at}")),
            told("__REALTIME_TIMESTAMP", format!("{}", 1_795_325_999_250_000_u64 + at as u64)),
            told("_TRANSPORT", "kernel".to_owned()),
            told("_HOSTNAME", "web".to_owned()),
            told("PRIORITY", "4".to_owned()),
        ];
        fields.extend((0..30).map(|extra| told(&format!("_X_{extra}"), "y".to_owned())));
        fields.push(told("MESSAGE", text.to_owned()));
        fields
    };
    let export = |(at, text): (usize, &&str)| {
        fields(at, text).iter().map(|(name, value)| format!("{name}={value}\n")).collect::<String>() + "\n"
    };
    let pretty = |(at, text): (usize, &&str)| {
        let lines: Vec<String> =
            fields(at, text).iter().map(|(name, value)| format!("\t\"{name}\" : \"{value}\"")).collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    };
    for text in [
        messages.iter().enumerate().map(export).collect::<String>(),
        messages.iter().enumerate().map(pretty).collect::<String>(),
    ] {
        check(
            &text,
            "kernel log, 1 sample",
            &[
                ("event", "event_ms", Some(("message", messages[4])), 0, Some(1_795_325_999_250.0)),
                ("zone", "free_pages", Some(("zone", "DMA")), 0, Some(15_896.0 / 4.0)),
                ("process", "anon_bytes", Some(("pid", "4711")), 0, Some(1_500_000.0 * 1024.0)),
            ],
        );
    }
}

#[test]
fn iostat_whose_lines_a_mail_broke() {
    let report = |read: &str| {
        format!(
            "avg-cpu:  %user   %nice    %sys %iowait   %idle\n\
             \x20          0.05    0.00    0.05    0.05   99.85\n\n\
             Device:    rrqm/s wrqm/s   r/s   w/s  rsec/s  wsec/s    rkB/s    wkB/s\n\
             avgrq-sz avgqu-sz   await  svctm  %util\n\
             sda          0.00   2.00  0.00  1.20    0.00   25.60     0.00\n\
             12.80    21.33     0.00    0.17   0.17   0.02\n\
             sdc          0.00   3.40  {read}  4.60    3.20   64.00     1.60\n\
             32.00    13.44     0.50    0.80   0.52   0.26\n\n"
        )
    };
    let sdc = Some(("device", "sdc"));
    check(
        &("# iostat -x 5\n".to_owned() + &report("0.40") + &report("0.80")),
        "iostat, 2 samples",
        &[
            ("disk", "reads", sdc, 0, Some(2.0)),
            ("disk", "reads", sdc, 1, Some(4.0)),
            ("disk", "write_bytes", sdc, 0, Some(64.0 * 512.0 * 5.0)),
            ("disk", "queue_s", sdc, 1, Some(2.5)),
            ("disk", "writes", Some(("device", "sda")), 0, Some(6.0)),
        ],
    );
}

#[test]
fn listings_that_a_mail_quotes() {
    let iostat = "# iostat -x 5\n\
        Device:         rrqm/s   wrqm/s   r/s   w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util\n\
        sda               0.00    12.00  1.00  5.00    30.00   130.00    26.67     0.10   10.00   1.00   0.60\n";
    let free = "             total       used       free     shared    buffers     cached\n\
        Mem:       8165256    7985720     179536          0     177636    4015304\n\
        -/+ buffers/cache:    3792780    4372476\n\
        Swap:      2097144         72    2097072\n";
    let quoted =
        |sign: &str, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
    check(
        &(quoted("> ", iostat) + "> \n>\nlooks fine to me\n" + &quoted(">> ", free)),
        "free, 1 sample; iostat, 1 sample",
        &[
            ("disk", "reads", Some(("device", "sda")), 0, Some(5.0)),
            ("memory", "total_bytes", None, 0, Some(8_165_256.0 * 1024.0)),
            ("memory", "swap_used_bytes", None, 0, Some(73_728.0)),
        ],
    );
}

#[test]
fn counters_by_socket_in_json_and_in_other_languages() {
    check(
        "1.000112233,S0,4,8000,,cycles,4001000000,100.00,,\n1.000112233,S1,4,2000,,cycles,4001000000,100.00,,\n\
         1.000112233,S0,4,500,,instructions,4001000000,100.00,0.50,insn per cycle\n\
         1.000112233,S1,4,<not counted>,,instructions,0,0.00,,\n",
        "perf stat, 1 sample",
        &[("pmu", "cycles", None, 0, Some(10_000.0)), ("pmu", "instructions", None, 0, None)],
    );
    check(
        "{\"interval\" : 1.000112233, \"counter-value\" : \"8012.000000\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00}\n\
         {\"interval\" : 2.000112233, \"counter-value\" : \"9012.000000\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 1, \"pcnt-running\" : 100.00}\n",
        "perf stat, 2 samples",
        &[("pmu", "cycles", None, 1, Some(9012.0)), ("pmu", "secs", None, 1, Some(1.0))],
    );
    check(
        " Performance counter stats for './a.out' (5 runs):\n\n          1.234,56 msec task-clock:u              #    0,998 CPUs utilized            ( +-  0,45% )\n\
         \x20    3.456.789.012      cycles:u                  #    2,800 GHz                      ( +-  0,45% )\n\n\
         \x20          1,23712 +- 0,00562 seconds time elapsed  ( +-  0,45% )\n",
        "perf stat, 1 sample",
        &[
            ("pmu", "cycles", Some(("name", "./a.out")), 0, Some(3_456_789_012.0)),
            ("pmu", "secs", None, 0, Some(1.23712)),
        ],
    );
}

#[test]
fn profiles_of_two_events_and_of_files_without_names() {
    let of = |counted| Some(("counted", counted));
    check(
        "CPU: AMD64 processors, speed 2200.1 MHz (estimated)\n\
         Counted CPU_CLK_UNHALTED events (Cycles outside of halt state) with a unit mask of 0x00 (No unit mask) count 100000\n\
         Counted DATA_CACHE_MISSES events (Data cache misses) with a unit mask of 0x00 (No unit mask) count 10000\n\
         CPU_CLK_UNHALT...|DATA_CACHE_MIS...|\n  samples|      %|  samples|      %|\n------------------------------------\n\
         \x20  905898 59.7415     1200 20.0000 vmlinux\n     1000  0.0700        0       0 libc-2.5.so\n",
        "opreport, 1 sample",
        &[
            ("profile", "samples", of("cpu"), 0, Some(905_898.0)),
            ("profile", "self_share", of("DATA_CACHE_MISSES"), 0, Some(0.2)),
            ("profile", "samples", of("DATA_CACHE_MISSES"), 1, Some(0.0)),
        ],
    );
    check(
        "CPU: CPU with timer interrupt, speed 0 MHz (estimated)\nProfiling through timer interrupt\n\
         vma      samples  %        linenr info                 image name app name symbol name\n\
         ffffffff8104 1234  34.5678  (no location information)  vmlinux vmlinux _spin_lock\n\
         00000000     100   0.0300   (no location information)  anon (tgid:2345 range:0x7f0000-0x7f1000) java (no symbols)\n",
        "opreport, 1 sample",
        &[
            ("profile", "samples", Some(("function_name", "_spin_lock")), 0, Some(1234.0)),
            ("profile", "samples", Some(("process_name", "java")), 0, Some(100.0)),
        ],
    );
}

#[test]
fn functions_behind_a_tree_of_callers_are_read_too() {
    let tree = "            |\n            |--30.00%--row_search_mvcc\n            |          btr_cur_search_to_nth_level\n".repeat(40);
    let text = format!(
        "# Samples: 100K of event 'cycles:ppp'\n# Event count (approx.): 81234567890\n#\n\
         # Children      Self       Samples  Command          Shared Object        Symbol\n# ........  ........  ............  .......  .....  .....\n#\n\
         \x20   40.00%    10.00%         10000  mysqld           mysqld               [.] row_search_mvcc\n{tree}             --10.00%--0x7f\n\
         \x20   20.00%    20.00%         20000  swapper          [kernel.kallsyms]    [k] intel_idle\n"
    );
    let of = |name| Some(("function_name", name));
    check(
        &text,
        "perf report, 1 sample",
        &[
            ("profile", "inclusive_share", of("row_search_mvcc"), 0, Some(0.4)),
            ("profile", "self_share", of("intel_idle"), 0, Some(0.2)),
            ("profile", "samples", of("intel_idle"), 0, Some(20_000.0)),
        ],
    );
}

const ROOT: Option<(&str, &str)> = Some(("mount", "/"));

#[test]
fn file_systems_without_a_heading_or_in_another_order() {
    check(
        "# df -hT | grep -v tmpfs\n/dev/sda2 ext4 50G 48G 2.0G 97% /\n/dev/sdb1 xfs 1.8T 900G 900G 50% /data\n",
        "df, 1 sample",
        &[
            ("filesystem", "size_bytes", ROOT, 0, Some(53_687_091_200.0)),
            ("filesystem", "available_bytes", ROOT, 0, Some(2_147_483_648.0)),
        ],
    );
    check(
        "Filesystem     Type     Inodes IUsed   IFree IUse% 1K-blocks     Used   Avail Use% File Mounted on\n\
         /dev/sda2      ext4    3276800 99000 3177800    4%  51474912 48000000  837680  99% -    /\n\
         total          -       3276800 99000 3177800    4%  51474912 48000000  837680  99% -    -\n",
        "df, 1 sample",
        &[
            ("filesystem", "available_bytes", ROOT, 0, Some(857_784_320.0)),
            ("filesystem", "inodes_free", ROOT, 0, Some(3_177_800.0)),
            ("filesystem", "size_bytes", None, 1, None),
        ],
    );
    // As a collector joins it with the output of `mount`.
    check(
        "  Filesystem  Size Used Avail Use% Mounted on Type  Opts Mountpoint\n  \
         /dev/sda7   333G 35G 281G 12% / on / type ext4 (rw,errors=remount-ro,commit=0)\n",
        "df, 1 sample",
        &[("filesystem", "available_bytes", ROOT, 0, Some(301_721_452_544.0))],
    );
}

#[test]
fn rows_of_processes_without_their_header() {
    let pid = |pid: &'static str| Some(("pid", pid));
    check(
        "$ ps -ef | grep java\nweb 4711 1 87 Jan24 ? 3-02:11:09 /usr/bin/java -Xmx4g -jar app.jar\n\
         root 4999 4980 0 10:04 pts/0 00:00:00 grep java\n",
        "ps, 1 sample",
        &[
            ("process", "parent_pid", pid("4711"), 0, Some(1.0)),
            ("process", "parent_pid", pid("4999"), 0, Some(4980.0)),
        ],
    );
}

#[test]
fn averages_alone() {
    let sda = Some(("device", "sda"));
    check(
        "Average:          DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util\n\
         Average:          sda    120.00   1000.00    500.25     12.15      9.31     75.40     98.50\n",
        "sar, 1 sample",
        &[
            ("disk", "secs", sda, 0, Some(1.0)),
            ("disk", "requests", sda, 0, Some(120.0)),
            ("disk", "busy_s", sda, 0, Some(0.985)),
        ],
    );
    // Of a section with samples they are left out.
    check(
        "10:00:01 DEV tps rkB/s wkB/s areq-sz aqu-sz await %util\n\
         10:00:02 sda 7.00 28.00 0.00 4.00 0.01 1.00 0.70\n\
         Average: sda 9.00 28.00 0.00 4.00 0.01 1.00 0.70\n",
        "sar, 1 sample",
        &[("disk", "requests", sda, 0, Some(7.0)), ("disk", "requests", sda, 1, None)],
    );
    let lun = Some(("device", "c7t0d2"));
    check(
        "device %busy avque r+w/s blks/s avwait avserv\n\
         Average c2t6d0 1.50 0.51 4 66 0.06 6.31\nAverage c7t0d2 2.62 19.58 122 15023 3.44 1.27\n",
        "sar, 1 sample",
        &[("disk", "busy_s", lun, 0, Some(0.0262)), ("disk", "requests", lun, 0, Some(122.0))],
    );
}

#[test]
fn a_rate_of_unknown_time_is_not_rounded_to_none() {
    check(
        "Device r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz aqu-sz %util\n\
         sda 0.40 10.00 0.00 0.00 500.00 25.00 10.60 100.00 0.00 0.00 20.00 9.43 0.41 9.00\n",
        "iostat, 1 sample",
        &[
            ("disk", "reads", Some(("device", "sda")), 0, None),
            ("disk", "read_bytes", Some(("device", "sda")), 0, Some(10_240.0)),
            ("disk", "writes", Some(("device", "sda")), 0, Some(11.0)),
            ("disk", "write_s", Some(("device", "sda")), 0, Some(0.22)),
        ],
    );
}

#[test]
fn rows_above_the_first_heading() {
    let sdb = Some(("device", "sdb"));
    let heading = "Device r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz aqu-sz %util\n";
    let row = |writes: &str| {
        format!(
            "sdb 0.00 0.00 0.00 0.00 0.00 0.00 {writes} 152926.00 19.00 12.00 40.00 1152.00 6.25 98.60\n\n"
        )
    };
    check(
        &format!("```\n{}{heading}{}{heading}{}```\n", row("133.00"), row("156.00"), row("65.00")),
        "iostat, 3 samples",
        &[
            ("disk", "writes", sdb, 0, Some(133.0)),
            ("disk", "writes", sdb, 1, Some(156.0)),
            ("disk", "writes", sdb, 2, Some(65.0)),
        ],
    );
}

#[test]
fn rows_of_disks_without_a_heading() {
    let disk = Some(("device", "dev8-0"));
    let text = "> [mysql@db7 ~]$ sar -d 1 | grep dev8-0\n\
                > 11:54:32 AM    dev8-0   5338.00 162784.00   1394.00     30.76      5.24      0.98      0.19    100.00\n\
                > 11:54:33 AM    dev8-0   5134.00 148032.00  32365.00     35.14      6.93      1.34      0.19    100.10\n";
    check(
        text,
        "sar, 2 samples",
        &[
            ("disk", "requests", disk, 0, None),
            ("disk", "requests", disk, 1, Some(5134.0)),
            ("disk", "busy_s", disk, 1, Some(1.001)),
            // Sectors or kilobytes: nobody tells.
            ("disk", "read_bytes", disk, 1, None),
        ],
    );
    assert_eq!(import(text.as_bytes()).capture.expect("tables").host, "db7");
}

#[test]
fn waits_that_are_too_short_for_two_digits_of_their_mean() {
    let sda = Some(("device", "sda"));
    check(
        "10:00:00 DEV tps rkB/s wkB/s dkB/s areq-sz aqu-sz await %util\n\
         10:00:10 sda 2.00 8.00 0.00 0.00 4.00 0.00 1.50 0.10\n\
         10:00:20 sda 2.00 8.00 0.00 0.00 4.00 0.00 75.00 0.10\n",
        "sar, 2 samples",
        &[
            ("disk", "queue_s", sda, 0, Some(0.03)),
            // So long waits are no mean of 0.00: which of both is wrong nobody knows.
            ("disk", "queue_s", sda, 1, Some(0.0)),
        ],
    );
}
