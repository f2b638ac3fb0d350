//! A machine of 4,096 CPUs, 8 nodes, 600 disks and 800 interrupts. None was at hand: made here
//! out of the real text of the recorded machine, whose lines of one CPU, node or disk are
//! repeated under other numbers. No file of it is kept.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use heldup_hostfs::Host;
use heldup_model::{Method, RowSet};
use heldup_sources::{SampleKind, Sampler, live};

use crate::fixtures::folder;
use crate::recorded::{self, Tree, read_window, show_table};

const CPUS: usize = 4096;
const NODES: usize = 8;
const DISKS: usize = 600;
const INTERRUPTS: usize = 800;
const BY_NODE: usize = CPUS / NODES;

/// What the recorded machine has: `cpu0` and `cpu1` in turn, so that a mix-up shows.
struct Real(std::path::PathBuf);

impl Real {
    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path.trim_start_matches('/'))).expect("a recorded file")
    }
}

fn machine() -> Tree {
    let real = Real(folder().join("trees/debian-12-6.18.44"));
    let tree = Tree::copy_of(&real.0);
    for name in ["online", "possible"] {
        tree.write(&format!("/sys/devices/system/cpu/{name}"), format!("0-{}\n", CPUS - 1).as_bytes());
    }
    cpus(&tree, &real);
    nodes(&tree, &real);
    disks(&tree, &real);
    interrupts(&tree);
    tree
}

/// Files with a line, a column or a folder for each CPU.
fn cpus(tree: &Tree, real: &Real) {
    let stat = real.text("/proc/stat");
    let of_cpu = |cpu: usize| {
        let name = format!("cpu{} ", cpu % 2);
        let line = stat.lines().find(|line| line.starts_with(&name)).expect("a line of the CPU");
        format!("cpu{cpu} {}\n", &line[name.len()..])
    };
    let mut text: String = stat.lines().take(1).map(|line| format!("{line}\n")).collect();
    text.extend((0..CPUS).map(of_cpu));
    // The sum, then every line: 7 for each that the machine has, 0 for those below.
    text += &format!("intr {}{}{}\n", 7 * (INTERRUPTS - 24), " 0".repeat(24), " 7".repeat(INTERRUPTS - 24));
    text.extend(
        stat.lines()
            .filter(|line| !line.starts_with("cpu") && !line.starts_with("intr"))
            .map(|line| format!("{line}\n")),
    );
    tree.write("/proc/stat", text.as_bytes());

    let mut softirqs: String = (0..CPUS).map(|cpu| format!(" CPU{cpu:<8}")).collect();
    for line in real.text("/proc/softirqs").lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        softirqs += &format!("\n{:>12}", words[0]);
        softirqs.extend((0..CPUS).map(|cpu| format!(" {:>10}", words[1 + cpu % 2])));
    }
    tree.write("/proc/softirqs", (softirqs + "\n").as_bytes());

    let lines: Vec<String> = real.text("/proc/net/softnet_stat").lines().map(str::to_owned).collect();
    let softnet = |cpu: usize| {
        let mut words: Vec<String> = lines[cpu % 2].split(' ').map(str::to_owned).collect();
        words[12] = format!("{cpu:08x}");
        words.join(" ") + "\n"
    };
    tree.write("/proc/net/softnet_stat", (0..CPUS).map(softnet).collect::<String>().as_bytes());
    for cpu in 2..CPUS {
        for file in ["name", "time", "usage"] {
            let path = |cpu: usize| format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state1/{file}");
            tree.write(&path(cpu), real.text(&path(cpu % 2)).as_bytes());
        }
    }
}

fn nodes(tree: &Tree, real: &Real) {
    tree.write("/sys/devices/system/node/has_memory", format!("0-{}\n", NODES - 1).as_bytes());
    let zoneinfo = real.text("/proc/zoneinfo");
    let normal = zoneinfo.find("Node 0, zone   Normal").expect("zone Normal");
    let (mut zones, mut orders) = (String::new(), String::new());
    for node in 0..NODES {
        // What lies below 4 GB is memory of the first node alone.
        let part = if node == 0 { &zoneinfo[..] } else { &zoneinfo[normal..] };
        zones += &with_pagesets(&part.replace("Node 0,", &format!("Node {node},")));
        let lines = real.text("/proc/buddyinfo");
        let lines = lines.lines().filter(|line| node == 0 || line.contains("Normal"));
        orders.extend(lines.map(|line| line.replace("Node 0,", &format!("Node {node},")) + "\n"));
        let folder = format!("/sys/devices/system/node/node{node}");
        for file in ["numastat", "meminfo", "vmstat"] {
            let text = real.text(&format!("/sys/devices/system/node/node0/{file}"));
            tree.write(
                &format!("{folder}/{file}"),
                text.replace("Node 0 ", &format!("Node {node} ")).as_bytes(),
            );
        }
        let cpus = format!("{}-{}\n", node * BY_NODE, (node + 1) * BY_NODE - 1);
        tree.write(&format!("{folder}/cpulist"), cpus.as_bytes());
        let distances: Vec<&str> = (0..NODES).map(|other| if other == node { "10" } else { "32" }).collect();
        tree.write(&format!("{folder}/distance"), (distances.join(" ") + "\n").as_bytes());
    }
    tree.write("/proc/zoneinfo", zones.as_bytes());
    tree.write("/proc/buddyinfo", orders.as_bytes());
}

