//! CPU use as one screen shows it: what was read of it, and what the rules say by the listing. Screens are of public
//! questions and reports of faults, cut to the rows that matter.

use heldup_diagnose::{Ruleset, diagnose};
use heldup_model::{Finding, Severity};

use crate::listings::check;
use crate::table_text::{import, told};

const PROC: fn(&'static str) -> Option<(&'static str, &'static str)> = |number| Some(("number", number));

/// A miner on a machine whose number of CPUs nobody tells.
const FULL: &str = "[root@hl tmp]# top
top - 09:56:29 up 29 days, 20:47,  4 users,  load average: 96.61, 96.79, 96.79
Tasks: 530 total,   1 running, 529 sleeping,   0 stopped,   0 zombie
%Cpu(s): 99.3 us,  0.7 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
KiB Mem : 13176443+total,  1525340 free, 48863452 used, 81375632 buff/cache
KiB Swap:        0 total,        0 free,        0 used. 81065032 avail Mem

  PID USER      PR  NI    VIRT    RES    SHR S  %CPU %MEM     TIME+ COMMAND
  770 HwHiAiU+  20   0 4882144   4.6g   2056 S 242.3  3.7 189669:14 cnrig
 9375 HwHiAiU+  20   0 4728380   4.5g   2056 S 215.4  3.6  22581:33 cnrig
";

/// One of many CPUs, full with softirqs, and a load that few tasks make.
const ONE: &str = "top - 12:49:02 up 12 days,  1:02,  1 user,  load average: 76.05, 45.80, 21.21
Tasks: 412 total,   2 running, 410 sleeping,   0 stopped,   0 zombie
%Cpu(s):  0.7 us,  1.7 sy,  0.0 ni, 89.0 id,  0.0 wa,  0.0 hi,  8.6 si,  0.0 st
MiB Mem :  64000.0 total,  12000.0 free,  18000.0 used,  34000.0 buff/cache
MiB Swap:      0.0 total,      0.0 free,      0.0 used.  46000.0 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
     62 root      20   0       0      0      0 R 100.0   0.0  12:21.14 ksoftirqd/10
   5475 root      20   0 5321700   1.1g 101020 S  29.4   1.7 801:13.47 k3s-server
";

fn findings(text: &str) -> Vec<Finding> {
    let read = import(text.as_bytes());
    let capture = read.capture.as_ref().unwrap_or_else(|| panic!("nothing was read\n{}", told(&read)));
    let answer = diagnose(capture, &Ruleset::builtin());
    assert!(answer.errors.is_empty(), "{:?}", answer.errors);
    answer.findings
}

fn of<'f>(findings: &'f [Finding], id: &str) -> Option<&'f Finding> {
    findings.iter().find(|finding| finding.id == id)
}

#[test]
fn percentages_of_a_first_screen_are_kept_and_are_no_seconds() {
    let host = Some(("subject", "host"));
    check(
        FULL,
        "top, 1 sample",
        &[
            ("listed_cpu", "user_share", host, 0, Some(0.993)),
            ("listed_cpu", "idle_share", host, 0, Some(0.0)),
            ("listed_cpu", "used_cpus", PROC("770"), 0, Some(2.423)),
            ("process", "cpu_s", Some(("pid", "770")), 0, None),
            ("cpu", "user_s", None, 0, None),
        ],
    );
}

#[test]
fn tools_that_print_shares_of_all_cpus_are_told_from_others() {
    let busybox = "Mem: 24178712K used, 505388K free, 26772K shrd, 141204K buff, 20121232K cached
CPU:  16% usr   0% sys  84% nic   0% idle   0% io   0% irq   0% sirq
Load average: 7.20 2.77 1.86 14/214 6455
  PID  PPID USER     STAT   VSZ %VSZ %CPU COMMAND
 5050 29500 root     SN   1190m   5%  15% rustc
";
    check(
        busybox,
        "top, 1 sample",
        &[
            ("listed_cpu", "used_share", PROC("5050"), 0, Some(0.15)),
            ("listed_cpu", "used_cpus", PROC("5050"), 0, None),
            ("listed_cpu", "nice_share", Some(("subject", "host")), 0, Some(0.84)),
        ],
    );
    let solaris = "last pid: 10435;  load averages:  2.29,  2.21,  2.15
61 processes:  58 sleeping, 1 zombie, 2 on cpu
CPU states: 12.0% idle, 80.1% user,  7.9% kernel,  0.0% iowait,  0.0% swap
Memory: 8192M real, 1234M free, 512M swap in use, 4096M swap free

   PID USERNAME THR PRI NICE  SIZE   RES STATE    TIME    CPU COMMAND
  1182 oracle    11  20    0 1500M 1200M cpu/3   72:03 12.40% oracle
";
    check(
        solaris,
        "top of Unix, 1 sample",
        &[
            ("listed_cpu", "used_share", PROC("1182"), 0, Some(0.124)),
            ("listed_cpu", "system_share", Some(("subject", "host")), 0, Some(0.079)),
        ],
    );
    let freebsd = "  PID USERNAME    THR PRI NICE   SIZE    RES STATE    C   TIME    WCPU COMMAND
 7449 root         14  20    0    14G    78M kqread   2   2:12 399.81% bhyve
";
    check(freebsd, "top of Unix, 1 sample", &[("listed_cpu", "used_cpus", PROC("7449"), 0, Some(3.9981))]);
    check(
        include_str!("../../fixtures/top_of_macOS/public-o-cpu.txt"),
        "top of macOS, 1 sample",
        &[
            ("system", "load5", None, 0, Some(2.0)),
            ("listed_cpu", "idle_share", Some(("subject", "host")), 0, Some(0.8711)),
            ("listed_cpu", "used_cpus", Some(("name", "CleanMyMac X")), 0, Some(0.173)),
            ("process", "threads", Some(("name", "kernel_task")), 0, Some(228.0)),
            ("process", "parent_pid", Some(("name", "Google Chrom")), 0, Some(1.0)),
        ],
    );
}

