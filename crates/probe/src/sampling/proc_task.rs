//! The files of one thread in `/proc`: pure parsers, and a reader that keeps its buffers.
//!
//! Only fields that the sampler needs; `sources` has the whole of `stat` for its tables.

use std::fmt::Write as _;

use heldup_hostfs::{Host, HostError};
use heldup_model::Text;

use super::seen::MountedDevices;
use super::wait::{Call, FileKind};

/// `PF_KTHREAD` (include/linux/sched.h).
const FLAG_KERNEL_THREAD: u64 = 0x0020_0000;
/// `O_DSYNC`, which is part of `O_SYNC` too.
const O_DSYNC: u64 = 0o10000;
/// Functions of a stack that are examined.
const FRAMES: usize = 32;

/// What `stat` says of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) name: String,
    pub(super) state: char,
    pub(super) parent_pid: i64,
    pub(super) kernel_thread: bool,
    pub(super) user_ticks: u64,
    pub(super) system_ticks: u64,
    pub(super) start_ticks: i64,
}

/// What `schedstat` says: nanoseconds on a CPU and in its queue, and how often it got one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SchedStat {
    pub(super) run_ns: u64,
    pub(super) queue_ns: u64,
    pub(super) slices: u64,
}

/// What `syscall` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallText {
    /// The thread does not sleep.
    Running,
    /// It sleeps in a call, or (number -1) outside of any.
    Call(Call),
}

/// Reads the one line of `stat`; the name may hold anything and ends at the last parenthesis.
pub(super) fn parse_stat(text: &str) -> Option<Stat> {
    let (open, close) = (text.find('(')?, text.rfind(')')?);
    let mut fields = text.get(close + 1..)?.split_ascii_whitespace();
    // Numbered as in proc(5), the state being the third.
    let state = fields.next()?.chars().next()?;
    let fields: Vec<&str> = fields.take(19).collect();
    let number = |field: usize| fields.get(field - 4)?.parse::<u64>().ok();
    Some(Stat {
        name: text.get(open + 1..close)?.to_owned(),
        state,
        // A parent outside of our PID namespace is 0.
        parent_pid: number(4).and_then(|pid| i64::try_from(pid).ok()).unwrap_or(0),
        kernel_thread: number(9)? & FLAG_KERNEL_THREAD != 0,
        user_ticks: number(14)?,
        system_ticks: number(15)?,
        start_ticks: i64::try_from(number(22)?).ok()?,
    })
}

/// Reads `schedstat`: three numbers.
pub(super) fn parse_schedstat(text: &str) -> Option<SchedStat> {
    let mut numbers = text.split_ascii_whitespace().map(|number| number.parse().ok());
    Some(SchedStat { run_ns: numbers.next()??, queue_ns: numbers.next()??, slices: numbers.next()?? })
}

/// Reads `syscall`: `running`, `-1 STACK CODE`, or a number, six arguments and both pointers.
pub(super) fn parse_call(text: &str) -> Option<CallText> {
    let mut words = text.split_ascii_whitespace();
    let number = match words.next()? {
        "running" => return Some(CallText::Running),
        number => number.parse().ok()?,
    };
    let hex = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let rest: Vec<u64> = words.map(hex).collect::<Option<_>>()?;
    let mut call = Call { number, stack_pointer: *rest.get(rest.len().checked_sub(2)?)?, ..Call::default() };
    if let Some(args) = rest.first_chunk::<6>().filter(|_| number >= 0) {
        call.args = *args;
    }
    Some(CallText::Call(call))
}

/// Reads `stack`: a line a function, innermost first, `[<0>] NAME+0x74/0xf0 [MODULE]`.
pub(super) fn parse_stack(text: &str) -> Vec<&str> {
    let names = text.lines().filter_map(|line| line.split_once("] ").map(|(_, name)| name.trim()));
    names.take(FRAMES).collect()
}

