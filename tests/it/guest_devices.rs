//! What a guest has and few test machines have: two NUMA nodes, control groups of v2 only, a
//! disk behind device mapper that answers late, and a network that delays.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use heldup_model::Method;
use heldup_testkit::expect::{self, Expected};
use heldup_testkit::guest::{Guest, test_machine};
use heldup_testkit::known_waits::judge::{Accounted, Clocked, complaints, read_clocked};
use serde_json::Value;

use crate::classic;
use crate::guest::{PATIENCE, examine, rows};

/// Milliseconds by which device mapper delays each read.
const DELAY_MS: f64 = 40.0;
/// A file system on `dm-0` above `sda`, which is memory, with a file that is not cached.
/// `which`, because busybox's shell prefers its own `tc`, which knows no netem.
const SLOW_DISK: &str = "
    set -e
    echo \"0 $(cat /sys/block/sda/size) delay /dev/sda 0 40 /dev/sda 0 0\" | dmsetup create slow --noudevsync
    mkfs.ext4 -q -E lazy_itable_init=0 -O ^has_journal /dev/dm-0
    mkdir -p /run/slow && mount /dev/dm-0 /run/slow
    dd if=/dev/zero of=/run/slow/data bs=1M count=8 2>/dev/null && sync
    : >/run/clocked
    ip link set lo up
    $(which tc) qdisc add dev lo root handle 1: netem delay 20ms";
/// Whoever holds the disk holds its name: one that is pulled out and put in again would get another.
const AS_BEFORE: &str = "
    set -e
    umount /run/slow && dmsetup remove --noudevsync slow
    $(which tc) qdisc del dev lo root";

/// Makes `sda` slow and one of its sectors unreadable, and reads it page by page, each for the
/// first time.
const FAILING_DISK: &str = "
    cd /sys/bus/pseudo/drivers/scsi_debug && echo 10 >delay && echo 2 >opts
    echo 0 >/sys/block/sda/queue/read_ahead_kb";
/// 40 ms a request: 10 ticks of 4 ms. The page of the bad sector (0x1234) is number 582.
const READ_PAGES: &str = "for at in 4000 4100 4200; do
    dd if=/dev/sda of=/dev/null bs=4k count=20 skip=$at; dd if=/dev/sda of=/dev/null bs=4k count=1 skip=582; done";
/// The delay is refused (EBUSY) as long as a request is under way.
const REPAIRED_DISK: &str = "
    cd /sys/bus/pseudo/drivers/scsi_debug && echo 0 >opts
    for try in $(seq 50); do echo 1 >delay && exit 0; sleep 0.1; done 2>/dev/null
    echo 'requests are under way for 5 s' >&2; exit 1";

/// A disk that answers late, and now and then not at all.
pub fn failing_and_slow_disk(guest: &mut Guest) -> Result<()> {
    guest.shell(FAILING_DISK, PATIENCE)?;
    let examination = examine(guest, &format!("-- sh -c '{READ_PAGES}; true'"))?;
    guest.shell(REPAIRED_DISK, PATIENCE)?;
    for id in ["disk.errors", "disk.slow"] {
        let expected = Expected { id, subject: vec!["sda".to_owned()], culprits: vec![] };
        expect::finding(&examination, &expected)?;
    }
    Ok(())
}

/// Four writers of 64 kB at a time, of a disk that answers at once: nothing but the place is wrong.
const WRITE_PIECES: &str = "
    for writer in 1 2 3 4; do
        for round in $(seq 12); do dd if=/dev/zero of=/dev/sda1 bs=64k count=60 oflag=direct; done &
    done; wait";

