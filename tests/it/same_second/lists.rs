//! What tools list: locks, objects of System V, file systems, mounts, disks, processes, messages.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use heldup_testkit::needs::Need;
use serde_json::Value;

use super::{Seen, TableTest, own_namespace, word};

/// A test for each table of things that a tool lists.
pub const TESTS: &[TableTest] = &[
    ("event", &[Need::Tool("dmesg")], event),
    ("file_lock", &[Need::Tool("lslocks")], file_lock),
    ("filesystem", &[Need::Tool("df")], filesystem),
    ("ipc", &[Need::Tool("ipcs")], ipc),
    ("mount", &[Need::Tool("findmnt")], mount),
    ("partition", &[Need::Tool("lsblk")], partition),
    ("process", &[Need::Tool("ps")], process),
    ("thread", &[Need::Tool("ps")], thread),
    ("user_limit", &[Need::Tool("prlimit")], user_limit),
];

/// The rows of an answer, as words of the columns named.
fn rows(answer: &Value, list: &str, columns: &[&str]) -> Result<Vec<Vec<String>>> {
    let rows = answer[list].as_array().with_context(|| format!("no {list} in {answer}"))?;
    // JSON says true where we say 1, and numbers are texts in older versions.
    Ok(rows.iter().map(|row| columns.iter().map(|column| word(&row[*column])).collect()).collect())
}

/// A message of the window, with its level and who wrote it, is in both.
fn event(seen: &Seen) -> Result<()> {
    let message = &seen.load.message;
    let ours =
        seen.words(&format!("select level, facility, in_window from event where message = '{message}'"))?;
    ensure!(ours == [["warning", "user", "1"]], "{message:?}: {ours:?}");
    // Asked for messages of that level and facility.
    let theirs = seen.text("dmesg")?.lines().filter(|line| line.ends_with(message.as_str())).count();
    ensure!(theirs == 1, "dmesg has {message:?} {theirs} times");
    Ok(())
}

/// The lock that is held and the one that waits for it. `lslocks` marks who waits with a star.
fn file_lock(seen: &Seen) -> Result<()> {
    let holds = seen.load.locks.to_string();
    let ours = seen.words(&format!(
        "select pid, kind, access, holder_pid from file_lock where pid = {holds} or holder_pid = {holds}"
    ))?;
    let ours: BTreeSet<Vec<String>> = ours.into_iter().collect();
    let theirs: BTreeSet<Vec<String>> =
        rows(&seen.json("lslocks")?, "locks", &["pid", "type", "mode", "blocker"])?
            .into_iter()
            .filter(|row| row[0] == holds || row[3] == holds)
            .map(|mut row| {
                row[1] = row[1].to_lowercase();
                row[2] = row[2].trim_end_matches('*').to_lowercase();
                row
            })
            .collect();
    ensure!(theirs.len() == 2, "who holds and who waits: {theirs:?}");
    ensure!(ours == theirs, "file_lock {ours:?}\nlslocks {theirs:?}");
    Ok(())
}

/// Id, permissions and size of what the test made; `ipcs -m` prints bytes and processes attached,
/// `-s` semaphores, `-q` bytes and messages.
fn ipc(seen: &Seen) -> Result<()> {
    for (kind, id) in &seen.load.ipc {
        let line = seen.text(&format!("ipcs-{kind}"))?.lines().find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            (fields.get(1) == Some(&id.as_str())).then_some(fields)
        });
        let fields = line.with_context(|| format!("ipcs does not list {kind} {id}"))?;
        let (name, columns) = match kind {
            'm' => ("shared_memory", "size_bytes, attached"),
            's' => ("semaphores", "semaphores"),
            _ => ("messages", "size_bytes, messages"),
        };
        let ours = seen.words(&format!(
            "select distinct permissions, {columns} from ipc \
             where ipc_id = {id} and kind like '{stem}%' and ipcns = {}",
            own_namespace("ipc")?,
            stem = &name[..7]
        ))?;
        let theirs: Vec<&str> = fields[3..].iter().copied().take(ours.first().map_or(0, Vec::len)).collect();
        ensure!(ours.len() == 1 && ours[0] == theirs, "{name} {id}: {ours:?}, ipcs {theirs:?}");
    }
    Ok(())
}

/// Size and inodes are the same; what is free moves.
fn filesystem(seen: &Seen) -> Result<()> {
    let said: BTreeMap<String, Vec<f64>> = seen
        .text("df")?
        .lines()
        .skip(1)
        .filter_map(|line| {
            // A mount point may hold blanks; the numbers behind it do not.
            let mut words: Vec<&str> = line.split_whitespace().collect();
            let numbers = words.split_off(words.len().checked_sub(3)?);
            let numbers = numbers.iter().map(|word| word.parse().unwrap_or(0.0)).collect();
            Some((words.join(" "), numbers))
        })
        .collect();
    let mut compared = 0;
    for row in seen.heldup.sql_last(
        "select mount, size_bytes, inodes, min(available_bytes), max(available_bytes) from filesystem group by mount",
    )? {
        let (Some(name), Some(size)) = (row[0].as_str(), row[1].as_f64()) else { continue };
        let Some(theirs) = said.get(name) else { continue };
        let inodes = row[2].as_f64().unwrap_or(0.0);
        ensure!([size, inodes] == theirs[..2], "{name}: {size} bytes and {inodes} inodes, df {theirs:?}");
        let (least, most) = (row[3].as_f64().unwrap_or(0.0), row[4].as_f64().unwrap_or(0.0));
        // Ours may be of the window's begin only: others write meanwhile.
        let slack = 0.01 * size;
        ensure!(
            (least - slack..=most + slack).contains(&theirs[2]),
            "{name}: {least} to {most} available, df {}",
            theirs[2]
        );
        compared += 1;
    }
    ensure!(compared > 0, "no file system of df is ours: {said:?}");
    Ok(())
}

