//! Hosts that no recording is at hand of, made by hand after the kernel's documentation:
//! control groups of version 2 alone, containers, device mapper, RAID, NVMe.

use heldup_hostfs::Host;
use heldup_sources::{Source, cgroup::Cgroup, proc_diskstats::ProcDiskstats, proc_pid::ProcPid};

use crate::recorded::{Tree, read, show};

fn check(source: &mut dyn Source, recording: &str, expected: &str) {
    let tree = Tree::of(recording.as_bytes());
    let shown = show(&read(source, &Host::recorded(&tree.root)));
    assert_eq!(shown.trim_end(), expected.replace("\n    ", " ").trim());
}

#[test]
fn control_groups_of_version_2_alone() {
    let recording = "==> /proc/self/mountinfo <==
30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot

==> /sys/fs/cgroup/cgroup.controllers <==
cpuset cpu io memory pids

==> /sys/fs/cgroup/cpu.stat <==
usage_usec 9000000
user_usec 6000000
system_usec 3000000

==> /sys/fs/cgroup/a.slice/cpu.stat <==
usage_usec 2500000
user_usec 2000000
system_usec 500000
nr_periods 30
nr_throttled 7
throttled_usec 650000

==> /sys/fs/cgroup/a.slice/cpu.max <==
150000 100000

==> /sys/fs/cgroup/a.slice/cpu.weight <==
100

==> /sys/fs/cgroup/a.slice/memory.current <==
1048576

==> /sys/fs/cgroup/a.slice/memory.max <==
2097152

==> /sys/fs/cgroup/a.slice/memory.high <==
max

==> /sys/fs/cgroup/a.slice/memory.swap.current <==
0

==> /sys/fs/cgroup/a.slice/memory.events <==
low 0
high 5
max 3
oom 1
oom_kill 1

==> /sys/fs/cgroup/a.slice/memory.stat <==
anon 700000
file 300000
workingset_refault_anon 1
workingset_refault_file 2
pgmajfault 4

==> /sys/fs/cgroup/a.slice/io.stat <==
8:0 rbytes=100 wbytes=200 rios=1 wios=2 dbytes=0 dios=0
8:16 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0

==> /sys/fs/cgroup/a.slice/pids.current <==
5

==> /sys/fs/cgroup/a.slice/pids.max <==
max

==> /sys/fs/cgroup/a.slice/cpu.pressure <==
some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000
full avg10=0.00 avg60=0.00 avg300=0.00 total=1000000

==> /sys/fs/cgroup/a.slice/io.pressure <==
some avg10=0.00 avg60=0.00 avg300=0.00 total=20
full avg10=0.00 avg60=0.00 avg300=0.00 total=10
";
    let expected = r#"
cgroup path="/" version="v2" cpu_s=9 cpu_user_s=6 cpu_system_s=3
cgroup path="/a.slice" version="v2" unit="a.slice" cpu_s=2.5 cpu_user_s=2 cpu_system_s=0.5
    cpu_quota=1.5 cpu_period_s=0.1 cpu_weight=100 periods=30 throttled_periods=7 throttled_s=0.65
    memory_bytes=1048576 memory_limit_bytes=2097152 memory_anon_bytes=700000 memory_file_bytes=300000
    swap_bytes=0 memory_limit_hits=3 memory_high_hits=5 oom_kills=1 refault_file_pages=2 refault_anon_pages=1
    major_faults=4 read_bytes=101 write_bytes=202 reads=4 writes=6 processes=5
    cpu_some_s=1.5 io_some_s=0.00002 io_full_s=0.00001"#;
    check(&mut Cgroup::default(), recording, expected);
}

