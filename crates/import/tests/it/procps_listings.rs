//! Listings of `top`, `ps`, `free` and `vmstat` of old versions, of BusyBox and in other locales, written by an
//! independent hand from what is published of them; and what is damaged in such a listing.

use crate::listings::check;
use crate::table_text::{import, number, told};

const ONE: Option<(&str, &str)> = Some(("pid", "2301"));

#[test]
fn top_of_2007_with_two_samples() {
    check(
        "top - 23:59:58 up 44 days,  6:01,  2 users,  load average: 1.20, 0.80, 0.50\n\
         Tasks: 140 total,   2 running, 138 sleeping,   0 stopped,   0 zombie\n\
         Cpu(s):  0.3%us,  0.1%sy,  0.0%ni, 99.5%id,  0.1%wa,  0.0%hi,  0.0%si,  0.0%st\n\
         Mem:   8165256k total,  7985720k used,   179536k free,   177636k buffers\n\
         Swap:  2097144k total,       72k used,  2097072k free,  4015304k cached\n\n\
         \x20 PID USER      PR  NI  VIRT  RES  SHR S %CPU %MEM    TIME+  COMMAND\n\
         \x202301 oracle    16   0 2152m 1.1g 1.1g D  0.0 14.5 103:22.10 oracle\n\n\
         top - 00:00:03 up 44 days,  6:01,  2 users,  load average: 1.20, 0.80, 0.50\n\
         Tasks: 140 total,   2 running, 138 sleeping,   0 stopped,   0 zombie\n\
         Cpu(s): 40.0%us, 10.0%sy,  0.0%ni, 20.0%id, 30.0%wa,  0.0%hi,  0.0%si,  0.0%st\n\
         Mem:   8165256k total,  7985720k used,   179536k free,   177636k buffers\n\
         Swap:  2097144k total,       72k used,  2097072k free,  4015304k cached\n\n\
         \x20 PID USER      PR  NI  VIRT  RES  SHR S %CPU %MEM    TIME+  COMMAND\n\
         \x202301 oracle    16   0 2152m 1.1g 1.1g D 48.0 14.5 103:24.50 oracle\n",
        "top, 2 samples",
        &[
            ("system", "load1", None, 0, Some(1.2)),
            ("system", "uptime_s", None, 0, Some(3_823_260.0)),
            ("memory", "total_bytes", None, 0, Some(8_165_256.0 * 1024.0)),
            ("memory", "buffers_bytes", None, 0, Some(177_636.0 * 1024.0)),
            ("memory", "cached_bytes", None, 1, Some(4_015_304.0 * 1024.0)),
            ("memory", "swap_used_bytes", None, 0, Some(73_728.0)),
            // Since boot.
            ("cpu", "user_s", None, 0, None),
            // Five seconds, over midnight.
            ("cpu", "secs", None, 1, Some(5.0)),
            ("cpu", "user_s", None, 1, Some(2.0)),
            ("cpu", "iowait_s", None, 1, Some(1.5)),
            ("process", "virtual_bytes", ONE, 0, Some(2152.0 * 1_048_576.0)),
            ("process", "resident_bytes", ONE, 0, Some(1.1 * 1_073_741_824.0)),
            // In both modes together, from 103:22.10 to 103:24.50.
            ("process", "user_s", ONE, 1, None),
            ("process", "cpu_s", ONE, 1, Some(2.4)),
        ],
    );
}