#[test]
fn cpus_that_are_full_by_the_listing_are_a_warning_with_who() {
    let found = findings(FULL);
    let full = of(&found, "cpu.saturated").expect("full CPUs");
    assert_eq!(full.severity, Severity::Warning);
    assert_eq!(full.title, "CPUs at that moment: 100 % busy by the listing, load average 96.6");
    let first = full.culprits.first().expect("a culprit");
    assert_eq!((first.name.as_str(), first.role.as_deref()), ("cnrig", Some("458 % CPU")));
    // The same screen, whose tasks know nothing of it.
    let other = FULL
        .replace("242.3", "  2.3")
        .replace("215.4", "  0.4")
        .replace("load average: 96.61", "load average: 0.61");
    let found = findings(&other);
    assert_eq!(of(&found, "cpu.saturated").map(|one| one.severity), Some(Severity::Info));
}

#[test]
fn one_full_cpu_of_many_is_said_and_no_saturation() {
    let found = findings(ONE);
    assert!(of(&found, "cpu.saturated").is_none());
    let one = of(&found, "cpu.single-thread").expect("one full CPU");
    assert_eq!((one.severity, one.subject.pid), (Severity::Info, Some(62)));
    assert_eq!(one.title, "ksoftirqd/10 (62) uses one CPU (100 % of it by the listing)");
}

#[test]
fn use_over_the_life_of_a_process_decides_nothing() {
    let ps = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root        4321  780  2.9 9736884 736884 ?      Sl   18:45  90:08 /usr/bin/java -jar a.jar
";
    check(ps, "ps, 1 sample", &[("listed_cpu", "used_cpus", Some(("name", "java")), 0, Some(7.8))]);
    assert!(findings(ps).iter().all(|one| !one.id.starts_with("cpu.")));
}

#[test]
fn sizes_of_vmstat_in_an_unknown_unit_are_not_read() {
    let rows = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0    801 120111    632    0    0  2171    52 9641 43733  0  4 95  0  0
 2  0      0    789 120122    632    0    0   599     0 9711 43799  0  6 94  0  0
";
    let unknown = import(rows.as_bytes());
    assert!(told(&unknown).contains("unknown unit of memory"), "{}", told(&unknown));
    check(
        rows,
        "vmstat, 2 samples",
        &[("memory", "free_bytes", None, 0, None), ("system", "runnable", None, 1, Some(2.0))],
    );
    let with_command = format!("db1:~ # vmstat -S M 1\n{rows}");
    check(
        &with_command,
        "vmstat, 2 samples",
        &[("memory", "free_bytes", None, 0, Some(801.0 * 1_048_576.0))],
    );
}

#[test]
fn the_prompt_of_a_shell_names_the_host() {
    let host = |text: &str| import(text.as_bytes()).capture.expect("tables").host;
    assert_eq!(host(FULL), "hl");
    let free = "              total        used        free      shared  buff/cache   available
Mem:       24684092      534380    23525860       19416      971236    24149712
";
    assert_eq!(host(&format!("root@vm-host-1:~# free\n{free}")), "vm-host-1");
    assert_eq!(host(&format!("a@laptop:~$ ssh root@db1\nroot@db1:~# free\n{free}")), "unknown");
    assert_eq!(host(free), "unknown");
}

#[test]
fn rows_of_ps_without_their_header_are_read_from_two_on() {
    let rows = "# ps axu | grep \" D \"
165536     302  0.0  0.0   6172   732 ?        D    02:00   0:00 sync
165536     307  0.0  0.0   6172   736 ?        D    10:15   0:00 sync
165536     647  0.0  0.0   6172   736 ?        D    Oct14   0:00 sync -f /srv
";
    let pid = |pid: &'static str| Some(("pid", pid));
    check(
        rows,
        "ps, 1 sample",
        &[
            ("process", "resident_bytes", pid("302"), 0, Some(732.0 * 1024.0)),
            ("process", "resident_bytes", pid("647"), 0, Some(736.0 * 1024.0)),
        ],
    );
}
