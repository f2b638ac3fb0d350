//! Older kernels and other processors. None was at hand: made here out of the real text of the
//! recorded machine (x86-64, 6.18) by taking away what came later, or by writing what the
//! architecture writes instead. No file of it is kept. Nothing of such a machine may be called
//! damaged, and what it does not tell is NULL.

use std::path::Path;

use heldup_hostfs::Host;
use heldup_model::RowSet;
use heldup_sources::{Reading, live};

use crate::fixtures::folder;
use crate::recorded::{self, Tree};

fn recorded() -> Tree {
    Tree::copy_of(&folder().join("trees/debian-12-6.18.44"))
}

fn text(tree: &Tree, path: &str) -> String {
    std::fs::read_to_string(tree.root.join(path.trim_start_matches('/'))).expect("a recorded file")
}

/// Keeps the first columns of each line.
fn first_columns(tree: &Tree, path: &str, columns: usize) {
    let cut = |line: &str| line.split_whitespace().take(columns).collect::<Vec<_>>().join(" ") + "\n";
    tree.write(path, text(tree, path).lines().map(cut).collect::<String>().as_bytes());
}

/// Takes away lines that begin with one of the names.
fn without_lines(tree: &Tree, path: &str, names: &[&str]) {
    let kept = |line: &&str| !names.iter().any(|name| line.trim_start().starts_with(name));
    let kept: String = text(tree, path).lines().filter(kept).map(|line| format!("{line}\n")).collect();
    tree.write(path, kept.as_bytes());
}

/// 5.10 wrote of disks and backlogs what 6.18 does, but for the backlog's parts (6.4) and `full`
/// of CPUs (5.13).
fn kernel_5_10(tree: &Tree) {
    first_columns(tree, "/proc/net/softnet_stat", 13);
    without_lines(tree, "/proc/pressure/cpu", &["full"]);
}

/// Without stalls (4.20), flushes (5.5), KReclaimable (4.20), and the CPU of a line of softnet_stat (5.10).
fn kernel_4_18(tree: &Tree) {
    kernel_5_10(tree);
    first_columns(tree, "/proc/net/softnet_stat", 11);
    first_columns(tree, "/proc/diskstats", 18);
    without_lines(
        tree,
        "/proc/meminfo",
        &["KReclaimable", "Zswap", "SecPageTables", "FileHugePages", "FilePmdMapped"],
    );
    std::fs::remove_dir_all(tree.root.join("proc/pressure")).expect("the stalls");
}

/// Without discards (4.18), MemAvailable (3.14), the kinds of resident memory (4.5), and what dropped for a
/// flow (3.11).
fn kernel_3_10(tree: &Tree) {
    kernel_4_18(tree);
    first_columns(tree, "/proc/net/softnet_stat", 10);
    first_columns(tree, "/proc/diskstats", 14);
    without_lines(tree, "/proc/meminfo", &["MemAvailable", "ShmemHugePages", "ShmemPmdMapped", "Percpu"]);
    without_lines(
        tree,
        "/proc/24085/status",
        &["Umask", "Rss", "NSpid", "NStgid", "NSpgid", "NSsid", "HugetlbPages"],
    );
    without_lines(tree, "/proc/vmstat", &["workingset_", "pgscan_direct_throttle", "allocstall_"]);
}

fn arm64(tree: &Tree) {
    let cpu = "BogoMIPS\t: 50.00\nFeatures\t: fp asimd evtstrm crc32 atomics\nCPU implementer\t: 0x41\n\
               CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n";
    let cpus: String = (0..2).map(|cpu_idx| format!("processor\t: {cpu_idx}\n{cpu}")).collect();
    tree.write("/proc/cpuinfo", cpus.as_bytes());
    tree.write(
        "/proc/interrupts",
        b"           CPU0       CPU1       \n 11:      52041      50022     GICv3  27 Level     arch_timer\n \
          49:          0        310  GICv3-23   0 Edge      ACPI:Ged\nIPI0:      1201       1399       Rescheduling interrupts\n\
          IPI1:       310        302       Function call interrupts\nErr:          0\n",
    );
    tree.write("/proc/sys/kernel/arch", b"aarch64\n");
}