#[test]
fn threads_of_top_with_decimal_commas_and_a_line_for_each_cpu() {
    check(
        "top - 10:00:00 up 2 min,  1 user,  load average: 0,17, 0,14, 12,10\n\
         Threads: 311 total,   3 running, 308 sleeping,   0 stopped,   0 zombie\n\
         %Cpu0  :  1,0 us,  1,0 sy,  0,0 ni, 98,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st\n\
         %Cpu1  :100,0 us,  0,0 sy,  0,0 ni,  0,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st\n\
         MiB Mem :   3903,5 total,   2352,0 free,    329,9 used,   1221,5 buff/cache\n\
         MiB Swap:   3903,0 total,   3903,0 free,      0,0 used.   3333,5 avail Mem\n\n\
         \x20   PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n\
         \x20  2301 root      -2   0   10288   4052   3332 R  99,9   0,1   1:00.50 my task\n\
         \x20    17 root      rt   0       0      0      0 S   0,0   0,0   0:00.00 migration/0\n\n\
         top - 10:00:02 up 2 min,  1 user,  load average: 0,17, 0,14, 12,10\n\
         Threads: 311 total,   3 running, 308 sleeping,   0 stopped,   0 zombie\n\
         %Cpu0  :  1,0 us,  1,0 sy,  0,0 ni, 98,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st\n\
         %Cpu1  :100,0 us,  0,0 sy,  0,0 ni,  0,0 id,  0,0 wa,  0,0 hi,  0,0 si,  0,0 st\n\
         MiB Mem :   3903,5 total,   2352,0 free,    329,9 used,   1221,5 buff/cache\n\
         MiB Swap:   3903,0 total,   3903,0 free,      0,0 used.   3333,5 avail Mem\n\n\
         \x20   PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n\
         \x20  2301 root      -2   0   10288   4052   3332 R  99,9   0,1   1:02.25 my task\n",
        "top, 2 samples",
        &[
            ("system", "load15", None, 0, Some(12.1)),
            ("system", "tasks", None, 0, Some(311.0)),
            ("system", "runnable", None, 0, Some(3.0)),
            ("cpu", "user_s", Some(("cpu_idx", "1")), 1, Some(2.0)),
            ("cpu", "idle_s", Some(("cpu_idx", "0")), 1, Some(1.96)),
            ("memory", "available_bytes", None, 0, Some(3333.5 * 1_048_576.0)),
            ("thread", "realtime_priority", Some(("tid", "2301")), 0, Some(1.0)),
            ("thread", "realtime_priority", Some(("tid", "17")), 0, None),
            ("thread", "run_s", Some(("tid", "2301")), 0, None),
            ("thread", "run_s", Some(("tid", "2301")), 1, Some(1.75)),
        ],
    );
}

#[test]
fn runs_of_one_sample_are_not_intervals() {
    let sample = |minute: u32| {
        format!(
            "top - 10:0{minute}:00 up 2 min,  1 user,  load average: 0.17, 0.14, 0.10\n\
             Tasks: 108 total,   2 running, 106 sleeping,   0 stopped,   0 zombie\n\
             %Cpu(s):  5.6 us, 11.1 sy,  0.0 ni, 83.3 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n"
        )
    };
    let text = sample(1) + &sample(2);
    check(
        &text,
        "top, 2 samples",
        &[("cpu", "user_s", None, 1, None), ("system", "load1", None, 1, Some(0.17))],
    );
}

#[test]
fn top_of_busybox() {
    check(
        "Mem: 247192K used, 7840K free, 1000K shrd, 2848K buff, 96968K cached\n\
         CPU:   3% usr   1% sys   0% nic  95% idle   1% io   0% irq   0% sirq\n\
         Load average: 0.01 0.04 0.05 2/106 18436\n\
         \x20 PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND\n\
         \x202301     1 root     S     123m   1%   0   0% {mount.sh} /bin/sh /usr/bin/mount.sh\n\
         \x20   2     0 root     SW       0   0%   0   0% [kthreadd]\n",
        "top, 1 sample",
        &[
            ("memory", "cached_bytes", None, 0, Some(96_968.0 * 1024.0)),
            ("system", "runnable", None, 0, Some(2.0)),
            ("system", "tasks", None, 0, Some(106.0)),
            ("process", "parent_pid", ONE, 0, Some(1.0)),
            ("process", "virtual_bytes", ONE, 0, Some(123.0 * 1_048_576.0)),
            ("cpu", "user_s", None, 0, None),
        ],
    );
}

#[test]
fn ps_with_columns_of_ones_own() {
    check(
        "Sun Nov 22 10:00:00 UTC 2026\n\
         \x20   PID STAT WCHAN                ELAPSED   RSS NLWP MAJFL COMMAND\n\
         \x20  2301 D    folio_wait_bit_common      90  4052    3    10 dd\n\
         \x20    17 S    ep_poll                  4000   100    1     0 tmux: server\n\n\
         Sun Nov 22 10:00:30 UTC 2026\n\
         \x20   PID STAT WCHAN                ELAPSED   RSS NLWP MAJFL COMMAND\n\
         \x20  2301 D    -                        120  5000    3    25 dd\n",
        "ps, 2 samples",
        &[
            ("process", "resident_bytes", ONE, 1, Some(5000.0 * 1024.0)),
            ("process", "threads", ONE, 0, Some(3.0)),
            ("process", "start_ms", ONE, 0, Some(1_795_341_510_000.0)),
            ("process", "start_ms", ONE, 1, Some(1_795_341_510_000.0)),
            ("process", "major_faults", ONE, 0, None),
            ("process", "major_faults", ONE, 1, Some(15.0)),
            ("process", "secs", ONE, 1, Some(30.0)),
            ("stack", "tid", None, 0, Some(2301.0)),
            // Who sleeps is not held up.
            ("stack", "tid", None, 1, None),
        ],
    );
}

