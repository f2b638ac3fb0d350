use super::*;

#[test]
fn allocations_that_failed() {
    let check = |line: &str, name: Option<&str>, order: i64, detail: &str| {
        let report = one(line);
        let told = (text(&report.kind), report.name.as_deref(), report.page_order, text(&report.detail));
        assert_eq!(told, ("allocation_failure", name, Some(order), detail), "{line}");
    };
    // darold/squidanalyzer issue 69, raspberrypi/linux issue 153, google/kernel-sanitizers issue 21, wl500g/wl500g issue 90.
    check("swapper: page allocation failure. order:1, mode:0x20", Some("swapper"), 1, "atomic");
    check("sshd: page allocation failure: order:0, mode:0x20", Some("sshd"), 0, "atomic");
    check("a.out: page allocation failure: order:4, mode:0x2080d0", Some("a.out"), 4, "waiting");
    check("__alloc_pages: 0-order allocation failed (gfp=0xf0/0)", None, 0, "waiting");
    check(
        "kworker/0:1: page allocation failure: order:4, mode:0x40dc0(GFP_KERNEL|__GFP_COMP|__GFP_ZERO), nodemask=(null),cpuset=/,mems_allowed=0",
        Some("kworker/0:1"),
        4,
        "waiting",
    );
    check(
        "swapper/2: page allocation failure: order:0, mode:0x480020(GFP_ATOMIC), nodemask=(null)",
        Some("swapper/2"),
        0,
        "atomic",
    );
    check("java: page allocation failure: order:2, mode:0x24040d0", Some("java"), 2, "waiting");
    for line in [
        "insmod: vmalloc: allocation failure: 4194304000 bytes, mode:0xdc0(GFP_KERNEL|__GFP_ZERO), nodemask=(null)",
        "insmod: vmalloc error: size 4096, page order 0, failed to allocate pages, mode:0xcc0(GFP_KERNEL), nodemask=(null)",
    ] {
        let report = one(line);
        let told = (report.name.as_deref(), report.page_order, text(&report.detail));
        assert_eq!(told, (Some("insmod"), None, "waiting"), "{line}");
    }
    let named = one(
        "kworker/0:1: page allocation failure: order:4, mode:0x40dc0(GFP_KERNEL|__GFP_COMP), nodemask=(null)",
    );
    assert_eq!(text(&named.flags), "0x40dc0(GFP_KERNEL|__GFP_COMP)");
    assert_eq!(reports("a page allocation failure means that memory is short"), []);
}

#[test]
fn oom_reports_of_every_age() {
    let check = |log: &str, expect: (&str, &str, Option<i64>, &str)| {
        let report = one(log);
        let told = (text(&report.detail), text(&report.name), report.pid, text(&report.cgroup));
        assert_eq!((text(&report.kind), told), ("oom", expect), "{log}");
    };
    check("Out of Memory: Killed process 22248 (httpd).", ("", "httpd", Some(22248), ""));
    check("Out of memory: Killed process 11580, UID 500, (java).", ("", "java", Some(11580), ""));
    check("VM: killing process gammu-smsd", ("", "gammu-smsd", None, ""));
    check("oom-killer: gfp_mask=0xd0 order=0\nOut of Memory: Killed process 5 (a).", ("", "a", Some(5), ""));
    // 2.6.32: the chosen one, then the child that dies in its place.
    check(
        "sh invoked oom-killer: gfp_mask=0x280da, order=0, oom_adj=0, oom_score_adj=0\nOut of memory: Kill process 900 (apache2) score 40 or sacrifice child\nKilled process 907 (php (x)) total-vm:100kB, anon-rss:60kB, file-rss:4kB",
        ("", "php (x)", Some(907), ""),
    );
    // 3.10, a group; its line about the victim was lost.
    check(
        "sh invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=0\nTask in /a/b killed as a result of limit of /a\nmemory: usage 102400kB, limit 102400kB, failcnt 45",
        ("group", "", None, "/a"),
    );
    check(
        "[9.0] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/small,task_memcg=/small,task=a,b,pid=4711,uid=0",
        ("group", "a,b", Some(4711), "/small"),
    );
    check(
        "[9.0] Memory cgroup out of memory: Killed process 7 (stress) total-vm:1kB, anon-rss:9kB, file-rss:0kB",
        ("group", "stress", Some(7), ""),
    );
    check(
        "[9.0] sh invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\n[9.1] Out of memory and no killable processes...",
        ("no_victim", "", None, ""),
    );
    check(
        "[9.0] sh invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\n[9.1] Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled",
        ("", "", None, ""),
    );
    check(
        "[9.0] Kernel panic - not syncing: Out of memory and no killable processes...",
        ("panic_only", "", None, ""),
    );
    let panic = one(
        "[9.0] sh invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0\n[9.1] Kernel panic - not syncing: System is deadlocked on memory",
    );
    assert_eq!((panic.panicked, text(&panic.requester)), (Some(true), "sh"));
    // The list of tasks stands in such a report alone.
    check(
        "[9.0] Tasks state (memory values in pages):\n[9.0] [  22921]     0 22921      242        1    28672        0          -998 pause",
        ("", "", None, ""),
    );
    for line in [
        "Out of memory is what this page is about",
        "Memory: 3995436K/4193784K available",
        "oom_reaper: reaped process 1440763 (perl), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB",
        "OOM killer disabled.",
        "Task in queue",
    ] {
        assert_eq!(reports(line), [], "{line}");
    }
}

