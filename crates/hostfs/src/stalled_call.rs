//! What a thread of this program waits for in the kernel: the call and its file, for the
//! error that names the culprit.
//!
//! Asked only when a thread has taken too long; costs nothing before.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

/// Longest path that is read back.
const PATH_BYTES: usize = 4096;

/// Number of the calling thread (tid).
pub fn own_thread_id() -> i64 {
    // SAFETY: gettid takes nothing and cannot fail.
    i64::from(unsafe { libc::gettid() })
}

/// Whether a thread sleeps, and how often it was switched so far: one that sleeps and was not
/// switched since the look before has been in the same wait all the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadState {
    /// It neither runs nor waits for a CPU.
    pub asleep: bool,
    /// Context switches since its start.
    pub switches: u64,
}

impl ThreadState {
    /// State of a thread of this program. One that cannot be looked at counts as asleep: its
    /// time is over either way.
    pub fn of(thread: i64) -> ThreadState {
        let status = fs::read_to_string(format!("/proc/self/task/{thread}/status")).unwrap_or_default();
        let of_line = |line: &str| {
            let (name, value) = line.split_once(':')?;
            name.ends_with("voluntary_ctxt_switches").then(|| value.trim().parse::<u64>().ok())?
        };
        let asleep = !status.lines().any(|line| line.starts_with("State:\tR"));
        ThreadState { asleep, switches: status.lines().filter_map(of_line).sum() }
    }
}

/// What a thread of this program waits in, such as `read of /proc/17/cmdline` or
/// `statfs of /mnt/x`; else the place in the kernel.
pub fn waits_in(thread: i64) -> Option<String> {
    let of_thread = |file| fs::read_to_string(format!("/proc/self/task/{thread}/{file}")).ok();
    let call = of_thread("syscall").as_deref().and_then(parse).and_then(|call| call.description());
    let place = || of_thread("wchan").filter(|place| !place.is_empty() && place != "0");
    call.or_else(|| place().map(|place| format!("kernel function {place}")))
}

/// A system call: number, and the first two arguments.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    number: i64,
    arguments: [u64; 2],
}

/// `/proc/PID/task/TID/syscall`: a number and six arguments in hexadecimal digits; `running`
/// where it is in no call.
fn parse(text: &str) -> Option<Call> {
    let mut fields = text.split_ascii_whitespace();
    let number = fields.next()?.parse().ok()?;
    let mut argument = || u64::from_str_radix(fields.next()?.strip_prefix("0x")?, 16).ok();
    Some(Call { number, arguments: [argument()?, argument()?] })
}

impl Call {
    fn description(&self) -> Option<String> {
        let [first, second] = self.arguments;
        let (name, path) = match self.number {
            libc::SYS_read | libc::SYS_pread64 => ("read", opened(first)),
            libc::SYS_getdents64 => ("listing", opened(first)),
            libc::SYS_ioctl => ("ioctl on", opened(first)),
            libc::SYS_recvmsg | libc::SYS_recvfrom => ("answer from", opened(first)),
            libc::SYS_statfs => ("statfs", named(first)),
            libc::SYS_openat => ("open", named(second)),
            libc::SYS_newfstatat | libc::SYS_statx => ("stat", named(second)),
            libc::SYS_readlinkat => ("readlink", named(second)),
            _ => return None,
        };
        let joined = if name.contains(' ') { " " } else { " of " };
        Some(format!("{name}{joined}{}", path?))
    }
}

/// What a descriptor was opened on.
fn opened(descriptor: u64) -> Option<String> {
    let target = fs::read_link(format!("/proc/self/fd/{descriptor}")).ok()?;
    Some(target.to_string_lossy().into_owned())
}

/// The path at an address of this program. Read as a file: the thread may go on meanwhile and
/// free it, after which this is some other text and harmless.
fn named(address: u64) -> Option<String> {
    let memory = File::open("/proc/self/mem").ok()?;
    let mut bytes = vec![0; PATH_BYTES];
    // Up to the end of the page or beyond it, whatever is there.
    let read = memory.read_at(&mut bytes, address).ok()?;
    let end = bytes[..read].iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_and_running_is_none() {
        let call = parse("0 0x3 0x7ffc1 0x1000 0x0 0x0 0x0 0x7ffc0 0x7f2e1\n");
        assert_eq!(call, Some(Call { number: 0, arguments: [3, 0x7ffc1] }));
        assert_eq!(parse("running\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn paths_of_calls_are_told() {
        let path = c"/mnt/it hangs";
        let call = Call { number: libc::SYS_statfs, arguments: [path.as_ptr() as u64, 0] };
        assert_eq!(call.description().as_deref(), Some("statfs of /mnt/it hangs"));
        let wild = Call { number: libc::SYS_statfs, arguments: [1, 0] };
        assert_eq!(wild.description(), None);
    }

    #[test]
    fn a_thread_that_waits_for_a_pipe_is_blocked_in_its_read() {
        let mut ends = [0; 2];
        // SAFETY: `ends` is a valid place for two descriptors.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        let (sender, receiver) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            sender.send(own_thread_id()).expect("somebody listens");
            let mut byte = 0u8;
            // SAFETY: one byte fits, and the descriptor stays open until the thread is joined.
            unsafe { libc::read(ends[0], std::ptr::from_mut(&mut byte).cast(), 1) }
        });
        let thread = receiver.recv().expect("its number");
        let told = loop {
            // It will be in the call sooner or later, and stays there.
            if let Some(told) = waits_in(thread).filter(|told| told.starts_with("read of pipe:")) {
                break told;
            }
            std::thread::yield_now();
        };
        let state = ThreadState::of(thread);
        assert!(state.asleep && state.switches > 0, "{told}: {state:?}");
        assert_eq!(ThreadState::of(thread), state, "the same wait");
        assert!(!ThreadState::of(own_thread_id()).asleep, "who asks runs");
        // SAFETY: one byte is there to be written; both descriptors are ours.
        let written = unsafe { libc::write(ends[1], b"x".as_ptr().cast(), 1) };
        assert_eq!((written, reader.join().expect("it ends")), (1, 1));
        // SAFETY: nobody else has these descriptors.
        let closed = unsafe { [libc::close(ends[0]), libc::close(ends[1])] };
        assert_eq!(closed, [0, 0]);
    }
}
