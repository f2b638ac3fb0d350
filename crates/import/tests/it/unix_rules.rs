//! What the rules say of listings of Solaris, AIX and HP-UX: what their authors or makers say of such numbers; and that
//! numbers which mean something else there than on Linux are not taken for trouble.

use heldup_diagnose::{Ruleset, diagnose};

use crate::table_text::{import, told};

/// Compares the findings of a listing: keys with words of their titles, and rules that are ruled out.
fn check(text: &str, found: &[(&str, &str)], ruled_out: &[&str], silent: &[&str]) {
    let read = import(text.as_bytes());
    let capture = read.capture.as_ref().unwrap_or_else(|| panic!("nothing was read\n{}", told(&read)));
    let answer = diagnose(capture, &Ruleset::builtin());
    assert!(answer.errors.is_empty(), "{:?}", answer.errors);
    let said: Vec<String> = answer.findings.iter().map(|one| format!("{}: {}", one.key, one.title)).collect();
    for (key, words) in found {
        let is_said = answer.findings.iter().any(|one| one.key == *key && one.title.contains(words));
        assert!(is_said, "{said:#?}, expected {key}: {words}\n{}", told(&read));
    }
    for id in ruled_out {
        assert!(
            answer.ruled_out.iter().any(|one| one.id == *id),
            "{id} is not ruled out: {said:#?}\n{}",
            told(&read)
        );
    }
    for id in silent {
        assert!(!said.iter().any(|one| one.starts_with(id)), "{id}: {said:#?}\n{}", told(&read));
    }
}

#[test]
fn extents_by_the_limits_of_the_maker_of_vxfs() {
    check(
        include_str!("../../fixtures/fsadm/hand-made-vxfs-badly-fragmented.txt"),
        &[("fs.fragmented/mount:/vxfs_filesystem", "61 % in extents below 64 blocks, 7.2 %")],
        &[],
        &[],
    );
    check(include_str!("../../fixtures/fsadm/hand-made-vxfs-manual.txt"), &[], &["fs.fragmented"], &[]);
}

#[test]
fn mount_options_that_take_direct_io_away() {
    check(
        include_str!("../../fixtures/mount/hand-made-aix-5.2.txt"),
        &[("disk.direct-conflict/mount:/oradata", "log inside the file system")],
        &[],
        &["disk.direct-conflict/mount:/oraredo"],
    );
    check(
        include_str!("../../fixtures/lsfs/hand-made-q.txt"),
        &[("disk.direct-conflict/mount:/old", "JFS for large files: only requests of 128 KB or more")],
        &[],
        &["disk.direct-conflict/mount:/oradata"],
    );
}

#[test]
fn devices_with_a_line() {
    check(
        include_str!("../../fixtures/iostat/hand-made-solaris-10-xn.txt"),
        &[("disk.saturated/device:c0t0d0", "queue depth 10")],
        &[],
        &[],
    );
    check(
        include_str!("../../fixtures/iostat/hand-made-aix-7.1-D.txt"),
        &[("disk.saturated/device:hdisk0", "queue depth 9")],
        &[],
        &[],
    );
    check(
        include_str!("../../fixtures/nmon/hand-made-aix-7.1.txt"),
        &[("disk.saturated/device:hdisk0", "queue depth 6"), ("mem.swapping/host:aixdb1", "swapping: in ")],
        &[],
        &[],
    );
}

#[test]
fn what_solaris_counts_otherwise_is_no_trouble() {
    // Threads that were swapped out long ago (w), kilobytes of files (pi, po), a scan of pages.
    check(
        "$ vmstat 10\n kthr      memory            page            disk          faults      cpu\n\
         \x20r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id\n\
         \x200 0 60 1021016 200240 1  5  2  1  1  0  0  0  0  0  0  402   31   60  0  0 99\n\
         \x200 0 60 1020992 200216 0 900 8000 4000 4000 0 900  0  0  0  0  411   57   71  1  2 97\n\
         \x200 0 60 1020992 200216 0 900 8000 4000 4000 0 900  0  0  0  0  411   57   71  1  2 97\n",
        &[],
        &[],
        &["mem.swapping", "mem.reclaim", "cpu.saturated", "mem.exhausted"],
    );
    check(
        include_str!("../../fixtures/sar/hand-made-solaris-10-blocks.txt"),
        &[],
        &[],
        &["mem.swapping", "cpu.saturated"],
    );
}

