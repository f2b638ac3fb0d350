//! Logs of kernels with a trouble that is known: what is concluded, and that nothing else is. Public ones are quoted with the
//! thread that they are from; those of guests are recordings in `fixtures/kernel_log`.

use heldup_diagnose::{Ruleset, diagnose};
use heldup_model::Severity;

use crate::table_text::import;

use Severity::{Critical, Info, Warning};

/// Keys, severities and titles of all findings of warning or worse, and of the rules asked for.
fn conclusions(text: &str) -> Vec<(String, Severity, String)> {
    let read = import(text.as_bytes());
    let answer = diagnose(read.capture.as_ref().expect("a capture"), &Ruleset::builtin());
    assert!(answer.errors.is_empty(), "{:?}", answer.errors);
    answer.findings.into_iter().map(|one| (one.key, one.severity, one.title)).collect()
}

/// Each expected finding is there with its words and severity, and no other failure is.
fn check(what: &str, text: &str, expect: &[(&str, Severity, &str)]) {
    let found = conclusions(text);
    for (key, severity, words) in expect {
        let is_it = |(its, level, title): &&(String, Severity, String)| {
            its.starts_with(key) && level == severity && title.contains(words)
        };
        assert!(found.iter().any(|one| is_it(&one)), "{what}: {key} {severity:?} {words:?} in {found:#?}");
    }
    for (key, _, title) in &found {
        let id = key.split('/').next().unwrap_or(key);
        let is_of_kernel = id.starts_with("kernel.")
            || ["mem.oom-kill", "mem.allocation-failure", "disk.errors"].contains(&id);
        let is_expected = expect.iter().any(|(expected, ..)| key.starts_with(expected));
        assert!(!is_of_kernel || is_expected, "{what}: {key} is not in the log: {title}");
    }
}

#[test]
fn hung_tasks() {
    // openzfs/zfs issue 4774, 4.5: the kernel doubts every function.
    check(
        "hung, all frames doubted",
        "[63122.077068] INFO: task jbd2/dm-2-8:22274 blocked for more than 120 seconds.\n\
         [63122.077752]       Tainted: P           OE   4.5.0-0.bpo.2-amd64 #1\n\
         [63122.078433] \"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.\n\
         [63122.079128] jbd2/dm-2-8     D ffff88062fd95e00     0 22274      2 0x00000080\n\
         [63122.079834]  ffff88037247ee40 ffff880613f4ef80 ffff88008bdd8000 ffff88008bdd7bc0\n\
         [63122.082014] Call Trace:\n\
         [63122.082730]  [<ffffffff815b6cd0>] ? bit_wait_timeout+0xa0/0xa0\n\
         [63122.083450]  [<ffffffff815b6451>] ? schedule+0x31/0x80\n\
         [63122.084154]  [<ffffffff815b943f>] ? schedule_timeout+0x22f/0x2c0\n",
        &[("kernel.hung-task/task:jbd2/dm-2-8", Critical, "jbd2/dm-2-8 (22274) hung for 120 s")],
    );
    // scality/RestBlockDriver issue 32, 3.13.
    check(
        "hung in sleep_on_buffer",
        "[10450.859227] INFO: task jbd2/dewba1-8:22455 blocked for more than 120 seconds.\n\
         [10451.021129] jbd2/dewba1-8   D ffff88107fc54440     0 22455      2 0x00000000\n\
         [10451.021138] Call Trace:\n\
         [10451.021144]  [<ffffffff811ee000>] ? generic_block_bmap+0x50/0x50\n\
         [10451.021148]  [<ffffffff817203fd>] io_schedule+0x9d/0x140\n\
         [10451.021149]  [<ffffffff811ee00e>] sleep_on_buffer+0xe/0x20\n\
         [10451.021155]  [<ffffffff81720882>] __wait_on_bit+0x62/0x90\n",
        &[("kernel.hung-task/task:jbd2/dewba1-8", Critical, "hung for 120 s, blocked in sleep_on_buffer")],
    );
    // A kthread that is stopped: the wait is for its end, and no lock is claimed.
    let stopped = "Nov 22 11:34:46 db1 kernel: [ 9000.1] INFO: task mdadm:915 blocked for more than 120 seconds.\n\
         Nov 22 11:34:46 db1 kernel: [ 9000.1] mdadm           D ffff88003fc14cc0     0   915      1 0x00000080\n\
         Nov 22 11:34:46 db1 kernel: [ 9000.1] Call Trace:\n\
         Nov 22 11:34:46 db1 kernel: [ 9000.1]  [<ffffffff8163ae49>] schedule+0x29/0x70\n\
         Nov 22 11:34:46 db1 kernel: [ 9000.1]  [<ffffffff816389e9>] schedule_timeout+0x209/0x2d0\n\
         Nov 22 11:34:46 db1 kernel: [ 9000.1]  [<ffffffff8163b236>] wait_for_completion+0x116/0x170\n\
         Nov 22 11:34:46 db1 kernel: [ 9000.1]  [<ffffffff810a5d1f>] kthread_stop+0x3f/0xf0\n\
         Nov 22 11:34:46 db1 kernel: [ 9000.1]  [<ffffffff814d2a41>] md_unregister_thread+0x31/0x60\n";
    check("kthread_stop", stopped, &[("kernel.hung-task/task:mdadm", Critical, "blocked in kthread_stop")]);
    let ids: Vec<String> = conclusions(stopped).into_iter().map(|(key, ..)| key).collect();
    assert!(ids.iter().all(|key| !key.starts_with("lock.")), "{ids:?}");
}