#[test]
fn ps_where_columns_run_together() {
    check(
        "USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n\
         averylo1234567  0.0  0.1 128068  6676 ?        Ds   Oct25   0:03 /bin/a | b\n",
        "ps, 1 sample",
        &[
            ("process", "pid", None, 0, Some(1_234_567.0)),
            ("process", "resident_bytes", None, 0, Some(6_836_224.0)),
        ],
    );
    check(
        "UID        PID  PPID   LWP  C NLWP STIME TTY          TIME CMD\n\
         root      2301     1  2301  0    2 10:00 ?        00:00:03 /usr/bin/java -jar a.jar\n\
         root      2301     1  2309  0    2 10:00 ?        00:00:02 /usr/bin/java -jar a.jar\n",
        "ps, 1 sample",
        &[
            ("process", "threads", ONE, 0, Some(2.0)),
            ("thread", "pid", Some(("tid", "2309")), 0, Some(2301.0)),
            ("thread", "run_s", Some(("tid", "2309")), 0, None),
        ],
    );
}

#[test]
fn free_of_every_generation() {
    check(
        "             total       used       free     shared    buffers     cached\n\
         Mem:       8165256    7985720     179536          0     177636    4015304\n\
         -/+ buffers/cache:    3792780    4372476\n\
         Swap:      2097144         72    2097072\n",
        "free, 1 sample",
        &[
            ("memory", "cached_bytes", None, 0, Some(4_015_304.0 * 1024.0)),
            // Not counted any more.
            ("memory", "shmem_bytes", None, 0, None),
            ("memory", "swap_used_bytes", None, 0, Some(73_728.0)),
        ],
    );
    check(
        "$ free -g -s 5\n\
         \x20             total        used        free      shared  buff/cache   available\n\
         Mem:            503         120          30           1         352         380\n\
         Swap:             3           0           3\n\n\
         \x20             total        used        free      shared  buff/cache   available\n\
         Mem:            503         120          31           1         352         380\n\
         Swap:             3           0           3\n",
        "free, 2 samples",
        &[
            ("memory", "total_bytes", None, 0, Some(503.0 * 1_073_741_824.0)),
            ("memory", "free_bytes", None, 1, Some(31.0 * 1_073_741_824.0)),
            ("memory", "cached_bytes", None, 0, None),
        ],
    );
}

#[test]
fn a_unit_of_free_that_is_not_sure_is_not_guessed() {
    let text = "total used free shared buff/cache available\nMem: 503 120 30 1 352 380\nSwap: 3 0 3\n";
    let read = import(text.as_bytes());
    assert_eq!(number(&read, "memory", "total_bytes", None, 0), None, "{}", told(&read));
    assert!(read.flaws[0].what.contains("unknown unit"), "{:?}", read.flaws);
}

/// The unit is of the listing after its command line, by the options that every release understands alike.
#[test]
fn the_unit_of_free_is_of_its_own_command_line() {
    let total = |text: &str| number(&import(text.as_bytes()), "memory", "total_bytes", None, 0);
    let listing =
        |total: &str| format!("total used free shared buff/cache available\nMem: {total} 120 30 1 352 380\n");
    let mib = "7865";
    assert_eq!(total(&format!("most of it is free\n{}", listing(mib))), Some(7865.0 * 1_048_576.0));
    assert_eq!(total(&format!("# free -m\n{}", listing(mib))), Some(7865.0 * 1_048_576.0));
    assert_eq!(total(&format!("# free -m --si\n{}", listing(mib))), Some(7865.0 * 1e6));
    assert_eq!(total(&format!("# free --tebi\n{}", listing("700"))), Some(700.0 * 1_099_511_627_776.0));
    for unsure in ["--mega", "--kilo", "--tera", "-h --si"] {
        assert_eq!(total(&format!("# free {unsure}\n{}", listing(mib))), None, "{unsure}");
    }
    let later = format!("# free -g\n{}\n\nanother machine\n{}", listing("503"), listing(mib));
    let read = import(later.as_bytes());
    assert_eq!(
        number(&read, "memory", "total_bytes", None, 1),
        Some(7865.0 * 1_048_576.0),
        "{}",
        told(&read)
    );
}