/// The kernel lists the free pages that each CPU keeps for itself, whatever its node.
fn with_pagesets(zones: &str) -> String {
    let mut text = String::new();
    let mut of_cpu: Option<String> = None;
    for line in zones.lines() {
        match (line.trim(), &mut of_cpu) {
            ("cpu: 0", _) => of_cpu = Some(String::new()),
            ("cpu: 1", Some(block)) => {
                text.extend((0..CPUS).map(|cpu| format!("    cpu: {cpu}\n{block}")));
                block.clear();
            }
            (ended, Some(_)) if ended.starts_with("node_unreclaimable") => {
                of_cpu = None;
                text += &format!("{line}\n");
            }
            (_, Some(block)) => *block += &format!("{line}\n"),
            _ => text += &format!("{line}\n"),
        }
    }
    text
}

fn disks(tree: &Tree, real: &Real) {
    let diskstats = real.text("/proc/diskstats");
    let vda = diskstats.lines().find(|line| line.contains(" vda ")).expect("the disk");
    let figures = &vda[vda.find("vda ").expect("its name") + 4..];
    let mut text = String::new();
    let folder = "sys/devices/pci0000:00/0000:00:02.0/virtio1/block";
    for disk in 0..DISKS {
        // As with SCSI disks: sixteen numbers each, further majors after sixteen disks.
        let (name, major, minor) = (name_of(disk), 65 + disk / 16, disk % 16 * 16);
        text += &format!("{major:>4} {minor:>7} {name} {figures}\n");
        for file in
            ["size", "queue/rotational", "queue/scheduler", "queue/nr_requests", "queue/logical_block_size"]
        {
            tree.write(
                &format!("/{folder}/{name}/{file}"),
                real.text(&format!("{folder}/vda/{file}")).as_bytes(),
            );
        }
        tree.write(&format!("/{folder}/{name}/dev"), format!("{major}:{minor}\n").as_bytes());
        let device = format!("../../{folder}/{name}").replace("../../sys", "../..");
        let links = [format!("sys/class/block/{name}"), format!("sys/dev/block/{major}:{minor}")];
        for link in links {
            symlink(&device, tree.root.join(link)).expect("a link");
        }
        symlink(device.replacen("../", "", 1), tree.root.join(format!("sys/block/{name}"))).expect("a link");
    }
    tree.write("/proc/diskstats", text.as_bytes());
}

/// `sda` … `sdz`, `sdaa` …
fn name_of(disk: usize) -> String {
    let letter = |at: usize| char::from(b'a' + (at % 26) as u8);
    match disk / 26 {
        0 => format!("sd{}", letter(disk)),
        more => format!("sd{}{}", letter(more - 1), letter(disk)),
    }
}

/// `/proc/interrupts` would have 3.3 million numbers: the recorded one stays, which nobody
/// may read.
fn interrupts(tree: &Tree) {
    for irq in 0..INTERRUPTS {
        tree.write(&format!("/proc/irq/{irq}/smp_affinity_list"), format!("{irq}\n").as_bytes());
        tree.write(&format!("/sys/kernel/irq/{irq}/actions"), format!("nvme0q{irq}\n").as_bytes());
        tree.write(&format!("/sys/kernel/irq/{irq}/chip_name"), b"PCI-MSI\n");
    }
}

fn rows<'r>(all: &'r [RowSet], table: &str) -> &'r RowSet {
    all.iter().find(|rows| rows.def.name == table).expect("rows of the table")
}

