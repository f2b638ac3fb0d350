mod memory_and_hardware;

use super::*;

/// Reports of lines `[seconds][caller] text`, as `dmesg` prints them.
fn reports(text: &str) -> Vec<KernelReportRow> {
    let mut reports = KernelReports::default();
    for (number, line) in (1..).zip(text.lines()) {
        let bracketed = |text: &str| {
            let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
            Some((inside.trim().to_owned(), rest.to_owned()))
        };
        let (seconds, rest) = bracketed(line).unwrap_or_default();
        let rest = if seconds.is_empty() { line.to_owned() } else { rest };
        let is_caller = |inside: &str| inside.starts_with(['C', 'T']) && inside[1..].parse::<u32>().is_ok();
        let (caller, rest) = match bracketed(&rest).filter(|(inside, _)| is_caller(inside)) {
            Some((caller, rest)) => (Some(caller), rest),
            None => (None, rest),
        };
        let ms = seconds.parse::<f64>().ok().map(|seconds| (seconds * 1000.0) as i64);
        let text = rest.strip_prefix(' ').unwrap_or(&rest);
        reports.take(&LogLine { number, ms, caller: caller.as_deref(), text });
    }
    reports.close();
    reports.ended()
}

fn one(text: &str) -> KernelReportRow {
    let mut all = reports(text);
    assert_eq!(all.len(), 1, "{all:#?}");
    all.remove(0)
}

fn text(cell: &Option<Text>) -> &str {
    cell.as_deref().unwrap_or("")
}

/// systemd/systemd-centos-ci issue 536 (5.19); between its functions a line of the network.
const HUNG_5_19: &str = "\
[  245.668316] INFO: task jbd2/sda1-8:190 blocked for more than 122 seconds.
[  245.668705]       Tainted: G             L    5.19.7-arch1-1 #1
[  245.669078] \"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.
[  245.669480] task:jbd2/sda1-8     state:D stack:    0 pid:  190 ppid:     2 flags:0x00004000
[  245.670054] Call Trace:
[  245.670188]  <TASK>
[  245.670298]  __schedule+0x356/0x11a0
[  245.670674]  ? autoremove_wake_function+0x32/0x60
[  245.670991]  schedule+0x5e/0xd0
[  245.671000] e1000: eth0 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX
[  245.671175]  jbd2_journal_wait_updates+0x77/0xe0 [jbd2 ae888ef92775c4ea4c63d1cd1f51b1b9f7d9f47d]
[  245.671951]  jbd2_journal_commit_transaction+0x2b3/0x1a40 [jbd2 ae888ef92775c4ea4c63d1cd1f51b1b9f7d9f47d]
[  245.673027]  kjournald2+0xb7/0x2a0 [jbd2 ae888ef92775c4ea4c63d1cd1f51b1b9f7d9f47d]
[  245.674568]  kthread+0xde/0x110
[  245.675074]  ret_from_fork+0x22/0x30
[  245.675300]  </TASK>
";

#[test]
fn a_hung_task_and_where_it_waits() {
    let hung = one(HUNG_5_19);
    assert_eq!((text(&hung.kind), text(&hung.name), hung.pid), ("hung_task", "jbd2/sda1-8", Some(190)));
    assert_eq!((hung.duration_s, text(&hung.function_name)), (Some(122.0), "jbd2_journal_wait_updates"));
    assert!(text(&hung.kernel_stack).ends_with("jbd2_journal_wait_updates;schedule;__schedule"), "{hung:?}");
    // Cut anywhere it is a report as far as it goes.
    let lines: Vec<&str> = HUNG_5_19.lines().collect();
    for end in 1..lines.len() {
        let cut = one(&lines[..end].join("\n"));
        assert_eq!((text(&cut.name), cut.duration_s), ("jbd2/sda1-8", Some(122.0)));
    }
    let headless = one(&lines[1..].join("\n"));
    assert_eq!((text(&headless.name), headless.pid, headless.duration_s), ("jbd2/sda1-8", Some(190), None));
}