/// In a container without a namespace of control groups the mount shows its own group as the
/// root; the path is the one that `/proc/PID/cgroup` has.
#[test]
fn a_container_sees_its_own_groups() {
    let recording = "==> /proc/self/mountinfo <==
35 31 0:32 /docker/ab /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids

==> /sys/fs/cgroup/pids/pids.current <==
3

==> /sys/fs/cgroup/pids/job/pids.current <==
2
";
    let expected = r#"
cgroup path="/docker/ab" version="v1" processes=3
cgroup path="/docker/ab/job" version="v1" processes=2"#;
    check(&mut Cgroup::default(), recording, expected);
}

#[test]
fn what_device_mapper_raid_and_partitions_stand_on() {
    let recording = "==> /proc/diskstats <==
 259 0 nvme0n1 1 0 8 1 0 0 0 0 0 1 1
 259 1 nvme0n1p2 1 0 8 1 0 0 0 0 0 1 1
   9 127 md127 1 0 8 0 0 0 0 0 0 0 0
 253 0 dm-0 1 0 8 1 0 0 0 0 0 1 1
 104 0 cciss/c0d0 1 0 8 1 0 0 0 0 0 1 1
   7 0 loop0 1 0 8 1 0 0 0 0 0 1 1
   7 1 loop1 0 0 0 0 0 0 0 0 0 0 0

==> /proc/self/mountinfo <==
1 0 253:0 / / rw - ext4 /dev/mapper/vg-root rw
2 1 0:50 /@ /srv rw - btrfs /dev/md127 rw

==> /sys/class/block/nvme0n1/size <==
2000

==> /sys/class/block/nvme0n1/device/model <==
SAMSUNG  MZVL21T0HCLR-00B00              

==> /sys/class/block/nvme0n1/queue/scheduler <==
[none] mq-deadline kyber bfq

==> /sys/class/block/nvme0n1p2/partition <==
2

==> /sys/block/nvme0n1/nvme0n1p2/partition <==
2

==> /sys/class/block/md127/md/level <==
raid1

==> /sys/class/block/md127/slaves/sda1/size <==
1

==> /sys/class/block/md127/slaves/sdb1/size <==
1

==> /sys/class/block/dm-0/dm/name <==
vg-root

==> /sys/class/block/dm-0/slaves/nvme0n1p2/size <==
1

==> /sys/class/block/cciss!c0d0/size <==
100

==> /sys/class/block/loop0/loop/backing_file <==
/srv/images/gone.img (deleted)
";
    let tree = Tree::of(recording.as_bytes());
    let reading = read(&mut ProcDiskstats::default(), &Host::recorded(&tree.root));
    let rows = &reading.rows[0];
    let column =
        |name: &str| rows.texts(name).iter().map(|text| text.as_deref().unwrap_or("-")).collect::<Vec<_>>();
    assert_eq!(column("device"), ["nvme0n1", "nvme0n1p2", "md127", "dm-0", "cciss/c0d0", "loop0"]);
    assert_eq!(column("kind"), ["disk", "partition", "md", "dm", "disk", "loop"]);
    assert_eq!(column("parent"), ["-", "nvme0n1", "-", "-", "-", "-"]);
    assert_eq!(column("backing"), ["-", "-", "sda1 sdb1", "nvme0n1p2", "-", "md127"]);
    assert_eq!(column("label_name"), ["SAMSUNG  MZVL21T0HCLR-00B00", "-", "-", "vg-root", "-", "-"]);
    assert_eq!(column("mounts"), ["-", "-", "/srv", "/", "-", "-"]);
    assert_eq!(column("scheduler"), ["none", "-", "-", "-", "-", "-"]);
    assert_eq!(rows.ints("size_bytes")[4], Some(51_200));
}