#[test]
fn processes_that_a_daemon_killed() {
    let check = |log: &str, name: &str, pid: Option<i64>, by: &str| {
        let report = one(log);
        assert_eq!((text(&report.detail), text(&report.name), report.pid), ("daemon", name, pid), "{log}");
        assert_eq!(text(&report.requester), by, "{log}");
    };
    check(
        "earlyoom[1788]: sending SIGTERM to process 1792 uid 0 \"tail\": oom_score 1259, VmRSS 7112 MiB, cmdline \"tail -f /dev/zero\"",
        "tail",
        Some(1792),
        "earlyoom",
    );
    // The same process again, with more force, is one death.
    check(
        "sending SIGTERM to process 696 uid 1001 \"ipfs\": badness 757, VmRSS 637 MiB\nsending SIGKILL to process 696 uid 1001 \"ipfs\": badness 799, VmRSS 656 MiB",
        "ipfs",
        Some(696),
        "earlyoom",
    );
    check(
        "lowmemorykiller: Kill 'com.google.android.gms.unstable' (17933), uid 10446, oom_score_adj 0 to free 140528kB rss, 37404kB swap; reason: device is not responding",
        "com.google.android.gms.unstable",
        Some(17933),
        "lowmemorykiller",
    );
    check(
        "systemd-oomd[620]: Killed /user.slice/a.scope due to memory pressure for /user.slice being 58.16% > 50.00% for > 20s with reclaim activity",
        "a.scope",
        None,
        "systemd-oomd",
    );
    assert!(reports("sending SIGTERM to all processes").is_empty());
}

#[test]
fn a_memory_report_without_its_head() {
    let node = "Node 0 active_anon:11868552kB inactive_anon:15365432kB all_unreclaimable? ";
    assert_eq!(one(&format!("Mem-Info:\n{node}yes Balloon:0kB\n{node}yes")).kind.as_deref(), Some("oom"));
    assert!(reports(&format!("Mem-Info:\n{node}no")).is_empty());
    let failed = "a: page allocation failure: order:4, mode:0x40cc0(GFP_KERNEL)";
    assert_eq!(one(&format!("{failed}\nMem-Info:\n{node}yes")).kind.as_deref(), Some("allocation_failure"));
}

#[test]
fn the_stack_tells_that_a_group_was_at_its_limit() {
    let report = one(
        "java invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=0\nCall Trace:\n [<ffffffff8119f9ac>] ? mem_cgroup_oom_synchronize+0x52c/0x560\nKilled process 7 (java) total-vm:1kB, anon-rss:1kB, file-rss:0kB",
    );
    assert_eq!((text(&report.detail), text(&report.name)), ("group", "java"));
}

