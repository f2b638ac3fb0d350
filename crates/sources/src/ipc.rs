//! Table `ipc`: System V shared memory, semaphores and message queues, and POSIX message
//! queues, of every IPC namespace.
//!
//! Our own namespace is read from `/proc/sysvipc`, each other one by a thread that enters it
//! for the same files. POSIX queues are files below `/dev/mqueue`, of ours and through
//! `/proc/PID/root` of the others, where their own mount table says that this is what is there:
//! what a container puts into that place otherwise is not touched.

use heldup_hostfs::Host;
use heldup_model::tables::IpcRow;
use heldup_model::{Missing, Record, RowSet, TableDef, Text};

use crate::ipc_table::{self, Kind};
use crate::kernel_text::{ParseError, Parsed, count, fields};
use crate::mountinfo;
use crate::namespaces::{self, MAX_NAMESPACES, Namespace, OtherNamespaces};
use crate::process_owner::ProcessOwners;
use crate::source::{Pace, ReadContext, Reading, Schedule, Source};

const FILES: [&str; 3] = ["/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg"];
const KINDS: [Kind; 3] = [Kind::SharedMemory, Kind::Semaphores, Kind::MessageQueue];
const MQUEUE: &str = "/dev/mqueue";
/// At most so many objects are kept; kernels allow 32,768 of a kind in each namespace.
const MAX_OBJECTS: usize = 5000;
/// At most so many POSIX queues are looked into in each namespace, 10 µs each.
const MAX_QUEUES: usize = 500;

/// The source.
#[derive(Debug)]
pub struct Ipc;