fn read(root: &Path, name: &str) -> heldup_sources::Reading {
    let mut source = live().into_iter().find(|source| source.name() == name).expect("the source");
    let host = Host::recorded(root);
    let reading = read_window(source.as_mut(), &host);
    assert!(reading.flaws.is_empty(), "{name}: {:?}", reading.flaws);
    reading
}

fn check_cpus(root: &Path) {
    let system = read(root, "system");
    let cpu = rows(&system.rows, "cpu");
    assert_eq!(cpu.len, CPUS);
    assert_eq!(cpu.ints("cpu_idx")[CPUS - 1], Some(CPUS as i64 - 1));
    assert_eq!(cpu.floats("user_s")[CPUS - 2..], [Some(471.09), Some(512.61)], "the CPUs' own, in turn");
    let softirqs = read(root, "proc_softirqs");
    let softirq = rows(&softirqs.rows, "softirq");
    assert_eq!(softirq.len, CPUS);
    assert_eq!(softirq.ints("block")[CPUS - 2..], [Some(10_677_990), Some(2_651_571)]);
    let softnet = read(root, "proc_net_softnet_stat");
    assert_eq!(rows(&softnet.rows, "softnet").ints("processed")[CPUS - 2..], [Some(45_951), Some(23_461)]);
    let host = read(root, "host");
    assert_eq!(rows(&host.rows, "host").ints("cpus"), [Some(CPUS as i64)]);
}

fn check_nodes(root: &Path) {
    let nodes = read(root, "sys_node");
    let numa = rows(&nodes.rows, "numa");
    assert_eq!(numa.len, NODES);
    assert_eq!(numa.ints("numa_hit"), vec![Some(290_752_393); NODES]);
    assert_eq!(numa.ints("memory_bytes"), vec![Some(15_952_076 << 10); NODES]);
    let zones = read(root, "proc_zoneinfo");
    // Three on the first node; empty ones (Movable, Device) are none.
    assert_eq!(rows(&zones.rows, "zone").len, 3 + (NODES - 1));
    assert_eq!(rows(&zones.rows, "zone").ints("free_pages").last(), Some(&Some(283_143)));
    assert_eq!(rows(&zones.rows, "buddy").len, 11 * (3 + (NODES - 1)));
}

fn check_disks(root: &Path) {
    let disks = read(root, "proc_diskstats");
    let disk = rows(&disks.rows, "disk");
    assert_eq!(disk.len, DISKS);
    assert_eq!(disk.ints("reads"), vec![Some(1_943_158); DISKS]);
    assert_eq!(disk.ints("nr_requests")[DISKS - 1], Some(256), "settings of the last disk");
}

fn check_interrupts(root: &Path) {
    let mut source = live().into_iter().find(|one| one.name() == "proc_interrupts").expect("the source");
    let host = Host::recorded(root);
    let first = recorded::read(source.as_mut(), &host);
    let irq = rows(&first.rows, "irq");
    assert_eq!(irq.len, INTERRUPTS - 24, "those that ever fired");
    assert_eq!(irq.ints("interrupts"), vec![Some(7); INTERRUPTS - 24]);
    let said = first.missing.iter().any(|one| one.what == "irq_cpu" && one.why.contains("3276800 numbers"));
    assert!(said, "{:?}", first.missing);
    assert!(first.flaws.is_empty(), "{:?}", first.flaws);
    assert_eq!(source.schedule().cadence, heldup_sources::Cadence::Ends, "too dear for every second");
}

#[test]
fn every_cpu_node_disk_and_interrupt_is_read() {
    // One for all checks: its 20,000 files take longer than they do.
    let tree = machine();
    check_cpus(&tree.root);
    check_nodes(&tree.root);
    check_disks(&tree.root);
    check_interrupts(&tree.root);
    check_window(&tree.root);
}

/// All sources over a window. What each costs there is shown with `--nocapture`: figures of a
/// build without optimisation, so no bar.
fn check_window(root: &Path) {
    let mut sampler = Sampler::new(Host::recorded(root), live(), "large");
    for (kind, second) in [(SampleKind::First, 0), (SampleKind::Middle, 1), (SampleKind::Last, 2)] {
        sampler.sample(kind, second * 1000, second as u64 * 1_000_000_000);
    }
    let capture = sampler.into_capture(Method::Sampling, 0.5);
    assert!(capture.flaws.is_empty(), "{:?}", capture.flaws);
    println!("{}", show_table(&capture, "source_cost"));
    let cpus: usize = capture.tables["cpu"].iter().map(|batch| batch.num_rows()).sum();
    assert_eq!(cpus, 2 * CPUS, "each CPU in two intervals");
}
