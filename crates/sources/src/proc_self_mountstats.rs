//! `/proc/self/mountstats`: NFS mounts and their operations (tables `nfs_mount` and `nfs_op`).
//!
//! Written by the client itself (`nfs_show_stats` of fs/nfs/super.c, `rpc_clnt_show_stats` of
//! net/sunrpc/stats.c): reading it asks no server and waits for none. Other file systems have
//! one line each and are skipped. Later kernels write longer lines, as of connections (slots and
//! queues) and of operations (a ninth number, their errors): what a kernel does not write is NULL.

use heldup_model::tables::{NfsMountRow, NfsOpRow};
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, Parsed, count, fields, lines, text};
use crate::mountinfo::unescape;
use crate::source::{ReadContext, Reading, Schedule, Source};

const PATH: &str = "/proc/self/mountstats";
/// More than any line of the file has; the rest of a garbled one is not looked at.
const MAX_NUMBERS: usize = 64;
/// What an operation has at least: eight numbers.
const OPERATION_NUMBERS: usize = 8;

/// What the file says: mounts, and their operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NfsMounts {
    /// Mounts.
    pub mounts: Vec<NfsMountRow>,
    /// Operations that were ever done.
    pub operations: Vec<NfsOpRow>,
}

/// Reads the file into one buffer.
#[derive(Debug, Default)]
pub struct ProcSelfMountstats {
    text: Vec<u8>,
}

impl Source for ProcSelfMountstats {
    fn name(&self) -> &'static str {
        "proc_self_mountstats"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[NfsMountRow::DEF, NfsOpRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        if let Err(error) = host.read_into(PATH, &mut self.text) {
            reading.lacks("nfs_mount", &error, "mount proc on /proc");
            reading.lacks("nfs_op", &error, "mount proc on /proc");
            return reading;
        }
        let found = reading.take(PATH, parse(&self.text));
        reading.rows.push(RowSet::totals(found.mounts));
        reading.rows.push(RowSet::totals(found.operations));
        reading
    }
}

/// Reads the file.
pub fn parse(content: &[u8]) -> Parsed<NfsMounts> {
    let mut parsed: Parsed<NfsMounts> = Parsed::default();
    let mut now: Option<NfsMountRow> = None;
    let mut in_operations = false;
    for (number, line) in lines(parsed.whole_lines(content)) {
        if line.starts_with(b"device ") || line.starts_with(b"no device ") {
            parsed.value.mounts.extend(now.take());
            in_operations = false;
            match device(line) {
                Some(device) => now = device,
                None => parsed.error(ParseError::new(number, "device", line, DEVICE_FIELDS)),
            }
            continue;
        }
        let Some(row) = &mut now else { continue };
        let line = line.trim_ascii();
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            in_operations |= line == b"per-op statistics";
            continue;
        };
        let (name, rest) = (&line[..colon], &line[colon + 1..]);
        if in_operations {
            let mount = row.mount.clone();
            if let Some(operation) = operation(&mut parsed, number, name, rest) {
                parsed.value.operations.push(NfsOpRow { mount, ..operation });
            }
            continue;
        }
        match name {
            b"opts" => options(row, &text(rest)),
            b"age" => row.age_s = numbers(&mut parsed, number, "age", rest, 1).first().map(|age| *age as f64),
            b"bytes" => bytes(row, &numbers(&mut parsed, number, "bytes", rest, 6)),
            b"events" => events(row, &numbers(&mut parsed, number, "events", rest, 25)),
            b"xprt" => connection(&mut parsed, number, row, rest),
            _ => {}
        }
    }
    parsed.value.mounts.extend(now);
    parsed
}

const DEVICE_FIELDS: &str = "\"device\", what, \"mounted on\", where, \"with fstype\" and a type";

/// `device nas:/export mounted on /mnt with fstype nfs4 statvers=1.1`; the outer `None` is a
/// line in another form, the inner one another file system.
fn device(line: &[u8]) -> Option<Option<NfsMountRow>> {
    // Blanks in names are written as \040.
    let words: Vec<&[u8]> = fields(line).collect();
    let with = words.windows(2).rposition(|pair| pair == [b"with".as_slice(), b"fstype"])?;
    let fs_type = words.get(with + 2)?;
    if !matches!(*fs_type, b"nfs" | b"nfs4") {
        return Some(None);
    }
    let [before @ .., b"mounted", b"on", mount] = &words[..with] else { return None };
    let server = before.get(1).map(|server| unescape(server).into());
    Some(Some(NfsMountRow {
        mount: Some(unescape(mount).into()),
        server,
        fs_type: Some(text(fs_type).into()),
        ..NfsMountRow::default()
    }))
}