#[test]
fn a_group_that_dies_as_a_whole_is_one_report_for_each() {
    let all = reports("\
[9.0] sh invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
[9.1] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/g,task_memcg=/g,task=a,pid=1,uid=0
[9.1] Memory cgroup out of memory: Killed process 1 (a) total-vm:1kB, anon-rss:9kB, file-rss:0kB
[9.1] Tasks in /g are going to be killed due to memory.oom.group set
[9.1] Memory cgroup out of memory: Killed process 1 (a) total-vm:1kB, anon-rss:9kB, file-rss:0kB
[9.2] Memory cgroup out of memory: Killed process 2 (b) total-vm:1kB, anon-rss:8kB, file-rss:0kB
");
    let told: Vec<_> = all.iter().map(|row| (text(&row.name), text(&row.cgroup), row.anon_bytes)).collect();
    assert_eq!(told, [("a", "/g", Some(9216)), ("b", "/g", Some(8192))]);
}

/// Severity, component and number of errors of each report.
fn told(log: &str) -> Vec<(String, String, Option<i64>)> {
    let row =
        |row: &KernelReportRow| (text(&row.detail).to_owned(), text(&row.device).to_owned(), row.errors);
    reports(log).iter().map(row).collect()
}

fn expect(detail: &str, device: &str, errors: i64) -> (String, String, Option<i64>) {
    (detail.to_owned(), device.to_owned(), Some(errors))
}

#[test]
fn errors_of_the_hardware() {
    // openstreetmap/operations issue 300.
    let log = "\
[21584690.529862] mce: [Hardware Error]: Machine check events logged
[21584690.529877] EDAC MC0: 4 CE error on CPU#0Channel#2_DIMM#0 (channel:2 slot:0 page:0x0 offset:0x0 grain:8 syndrome:0x0)
[21584691.723198] EDAC MC0: 2 CE error on CPU#0Channel#2_DIMM#0 (channel:2 slot:0 page:0x0 offset:0x0 grain:8 syndrome:0x0)
";
    let module = "memory controller 0, CPU#0Channel#2_DIMM#0";
    assert_eq!(told(log), [expect("corrected", module, 4), expect("corrected", module, 2)]);
    // radiasoft/devops issue 134.
    let log = "\
[16.0] mce: [Hardware Error]: Machine check events logged
[16.0] EDAC sbridge MC1: HANDLING MCE MEMORY ERROR
[16.0] EDAC sbridge MC1: CPU 1: Machine Check Event: 0 Bank 11: 8c00004f000800c2
[16.0] EDAC MC1: 1 CE memory scrubbing error on CPU_SrcID#1_Ha#0_Chan#0_DIMM#0 (channel:0 slot:0 page:0xee30a0 offset:0x0)
";
    assert_eq!(told(log), [expect("corrected", "memory controller 1, CPU_SrcID#1_Ha#0_Chan#0_DIMM#0", 1)]);
    // prometheus/node_exporter issue 3511.
    let log = "\
[23.0] {35}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 4
[23.0] {35}[Hardware Error]: It has been corrected by h/w and requires no further action
[23.0] {35}[Hardware Error]: event severity: corrected
[23.0] {35}[Hardware Error]:  Error 0, type: corrected
[23.0] {35}[Hardware Error]:   section_type: memory error
[23.0] {35}[Hardware Error]:   DIMM location: CPU 2 DIMM 30
";
    assert_eq!(told(log).len(), 1, "{:?}", told(log));
    assert_eq!(told(log)[0].0, "corrected");
    assert_eq!(
        told("[1.0] mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 5: be00000000800400"),
        [expect("fatal", "CPU 0 bank 5", 1)]
    );
    assert_eq!(
        told("[1.0] mce: [Hardware Error]: CPU 2: Machine Check Exception: 4 Bank 3: b200000000070005"),
        [expect("fatal", "CPU 2 bank 3", 1)]
    );
    assert_eq!(
        told("[1.0] mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank 7: 8c00004f000800c2"),
        [expect("corrected", "CPU 2 bank 7", 1)]
    );
    assert_eq!(
        told(
            "[1.0] EDAC MC0: CE page 0x283, offset 0xce0, grain 8, syndrome 0x6ec3, row 0, channel 1 \"DIMM_B1\": amd76x_edac"
        ),
        [expect("corrected", "memory controller 0, DIMM_B1", 1)]
    );
    assert_eq!(
        told(
            "[1.0] EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#0_DIMM#0 (channel:0 slot:0 page:0xe16677)"
        ),
        [expect("uncorrected", "memory controller 0, CPU_SrcID#0_MC#0_Chan#0_DIMM#0", 1)]
    );
}

#[test]
fn errors_of_buses_and_pages() {
    let log = "\
[1.0] pcieport 0000:00:1c.5: AER: Corrected error received: 0000:00:1c.5
[1.0] pcieport 0000:00:1c.5: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)
";
    assert_eq!(told(log), [expect("corrected", "PCI device 0000:00:1c.5", 1)]);
    assert_eq!(
        told(
            "[1.0] pcieport 0000:00:03.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer, id=0018(Requester ID)"
        ),
        [expect("uncorrected", "PCI device 0000:00:03.0", 1)]
    );
    let log = "\
[261.27] {1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 4
[261.27] {1}[Hardware Error]: event severity: recoverable
[261.27] {1}[Hardware Error]: fru_text: Card01, ChnA, DIMM0
[261.27] {1}[Hardware Error]: section_type: memory error
[261.27] Memory failure: 0xe16677: already hardware poisoned
";
    assert_eq!(told(log), [expect("uncorrected", "Card01, ChnA, DIMM0", 1)]);
    let killed =
        one("[1.0] Memory failure: 0x1a2b: Sending SIGBUS to qemu:77 due to hardware memory corruption");
    assert_eq!((text(&killed.name), killed.pid, text(&killed.detail)), ("qemu", Some(77), "uncorrected"));
    for line in [
        "EDAC MC: Ver: 3.0.0",
        "EDAC MC0: Giving out device to module skx_edac controller Skylake Socket#0 IMC#0: DEV 0000:64:0a.0 (INTERRUPT)",
        "mce: CPU supports 22 MCE banks",
        "MCE: In-kernel MCE decoding enabled.",
        "pcieport 0000:00:1c.0: AER: enabled with IRQ 122",
        "GHES: APEI firmware first mode is enabled by APEI bit and WHEA _OSC.",
    ] {
        assert_eq!(told(line), [], "{line}");
    }
}
