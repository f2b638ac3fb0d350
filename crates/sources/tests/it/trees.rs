//! A recorded machine goes through every source, and each table that files can fill is filled.
//!
//! What each source makes of it stands in `fixtures/trees/<name>.expect/<source>.txt`,
//! written anew with `UPDATE_GOLDEN=1`.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use heldup_hostfs::Host;
use heldup_model::Method;
use heldup_sources::{SampleKind, Sampler, live};

use crate::fixtures::{compare, folder};
use crate::recorded::{Tree, read, read_window, show};

const NAME: &str = "debian-12-6.18.44";
/// Tables that no recording of this machine can fill: a guest has neither frequencies nor
/// sensors of its own, its kernel has no NFS, no group of it has a limit on I/O, and `irq_cpu` has rows of what grew only, which
/// nothing does in a tree.
const NOT_THERE: [&str; 9] = [
    "cgroup_io_limit",
    "cpu_throttle",
    "cpufreq",
    "cpufreq_time",
    "irq_cpu",
    "kernel_report",
    "nfs_mount",
    "nfs_op",
    "thermal",
];

pub fn tree() -> PathBuf {
    folder().join("trees").join(NAME)
}

#[test]
fn every_source_reads_a_recorded_machine() {
    let golden = folder().join("trees").join(format!("{NAME}.expect"));
    fs::create_dir_all(&golden).expect("the folder of golden files");
    let host = Host::recorded(tree());
    let mut wrong = Vec::new();
    for mut source in live() {
        let shown = show(&read_window(source.as_mut(), &host));
        wrong.extend(compare(&golden.join(format!("{}.txt", source.name())), &shown).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_table_of_sources_has_rows_of_a_recorded_machine() {
    let mut sampler = Sampler::new(Host::recorded(tree()), live(), "vm");
    sampler.sample(SampleKind::First, 0, 0);
    sampler.sample(SampleKind::Last, 1000, 1_000_000_000);
    let capture = sampler.into_capture(Method::Sampling, 0.5);
    // What was looked for in vain is a table too.
    let with_rows: BTreeSet<_> =
        capture.tables.iter().filter(|(_, rows)| !rows.is_empty()).map(|(name, _)| name.as_str()).collect();
    for source in live() {
        for def in source.tables() {
            let expected = !NOT_THERE.contains(&def.name);
            assert_eq!(with_rows.contains(def.name), expected, "{}: no rows of {}", source.name(), def.name);
        }
    }
    assert!(capture.flaws.is_empty(), "{:?}", capture.flaws);
}

#[test]
fn a_tree_where_every_second_file_is_a_folder_is_read_in_part() {
    let tree = Tree::copy_of(&tree());
    let mut turn = 0;
    tree.replace_files_with_folders(|| {
        turn += 1;
        turn % 2 == 0
    });
    let mut rows = 0;
    for mut source in live() {
        let reading = read(source.as_mut(), &Host::recorded(&tree.root));
        rows += reading.rows.iter().map(|set| set.len).sum::<usize>();
    }
    assert!(rows > 0, "half of the files are whole");
}