#[test]
fn a_sentence_is_no_command_line() {
    let listing = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n\
        \x20r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n\
        \x201  0      0 500000  20000 300000    0    0     1     2  100  200  1  1 98  0  0\n\
        \x201  0      0 500000  20000 300000    0    0     1     2  100  200  1  1 98  0  0\n";
    let is_assumed = |above: &str| {
        let read = import(format!("{above}\n{listing}").as_bytes());
        told(&read).contains("unknown interval; rates")
    };
    assert!(is_assumed("vmstat of 2 nodes"));
    for command in ["$ vmstat 2", "$ vmstat -S k 2 5", "root@db1# /usr/bin/vmstat -w 2"] {
        assert!(!is_assumed(command), "{command}");
    }
}

#[test]
fn disks_of_vmstat_by_the_command_s_interval() {
    let rows = |reads: u32, sectors: u32| {
        format!("sda    {reads}    100  {sectors}    8395  50851   5502 1648657  146540      3     44\n")
    };
    let text = format!(
        "# vmstat -d 5 2\n\
         disk- ------------reads------------ ------------writes----------- -----IO------\n\
         \x20      total merged sectors      ms  total merged sectors      ms    cur    sec\n{}{}",
        rows(15_257, 841_035),
        rows(15_300, 841_435)
    );
    check(
        &text,
        "vmstat -d, 2 samples",
        &[
            ("disk", "reads", None, 0, None),
            ("disk", "in_flight", None, 0, Some(3.0)),
            ("disk", "reads", None, 1, Some(43.0)),
            ("disk", "read_bytes", None, 1, Some(204_800.0)),
            ("disk", "secs", None, 1, Some(5.0)),
            ("disk", "busy_s", None, 1, None),
        ],
    );
}

#[test]
fn sums_of_vmstat_between_two_listings() {
    let listing = |user: u32, paged: u32| {
        format!(
            "  8165256 K total memory\n  179536 K free memory\n  {user} non-nice user cpu ticks\n  \
             9 idle cpu ticks\n  {paged} pages paged in\n  7 interrupts\n  1 boot time\n  5 forks\n"
        )
    };
    let text = format!(
        "Sun Nov 22 10:00:00 UTC 2026\n{}Sun Nov 22 10:00:20 UTC 2026\n{}",
        listing(1000, 40),
        listing(1500, 60)
    );
    check(
        &text,
        "vmstat -s, 2 samples",
        &[
            ("memory", "free_bytes", None, 0, Some(179_536.0 * 1024.0)),
            ("cpu", "user_s", None, 0, None),
            ("cpu", "user_s", None, 1, Some(5.0)),
            ("cpu", "secs", None, 1, Some(20.0)),
            ("vmstat", "page_in_bytes", None, 1, Some(20_480.0)),
            ("system", "forks", None, 1, Some(0.0)),
        ],
    );
}

#[test]
fn damaged_rows_are_said() {
    for (text, line, expected) in [
        ("PID PPID NI RSS COMMAND\n7 1 0 12 sh\n8 1 0\n", 3, "expected PID PPID NI RSS COMMAND"),
        ("total used free shared buff/cache available\nMem: 8165256 12\n", 2, "expected 6"),
        (
            "disk- ---reads--- ---writes--- -----IO------\n total merged sectors ms total merged sectors ms cur sec\nsda 1 2 3 4 5 6\n",
            3,
            "expected 10",
        ),
        ("OBJS ACTIVE USE OBJ SIZE SLABS OBJ/SLAB CACHE SIZE NAME\n7 7 100% 0.1K\n", 2, "expected 7"),
    ] {
        let read = import(text.as_bytes());
        assert_eq!(read.flaws.len(), 1, "{text}{:?}", read.flaws);
        assert!(read.flaws[0].place.ends_with(&format!(":{line}")), "{text}{:?}", read.flaws);
        assert!(read.flaws[0].what.contains(expected), "{text}{:?}", read.flaws);
    }
}

#[test]
fn prose_is_no_listing() {
    for text in [
        "the PID of COMMAND is in the first column\n7 men in a boat\n",
        "total used free time\nMem: none\n",
        "top - of the morning\nTasks: 3 of them\n",
        "Active / Total sales\n3 disks and 4 tapes\n26 disks\n",
        "Tcp is a protocol\nNAME of the TYPE\nFilesystem is full\nit lies on / type it (fast)\n",
    ] {
        let read = import(text.as_bytes());
        assert_eq!(read.file.what, "unknown format", "{text}{}", told(&read));
    }
}

