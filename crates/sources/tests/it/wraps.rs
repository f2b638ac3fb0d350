//! Counters that the kernel keeps in 32 bits, as they begin anew, through what a recorder reads by: the
//! increase is what it was, and a device in the place of another is not taken for a wrap.
//!
//! Contents are made by hand in the kernel's own formats: nobody waits 49 days for a recording.

use heldup_hostfs::Host;
use heldup_model::{Cells, Flaw, RowSet};
use heldup_sources::{RecordedRows, Recording, Source, live};

use crate::recorded::Tree;

/// Longer than any pace, so that each source is read in each sample.
const INTERVAL_NS: u64 = 60_000_000_000;

/// What was recorded of a file, sample by sample.
struct Seen {
    rows: Vec<Vec<RecordedRows>>,
    flaws: Vec<Flaw>,
}

/// Reads a file with each of its contents.
fn recorded(source: &str, path: &str, contents: &[&str]) -> Seen {
    recorded_in(&Tree::empty(), source, path, contents)
}

/// The same in a tree that has more than that file.
fn recorded_in(tree: &Tree, source: &str, path: &str, contents: &[&str]) -> Seen {
    let sources: Vec<Box<dyn Source>> = live().into_iter().filter(|one| one.name() == source).collect();
    assert_eq!(sources.len(), 1, "{source}");
    let interval = std::time::Duration::from_nanos(INTERVAL_NS);
    let mut recording = Recording::new(Host::recorded(&tree.root), sources, interval);
    let mut seen = Seen { rows: Vec::new(), flaws: Vec::new() };
    for (at, content) in contents.iter().enumerate() {
        tree.write(path, content.as_bytes());
        let now_ns = (1 + at as u64) * INTERVAL_NS;
        let recorded = recording.sample((now_ns / 1_000_000) as i64, now_ns, &|_| false);
        seen.flaws.extend(recorded.flaws);
        seen.rows.push(recorded.rows);
    }
    seen
}

impl Seen {
    /// From the second sample on.
    fn of(&self, table: &str, column: &str) -> Vec<Option<f64>> {
        let samples = self.rows.iter().skip(1);
        samples
            .map(|rows| {
                rows.iter()
                    .find(|rows| rows.rows.def.name == table)
                    .and_then(|rows| first(&rows.rows, column))
            })
            .collect()
    }
}

fn first(set: &RowSet, column: &str) -> Option<f64> {
    match &set.cells[set.def.position(column).expect(column)] {
        Cells::Int(values) => values.first().copied().flatten().map(|value| value as f64),
        Cells::Float(values) => values.first().copied().flatten(),
        other => panic!("{column}: {other:?}"),
    }
}