#[test]
fn lockups() {
    // iron-fish/ironfish issue 701: what syslogd writes to every terminal.
    check(
        "messages of syslogd",
        "Message from syslogd@zyr at Dec 10 05:25:44 ...\n kernel:[55716.328117] watchdog: BUG: soft lockup - CPU#0 stuck for 27s! [node:1984]\n\n\
         Message from syslogd@zyr at Dec 10 05:25:44 ...\n kernel:[55716.331981] watchdog: BUG: soft lockup - CPU#9 stuck for 27s! [kworker/9:0:24827]\n\n\
         Message from syslogd@zyr at Dec 10 05:26:55 ...\n kernel:[55787.066677] NMI watchdog: Watchdog detected hard LOCKUP on cpu 3\n",
        &[("kernel.lockup/host:", Critical, "3 CPUs locked up for 27 s (soft and hard lockups)")],
    );
    // openrisc/linux issue 12.
    check(
        "186 s",
        "[90216.140000] watchdog: BUG: soft lockup - CPU#0 stuck for 186s! [kworker/u3:3:2073]\n\
         [90216.140000] Modules linked in:\n\
         [90216.140000] CPU: 0 PID: 2073 Comm: kworker/u3:3 Tainted: G        W         5.7.0-rc2-simple-smp-00001-g6bd140e14d9a-dirty #109\n\
         [90216.140000] Workqueue: xprtiod xs_stream_data_receive_workfn\n\
         [90216.140000] Call trace:\n\
         [90216.140000] [<8558de7f>] ktime_get+0x70/0x1bc\n",
        &[(
            "kernel.lockup/cpu:0",
            Critical,
            "CPU 0 locked up for 186 s (soft lockup), in ktime_get: kworker/u3:3",
        )],
    );
    // Power, 4.15.
    check(
        "Power",
        "[  252.718655] Watchdog CPU:59 Hard LOCKUP\n[  252.718656] Modules linked in: idt_89hpesx\n\
         [  252.718697] CPU: 59 PID: 363 Comm: watchdog/59 Tainted: G      D          4.15.0-33-generic #36-Ubuntu\n",
        &[("kernel.lockup/cpu:59", Critical, "CPU 59 locked up (hard lockup)")],
    );
}