impl Source for Ipc {
    fn name(&self) -> &'static str {
        "ipc"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[IpcRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        // Asked of every namespace.
        Schedule::ends().pace(Pace::COSTLY)
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let mut rows = Vec::new();
        let own = namespaces::own(host, "ipc");
        for (path, kind) in FILES.into_iter().zip(KINDS) {
            match host.read(path) {
                Ok(file) => rows.extend(reading.take(path, ipc_table::parse(&file, kind))),
                Err(error) => {
                    reading.lacks("ipc", &error, "a kernel with CONFIG_SYSVIPC and an unmasked /proc");
                }
            }
        }
        rows.extend(queues(host, host.mount_table().ok().as_deref(), "", &mut reading));
        let mut owners = ProcessOwners::default();
        own_by_creator(host, &mut owners, &mut rows);
        rows.iter_mut().for_each(|row| row.ipcns = own);
        let others = context.namespaces.others(host, "ipc");
        other_namespaces(host, &others, &mut owners, &mut rows, &mut reading);
        if rows.len() > MAX_OBJECTS {
            reading.missing.push(cut(rows.len()));
            rows.truncate(MAX_OBJECTS);
        }
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

fn other_namespaces(
    host: &Host,
    others: &OtherNamespaces,
    owners: &mut ProcessOwners,
    rows: &mut Vec<IpcRow>,
    reading: &mut Reading,
) {
    let mut refused = others.denied;
    for namespace in &others.namespaces {
        if rows.len() > MAX_OBJECTS {
            break;
        }
        match of_namespace(host, namespace, owners, reading) {
            Some(found) => rows.extend(found),
            None => refused += 1,
        }
    }
    let why = if others.cut {
        format!("more than {MAX_NAMESPACES} IPC namespaces; the first were read")
    } else if refused > 0 && host.is_live() {
        format!("{refused} IPC namespaces not readable: denied")
    } else {
        return;
    };
    let how = "run as root, and with CAP_SYS_ADMIN and CAP_SYS_PTRACE; or inside the container";
    reading.missing.push(Missing { what: "ipc.ipcns".to_owned(), why, how: how.to_owned() });
}

/// Objects of another namespace; none where entering it is refused. One that ended meanwhile
/// has none.
fn of_namespace(
    host: &Host,
    namespace: &Namespace,
    owners: &mut ProcessOwners,
    reading: &mut Reading,
) -> Option<Vec<IpcRow>> {
    let files = match host.read_in_ipc_namespace(namespace.pid, &FILES) {
        Ok(files) => files,
        Err(error) => return error.is_absent().then(Vec::new),
    };
    let mut rows = Vec::new();
    for ((file, path), kind) in files.into_iter().zip(FILES).zip(KINDS) {
        let Ok(file) = file else { continue };
        rows.extend(reading.take(path, ipc_table::parse(&file, kind)));
    }
    let process = format!("/proc/{}", namespace.pid);
    let mounts = host.read(format!("{process}/mountinfo")).ok();
    rows.extend(queues(host, mounts.as_deref(), &format!("{process}/root"), reading));
    own_by_creator(host, owners, &mut rows);
    let member = owners.of(host, namespace.pid);
    for row in &mut rows {
        row.ipcns = Some(namespace.inode);
        if row.creator_name.is_none() {
            (row.unit, row.container) = (member.unit.clone(), member.container.clone());
        }
    }
    Some(rows)
}

/// Name and owners of the processes that made the objects, where they still run.
fn own_by_creator(host: &Host, owners: &mut ProcessOwners, rows: &mut [IpcRow]) {
    for row in rows {
        let Some(pid) = row.creator_pid else { continue };
        let owner = owners.of(host, pid);
        (row.creator_name, row.unit, row.container) = (owner.name, owner.unit, owner.container);
    }
}

/// POSIX queues below a root folder, if its mount table has a queue file system at the usual place.
fn queues(host: &Host, mounts: Option<&[u8]>, root: &str, reading: &mut Reading) -> Vec<IpcRow> {
    // Flaws of the mount table are said by the source `filesystem`.
    let mounts = mounts.map(|text| mountinfo::parse(text).value).unwrap_or_default();
    let top = mounts.iter().rev().find(|mount| mount.point == MQUEUE);
    if top.is_none_or(|mount| mount.fs_type != "mqueue") {
        return Vec::new();
    }
    let folder = format!("{root}{MQUEUE}");
    let names = host.list(&folder).unwrap_or_default();
    names.iter().take(MAX_QUEUES).filter_map(|name| queue(host, &folder, name, reading)).collect()
}

/// One queue; none when it was removed meanwhile.
fn queue(host: &Host, folder: &str, name: &str, reading: &mut Reading) -> Option<IpcRow> {
    let path = format!("{folder}/{name}");
    let facts = host.facts(&path).ok()?;
    // Not allowed to others than its owner: the queue is said without its content.
    let file = host.read(&path).ok();
    let waiting = file.and_then(|file| reading.take(&path, parse_queue(&file)));
    Some(IpcRow {
        kind: Some("posix_message_queue".into()),
        // Inodes of recorded trees are those of the copy.
        ipc_id: host.is_live().then_some(facts.inode as i64),
        name: Some(Text::from(format!("/{name}"))),
        permissions: host.is_live().then(|| format!("{:03o}", facts.permissions).into()),
        uid: host.is_live().then_some(i64::from(facts.uid)),
        size_bytes: waiting,
        ..IpcRow::default()
    })
}

/// `QSIZE:129        NOTIFY:2     SIGNO:0     NOTIFY_PID:8260` (mq_overview(7)).
fn parse_queue(file: &[u8]) -> Parsed<Option<i64>> {
    let mut parsed = Parsed::default();
    let line = parsed.whole_lines(file);
    let size = fields(line).find_map(|field| field.strip_prefix(b"QSIZE:"));
    parsed.value = size.and_then(count);
    if parsed.value.is_none() && parsed.errors.is_empty() {
        parsed.error(ParseError::new(1, "QSIZE", line.trim_ascii(), "QSIZE: and bytes"));
    }
    parsed
}

fn cut(all: usize) -> Missing {
    Missing {
        what: "ipc".to_owned(),
        why: format!("more than {MAX_OBJECTS} objects ({all} seen); the first were kept"),
        how: "ipcs -m, ipcs -s, ipcs -q".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_wait_in_a_queue() {
        let parsed = parse_queue(b"QSIZE:129        NOTIFY:2     SIGNO:0     NOTIFY_PID:8260  \n");
        assert_eq!((parsed.value, parsed.errors.len()), (Some(129), 0));
        assert_eq!(parse_queue(b"QSIZE:x\n").errors.len(), 1);
        assert_eq!(parse_queue(b"").errors.len(), 1);
    }
}
