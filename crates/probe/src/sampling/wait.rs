//! What a sleeping thread waits for, from what `/proc` shows of it.
//!
//! The twin of `bpf/ledger_kind.h`: the same families of calls, the same classes of what
//! they wait for (`ledger/kind.rs`), the same table of stacks. Where the kernel's half sees
//! a mark of block I/O and the socket behind a file, `/proc` shows neither: a stack has to
//! say it, and what only the socket could show stays `unknown`.

use heldup_model::{Class, StackTable};

use crate::call_family::{CallFamilies, CallFamily};
use crate::ledger::class_of_kind;

const CLONE_VFORK: u64 = 0x4000;
const F_SETLKW: u64 = 7;
const F_OFD_SETLKW: u64 = 38;
const FUTEX_COMMAND: u64 = 0x7f;
const FUTEX_WAIT: u64 = 0;
const FUTEX_LOCK_PI: u64 = 6;
const FUTEX_WAIT_BITSET: u64 = 9;
const FUTEX_LOCK_PI2: u64 = 13;
const FUTEX_CLOCK_REALTIME: u64 = 256;
/// musl's condition variables wait for a word on the waiter's own stack, this near.
const OWN_STACK_BYTES: u64 = 4096;

/// A system call as `/proc/PID/task/TID/syscall` shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    /// Number; -1 outside of any call (a page fault, a signal).
    pub(super) number: i64,
    /// Arguments.
    pub(super) args: [u64; 6],
    /// Stack pointer of the program.
    pub(super) stack_pointer: u64,
}

/// What a file descriptor leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Pipe,
    Socket,
    /// A character device.
    Device,
    /// An event file: eventfd, timerfd, signalfd, inotify.
    Event,
    /// A file, folder or block device; whether each write is to be on disk at once.
    Disk {
        synchronous: bool,
    },
}

/// What is known before a file or a stack is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// This settles it.
    Class(Class),
    /// The file says more: number of the descriptor.
    File { descriptor: u64, family: CallFamily },
    /// What it has read and written says more: of block I/O, or of a ring without any.
    Async,
    /// The stack says more; `hint` is what it may confirm, `or` what holds where no entry of
    /// the table matches.
    Stack { hint: Class, or: Class },
}

/// Judges a thread that sleeps. `call` is none where it may not be seen.
pub(super) fn judge(
    state: char,
    kernel_thread: bool,
    call: Option<&Call>,
    families: &CallFamilies,
) -> Verdict {
    let blocked = state == 'D';
    match state {
        'T' | 't' => return kind("stopped"),
        'I' | 'P' => return kind("kthread_idle"),
        'S' if kernel_thread => return kind("kthread_idle"),
        _ if kernel_thread => return ask_stack("kthread_io"),
        _ => {}
    }
    let Some(call) = call else { return Verdict::Stack { hint: Class::Unknown, or: Class::Unknown } };
    if call.number < 0 {
        return if blocked { ask_stack("fault_io") } else { ask_stack("unknown") };
    }
    let family = families.of(call.number).unwrap_or(CallFamily::Other);
    match family {
        CallFamily::Read | CallFamily::Write | CallFamily::Receive => {
            return Verdict::File { descriptor: call.args[0], family };
        }
        CallFamily::ReadSecond => return Verdict::File { descriptor: call.args[1], family },
        CallFamily::Sync => return sync(),
        CallFamily::Vfork => return kind("child"),
        CallFamily::Clone if call.args[0] & CLONE_VFORK != 0 => return kind("child"),
        _ => {}
    }
    let slept = if blocked { None } else { sleep(family, call) };
    slept.unwrap_or(Verdict::Stack { hint: Class::Unknown, or: Class::Unknown })
}

/// An interruptible wait in a call that says by itself what it waits for.
fn sleep(family: CallFamily, call: &Call) -> Option<Verdict> {
    Some(match family {
        CallFamily::Futex => kind(futex(call, call.args[1], call.args[2])),
        CallFamily::FutexWait => kind(futex(call, FUTEX_WAIT, call.args[1])),
        CallFamily::FutexWaitv => kind("futex_park"),
        CallFamily::Poll => kind("poll"),
        CallFamily::Timer => kind("timer"),
        CallFamily::Child => kind("child"),
        CallFamily::Accept => kind("accept"),
        CallFamily::Connect => kind("connect"),
        CallFamily::Send => kind("socket_write"),
        CallFamily::Async => Verdict::Async,
        CallFamily::Signal => kind("signal"),
        CallFamily::Flock => kind("file_lock"),
        CallFamily::Fcntl if [F_SETLKW, F_OFD_SETLKW].contains(&call.args[1]) => kind("file_lock"),
        CallFamily::Ipc => kind("ipc"),
        _ => return None,
    })
}