/// A partition that begins within a block of its disk, and who writes to it.
pub fn odd_partition(guest: &mut Guest) -> Result<()> {
    // As of old: behind a track of 63 sectors of 512 bytes.
    guest.shell("addpart /dev/sda 1 63 8000", PATIENCE)?;
    guest.shell("echo 0 >/sys/bus/pseudo/drivers/scsi_debug/delay", PATIENCE)?;
    let examination = examine(guest, &format!("-- sh -c '{WRITE_PIECES}'"))?;
    guest.shell("delpart /dev/sda 1", PATIENCE)?;
    guest.shell(REPAIRED_DISK, PATIENCE)?;
    let expected = Expected { id: "fs.misaligned", subject: vec!["sda1".to_owned()], culprits: vec![] };
    expect::finding(&examination, &expected)
}

/// The exact account of tasks on two nodes and in control groups of v2 only.
pub fn two_nodes(guest: &mut Guest) -> Result<()> {
    let group = "/sys/fs/cgroup/limited";
    let prepare = format!(
        "echo '+cpu +memory +io' >/sys/fs/cgroup/cgroup.subtree_control; mkdir {group} &&
         echo '20000 100000' >{group}/cpu.max && echo 67108864 >{group}/memory.max"
    );
    guest.shell(&prepare, PATIENCE)?;
    // Until it has been held back, however fast it computes here.
    let compute = format!(
        "numastat >/run/began; sh -c 'echo $$ >{group}/cgroup.procs
         until grep -q \"throttled [1-9]\" {group}/cpu.stat; do :; done'; numastat >/run/ended"
    );
    guest.shell(&format!("cat >/run/compute <<'END'\n{compute}\nEND\nnumastat >/run/before"), PATIENCE)?;
    let examination = examine(guest, "-- sh /run/compute")?;
    let after = guest.shell("numastat", PATIENCE)?;
    ensure!(
        examination.host.method == Method::Ebpf,
        "{:?}: {:?}",
        examination.host.method,
        examination.errors
    );
    ensure!(examination.ledger.active_seconds > 0.0, "nobody wanted to run");

    pages_of_nodes(guest, &after)?;
    let nodes = rows(guest, "select distinct node_idx, cpus, memory_bytes from numa order by 1")?;
    let cpus: Vec<Option<&str>> = nodes.iter().map(|row| row["cpus"].as_str()).collect();
    ensure!(cpus == [Some("0"), Some("1")], "{nodes:?}");
    ensure!(nodes.iter().all(|row| number(row, "memory_bytes").is_ok_and(|bytes| bytes > 0.0)), "{nodes:?}");
    let zones =
        rows(guest, "select node_idx, count(distinct zone) as zones from zone group by 1 order by 1")?;
    ensure!(zones.len() == 2, "zones of each node: {zones:?}");

    let limited = "select max(throttled_periods) as throttled, max(cpu_quota) as cpus, \
                   max(memory_limit_bytes) as bytes from cgroup where path = '/limited'";
    let limited = rows(guest, limited)?;
    let row = limited.first().context("no row of the group")?;
    ensure!(number(row, "throttled")? > 0.0, "not throttled: {row}");
    ensure!(number(row, "cpus")? == 0.2 && number(row, "bytes")? == 67_108_864.0, "limits: {row}");
    Ok(())
}

/// `numastat` at both ends of the command and around the window, as in `classic`.
fn pages_of_nodes(guest: &mut Guest, after: &str) -> Result<()> {
    let mut printed = |name: &str| -> Result<Printed> {
        Ok(classic::by_node(&guest.shell(&format!("cat /run/{name}"), PATIENCE)?))
    };
    let (before, began, ended) = (printed("before")?, printed("began")?, printed("ended")?);
    let after = classic::by_node(after);
    let ours = rows(guest, &classic::of_nodes())?;
    ensure!(ours.len() == 12 && ours.len() == after.len(), "{ours:?}, numastat {after:?}");
    let mut moved = 0.0;
    for row in &ours {
        let (name, pages) = (row["name"].as_str().context("no name")?, number(row, "pages")?);
        let grown = |from: &Printed, to: &Printed| Some(to.get(name)? - from.get(name)?);
        let inner = grown(&began, &ended).with_context(|| format!("numastat has no {name}"))?;
        let outer = grown(&before, &after).with_context(|| format!("numastat has no {name}"))?;
        ensure!((inner..=outer).contains(&pages), "{name}: {pages} is not within {inner} and {outer}");
        moved += inner;
    }
    ensure!(moved > 0.0, "no node gave a page");
    Ok(())
}