fn options(row: &mut NfsMountRow, options: &str) {
    row.version = options.split(',').find_map(|option| option.strip_prefix("vers=")).map(Into::into);
    row.options = Some(options.into());
}

/// The numbers of a line, up to one that is none, which is said, as are fewer than `least`.
fn numbers(
    parsed: &mut Parsed<NfsMounts>,
    line: usize,
    item: &'static str,
    rest: &[u8],
    least: usize,
) -> Vec<i64> {
    let mut found = Vec::new();
    for field in fields(rest).take(MAX_NUMBERS) {
        let Some(number) = count(field) else {
            parsed.error(ParseError::new(line, item, field, "a number from 0 to 2^63-1"));
            return found;
        };
        found.push(number);
    }
    if found.len() < least {
        parsed.error(ParseError::new(line, item, rest, "more numbers"));
    }
    found
}

fn bytes(row: &mut NfsMountRow, numbers: &[i64]) {
    let at = |index: usize| numbers.get(index).copied();
    row.read_bytes = at(0);
    row.write_bytes = at(1);
    row.direct_read_bytes = at(2);
    row.direct_write_bytes = at(3);
    row.server_read_bytes = at(4);
    row.server_write_bytes = at(5);
    row.read_pages = at(6);
    row.write_pages = at(7);
}

/// In the order of `enum nfs_stat_eventcounters` of linux/nfs_iostat.h.
fn events(row: &mut NfsMountRow, numbers: &[i64]) {
    let at = |index: usize| numbers.get(index).copied();
    row.inode_revalidations = at(0);
    row.dentry_revalidations = at(1);
    row.data_invalidations = at(2);
    row.attribute_invalidations = at(3);
    row.opens = at(4);
    row.lookups = at(5);
    row.fsyncs = at(15);
    row.congestion_waits = at(18);
    row.silly_renames = at(21);
    row.short_reads = at(22);
    row.short_writes = at(23);
    row.delays = at(24);
}

/// A connection: with `nconnect` there are several, whose numbers add up. Which numbers
/// precede the count of requests sent depends on the protocol (`xs_*_print_stats` of
/// net/sunrpc/xprtsock.c); RDMA has numbers of its own where the others have slots.
fn connection(parsed: &mut Parsed<NfsMounts>, line: usize, row: &mut NfsMountRow, rest: &[u8]) {
    let mut words = fields(rest);
    let protocol = words.next().unwrap_or_default();
    let (connects_at, sent_at, has_slots) = match protocol {
        b"tcp" => (Some(2), 5, true),
        b"rdma" => (Some(2), 5, false),
        b"local" => (Some(1), 4, true),
        b"udp" => (None, 2, true),
        _ => {
            return parsed.error(ParseError::new(
                line,
                "xprt",
                rest,
                "tcp, udp, rdma or local, then numbers",
            ));
        }
    };
    // A time since the last use may be negative: what is no number is NULL.
    let numbers: Vec<Option<i64>> = words.take(MAX_NUMBERS).map(count).collect();
    if numbers.len() < sent_at + 5 {
        return parsed.error(ParseError::new(line, "xprt", rest, "more numbers"));
    }
    let at = |index: usize| numbers.get(index).copied().flatten();
    let first = row.connections.is_none();
    // One that is not known makes the sum unknown.
    let add = |sum: &mut Option<i64>, value: Option<i64>| {
        *sum = if first { value } else { sum.zip(value).and_then(|(sum, value)| sum.checked_add(value)) };
    };
    let slot = |offset: usize| if has_slots { at(sent_at + offset) } else { None };
    add(&mut row.connects, connects_at.and_then(at));
    add(&mut row.rpc_sent, at(sent_at));
    add(&mut row.rpc_received, at(sent_at + 1));
    add(&mut row.bad_xids, at(sent_at + 2));
    add(&mut row.inflight_sum, at(sent_at + 3));
    add(&mut row.backlog_sum, at(sent_at + 4));
    add(&mut row.sending_sum, slot(6));
    add(&mut row.pending_sum, slot(7));
    row.slots_max = row.slots_max.max(slot(5));
    row.connections = Some(row.connections.unwrap_or(0) + 1);
    row.protocol = Some(text(protocol).into());
}