#[test]
fn stalls_of_rcu() {
    // NTULINUX/RTAI issue 13, cilium/tetragon issue 328, openzfs/zfs issue 557.
    check(
        "5,252 jiffies are 21 s",
        "May 11 17:18:27 rm-one kernel: [ 5576.732172] INFO: rcu_sched detected stalls on CPUs/tasks:\n\
         May 11 17:18:27 rm-one kernel: [ 5576.732179] \t1-...: (4 GPs behind) idle=aec/0/0 softirq=2209/2209 fqs=0 \n\
         May 11 17:18:27 rm-one kernel: [ 5576.732184] \t(detected by 2, t=5252 jiffies, g=133525, c=133524, q=98)\n\
         May 11 17:18:27 rm-one kernel: [ 5576.734178] rcu_sched kthread starved for 5252 jiffies! g133525 c133524 f0x0 RCU_GP_WAIT_FQS(3) ->state=0x402 ->cpu=3\n",
        &[(
            "kernel.rcu-stall/cpu:1",
            Critical,
            "RCU stall of CPU 1 for 21 s: the RCU thread got no CPU time",
        )],
    );
    check(
        "an idle CPU",
        "[  103.087243] rcu: INFO: rcu_sched detected stalls on CPUs/tasks:\n\
         [  103.087558] rcu: \t1-...!: (0 ticks this GP) idle=cf8/0/0x0 softirq=20/20 fqs=0 \n\
         [  103.087821] \t(detected by 0, t=38227 jiffies, g=-1127, q=10)\n\
         [  103.088024] Sending NMI from CPU 0 to CPUs 1:\n\
         [  103.088684] NMI backtrace for cpu 1 skipped: idling at default_idle+0x1e/0x130\n",
        &[("kernel.rcu-stall/cpu:1", Critical, "for 38227 jiffies: the CPU was idle")],
    );
    check(
        "3.0, one line each",
        "Nov 24 20:21:30 gsan1 kernel: [ 5914.420208] INFO: rcu_sched_state detected stall on CPU 1 (t=15000 jiffies)\n\
         Nov 24 20:21:30 gsan1 kernel: [ 6094.494578] INFO: rcu_sched_state detected stall on CPU 1 (t=60031 jiffies)\n",
        &[("kernel.rcu-stall/cpu:1", Critical, "RCU stall of CPU 1")],
    );
}

#[test]
fn allocations_that_failed() {
    // Seagate/cortx-prvsnr issue 5465: the journal without seconds since boot.
    check(
        "interrupts of a network card",
        "Apr 01 16:27:01 sm21 kernel: swapper/21: page allocation failure: order:0, mode:0x20\n\
         Apr 01 16:27:01 sm21 kernel: CPU: 21 PID: 0 Comm: swapper/21 Kdump: loaded Tainted: P           OE  ------------   3.10.0-1062.el7.x86_64 #1\n\
         Apr 01 16:27:01 sm21 kernel: Call Trace:\n\
         Apr 01 16:27:01 sm21 kernel:  <IRQ>  [<ffffffffaf179262>] dump_stack+0x19/0x1b\n",
        &[(
            "mem.allocation-failure/task:swapper/21",
            Warning,
            "page allocation failed (order 0: 1 page, atomic)",
        )],
    );
    check(
        "short-monotonic without a host",
        "[21161.092614] kernel: earlyoom: page allocation failure: order:0, mode:0x800(GFP_NOWAIT), nodemask=(null)\n",
        &[("mem.allocation-failure/task:earlyoom", Warning, "order 0: 1 page, atomic")],
    );
    check(
        "a driver that tries large blocks",
        "[84351.576027] dmwb_writeback_: page allocation failure: order:8, mode:0x204010\n",
        &[("mem.allocation-failure/task:dmwb_writeback_", Warning, "order 8: 256 contiguous pages")],
    );
}