/// Values that only lock words have; `bpf/ledger_kind.h` says where each was seen.
fn futex(call: &Call, operation: u64, value: u64) -> &'static str {
    let address = call.args[0];
    // Both are ints in the kernel.
    let value = value & 0xffff_ffff;
    match operation & FUTEX_COMMAND {
        FUTEX_LOCK_PI | FUTEX_LOCK_PI2 => "futex_lock",
        FUTEX_WAIT | FUTEX_WAIT_BITSET => match value {
            2 if address.wrapping_sub(call.stack_pointer) < OWN_STACK_BYTES => "futex_park",
            2 => "futex_two",
            3 if operation & FUTEX_CLOCK_REALTIME != 0 => "futex_lock",
            value if value & 0xc000_0000 != 0 && value != 0xffff_ffff => "futex_lock",
            _ => "futex_park",
        },
        _ => "futex_park",
    }
}

/// A word that is waited on as Rust's locks and condition variables do, by its address: with a bitset, without the
/// real-time flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FutexWord {
    /// With a value that no word of a lock has.
    Counter(u64),
    /// With 2, which a contended mutex has, and a counter once.
    Two(u64),
}

/// The word of a wait, where it is one of those.
pub(super) fn futex_word(call: &Call, families: &CallFamilies) -> Option<FutexWord> {
    let (address, operation, value) = (call.args[0], call.args[1], call.args[2] & 0xffff_ffff);
    let counts = families.of(call.number) == Some(CallFamily::Futex)
        && operation & FUTEX_COMMAND == FUTEX_WAIT_BITSET
        && operation & FUTEX_CLOCK_REALTIME == 0;
    match value {
        _ if !counts => None,
        2 => Some(FutexWord::Two(address)),
        value if value & 0xc000_0000 == 0 => Some(FutexWord::Counter(address)),
        _ => None,
    }
}

/// Judges a call of a family that its file decides; none where the file may not be seen.
pub(super) fn judge_file(state: char, family: CallFamily, file: Option<FileKind>) -> Verdict {
    let (write, blocked) = (family == CallFamily::Write, state == 'D');
    match file {
        Some(FileKind::Pipe) => kind(if write { "pipe_write" } else { "pipe_read" }),
        Some(FileKind::Socket) if write => kind("socket_write"),
        // Of a peer that was asked, or of whoever may come: the socket would report.
        Some(FileKind::Socket) => Verdict::Class(Class::Unknown),
        Some(FileKind::Event) => kind("event"),
        Some(FileKind::Device) if !blocked => kind("device"),
        Some(FileKind::Disk { synchronous: true }) if write => sync(),
        Some(FileKind::Disk { .. }) if blocked => ask_stack(if write { "write_io" } else { "read_io" }),
        _ => Verdict::Stack { hint: Class::Unknown, or: Class::Unknown },
    }
}

/// Judges a wait for a ring: with requests of a disk where the thread has read or written
/// since it was seen to wait for one before, as the ledger does; bytes of both times.
pub(super) fn judge_async(before: Option<u64>, now: Option<u64>) -> Class {
    match (before, now) {
        (Some(before), Some(now)) => class_of_kind(if now == before { "async_idle" } else { "async" }),
        _ => Class::Unknown,
    }
}

/// What the stack decides. `frames` are innermost first; a wait channel is a stack of one.
pub(super) fn judge_stack(table: &StackTable, frames: &[&str], hint: Class, or: Class) -> Class {
    table.classify(frames, hint).unwrap_or(or)
}

fn kind(name: &str) -> Verdict {
    Verdict::Class(class_of_kind(name))
}

/// Without a matching entry it stays open whether there was block I/O at all.
fn ask_stack(hint: &str) -> Verdict {
    Verdict::Stack { hint: class_of_kind(hint), or: Class::Unknown }
}

