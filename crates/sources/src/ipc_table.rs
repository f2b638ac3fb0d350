//! The files of `/proc/sysvipc`: only the parser. The header names the columns, whose number
//! and order changed with the versions (`rss` and `swap` since 2.6.37).

use heldup_model::tables::IpcRow;

use crate::kernel_text::{ParseError, Parsed, count, fields, lines, signed};

/// `SHM_DEST` of linux/shm.h: removed, and kept for those who are attached.
const DESTROYED: i64 = 0o1000;

/// Which of the three files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `shm`
    SharedMemory,
    /// `sem`
    Semaphores,
    /// `msg`
    MessageQueue,
}

impl Kind {
    /// As our table calls it.
    fn name(self) -> &'static str {
        match self {
            Kind::SharedMemory => "shared_memory",
            Kind::Semaphores => "semaphores",
            Kind::MessageQueue => "message_queue",
        }
    }

    fn id_column(self) -> &'static str {
        match self {
            Kind::SharedMemory => "shmid",
            Kind::Semaphores => "semid",
            Kind::MessageQueue => "msqid",
        }
    }
}

/// Fields of one line by the names in the header.
struct Line<'t> {
    number: usize,
    header: &'t [&'t [u8]],
    fields: Vec<&'t [u8]>,
}

impl<'t> Line<'t> {
    fn field(&self, name: &str) -> Option<&'t [u8]> {
        let at = self.header.iter().position(|column| *column == name.as_bytes())?;
        Some(self.fields.get(at).copied().unwrap_or_default())
    }

    /// A column that this kernel does not have is NULL without an error.
    fn count(&self, parsed: &mut Parsed<Vec<IpcRow>>, name: &'static str) -> Option<i64> {
        let field = self.field(name)?;
        parsed.count(self.number, name, Some(field))
    }

    fn seconds(&self, parsed: &mut Parsed<Vec<IpcRow>>, name: &'static str) -> Option<i64> {
        // Zero stands for never.
        self.count(parsed, name).filter(|seconds| *seconds > 0)?.checked_mul(1000)
    }
}

/// Reads one of the files; namespace and owners are the caller's.
pub fn parse(file: &[u8], kind: Kind) -> Parsed<Vec<IpcRow>> {
    let mut parsed = Parsed::<Vec<IpcRow>>::default();
    let mut lines = lines(parsed.whole_lines(file));
    let header = lines.next().map(|(_, header)| header).unwrap_or_default();
    let names: Vec<&[u8]> = fields(header).collect();
    if !names.contains(&kind.id_column().as_bytes()) {
        parsed.error(ParseError::new(1, "header", header, "the names of the columns"));
        return parsed;
    }
    for (number, content) in lines {
        let line = Line { number, header: &names, fields: fields(content).collect() };
        if let Some(row) = row(&line, kind, &mut parsed) {
            parsed.value.push(row);
        }
    }
    parsed
}

/// None where the line has no id.
fn row(line: &Line, kind: Kind, parsed: &mut Parsed<Vec<IpcRow>>) -> Option<IpcRow> {
    let ipc_id = line.count(parsed, kind.id_column())?;
    let permissions = line.field("perms").and_then(octal);
    let mut row = IpcRow {
        kind: Some(kind.name().into()),
        ipc_id: Some(ipc_id),
        ipc_key: line.field("key").and_then(signed),
        permissions: permissions.map(|bits| format!("{:03o}", bits & 0o777).into()),
        uid: line.count(parsed, "uid"),
        creator_uid: line.count(parsed, "cuid"),
        changed_ms: line.seconds(parsed, "ctime"),
        ..IpcRow::default()
    };
    match kind {
        Kind::SharedMemory => {
            row.creator_pid = line.count(parsed, "cpid").filter(|pid| *pid > 0);
            row.last_pid = line.count(parsed, "lpid").filter(|pid| *pid > 0);
            row.destroyed = permissions.map(|bits| bits & DESTROYED != 0);
            row.size_bytes = line.count(parsed, "size");
            row.resident_bytes = line.count(parsed, "rss");
            row.swap_bytes = line.count(parsed, "swap");
            row.attached = line.count(parsed, "nattch");
            row.used_ms = line.seconds(parsed, "atime").max(line.seconds(parsed, "dtime"));
        }
        Kind::Semaphores => {
            row.semaphores = line.count(parsed, "nsems");
            row.used_ms = line.seconds(parsed, "otime");
        }
        Kind::MessageQueue => {
            row.last_pid = line.count(parsed, "lspid").filter(|pid| *pid > 0);
            row.size_bytes = line.count(parsed, "cbytes");
            row.messages = line.count(parsed, "qnum");
            row.used_ms = line.seconds(parsed, "stime").max(line.seconds(parsed, "rtime"));
        }
    }
    Some(row)
}

fn octal(field: &[u8]) -> Option<i64> {
    // Digits alone: the standard library would take a sign.
    count(field)?;
    i64::from_str_radix(std::str::from_utf8(field).ok()?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_names() {
        // Linux 2.6.18 has neither rss nor swap.
        let file = b"       key      shmid perms       size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime\n\
            -559038737      32768  1600      4096 12 13 2 1000 1000 0 0 1700000000 0 1700000005\n";
        let parsed = parse(file, Kind::SharedMemory);
        assert_eq!(parsed.errors, []);
        let row = &parsed.value[0];
        assert_eq!((row.ipc_key, row.ipc_id, row.attached), (Some(-559_038_737), Some(32768), Some(2)));
        assert_eq!((row.permissions.as_deref(), row.destroyed), (Some("600"), Some(true)));
        assert_eq!((row.resident_bytes, row.uid, row.creator_uid), (None, Some(1000), Some(0)));
        assert_eq!((row.used_ms, row.changed_ms), (Some(1_700_000_000_000), Some(1_700_000_005_000)));
    }

    #[test]
    fn a_malformed_line_is_named_and_the_rest_is_read() {
        let file = b"key semid perms nsems uid gid cuid cgid otime ctime\n0 x 600 1 0 0 0 0 0 1\n0 7 600 -1 0 0 0 0 0 1\n";
        let parsed = parse(file, Kind::Semaphores);
        let named: Vec<_> = parsed.errors.iter().map(|error| (error.line, &*error.item)).collect();
        assert_eq!(named, [(2, "semid"), (3, "nsems")]);
        assert_eq!((parsed.value.len(), parsed.value[0].semaphores), (1, None));
        assert_eq!(parse(b"", Kind::MessageQueue).errors.len(), 1);
    }
}