/// A loop device that is given a file within the window is looked at again; one that has
/// never been used appears with its first request.
#[test]
fn a_loop_device_is_attached_within_the_window() {
    let tree = Tree::empty();
    let mut source = ProcDiskstats::default();
    let mut rows_with = |requests: [u32; 2], size: u32| {
        let line = |at: usize| format!("7 {at} loop{at} {} 0 8 1 0 0 0 0 0 1 1\n", requests[at]);
        tree.write("/proc/diskstats", (line(0) + &line(1)).as_bytes());
        tree.write("/sys/class/block/loop0/size", format!("{size}\n").as_bytes());
        tree.write("/sys/class/block/loop1/size", format!("{size}\n").as_bytes());
        let reading = read(&mut source, &Host::recorded(&tree.root));
        let devices = reading.rows[0].texts("device").iter().flatten().map(|name| name.to_string());
        devices.zip(reading.rows[0].ints("size_bytes").iter().copied().flatten()).collect::<Vec<_>>()
    };
    assert_eq!(rows_with([5, 0], 0), [("loop0".to_owned(), 0)]);
    assert_eq!(rows_with([5, 0], 8), [("loop0".to_owned(), 0)], "not looked at while nothing happens");
    assert_eq!(rows_with([6, 1], 8), [("loop0".to_owned(), 4096), ("loop1".to_owned(), 4096)]);
}

/// What a process leaves behind when only its `stat` could still be read, beside one whose
/// file was cut off.
#[test]
fn a_process_of_which_little_is_left() {
    let recording = "==> /proc/stat <==
btime 1000

==> /proc/7/stat <==
7 (a) b) S 1 7 7 0 -1 4194304 1 0 2 0 30 40 0 0 20 0 1 0 500 8192 9 0

==> /proc/8/stat <==
8 (cut) S 1 8 8

==> /proc/8/status <==
Uid:\t0\t0\t0\t0
";
    let tree = Tree::of(recording.as_bytes());
    let reading = read(&mut ProcPid::default(), &Host::recorded(&tree.root));
    let shown = show(&reading);
    let expected = "process pid=7 start_ms=1005000 name=\"a) b\" parent_pid=1 state=\"S\" kernel_thread=false nice=0 \
        threads=1 user_s=0.3 system_s=0.4 minor_faults=1 major_faults=2 child_minor_faults=0 \
        virtual_bytes=8192\n\
        flaw /proc/8/stat:1: starttime: found \"\", expected clock ticks since boot in field 22\n";
    assert_eq!(shown, expected);
}

/// Processes come and go while they are read: those are left out without a word.
#[test]
fn processes_that_end_meanwhile_are_no_flaw() {
    let forker = std::thread::spawn(|| {
        for _ in 0..100 {
            let children: Vec<_> = (0..4).flat_map(|_| std::process::Command::new("true").spawn()).collect();
            children.into_iter().for_each(|mut child| drop(child.wait()));
        }
    });
    let mut source = ProcPid::default();
    while !forker.is_finished() {
        let reading = read(&mut source, &Host::live());
        assert_eq!(reading.flaws, []);
        assert!(reading.rows[0].len > 0);
    }
    forker.join().expect("the forks");
}

/// Twenty thousand devices that are mounted twenty thousand times: far more than any machine
/// has, in two files of more than a megabyte. Read in seconds, not in hours.
#[test]
fn large_files_cost_by_their_size_only() {
    let tree = Tree::empty();
    let devices = (0..20_000).map(|at| format!("8 {at} sd{at} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"));
    tree.write("/proc/diskstats", devices.collect::<String>().as_bytes());
    let mounts = (0..20_000).map(|at| format!("{at} 1 0:{at} / /mnt/{at} rw - btrfs /dev/sd{at} rw\n"));
    tree.write("/proc/self/mountinfo", mounts.collect::<String>().as_bytes());
    let began = std::time::Instant::now();
    let reading = read(&mut ProcDiskstats::default(), &Host::recorded(&tree.root));
    assert_eq!(reading.rows[0].texts("mounts")[19_999].as_deref(), Some("/mnt/19999"));
    // A hundred times what it takes.
    assert!(began.elapsed() < std::time::Duration::from_secs(100), "{:?}", began.elapsed());
}