fn sync() -> Verdict {
    Verdict::Stack { hint: class_of_kind("sync"), or: class_of_kind("sync") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syscall_names::syscall_name;

    #[test]
    fn a_ring_is_a_disk_s_where_bytes_went_to_one() {
        assert_eq!(judged('S', "io_getevents", &[]), Verdict::Async);
        assert_eq!(judged('S', "io_uring_enter", &[]), Verdict::Async);
        assert_eq!(judge_async(Some(4096), Some(8192)), Class::DiskAsync);
        assert_eq!(judge_async(Some(4096), Some(4096)), Class::Poll);
        assert_eq!(judge_async(None, Some(4096)), Class::Unknown);
        assert_eq!(judge_async(Some(4096), None), Class::Unknown);
    }

    fn call(name: &str, args: &[u64]) -> Call {
        let number = (0..500).find(|number| syscall_name(*number) == Some(name)).expect(name);
        let mut call = Call { number: number.into(), stack_pointer: 0x7000_0000, ..Call::default() };
        call.args[..args.len()].copy_from_slice(args);
        call
    }

    fn judged(state: char, name: &str, args: &[u64]) -> Verdict {
        judge(state, false, Some(&call(name, args)), &CallFamilies::builtin())
    }

    #[test]
    fn calls_that_say_it_themselves() {
        for (name, args, class) in [
            ("clock_nanosleep", &[][..], Class::Timer),
            ("epoll_wait", &[], Class::Poll),
            ("wait4", &[], Class::Child),
            ("accept4", &[], Class::Accept),
            ("flock", &[], Class::LockFile),
            ("fcntl", &[3, F_SETLKW], Class::LockFile),
            ("vfork", &[], Class::Child),
            ("clone", &[CLONE_VFORK], Class::Child),
            ("futex", &[0x9000_0000, 0x80, 2], Class::LockUser),
            ("futex", &[0x9000_0000, 0x189, 0], Class::Park),
            ("futex", &[0x9000_0000, 0x80, u64::MAX], Class::Park),
            ("futex", &[0x7000_0010, 0x80, 2], Class::Park),
            ("futex", &[0x9000_0000, 0x80, 0x8000_0123], Class::LockUser),
        ] {
            assert_eq!(judged('S', name, args), Verdict::Class(class), "{name} {args:x?}");
        }
    }

    #[test]
    fn a_blocked_call_is_told_by_its_stack() {
        assert!(matches!(judged('D', "clock_nanosleep", &[]), Verdict::Stack { .. }));
        let Verdict::Stack { hint, or } = judged('D', "fsync", &[3]) else { panic!("a stack") };
        let table = StackTable::builtin().expect("the table");
        assert_eq!(judge_stack(&table, &["some_new_wait"], hint, or), Class::DiskSync);
        assert_eq!(judge_stack(&table, &["folio_wait_bit_common"], hint, or), Class::DiskSync);
    }

    #[test]
    fn files_decide_reads_and_writes() {
        let file = |state, family, kind| judge_file(state, family, Some(kind));
        assert_eq!(file('S', CallFamily::Read, FileKind::Pipe), Verdict::Class(Class::Read));
        assert_eq!(file('S', CallFamily::Write, FileKind::Pipe), Verdict::Class(Class::Peer));
        assert_eq!(file('S', CallFamily::Receive, FileKind::Socket), Verdict::Class(Class::Unknown));
        let disk = FileKind::Disk { synchronous: true };
        assert!(matches!(
            file('D', CallFamily::Write, disk),
            Verdict::Stack { hint: Class::DiskSync, or: Class::DiskSync }
        ));
        assert!(matches!(
            file('D', CallFamily::Read, disk),
            Verdict::Stack { hint: Class::DiskRead, or: Class::Unknown }
        ));
        assert!(matches!(judged('S', "read", &[7]), Verdict::File { descriptor: 7, .. }));
    }

    #[test]
    fn kernel_threads_and_states() {
        let families = CallFamilies::builtin();
        for (state, class) in [('S', Class::Park), ('I', Class::Park), ('T', Class::Stopped)] {
            assert_eq!(judge(state, true, None, &families), Verdict::Class(class), "{state}");
        }
        assert!(matches!(judge('D', true, None, &families), Verdict::Stack { .. }));
        assert!(matches!(judge('S', false, None, &families), Verdict::Stack { or: Class::Unknown, .. }));
    }
}