/// Reads `io`: bytes that the thread had read from disks and is to write there.
pub(super) fn parse_block_bytes(text: &str) -> Option<u64> {
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))?;
        line.trim().parse::<u64>().ok()
    };
    Some(number("read_bytes")?.wrapping_add(number("write_bytes")?))
}

/// What a link in `fd` and the flags in `fdinfo` say of a file.
pub(super) fn file_kind(link: &str, is_block: impl Fn(&str) -> bool, fdinfo: Option<&str>) -> FileKind {
    match link {
        _ if link.starts_with("pipe:[") => FileKind::Pipe,
        _ if link.starts_with("socket:[") => FileKind::Socket,
        _ if link.starts_with("anon_inode:") => FileKind::Event,
        _ if link.starts_with("/dev/") && !link.starts_with("/dev/shm/") && !is_block(link) => {
            FileKind::Device
        }
        _ => FileKind::Disk { synchronous: fdinfo.is_some_and(is_synchronous) },
    }
}

/// Whether the line `flags:` of `fdinfo` holds `O_DSYNC`.
fn is_synchronous(fdinfo: &str) -> bool {
    let flags = fdinfo.lines().find_map(|line| line.strip_prefix("flags:"));
    flags.and_then(|flags| u64::from_str_radix(flags.trim(), 8).ok()).is_some_and(|bits| bits & O_DSYNC != 0)
}

/// What a descriptor leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenFile {
    pub(super) kind: FileKind,
    pub(super) path: String,
    /// The kernel's name, where it is a block device itself.
    pub(super) block_device: Option<Text>,
    /// The block device under its file system.
    pub(super) device: Option<Text>,
    pub(super) inode: Option<i64>,
}

/// A number of `fdinfo`: `mnt_id` since 3.15, `ino` since 5.14.
fn fdinfo_number(fdinfo: &str, name: &str) -> Option<u64> {
    let line = fdinfo.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().parse().ok()
}

/// Reads the files of threads.
pub(super) struct Reader {
    pub(super) host: Host,
    mounts: MountedDevices,
    path: String,
    bytes: Vec<u8>,
}

impl Reader {
    pub(super) fn new(host: Host) -> Reader {
        Reader { host, mounts: MountedDevices::default(), path: String::new(), bytes: Vec::new() }
    }