#[test]
fn uptime_and_w_across_midnight() {
    check(
        "[root@db1 ~]# w\n\
         \x2023:59:10 up 12 days,  3:04,  2 users,  load average: 3.15, 2.50, 1.70\n\
         USER     TTY      FROM              LOGIN@   IDLE   JCPU   PCPU WHAT\n\
         root     pts/0    10.0.0.1         14:00    0.00s  0.04s  0.00s w\n\
         [root@db1 ~]# uptime\n\
         \x2000:04:10 up 12 days,  3:09,  1 user,  load average: 0,15, 1,50, 1,60\n",
        "uptime, 2 samples",
        &[
            ("system", "load1", None, 0, Some(3.15)),
            ("system", "load15", None, 0, Some(1.7)),
            ("system", "uptime_s", None, 0, Some(12.0 * 86_400.0 + 3.0 * 3600.0 + 240.0)),
            ("system", "load1", None, 1, Some(0.15)),
            ("system", "load5", None, 1, Some(1.5)),
        ],
    );
    // The line of `top` is of `top`, and prose is nothing.
    assert!(!import(b"12:00 up to now the load average: 1, 2\n").file.is_known);
}

#[test]
fn top_before_procps_3_2() {
    let sample = |time: &str, user: &str, idle: &str, cpu_time: &str| {
        format!(
            " {time}  up 11 min,  1 user,  load average: 1.35, 1.38, 0.85\n\
             86 processes: 85 sleeping, 1 running, 0 zombie, 0 stopped\n\
             CPU0 states:   {user}% user   1.0% system    0.0% nice   0.0% iowait  {idle}% idle\n\
             CPU1 states:   0.0% user   1.0% system    0.0% nice   0.0% iowait  98.0% idle\n\
             Mem:   513172k av,  340916k used,  172256k free,       0k shrd,   11904k buff\n\
             \x20                   242200k actv,   24552k in_d,   15120k in_c\n\
             Swap: 1060088k av,      40k used, 1060048k free                  254744k cached\n\n\
             \x20 PID USER     PRI  NI  SIZE  RSS SHARE STAT %CPU %MEM   TIME CPU COMMAND\n\
             \x20  29 root      15   0     0    0     0 SW    0.9  0.0   0:03   1 raid1syncd\n\
             \x202301 oracle    25   0  113M 105M 11316 R    88.6  5.2   {cpu_time}   1 oracle\n\n"
        )
    };
    let cpu0 = Some(("cpu_idx", "0"));
    check(
        &(sample("14:34:53", "0.1", "97.0", "0:16") + &sample("14:34:58", "40.0", "59.0", "0:18")),
        "top, 2 samples; uptime, 2 samples",
        &[
            ("system", "load1", None, 0, Some(1.35)),
            ("memory", "total_bytes", None, 0, Some(513_172.0 * 1024.0)),
            ("memory", "free_bytes", None, 1, Some(172_256.0 * 1024.0)),
            ("memory", "cached_bytes", None, 1, Some(254_744.0 * 1024.0)),
            ("memory", "swap_total_bytes", None, 0, Some(1_060_088.0 * 1024.0)),
            ("cpu", "user_s", cpu0, 0, None),
            ("cpu", "user_s", cpu0, 1, Some(2.0)),
            ("cpu", "idle_s", cpu0, 1, Some(2.95)),
            ("process", "resident_bytes", ONE, 0, Some(105.0 * 1_048_576.0)),
        ],
    );
}