/// What a tool printed, by name.
type Printed = BTreeMap<String, f64>;

/// Topology and times of disks, and what the network holds back.
pub fn slow_disk_and_slow_network(guest: &mut Guest) -> Result<()> {
    guest.shell(SLOW_DISK, PATIENCE)?;
    let command = format!(
        "env HELDUP_CLOCKED=/run/clocked sh -c 'ping -q -c 3 127.0.0.1 >/dev/null; {}/waits_disk 4 /run/slow read-direct'",
        test_machine::PROGRAMS
    );
    examine(guest, &format!("-- {command}"))?;

    let disks = rows(
        guest,
        "select device, max(kind) as kind, max(backing) as backing, max(label_name) as name, max(mounts) as mounts, \
         sum(reads) as reads, sum(read_s) as read_s from disk where device in ('dm-0', 'sda', 'nullb0') \
         group by device order by device",
    )?;
    let [dm, null, memory] = disks.as_slice() else { anyhow::bail!("dm-0, nullb0, sda: {disks:?}") };
    ensure!(dm["kind"] == "dm" && dm["backing"] == "sda" && dm["name"] == "slow", "{dm}");
    ensure!(dm["mounts"] == "/run/slow" && null["kind"] == "disk" && memory["kind"] == "disk", "{disks:?}");
    let (reads, seconds) = (number(dm, "reads")?, number(dm, "read_s")?);
    let clocked = read_clocked(&guest.shell("cat /run/clocked", PATIENCE)?)?;
    let calls = clocked.first().context("nothing was clocked")?.calls as f64;
    ensure!(reads >= calls && calls >= 1.0, "{reads} reads, {calls} of them clocked");
    // Device mapper starts its timer and keeps its times in the same ticks: never less.
    ensure!(seconds * 1000.0 >= DELAY_MS * reads, "{reads} reads took {seconds} s");
    // However slowly the disk below answers here, it does not hold the delay as well. Half of it,
    // because its times are of another clock, which ticks may follow late.
    let added = seconds - number(memory, "read_s")?;
    ensure!(added * 1000.0 >= 0.5 * DELAY_MS * reads, "the delay is not the disk's: {disks:?}");
    reads_are_waits(guest, &clocked)?;

    let delayed = rows(
        guest,
        "select kind, sum(sent_packets) as packets from net_qdisc where name = 'lo' and kind = 'netem'",
    )?;
    let packets = number(delayed.first().context("no netem")?, "packets")?;
    // A question and an answer each.
    ensure!(packets >= 6.0, "{delayed:?}");
    guest.shell(AS_BEFORE, PATIENCE).map(drop)
}

/// What the reader clocked is in its account.
fn reads_are_waits(guest: &mut Guest, clocked: &[Clocked]) -> Result<()> {
    let query = "select tid, class_name, sum(seconds) as seconds from task_time group by 1, 2";
    let accounted: Vec<Accounted> = rows(guest, query)?
        .iter()
        .map(|row| {
            let class_name = row["class_name"].as_str().context("no class")?.to_owned();
            let tid = row["tid"].as_i64().context("no thread")?;
            Ok(Accounted { tid, class_name, seconds: number(row, "seconds")? })
        })
        .collect::<Result<_>>()?;
    let complaints = complaints(clocked, &accounted);
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    Ok(())
}

fn number(row: &Value, column: &str) -> Result<f64> {
    row[column].as_f64().with_context(|| format!("no {column} in {row}"))
}