    /// The text of `/proc/PID/task/TID/FILE`.
    pub(super) fn text(&mut self, (pid, tid): (i64, i64), file: &str) -> Result<&str, HostError> {
        self.path.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.path, "/proc/{pid}/task/{tid}/{file}");
        self.host.read_into(&self.path, &mut self.bytes)?;
        // A name may hold bytes that are no UTF-8; what stands before it is of no use then.
        if std::str::from_utf8(&self.bytes).is_err() {
            self.bytes = String::from_utf8_lossy(&self.bytes).into_owned().into_bytes();
        }
        Ok(std::str::from_utf8(&self.bytes).unwrap_or_default())
    }

    /// What a descriptor of a thread leads to; none where that may not be seen.
    pub(super) fn file(&mut self, task: (i64, i64), descriptor: u64) -> Option<OpenFile> {
        let (pid, tid) = task;
        let path = self.host.read_link(format!("/proc/{pid}/task/{tid}/fd/{descriptor}")).ok()?;
        let fdinfo = self.text(task, &format!("fdinfo/{descriptor}")).ok().map(str::to_owned);
        let name = path.strip_prefix("/dev/").map(|_| path.rsplit('/').next().unwrap_or_default());
        let block_device: Option<Text> =
            name.filter(|name| self.host.exists(format!("/sys/class/block/{name}"))).map(Into::into);
        let kind = file_kind(&path, |_| block_device.is_some(), fdinfo.as_deref());
        let mut file = OpenFile { kind, path, block_device, device: None, inode: None };
        if matches!(kind, FileKind::Disk { .. }) && file.block_device.is_none() {
            let number = |name| fdinfo_number(fdinfo.as_deref().unwrap_or_default(), name);
            file.inode = number("ino").and_then(|inode| i64::try_from(inode).ok());
            file.device = number("mnt_id").and_then(|mount| self.mounts.device(&self.host, pid, mount));
        }
        Some(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_and_schedstat() {
        let text = "7 (a b) R) D 1 7 7 0 -1 69238880 10 0 2 0 30 40 0 0 20 -5 3 0 5000 8192 9\n";
        let stat = parse_stat(text).expect("a thread");
        assert_eq!((stat.name.as_str(), stat.state, stat.kernel_thread), ("a b) R", 'D', true));
        assert_eq!((stat.user_ticks, stat.system_ticks, stat.start_ticks), (30, 40, 5000));
        assert_eq!(parse_stat("7 (cut) S 1"), None);
        assert_eq!(
            parse_schedstat("971098 93183 2\n"),
            Some(SchedStat { run_ns: 971_098, queue_ns: 93_183, slices: 2 })
        );
        assert_eq!(parse_schedstat("971098 93183"), None);
    }

    #[test]
    fn bytes_of_disks() {
        let text = "rchar: 9\nwchar: 8\nsyscr: 7\nsyscw: 6\nread_bytes: 4096\nwrite_bytes: 512\ncancelled_write_bytes: 512\n";
        assert_eq!(parse_block_bytes(text), Some(4608));
        assert_eq!(parse_block_bytes("rchar: 9\n"), None);
    }

    #[test]
    fn calls() {
        let text = "230 0x0 0x0 0x7ffe225c0370 0x7ffe225c03b0 0x0 0x0 0x7ffe225c0358 0x7f3a501c7503\n";
        let Some(CallText::Call(call)) = parse_call(text) else { panic!("a call") };
        assert_eq!((call.number, call.args[2], call.stack_pointer), (230, 0x7ffe225c0370, 0x7ffe225c0358));
        assert_eq!(parse_call("running\n"), Some(CallText::Running));
        let Some(CallText::Call(none)) = parse_call("-1 0x7ffe1 0x7f3a5\n") else { panic!("no call") };
        assert_eq!((none.number, none.args, none.stack_pointer), (-1, [0; 6], 0x7ffe1));
        for bad in ["", "x", "1 zz 0x0", "230"] {
            assert_eq!(parse_call(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn stacks() {
        let text = "[<0>] hrtimer_nanosleep+0x74/0xf0\n[<0>] ext4_x+0x1/0x2 [ext4]\n[<ffff>] do_y+0x3/0x4\n";
        assert_eq!(
            parse_stack(text),
            ["hrtimer_nanosleep+0x74/0xf0", "ext4_x+0x1/0x2 [ext4]", "do_y+0x3/0x4"]
        );
        assert!(parse_stack("").is_empty());
    }

    #[test]
    fn files() {
        let kind = |link: &str, fdinfo: Option<&str>| file_kind(link, |path| path == "/dev/vda", fdinfo);
        assert_eq!(kind("pipe:[7]", None), FileKind::Pipe);
        assert_eq!(kind("socket:[7]", None), FileKind::Socket);
        assert_eq!(kind("anon_inode:[eventfd]", None), FileKind::Event);
        assert_eq!(kind("/dev/tty1", None), FileKind::Device);
        assert_eq!(kind("/dev/vda", None), FileKind::Disk { synchronous: false });
        let synchronous = "pos:\t0\nflags:\t02150002\nmnt_id:\t25\n";
        assert_eq!(kind("/var/lib/x", Some(synchronous)), FileKind::Disk { synchronous: true });
        assert_eq!(kind("/var/lib/x", Some("flags:\t02\n")), FileKind::Disk { synchronous: false });
        assert_eq!(fdinfo_number(synchronous, "mnt_id"), Some(25));
        assert_eq!(fdinfo_number(synchronous, "ino"), None);
    }
}