fn s390x(tree: &Tree) {
    tree.write(
        "/proc/cpuinfo",
        b"vendor_id       : IBM/S390\n# processors    : 2\nbogomips per cpu: 3241.00\nmax thread id   : 0\n\
          features\t: esan3 zarch stfle msa ldisp eimm dfp edat etf3eh highgprs te vx sie\n\
          processor 0: version = 00,  identification = 0133E8,  machine = 8561\n\
          processor 1: version = 00,  identification = 0133E8,  machine = 8561\n\n\
          cpu number      : 0\ncpu MHz dynamic : 5200\ncpu MHz static  : 5200\n",
    );
    tree.write(
        "/proc/interrupts",
        b"           CPU0       CPU1       \nEXT:      81020      79011\nI/O:       1200       1301\nAIO:         20         31\n\
          CLK:      70010      68020   [EXT] Clock Comparator\nEXC:        310        302   [EXT] External Call\n\
          NMI:          0          0   [NMI] Machine Check\nRST:          0          0   [CPU] CPU Restart\n",
    );
    tree.write("/proc/sys/kernel/arch", b"s390x\n");
}

/// Every source's reading, none of which calls anything damaged.
fn readings(change: impl Fn(&Tree)) -> Vec<Reading> {
    let tree = recorded();
    change(&tree);
    let read = |root: &Path| {
        let host = Host::recorded(root);
        live().into_iter().map(|mut source| recorded::read(source.as_mut(), &host)).collect::<Vec<_>>()
    };
    let readings = read(&tree.root);
    let flaws: Vec<_> = readings.iter().flat_map(|reading| &reading.flaws).collect();
    assert!(flaws.is_empty(), "{flaws:?}");
    readings
}

fn table<'a>(readings: &'a [Reading], name: &str) -> &'a RowSet {
    let mut sets = readings.iter().flat_map(|reading| &reading.rows);
    sets.find(|set| set.def.name == name).expect("a table")
}

/// Whether some row has a value of an integer column.
fn told(readings: &[Reading], name: &str, column: &str) -> bool {
    table(readings, name).ints(column).iter().any(Option::is_some)
}

#[test]
fn older_kernels_tell_less() {
    for (name, change, absent) in [
        ("5.10", kernel_5_10 as fn(&Tree), vec![("softnet", "input_packets")]),
        ("4.18", kernel_4_18, vec![("disk", "flushes"), ("softnet", "backlog_packets")]),
        (
            "3.10",
            kernel_3_10,
            vec![
                ("disk", "discards"),
                ("memory", "available_bytes"),
                ("process", "anon_bytes"),
                ("softnet", "flow_limits"),
            ],
        ),
    ] {
        let (now, then) = (readings(|_| {}), readings(change));
        for (table, column) in absent {
            assert!(told(&now, table, column), "6.18: {table}.{column} is NULL");
            assert!(!told(&then, table, column), "{name}: {table}.{column} is not NULL");
        }
        for (table, column) in [("disk", "reads"), ("memory", "free_bytes"), ("softnet", "processed")] {
            assert!(told(&then, table, column), "{name}: {table}.{column} is NULL");
        }
    }
}

#[test]
fn other_processors_are_counted_and_their_interrupts_read() {
    for (name, change, irq) in [("arm64", arm64 as fn(&Tree), "IPI0"), ("s390x", s390x, "CLK")] {
        let readings = readings(change);
        assert_eq!(table(&readings, "host").ints("cpus"), [Some(2)], "{name}");
        let names = table(&readings, "irq").texts("irq");
        assert!(names.iter().flatten().any(|one| &**one == irq), "{name}: {names:?}");
    }
}