/// An operation: completed, sent, major timeouts, bytes sent and received, milliseconds in
/// the queue, of round trips and in all, errors. Never done ones have no row.
fn operation(parsed: &mut Parsed<NfsMounts>, line: usize, name: &[u8], rest: &[u8]) -> Option<NfsOpRow> {
    let numbers = numbers(parsed, line, "operation", rest, OPERATION_NUMBERS);
    let at = |index: usize| numbers.get(index).copied();
    let seconds = |index: usize| at(index).map(|ms| ms as f64 / 1000.0);
    let (operations, transmissions) = (at(0)?, at(1)?);
    if operations == 0 && transmissions == 0 {
        return None;
    }
    Some(NfsOpRow {
        operation: Some(text(name).into()),
        operations: Some(operations),
        transmissions: Some(transmissions),
        // Both are counted when an operation ends; fewer would be a garbled file.
        retransmissions: Some(transmissions - operations).filter(|again| *again >= 0),
        major_timeouts: at(2),
        sent_bytes: at(3),
        received_bytes: at(4),
        queue_s: seconds(5),
        rtt_s: seconds(6),
        execute_s: seconds(7),
        errors: at(8),
        ..NfsOpRow::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_file_systems_are_skipped() {
        let text =
            b"no device mounted on / with fstype rootfs\ndevice proc mounted on /proc with fstype proc\n\
            device  mounted on /x with fstype tmpfs\n\
            device /dev/with\\040fstype mounted on /mnt\\040a with fstype ext4\n\tage:\t5\n";
        let parsed = parse(text);
        assert_eq!((parsed.value, parsed.errors), (NfsMounts::default(), vec![]));
    }

    #[test]
    fn names_with_blanks_and_a_mount_without_statistics() {
        let parsed =
            parse(b"device nas:/my\\040files mounted on /mnt/my\\040files with fstype nfs4 statvers=1.1\n");
        let row = &parsed.value.mounts[0];
        assert_eq!(
            (row.mount.as_deref(), row.server.as_deref()),
            (Some("/mnt/my files"), Some("nas:/my files"))
        );
        assert_eq!((row.rpc_sent, row.connections), (None, None));
    }

    const MOUNT: &str = "device a:/b mounted on /c with fstype nfs statvers=1.0\n";

    #[test]
    fn connections_of_every_protocol() {
        let row = |lines: &str| parse(format!("{MOUNT}{lines}").as_bytes()).value.mounts.remove(0);
        let shown =
            |row: &NfsMountRow| (row.connects, row.rpc_sent, row.bad_xids, row.backlog_sum, row.pending_sum);
        let tcp = "\txprt:\ttcp 790 1 2 3 4 50 49 1 6 7 8 9 10\n";
        assert_eq!(shown(&row(tcp)), (Some(2), Some(50), Some(1), Some(7), Some(10)));
        assert_eq!(shown(&row("\txprt:\tudp 790 1 50 49 1 6 7\n")), (None, Some(50), Some(1), Some(7), None));
        assert_eq!(
            shown(&row("\txprt:\tlocal 1 2 3 -4 50 49 1 6 7 8 9 10\n")),
            (Some(2), Some(50), Some(1), Some(7), Some(10))
        );
        let rdma = "\txprt:\trdma 0 1 2 3 4 50 49 1 6 7 8 9 10 11 12\n";
        assert_eq!(shown(&row(rdma)), (Some(2), Some(50), Some(1), Some(7), None));
        let two = row(&format!("{tcp}{tcp}"));
        assert_eq!(shown(&two), (Some(4), Some(100), Some(2), Some(14), Some(20)));
        assert_eq!((two.connections, two.slots_max), (Some(2), Some(8)));
    }

    #[test]
    fn malformed_lines_are_named_and_the_rest_is_read() {
        let text = format!(
            "{MOUNT}\tbytes:\t1 2 x\n\txprt:\tcarrier-pigeon 1\n\tper-op statistics\n\
             \t READ: 5 7 0 1 2 3000\n\t WRITE: 5 7 0 10 20 1000 2000 4000\n\t  NULL: 0 0 0 0 0 0 0 0\n\
             device a:/b mounted at /c\n"
        );
        let parsed = parse(text.as_bytes());
        let said: Vec<_> = parsed.errors.iter().map(|error| (error.line, error.item.as_ref())).collect();
        assert_eq!(said, [(2, "bytes"), (3, "xprt"), (5, "operation"), (8, "device")]);
        assert_eq!(parsed.value.mounts[0].write_bytes, Some(2));
        let [read, write] = &parsed.value.operations[..] else { panic!("{parsed:?}") };
        assert_eq!((read.retransmissions, read.queue_s, read.execute_s), (Some(2), Some(3.0), None));
        assert_eq!((write.execute_s, write.errors), (Some(4.0), None));
    }
}