#[test]
fn top_of_rhel_3_has_a_table_of_cpus() {
    check(
        " 15:36:31  up 12 days, 20:48,  3 users,  load average: 0.05, 0.08, 0.06\n\
         77 processes: 76 sleeping, 1 running, 0 zombie, 0 stopped\n\
         CPU states:  cpu    user    nice  system    irq  softirq  iowait    idle\n\
         \x20          total    0.3%    0.0%    0.3%   0.0%     0.0%    0.0%   99.2%\n\
         \x20          cpu00    0.6%    0.0%    0.6%   0.0%     0.0%    0.0%   98.4%\n\
         Mem:   512096k av,  503680k used,    8416k free,       0k shrd,  152816k buff\n\n\
         \x20 PID USER     PRI  NI  SIZE  RSS SHARE STAT %CPU %MEM   TIME CPU COMMAND\n\
         \x202301 root      15   0   504  468   440 S     0.0  0.0   0:04   0 init\n\n\
         \x2015:36:41  up 12 days, 20:48,  3 users,  load average: 0.05, 0.08, 0.06\n\
         77 processes: 76 sleeping, 1 running, 0 zombie, 0 stopped\n\
         CPU states:  cpu    user    nice  system    irq  softirq  iowait    idle\n\
         \x20          total   20.0%    0.0%    0.3%   0.0%     5.0%    0.0%   74.7%\n\
         \x20          cpu00   20.0%    0.0%    0.3%   0.0%     5.0%    0.0%   74.7%\n\
         Mem:   512096k av,  503680k used,    8416k free,       0k shrd,  152816k buff\n",
        "top, 2 samples; uptime, 2 samples",
        &[
            ("memory", "total_bytes", None, 0, Some(512_096.0 * 1024.0)),
            ("cpu", "user_s", Some(("cpu_idx", "0")), 0, None),
            ("cpu", "user_s", Some(("cpu_idx", "0")), 1, Some(2.0)),
            ("cpu", "softirq_s", Some(("cpu_idx", "0")), 1, Some(0.5)),
        ],
    );
}

#[test]
fn times_of_uptime_to_the_minute() {
    let one = |text: &str| import(text.as_bytes());
    let read = one(
        "  2:48am  up 5 days,  3:04,  2 users,  load average: 3.15, 2.50, 1.70\n  2:48am  up 5 days,  3:04,  2 users,  load average: 3.00, 2.50, 1.70\n",
    );
    let time = |row| number(&read, "system", "time", None, row);
    // The file was written on 2026-11-22.
    assert_eq!(time(0).map(|ms| ms % 86_400_000.0), Some((2.0 * 3600.0 + 48.0 * 60.0) * 1000.0));
    assert_eq!(time(1).zip(time(0)).map(|(later, first)| later - first), Some(1000.0));
    assert_eq!(number(&read, "system", "load1", None, 1), Some(3.0));
    // A date above it tells the second.
    let read = one(
        "Thu Mar  3 02:48:31 UTC 2022\n  2:48am  up 5 days,  3:04,  2 users,  load average: 3.15, 2.50, 1.70\n",
    );
    assert_eq!(number(&read, "system", "time", None, 0), Some(1_646_275_711_000.0));
}

#[test]
fn pages_that_systemtap_saw_given() {
    let read = import(
        b"| Command | Pid | Alloc | Free | A_fault | A_ufree | A_pgin | A_cow | A_unmap |\n\
          |---------|-----|-------|------|---------|---------|--------|-------|---------|\n\
          | memory | 25685 | 2842784 | 4064408 | 2834840 | 3989816 | 14 | 0 | 48185 |\n\
          | mixer applet2 | 7687 | 302 | 2827 | 0 | 0 | 1 | 0 | 1241 |\n",
    );
    assert_eq!(read.file.what, "SystemTap, 1 sample");
    let name = Some(("name", "mixer applet2"));
    assert_eq!(number(&read, "process", "pid", name, 0), Some(7687.0));
    assert_eq!(number(&read, "process", "minor_faults", Some(("name", "memory")), 0), None);
    assert!(
        read.file.notes.iter().any(|note| note.contains("no column takes A_cow")),
        "{:?}",
        read.file.notes
    );
}

#[test]
fn devices_of_swap_are_summed() {
    let proc_swaps = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
                      /swap.img                               file\t\t3996668\t\t1024\t\t-2\n\
                      /dev/sda2                               partition\t1000\t\t24\t\t-3\n";
    let expected = [
        ("memory", "swap_total_bytes", None, 0, Some(3_997_668.0 * 1024.0)),
        ("memory", "swap_used_bytes", None, 0, Some(1048.0 * 1024.0)),
        ("memory", "swap_free_bytes", None, 0, Some(3_996_620.0 * 1024.0)),
    ];
    check(proc_swaps, "swapon, 1 sample", &expected);
    let show = "NAME      TYPE       SIZE USED PRIO\n/dev/sda2 partition    2G   0B   -2\n";
    check(show, "swapon, 1 sample", &[("memory", "swap_total_bytes", None, 0, Some(2_147_483_648.0))]);
    let damaged = import(proc_swaps.replace("1024", "x").as_bytes());
    assert!(
        damaged.flaws.iter().any(|flaw| flaw.what.contains("swapon: a damaged row")),
        "{:?}",
        damaged.flaws
    );
}