#[test]
fn settings_of_aix_are_none_of_linux() {
    check(
        include_str!("../../fixtures/tunables/hand-made-vmo-a.txt"),
        &[],
        &[],
        &["config.risky", "config.obsolete"],
    );
}

#[test]
fn paging_space_of_aix_in_use() {
    check(
        "System configuration: lcpu=2 mem=4096MB\n\n$ vmstat 10\n\
         \x20r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n\
         \x201  0 22478  1677   0   0   0   0    0   0 188 1380 157 57 32  0 10\n\
         \x209  1 22506   609   0 350 700 800 4000   0 214 1476 186 70 28  0  2\n\
         \x209  1 22506   609   0 350 700 800 4000   0 214 1476 186 70 28  0  2\n",
        &[("mem.swapping/host:unknown", "swapping: in "), ("cpu.saturated/host:unknown", "9 runnable tasks")],
        &[],
        &[],
    );
}

/// One report of `iostat` is of the time since boot, and nothing of today.
#[test]
fn a_report_of_the_time_since_boot_is_a_poor_recording() {
    let report = "tty:      tin         tout   avg-cpu:  % user    % sys     % idle    % iowait\n          0.0          4.3               95.0      4.0        0.5       0.5\n\nDisks:        % tm_act     Kbps      tps    Kb_read   Kb_wrtn\nhdisk0          99.0     1044.4    210.6   57094800  40022310\n";
    let head = "System configuration: lcpu=4 disk=1\n\n";
    let poor = ("capture.poor/source:disks", "only averages since boot");
    check(&format!("{head}{report}"), &[poor], &[], &["cpu.saturated", "disk.saturated"]);
    let two = format!("$ iostat 60 2\n\n{head}{report}\n{report}");
    check(&two, &[], &["capture.poor"], &[]);
}

/// What `sar` of each system printed of CPUs that are full: no run queue, and time that waits for I/O is idle.
#[test]
fn full_cpus_are_found_by_idle_time_alone() {
    let listing = |head: &str, headings: &str, row: &str| {
        let rows: String = (1..=9).map(|minute| format!("10:0{minute}:00 {row}\n")).collect();
        format!("\n{head}\n\n10:00:00 {headings}\n{rows}")
    };
    let (cpu, full, waits) = ("%usr %sys %wio %idle", "70 29 0 1", "3 4 92 1");
    for head in [
        "HP-UX erpdb B.11.31 U ia64    05/08/19",
        "SunOS appl1 5.10 Generic_147147-26 sun4v    05/08/2019",
        "AIX erp1 1 7 00F6E0C14C00    05/08/19\n\nSystem configuration: lcpu=8  mode=Capped ",
    ] {
        let host = head.split_whitespace().nth(1).expect("a host");
        let key = format!("cpu.saturated/host:{host}");
        check(
            &listing(head, cpu, full),
            &[(&key, "CPUs 99 % busy for 9 min; run queue not recorded")],
            &[],
            &[],
        );
        check(&listing(head, cpu, waits), &[], &["cpu.saturated"], &[]);
    }
}

/// What a shared partition without a cap consumes is no share of what it may get.
#[test]
fn a_shared_partition_of_aix_is_not_full_because_nothing_idles() {
    let listing = |mode: &str| {
        let rows: String = (1..=9).map(|minute| format!("10:0{minute}:00 70 29 0 1 0.50 100.1\n")).collect();
        format!(
            "\nAIX erp1 1 7 00F6E0C14C00    05/08/19\n\nSystem configuration: lcpu=8 ent=0.50 mode={mode} \n\n\
             10:00:00 %usr %sys %wio %idle physc %entc\n{rows}"
        )
    };
    check(&listing("Uncapped"), &[], &[], &["cpu.saturated"]);
    check(&listing("Capped"), &[("cpu.saturated/host:erp1", "CPUs 99 % busy")], &[], &[]);
}