#[test]
fn reports_of_oom() {
    // inducer/relate issue 1383: the second report has no kill line.
    check(
        "with and without a kill",
        "[Fri Nov 21 14:22:56 2025] Out of memory: Killed process 3581527 (uwsgi) total-vm:517892kB, anon-rss:263092kB, file-rss:29128kB, shmem-rss:0kB, UID:33 pgtables:740kB oom_score_adj:0\n\
         [Mon Dec  8 17:51:31 2025] postgres invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_ZERO|__GFP_COMP), order=0, oom_score_adj=0\n\
         [Mon Dec  8 17:51:31 2025] CPU: 1 UID: 104 PID: 1073875 Comm: postgres Not tainted 6.16.9+deb14-amd64 #1 PREEMPT(lazy)  Debian 6.16.9-1 \n\
         [Mon Dec  8 17:51:31 2025] Call Trace:\n",
        &[
            ("mem.oom-kill/process:uwsgi", Critical, "OOM kill: uwsgi (3581527)"),
            (
                "mem.oom-kill/process:postgres",
                Critical,
                "OOM without a kill in the log: requested by postgres",
            ),
        ],
    );
    check(
        "a group, the first and the last lines are missing",
        "Jan  5 02:12:02 node7 kernel: Task in /kubepods.slice/kubepods-burstable.slice/docker-b272.scope killed as a result of limit of /kubepods.slice/kubepods-burstable.slice/docker-b272.scope\n\
         Jan  5 02:12:02 node7 kernel: memory: usage 1048576kB, limit 1048576kB, failcnt 189\n",
        &[("mem.oom-kill/process:", Critical, "cgroup at its memory limit")],
    );
    // 4.19, a container.
    check(
        "a group",
        "[5193605.500000] cp invoked oom-killer: gfp_mask=0x6000c0(GFP_KERNEL), nodemask=(null), order=0, oom_score_adj=-998\n\
         [5193605.506728] Task in /kubepods/pod951f6bc5/024952d6 killed as a result of limit of /kubepods/pod951f6bc5/024952d6\n\
         [5193605.506735] memory: usage 524288kB, limit 524288kB, failcnt 0\n\
         [5193605.506739] Memory cgroup stats for /kubepods/pod951f6bc5/024952d6: cache:507172KB rss:448KB rss_huge:0KB shmem:28KB mapped_file:0KB dirty:503316KB writeback:0KB\n\
         [5193605.506956] Memory cgroup out of memory: Kill process 62685 (bash) score 0 or sacrifice child\n",
        &[(
            "mem.oom-kill/process:bash",
            Critical,
            "OOM kill: bash (62685), cgroup at its memory limit, mostly unwritten pages",
        )],
    );
    check(
        "a panic in its place",
        "[12.0] sh invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n[12.1] Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled\n",
        &[("mem.oom-kill/process:sh", Critical, "OOM with kernel panic: requested by sh")],
    );
}

#[test]
fn errors_of_the_hardware() {
    // illinois-scicomp/machine-shop-maintenance issue 66, openstreetmap/operations issue 300, radiasoft/devops issue 134.
    check(
        "262 corrected errors",
        "[Mon Oct  3 13:52:42 2022] EDAC sbridge MC1: HANDLING MCE MEMORY ERROR\n\
         [Mon Oct  3 13:52:42 2022] EDAC sbridge MC1: CPU 0: Machine Check Event: 0 Bank 7: cc00418000010091\n\
         [Mon Oct  3 13:52:42 2022] EDAC MC1: 262 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x2031c14 offset:0x940 grain:32 syndrome:0x0 -  OVERFLOW area:DRAM)\n",
        &[("kernel.machine-check/component:memory controller 1", Warning, "corrected hardware errors (262)")],
    );
    check(
        "one corrected error",
        "Feb 23 03:28:16 kernel: mce: [Hardware Error]: Machine check events logged\n\
         Feb 23 03:28:16 kernel: EDAC sbridge MC1: HANDLING MCE MEMORY ERROR\n\
         Feb 23 03:28:16  kernel: EDAC MC1: 1 CE memory scrubbing error on CPU_SrcID#1_Ha#0_Chan#0_DIMM#0 (channel:0 slot:0)\n",
        &[("kernel.machine-check/component:memory controller 1", Info, "corrected hardware errors (1)")],
    );
    check(
        "what the firmware found, and the page",
        "2019-08-19T04:18:38.274652-04:00 linux-dgwd kernel: [ 261.273226] {1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 4\n\
         2019-08-19T04:18:38.274661-04:00 linux-dgwd kernel: [ 261.273227] {1}[Hardware Error]: event severity: recoverable\n\
         2019-08-19T04:18:38.274690-04:00 linux-dgwd kernel: [ 261.273229] {1}[Hardware Error]: section_type: memory error\n\
         2019-08-19T04:18:38.274698-04:00 linux-dgwd kernel: [ 261.273233] {1}[Hardware Error]: DIMM location: CPU 1 DIMM 5\n\
         2019-08-19T04:18:38.274699-04:00 linux-dgwd kernel: [ 261.273240] Memory failure: 0xe16677: already hardware poisoned\n",
        &[(
            "kernel.machine-check/component:CPU 1 DIMM 5",
            Critical,
            "CPU 1 DIMM 5: uncorrected hardware errors (1)",
        )],
    );
}