#[test]
fn times_of_a_disk_go_on_where_their_milliseconds_begin_anew() {
    let line = |reads: u32, read_ms: u32, write_ms: u32, busy_ms: u32, queue_ms: u32| {
        format!(
            "   8       0 sda {reads} 0 8000 {read_ms} 20 0 800 {write_ms} 0 {busy_ms} {queue_ms} 0 0 0 0 3 4\n"
        )
    };
    let lines = [
        line(1000, 4_294_967_000, 3_000_000_000, u32::MAX, 4_294_966_000),
        line(1010, 204, 3_000_000_100, 99, 296),
        // Another disk under the same name: its 50 ms are no wrap of three billion.
        line(5, 3, 50, 2, 6),
        line(8, 10, 50, 4, 9),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let seen = recorded("proc_diskstats", "/proc/diskstats", &lines);
    assert_eq!(seen.of("disk", "reads"), [Some(10.0), None, Some(3.0)]);
    assert_eq!(seen.of("disk", "read_s"), [Some(0.5), None, Some(0.007)]);
    assert_eq!(seen.of("disk", "write_s"), [Some(0.1), None, Some(0.0)]);
    assert_eq!(seen.of("disk", "busy_s"), [Some(0.1), None, Some(0.002)]);
    assert_eq!(seen.of("disk", "queue_s"), [Some(1.592), None, Some(0.003)]);
    assert!(seen.flaws.iter().any(|flaw| flaw.place == "disk.reads"), "{:?}", seen.flaws);
}

#[test]
fn packets_and_interrupts_of_a_cpu_go_on() {
    let softnet = |processed: &str| {
        format!("{processed} 00000000 00000000 0 0 0 0 0 0 00000000 00000000 00000000 00000000\n")
    };
    let (before, after) = (softnet("fffffff0"), softnet("00000010"));
    let seen = recorded("proc_net_softnet_stat", "/proc/net/softnet_stat", &[&before, &after]);
    assert_eq!(seen.of("softnet", "processed"), [Some(32.0)]);

    let softirqs = |count: u32| format!("                    CPU0\n      NET_RX: {count:>10}\n");
    let (before, after) = (softirqs(4_294_967_290), softirqs(10));
    let seen = recorded("proc_softirqs", "/proc/softirqs", &[&before, &after]);
    assert_eq!(seen.of("softirq", "net_rx"), [Some(16.0)]);

    let interrupts = |count: u32| format!("           CPU0\n 24: {count:>10}  PCI-MSI-edge virtio0\n");
    let (before, after) = (interrupts(4_294_967_290), interrupts(10));
    let seen = recorded("proc_interrupts", "/proc/interrupts", &[&before, &after]);
    assert_eq!(seen.of("irq", "interrupts"), [Some(16.0)]);
}

#[test]
fn connections_that_were_found_go_on() {
    let file = |found: &str| {
        format!("entries  searched found invalid drop\n00000008  00000000 {found} 00000001 00000000\n")
    };
    let (before, after, later) = (file("ffffffff"), file("00000003"), file("00000004"));
    let path = "/proc/net/stat/nf_conntrack";
    let seen = recorded("proc_net_stat_nf_conntrack", path, &[&before, &after, &later]);
    assert_eq!(seen.of("conntrack", "found"), [Some(4.0), Some(1.0)]);
    assert_eq!(seen.of("conntrack", "entries"), [Some(8.0), Some(8.0)]);
}

#[test]
fn connections_of_another_namespace_go_on() {
    let tree = Tree::empty();
    for (pid, inode) in [(1, 4_026_531_840_u64), (7, 4_026_532_208)] {
        tree.link(&format!("/proc/{pid}/ns/net"), &format!("net:[{inode}]"));
    }
    tree.write("/proc/7/net/dev", b"Inter-| Receive\n face |bytes\n");
    let file = |drop: &str| format!("entries found drop\n00000008 00000001 {drop}\n");
    let (before, after, later) = (file("fffffffe"), file("00000002"), file("00000002"));
    let path = "/proc/7/net/stat/nf_conntrack";
    let seen = recorded_in(&tree, "other_netns", path, &[&before, &after, &later]);
    assert_eq!(seen.of("conntrack", "drops"), [Some(4.0), Some(0.0)]);
    assert_eq!(seen.of("conntrack", "netns"), [Some(4_026_532_208.0); 2]);
}

/// Drivers that hand out what their device counts in 32 bits: where it begins anew nobody knows how often it did.
#[test]
fn an_interface_that_counts_in_32_bits_has_no_rate_where_it_begins_anew() {
    let file = |bytes: u64| {
        format!("Inter-| Receive\n face |bytes\n  eth0: {bytes} 2 0 0 0 0 0 0 {bytes} 9 0 0 0 0 0 0\n")
    };
    let contents = [4_294_967_000_u64, 704, 1704].map(file);
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let seen = recorded("proc_net_dev", "/proc/net/dev", &contents);
    assert_eq!(seen.of("net_if", "rx_bytes"), [None, Some(1000.0)]);
    assert!(seen.flaws.iter().any(|flaw| flaw.place == "net_if.rx_bytes"), "{:?}", seen.flaws);
}

#[test]
fn an_interface_that_comes_in_from_another_namespace_brings_no_rate() {
    let headings = "Inter-| Receive\n face |bytes\n";
    let line = |bytes: u64| format!("  eth1: {bytes} 2 0 0 0 0 0 0 {bytes} 9 0 0 0 0 0 0\n");
    let contents = [
        headings.to_owned(),
        format!("{headings}{}", line(9_000_000_000)),
        format!("{headings}{}", line(9_000_000_500)),
    ];
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let seen = recorded("proc_net_dev", "/proc/net/dev", &contents);
    assert_eq!(seen.of("net_if", "rx_bytes"), [None, Some(500.0)]);
    assert_eq!(seen.flaws, [], "nothing is wrong");
}

#[test]
fn an_interface_in_the_place_of_another_has_no_rate_of_both() {
    let file = |bytes: u64| {
        format!("Inter-| Receive\n face |bytes\n  eth0: {bytes} 2 0 0 0 0 0 0 {bytes} 9 0 0 0 0 0 0\n")
    };
    let contents = [file(9_000_000_000), file(500), file(700)];
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let seen = recorded("proc_net_dev", "/proc/net/dev", &contents);
    assert_eq!(seen.of("net_if", "rx_bytes"), [None, Some(200.0)]);
}