#[test]
fn functions_that_the_kernel_doubts_name_a_place_but_no_class() {
    // A kernel without frame pointers, with the lock of ZFS that it waits for.
    let hung = one("\
[  479.972521] INFO: task nfsd:3782 blocked for more than 120 seconds.
[  479.972641] \"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.
[  479.972782] nfsd            D ffff88013fc127c0     0  3782      2 0x00000000
[  479.972793]  ffff88012e5997c0 0000000000000046 0000000000000000 ffffffff8160d020
[  479.972808] Call Trace:
[  479.972813]  [<ffffffff8135077c>] ? __mutex_lock_common.isra.5+0xff/0x164
[  479.972817]  [<ffffffff8135066a>] ? mutex_lock+0x1a/0x2d
[  479.972844]  [<ffffffffa03745c0>] ? zfsctl_lookup_objset+0x29/0x288 [zfs]
");
    assert_eq!((text(&hung.name), text(&hung.detail), &hung.class_name), ("nfsd", "doubted", &None));
    assert_eq!(text(&hung.function_name), "zfsctl_lookup_objset");
}

#[test]
fn a_wait_without_a_lock_has_no_class_of_one() {
    let at = |functions: &str| {
        let functions: String = functions
            .split(' ')
            .map(|name| format!("[  362.1]  [<ffffffff8163ae49>] {name}+0x29/0x70\n"))
            .collect();
        one(&format!(
            "[  362.1] INFO: task foo:915 blocked for more than 120 seconds.\n\
             [  362.1] foo             D ffff88003fc14cc0     0   915      2 0x00000080\n[  362.1] Call Trace:\n{functions}"
        ))
    };
    let check = |functions: &str, class: &str, place: &str| {
        let hung = at(functions);
        assert_eq!((text(&hung.class_name), text(&hung.function_name)), (class, place), "{functions}");
    };
    check(
        "schedule schedule_timeout wait_for_completion kthread_stop md_unregister_thread",
        "kernel_wait",
        "kthread_stop",
    );
    check(
        "schedule schedule_timeout wait_for_completion wait_rcu_gp synchronize_sched",
        "kernel_wait",
        "wait_rcu_gp",
    );
    check(
        "schedule schedule_timeout wait_for_completion _synchronize_rcu_expedited",
        "kernel_wait",
        "_synchronize_rcu_expedited",
    );
    check("schedule exit_mm do_exit do_group_exit", "", "exit_mm");
    check("schedule schedule_timeout some_driver_wait some_driver_thread kthread", "", "some_driver_wait");
    check(
        "schedule rwsem_down_read_failed call_rwsem_down_read_failed down_read xfs_ilock xfs_file_aio_read",
        "lock_inode",
        "xfs_ilock",
    );
    check(
        "schedule schedule_preempt_disabled __mutex_lock_slowpath mutex_lock foo_ioctl",
        "lock_kernel",
        "foo_ioctl",
    );
}

#[test]
fn who_holds_the_lock_where_the_kernel_says_so() {
    let hung = one("\
[  124.2] INFO: task bash:812 blocked for more than 122 seconds.
[  124.2] task:bash            state:D stack:0     pid:812   tgid:812   ppid:790    task_flags:0x400100 flags:0x00004002
[  124.2] Call Trace:
[  124.2]  <TASK>
[  124.2]  __schedule+0x4a1/0x1240
[  124.2]  __mutex_lock+0x4f5/0x9b0
[  124.2]  hung_write+0x51/0x90
[  124.2]  </TASK>
[  124.2] INFO: task bash:812 is blocked on a mutex likely owned by task cat:809.
[  124.2] task:cat             state:S stack:0     pid:809   tgid:809   ppid:790    task_flags:0x400100 flags:0x00000002
[  124.2] Call Trace:
[  124.2]  <TASK>
[  124.2]  msleep_interruptible+0x1c/0x30
");
    assert_eq!((text(&hung.holder_name), hung.holder_pid), ("cat", Some(809)));
    assert_eq!(text(&hung.function_name), "hung_write");
}

#[test]
fn lockups_of_every_age() {
    let check =
        |line: &str, kind: &str, cpu: Option<i64>, seconds: Option<f64>, task: Option<(&str, i64)>| {
            let report = one(line);
            let expect = (kind, cpu, seconds, task);
            let told = report.name.as_deref().zip(report.pid);
            assert_eq!((text(&report.kind), report.cpu, report.duration_s, told), expect, "{line}");
        };
    let soft = "soft_lockup";
    check(
        "[1.5] watchdog: BUG: soft lockup - CPU#9 stuck for 27s! [kworker/9:0:24827]",
        soft,
        Some(9),
        Some(27.0),
        Some(("kworker/9:0", 24827)),
    );
    check(
        "[1.5] NMI watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [poweroff:965]",
        soft,
        Some(0),
        Some(22.0),
        Some(("poweroff", 965)),
    );
    check(
        "[1.5] BUG: soft lockup - CPU#0 stuck for 61s! [kbd:3360]",
        soft,
        Some(0),
        Some(61.0),
        Some(("kbd", 3360)),
    );
    check("[1.5] watchdog: BUG: soft lockup - CPU#11 stuck for 94s!", soft, Some(11), Some(94.0), None);
    check("BUG: soft lockup detected on CPU#0!", soft, Some(0), None, None);
    let hard = "hard_lockup";
    check("[1.5] NMI watchdog: Watchdog detected hard LOCKUP on cpu 144", hard, Some(144), None, None);
    check("[1.5] watchdog: Watchdog detected hard LOCKUP on cpu 3", hard, Some(3), None, None);
    check("[1.5] watchdog: CPU 5 detected hard LOCKUP on other CPUs 7", hard, Some(7), None, None);
    check(
        "[1.5] watchdog: CPU 5 self-detected hard LOCKUP @ queued_spin_lock_slowpath+0x90/0x1a0",
        hard,
        Some(5),
        None,
        None,
    );
    check("[1.5] Watchdog CPU:59 Hard LOCKUP", hard, Some(59), None, None);
    check(
        "[1.5] Kernel panic - not syncing: Watchdog detected hard LOCKUP on cpu 2",
        hard,
        Some(2),
        None,
        None,
    );
    // lse.sourceforge.net, a test of kdump with 2.6.12.
    let old = one("\
NMI Watchdog detected LOCKUP on CPU0, eip c04bd3b4, registers:
Modules linked in:
CPU:    0
EIP:    0060:[<c04bd3b4>]    Not tainted VLI
EIP is at _spin_lock_irqsave+0x24/0xa0
eax: 00000001   ebx: c4710f60  ecx: 00000001   edx: 00000086
Call Trace:
 [<c01292c4>] lock_timer_base+0x24/0x50
");
    assert_eq!((old.cpu, text(&old.function_name)), (Some(0), "_spin_lock_irqsave"));
    for line in [
        "NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.",
        "watchdog: Delayed init of the lockup detector failed: -19",
        "systemd[1]: Watchdog running with a timeout of 30s.",
        "BUG: kernel NULL pointer dereference, address: 0000000000000008",
        "the soft lockup detector is enabled",
    ] {
        assert_eq!(reports(line), [], "{line}");
    }
}

/// lkml, 10 May 2017: Dell with 4.13 in hibernation; and where the CPU was.
#[test]
fn what_a_stuck_cpu_runs() {
    let hard = one("\
[ 1139.392042] NMI watchdog: Watchdog detected hard LOCKUP on cpu 27
[ 1139.392076] CPU: 27 PID: 3128 Comm: systemd-sleep Not tainted 4.13.0-0.rc2.git0.1.fc27.x86_64 #1
[ 1139.392077] task: ffff9f01971ac000 task.stack: ffffb1a3f325c000
[ 1139.392083] RIP: 0010:memory_bm_find_bit+0xf4/0x100
[ 1139.392084] RSP: 0018:ffffb1a3f325fc20 EFLAGS: 00000006
");
    assert_eq!(
        (text(&hard.name), hard.pid, text(&hard.function_name)),
        ("systemd-sleep", Some(3128), "memory_bm_find_bit")
    );
}

/// From pstore: the head of the report is lost.
#[test]
fn a_lockup_without_its_head() {
    let hard = one("\
[1401585.395821]  [<ffffffff8b129665>] watchdog_overflow_callback+0xd5/0xe0
[1401585.395822]  [<ffffffff8b16cf7f>] __perf_event_overflow+0x7f/0x1c0
[1401585.395826]  [<ffffffff8b0ca613>] ? native_queued_spin_lock_slowpath+0x113/0x1a0
[1401585.395827]  <EOE>  [<ffffffff8b5d4df8>] _raw_spin_lock_irq+0x28/0x30
[1401585.395828]  [<ffffffff8b0b1c4e>] some_caller+0x2e/0x60
");
    assert_eq!((text(&hard.kind), text(&hard.function_name)), ("hard_lockup", "_raw_spin_lock_irq"));
}

/// Two CPUs that print at once, with and without the writer of each line.
#[test]
fn reports_of_two_cpus_at_once() {
    let lines = |marked: bool| -> String {
        let line = |cpu: u32, text: &str| {
            if marked { format!("[  52.5][    C{cpu}] {text}\n") } else { format!("[  52.5] {text}\n") }
        };
        [
            line(1, "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [a:101]"),
            line(2, "watchdog: BUG: soft lockup - CPU#2 stuck for 23s! [b:102]"),
            line(1, "CPU: 1 PID: 101 Comm: a Tainted: G             L    5.10.119-linuxkit #1"),
            line(2, "CPU: 2 PID: 102 Comm: b Tainted: G             L    5.10.119-linuxkit #1"),
            line(2, "RIP: 0010:second+0x1/0x2"),
            line(1, "RIP: 0010:first+0x1/0x2"),
            line(1, "Call Trace:"),
            line(2, "Call Trace:"),
            line(1, " of_a+0x1/0x2"),
            line(2, " of_b+0x1/0x2"),
        ]
        .concat()
    };
    let marked = reports(&lines(true));
    let told: Vec<_> = marked
        .iter()
        .map(|row| (text(&row.name), text(&row.function_name), text(&row.kernel_stack)))
        .collect();
    assert_eq!(told, [("a", "first", "of_a"), ("b", "second", "of_b")]);
    let unmarked = reports(&lines(false));
    let told: Vec<_> = unmarked
        .iter()
        .map(|row| (text(&row.name), row.duration_s, text(&row.function_name), text(&row.kernel_stack)))
        .collect();
    assert_eq!(
        told,
        [("a", Some(22.0), "", ""), ("b", Some(23.0), "", "")],
        "whose functions they are is not known"
    );
}

fn check_stall(log: &str, detail: &str, cpu: Option<i64>, jiffies: Option<i64>, seconds: Option<f64>) {
    let report = one(log);
    let told = (text(&report.detail), report.cpu, report.stalled_jiffies, report.duration_s);
    assert_eq!((text(&report.kind), told), ("rcu_stall", (detail, cpu, jiffies, seconds)), "{log}");
}

#[test]
fn stalls_of_rcu_of_every_age() {
    // NTULINUX/RTAI issue 13, without its end.
    check_stall(
        "[ 5576.732172] INFO: rcu_sched detected stalls on CPUs/tasks:\n[ 5576.732179] \t1-...: (4 GPs behind) idle=aec/0/0 softirq=2209/2209 fqs=0 \n\
         [ 5576.732184] \t(detected by 2, t=5252 jiffies, g=133525, c=133524, q=98)\n",
        "other",
        Some(1),
        Some(5252),
        Some(21.008),
    );
    // Evlers/linux_kernel_t113 issue 2: 8,403 jiffies are no limit that is known.
    check_stall(
        "[   89.892668] rcu: INFO: rcu_sched self-detected stall on CPU\n[   89.898257] rcu:     1-....: (8382 ticks this GP) idle=3a04/1/0x40000002 softirq=118/122 fqs=1344\n\
         [   89.906865] rcu:     (t=8403 jiffies g=-1055 q=60 ncpus=2)\n",
        "self",
        Some(1),
        Some(8403),
        None,
    );
    // The same where the start of the log has the length of a tick.
    check_stall(
        "[    0.000006] sched_clock: 32 bits at 100 Hz, resolution 10000000ns, wraps every 21474836475000000ns\n[   89.892668] rcu: INFO: rcu_sched self-detected stall on CPU\n[   89.906865] rcu:     (t=8403 jiffies g=-1055 q=60 ncpus=2)\n",
        "self",
        None,
        Some(8403),
        Some(84.03),
    );
    check_stall(
        "[1.0] Calibrating delay loop (skipped), value calculated using timer frequency.. 4800.00 BogoMIPS (lpj=9600000)\n[99.0] INFO: rcu_sched self-detected stall on CPU { 2}  (t=7500 jiffies g=3 c=2 q=1)",
        "self",
        Some(2),
        Some(7500),
        Some(30.0),
    );
}

#[test]
fn stalls_of_rcu_of_one_line() {
    // openzfs/zfs issue 557 (3.0).
    check_stall(
        "[ 5914.420208] INFO: rcu_sched_state detected stall on CPU 1 (t=15000 jiffies)",
        "self",
        Some(1),
        Some(15000),
        Some(60.0),
    );
    check_stall(
        "[9.0] INFO: rcu_sched_state detected stalls on CPUs/tasks: { 2} (detected by 7, t=15002 jiffies)",
        "other",
        Some(2),
        Some(15002),
        Some(15002.0 / 250.0),
    );
    check_stall("[9.0] INFO: RCU detected CPU 0 stall (t=1000 jiffies)", "other", Some(0), Some(1000), None);
    check_stall(
        "[9.0] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 3-.... } 22 jiffies s: 73 root: 0x8/.",
        "expedited",
        Some(3),
        Some(22),
        None,
    );
    check_stall(
        "[9.0] rcu: rcu_preempt kthread starved for 18002 jiffies! g18269 f0x2 RCU_GP_WAIT_FQS(5) ->state=0x0 ->cpu=0",
        "starved",
        None,
        Some(18002),
        Some(60.0 + 2.0 / 300.0),
    );
    check_stall(
        "[9.0] rcu: INFO: rcu_sched detected stalls on CPUs/tasks:\n[9.0] rcu: \t1-...!: (0 ticks this GP) idle=cf8/0/0x0 softirq=20/20 fqs=0\n[9.0] NMI backtrace for cpu 1 skipped: idling at default_idle+0x1e/0x130\n[9.0] rcu: rcu_sched kthread starved for 38227 jiffies! g-1127",
        "idle",
        Some(1),
        Some(38227),
        None,
    );
    for line in [
        "rcu: Hierarchical RCU implementation.",
        "rcu: INFO: rcu_preempt is fine",
        "INFO: lockdep is turned off.",
    ] {
        assert_eq!(reports(line), [], "{line}");
    }
}

/// cilium/tetragon issue 328: one stall, reported twice: the ticks between are a thousand a second.
#[test]
fn a_stall_that_is_reported_again_measures_a_tick() {
    let all = reports("\
[  103.087243] rcu: INFO: rcu_sched detected stalls on CPUs/tasks:
[  103.087558] rcu: \t1-...!: (0 ticks this GP) idle=cf8/0/0x0 softirq=20/20 fqs=0
[  103.087821] \t(detected by 0, t=38227 jiffies, g=-1127, q=10)
[  103.088153] rcu: rcu_sched kthread starved for 38227 jiffies! g-1127 f0x0 RCU_GP_WAIT_FQS(5) ->state=0x402 ->cpu=1
[  182.556239] rcu: INFO: rcu_sched detected stalls on CPUs/tasks:
[  182.556604] rcu: \t1-...!: (0 ticks this GP) idle=d0c/0/0x0 softirq=20/20 fqs=1
[  182.556906] \t(detected by 0, t=117696 jiffies, g=-1127, q=10)
");
    let told: Vec<_> = all.iter().map(|row| (text(&row.detail), row.cpu, row.duration_s)).collect();
    assert_eq!(told, [("other", Some(1), Some(117.696)), ("starved", Some(1), Some(38.227))]);
}
