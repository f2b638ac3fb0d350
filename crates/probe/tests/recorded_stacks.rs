//! The stack table against stacks of real waits, recorded by `fixtures/stacks/record.py`.
//!
//! Each file is one scenario; here stands which classes its waits may have. A class that
//! is missing in a scenario's list is a wrong answer, and so is a stack without an answer.
//! All stacks are classed without a hint, so that the table alone is tested.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use heldup_model::Class::*;
use heldup_model::{Class, StackTable};

/// Setting up and ending a load: starting children, joining a control group, waiting for both.
const SET_UP: &[Class] = &[Child, KernelWait, LockKernel, Timer, Poll, Park, DiskSync];

/// Scenario, the classes of the waits that it was made for, and whether [`SET_UP`] may be seen.
const SCENARIOS: &[(&str, &[Class], bool)] = &[
    // The scripts that it runs read themselves from disk and mount and sync.
    ("cold-metadata", &[DiskRead, LockInode], true),
    ("dio-read", &[DiskRead], true),
    ("dio-read-device", &[DiskRead], false),
    ("dio-write", &[DiskWrite], true),
    ("dio-sync-write", &[DiskWrite, DiskSync], true),
    ("buffered-read", &[DiskRead], true),
    ("block-throttle", &[DiskRead, DiskSync], true),
    ("fsync-ext4-no-journal", &[DiskSync], true),
    ("fsync-ext4-journal", &[DiskSync], false),
    ("fsync-xfs", &[DiskSync], false),
    ("fdatasync-overwrite", &[DiskSync], false),
    ("osync-write", &[DiskSync], false),
    ("sync-all-of-one", &[DiskSync], false),
    // Creating and unlinking also read blocks of the directory and lock the list of orphans.
    ("metadata-ext4-journal", &[DiskSync, DiskRead, LockKernel], false),
    ("metadata-xfs", &[DiskSync], false),
    ("directory-lock", &[LockInode], false),
    ("inode-lock", &[LockInode], false),
    ("inode-lock-direct", &[LockInode], false),
    ("inode-lock-xfs", &[LockInode], false),
    ("mmap-lock", &[LockMmap], false),
    ("mmap-read", &[DiskFault], true),
    // Its writer also calls msync; write-back throttling holds some of that back.
    ("mmap-write", &[DiskFault, DiskSync, DiskThrottle], false),
    ("file-locks", &[LockFile, Timer], false),
    ("futex", &[LockUser, Park, Timer], false),
    ("memory-reclaim-dirty", &[MemReclaim, DiskWrite, LockInode], true),
    ("swap", &[MemSwapIn, MemReclaim], true),
    ("dirty-throttle", &[MemDirty], false),
    ("write-back-throttle", &[DiskSync, DiskThrottle, DiskRead, DiskFault], true),
    ("fio-rings", &[DiskAsync, DiskRead, DiskFault], true),
    ("fio-io-uring-buffered", &[DiskAsync, DiskSync, DiskRead, DiskFault], true),
    ("pipes", &[Read, Peer], false),
    ("pipe-mutex", &[Read, Peer, LockKernel], false),
    ("sockets", &[Accept, Peer, Read], false),
    ("idle-calls", &[Child, Timer, Poll, Park, Read, Stopped], false),
    ("stopped-and-traced", &[Stopped, Timer], false),
    ("grace-period", &[KernelWait], false),
    ("fuse", &[RemoteFs, Read, Timer], false),
    ("kernel-threads", &[Park], false),
];

#[test]
fn recorded_waits_have_the_class_that_they_were_made_for() {
    let table = StackTable::builtin().expect("well-formed");
    let mut wrong = Vec::new();
    for (file, scenario) in recordings() {
        let (_, classes, set_up) = SCENARIOS
            .iter()
            .find(|(name, ..)| *name == scenario)
            .unwrap_or_else(|| panic!("{scenario} is recorded and not expected anywhere"));
        let mut met = BTreeSet::new();
        for line in std::fs::read_to_string(&file).expect("recorded").lines() {
            let stack = line.splitn(4, ' ').nth(3).unwrap_or_else(|| panic!("{scenario}: `{line}`"));
            let frames: Vec<&str> = stack.split(';').collect();
            let class = table.classify(&frames, Unknown);
            let right = class.is_some_and(|c| classes.contains(&c) || *set_up && SET_UP.contains(&c));
            if !right {
                wrong.push(format!("{scenario}: {:?} for {line}", class.map(Class::name)));
            }
            met.extend(class);
        }
        if !classes.iter().any(|class| met.contains(class)) {
            wrong.push(format!("{scenario}: none of the waits that it was made for"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_expected_scenario_is_recorded() {
    let recorded: BTreeSet<String> = recordings().into_iter().map(|(_, scenario)| scenario).collect();
    for (scenario, ..) in SCENARIOS {
        assert!(recorded.contains(*scenario), "{scenario} has no recording");
    }
}

/// Every recording with the name of its scenario: `debian12-6.18-mmap-lock.txt` → `mmap-lock`,
/// and so is `debian12-6.18-mmap-lock-at-switch.txt`, where the functions of the lock are seen.
fn recordings() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stacks");
    let entries = std::fs::read_dir(folder).expect("the recordings");
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| {
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let scenario = stem.splitn(3, '-').nth(2).expect("distribution-kernel-scenario");
            let scenario = scenario.trim_end_matches("-at-switch").to_owned();
            (path, scenario)
        })
        .collect()
}