#[test]
fn errors_of_devices() {
    check(
        "a file system that stopped",
        "[  279.665875] Aborting journal on device nvme0n1p1-8.\n\
         [  279.665893] Buffer I/O error on dev nvme0n1p1, logical block 121667584, lost sync page write\n\
         [  279.665892] EXT4-fs error (device nvme0n1p1): ext4_journal_check_start:83: comm kworker/u16:3: Detected aborted journal\n\
         [  279.665960] EXT4-fs (nvme0n1p1): Remounting filesystem read-only\n",
        &[("disk.errors/device:nvme0n1p1", Critical, "nvme0n1p1: I/O errors, file system stopped writing")],
    );
    check(
        "a controller that did not answer",
        "[   89.895139] nvme nvme0: I/O 900 (I/O Cmd) QID 2 timeout, aborting\n[  120.103133] nvme nvme0: I/O 900 QID 2 timeout, reset controller\n",
        &[(
            "disk.errors/device:nvme0",
            Critical,
            "nvme0: I/O errors, requests timed out (2 reported by the kernel)",
        )],
    );
    check(
        "one flush of a loop device",
        "[   89.895139] blk_update_request: I/O error, dev loop0, sector 0 op 0x1:(WRITE) flags 0x800 phys_seg 0 prio class 0\n",
        &[("disk.errors/device:loop0", Info, "loop0: I/O errors (1 reported by the kernel)")],
    );
}

/// Consoles of guests in which the trouble was made: `fixtures/PROVENANCE.md`.
#[test]
fn consoles_of_guests() {
    let at = |name: &str| -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/kernel_log/");
        std::fs::read_to_string(format!("{folder}{name}.txt")).expect("recording")
    };
    let check = |name: &str, expect: &[(&str, Severity, &str)]| check(name, &at(name), expect);
    check(
        "debian-12-6.1.0-50-hung-frozen-fs",
        &[("kernel.hung-task/function:mnt_want_write", Critical, "sh (105) and 1 more task hung for 120 s")],
    );
    check(
        "debian-12-6.1.0-50-medium-error",
        &[(
            "disk.errors/device:sda",
            Critical,
            "sda: I/O errors, unreadable sectors (3 reported by the kernel)",
        )],
    );
    check(
        "debian-12-6.1.0-50-machine-checks",
        &[
            ("kernel.machine-check/component:CPU 1 bank 5", Info, "corrected hardware errors (1)"),
            ("kernel.machine-check/component:CPU 0 bank 4", Critical, "uncorrected hardware errors (1)"),
        ],
    );
    check(
        "debian-12-6.1.0-50-oom-group",
        &[("mem.oom-kill/process:tail", Critical, "OOM kill: tail (93), cgroup at its memory limit")],
    );
    check(
        "debian-12-6.1.0-50-rcu-stall",
        &[(
            "kernel.rcu-stall/cpu:0",
            Critical,
            "RCU stall of CPU 0 for 21 s: the RCU thread got no CPU time, sh (136) ran there",
        )],
    );
    check(
        "debian-11-5.10.0-32-vmalloc",
        &[("mem.allocation-failure/task:insmod", Warning, "insmod: page allocation failed (vmalloc)")],
    );
    check(
        "debian-12-6.1.0-50-oom-panic",
        &[(
            "mem.oom-kill/process:tail",
            Critical,
            "OOM with kernel panic: requested by tail, no memory left",
        )],
    );
}

#[test]
fn healthy_logs_have_no_trouble() {
    check(
        "a boot",
        "[    0.000000] Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org)\n\
         [    0.000000] rcu: Hierarchical RCU implementation.\n\
         [    0.010000] NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.\n\
         [    0.020000] mce: CPU supports 22 MCE banks\n\
         [    0.030000] EDAC MC: Ver: 3.0.0\n\
         [    0.040000] Memory: 3995436K/4193784K available\n\
         [    0.500000] pcieport 0000:00:1c.0: AER: enabled with IRQ 122\n\
         [    1.000000] EXT4-fs (sda1): mounted filesystem with ordered data mode\n\
         [    2.000000] Out of curiosity: a driver that prints\n",
        &[],
    );
}