/// Every mount of our namespace, with all of its options.
fn mount(seen: &Seen) -> Result<()> {
    let query = format!(
        "select distinct mount_id, parent_id, dev_id, fs_type, root, options, super_options \
         from mount where mntns = {}",
        own_namespace("mnt")?
    );
    let ours: BTreeSet<Vec<String>> = seen.words(&query)?.into_iter().collect();
    let columns = ["id", "parent", "maj:min", "fstype", "fsroot", "vfs-options", "fs-options"];
    let theirs: BTreeSet<Vec<String>> =
        rows(&seen.json("findmnt")?, "filesystems", &columns)?.into_iter().collect();
    let (more, less): (Vec<_>, Vec<_>) =
        (ours.difference(&theirs).collect(), theirs.difference(&ours).collect());
    ensure!(ours.len() > 3 && more.is_empty() && less.is_empty(), "mount {more:?}\nfindmnt {less:?}");
    Ok(())
}

/// Sizes and alignment of every disk and partition that both know. An optimal size of 0 is none,
/// which is NULL here.
fn partition(seen: &Seen) -> Result<()> {
    let columns = ["size", "log-sec", "phy-sec", "min-io", "opt-io", "alignment"];
    let said = seen.json("lsblk")?;
    let names = rows(&said, "blockdevices", &["name"])?;
    let theirs: BTreeMap<String, Vec<String>> =
        names.into_iter().flatten().zip(rows(&said, "blockdevices", &columns)?).collect();
    let ours = seen.words(
        "select distinct device, size_bytes, logical_block_bytes, physical_block_bytes, minimum_io_bytes, \
         coalesce(optimal_io_bytes, 0), alignment_offset_bytes from partition",
    )?;
    let mut compared = 0;
    for row in &ours {
        let Some(theirs) = theirs.get(&row[0]) else { continue };
        ensure!(row[1..] == theirs[..], "{}: {:?}, lsblk {theirs:?} ({columns:?})", row[0], &row[1..]);
        compared += 1;
    }
    ensure!(compared > 0, "{ours:?} has none of {theirs:?}");
    Ok(())
}

/// What does not change while a process runs; sizes are KiB in `ps`.
fn process(seen: &Seen) -> Result<()> {
    let ours = seen.words(&format!(
        "select distinct parent_pid, uid, nice, threads, virtual_bytes / 1024, resident_bytes / 1024, name \
         from process where pid = {}",
        seen.load.spin
    ))?;
    let theirs: Vec<&str> = seen.text("ps")?.split_whitespace().collect();
    ensure!(ours.len() == 1 && ours[0] == theirs, "process {ours:?}\nps {theirs:?}");
    Ok(())
}

/// Each thread; `ps` has no real-time priority for who is not of a real-time policy, the kernel 0.
fn thread(seen: &Seen) -> Result<()> {
    let ours = seen.words(&format!(
        "select distinct tid, nice, case when realtime_priority = 0 then '-' else realtime_priority end, name \
         from thread where pid = {}",
        seen.load.spin
    ))?;
    let ours: BTreeSet<Vec<String>> = ours.into_iter().collect();
    let theirs: BTreeSet<Vec<String>> = seen
        .text("ps-threads")?
        .lines()
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect();
    ensure!(theirs.len() > 2 && ours == theirs, "thread {ours:?}\nps -L {theirs:?}");
    Ok(())
}

/// Limits that are some, of those that a use is known of; `ps` of open files is their folder.
fn user_limit(seen: &Seen) -> Result<()> {
    let names = BTreeMap::from([
        ("address_space", "AS"),
        ("cpu_time", "CPU"),
        ("data", "DATA"),
        ("locked_memory", "MEMLOCK"),
        ("open_files", "NOFILE"),
        ("pending_signals", "SIGPENDING"),
        ("processes", "NPROC"),
        ("stack", "STACK"),
    ]);
    let said: BTreeMap<&str, Vec<&str>> = seen
        .text("prlimit")?
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.collect()))
        })
        .collect();
    let ours = seen.words(&format!(
        "select distinct limit_name, coalesce(soft_max, 'unlimited'), coalesce(hard_max, 'unlimited'), used \
         from user_limit where pid = {}",
        seen.load.spin
    ))?;
    for row in &ours {
        let theirs = names.get(row[0].as_str()).and_then(|name| said.get(name));
        let theirs = theirs.with_context(|| format!("prlimit has no {}: {said:?}", row[0]))?;
        ensure!(row[1..3] == theirs[..], "{row:?}, prlimit {theirs:?}");
    }
    let files = seen.text("fds")?.lines().count().to_string();
    let open = ours.iter().find(|row| row[0] == "open_files").context("no row of open_files")?;
    ensure!(open[3] == files, "{open:?}, {files} files in the folder");
    Ok(())
}
