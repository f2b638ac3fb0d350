//! Work that must not open a file, whatever it would like to.
//!
//! A library that reads a large file when it is asked for something small is given an error
//! instead. A thread of its own does the work under a filter of system calls (seccomp(2)), which
//! ends with it: neither this program nor what it starts later is bound by it.

use std::thread;

/// `struct seccomp_data` of linux/seccomp.h: the number of the call, then the architecture.
const AT_CALL: u32 = 0;
const AT_ARCHITECTURE: u32 = 4;
/// `AUDIT_ARCH_X86_64` of linux/audit.h. Elsewhere nothing is refused.
const X86_64: u32 = 0xc000_003e;
/// `open`, `openat` and `openat2` there (arch/x86/entry/syscalls/syscall_64.tbl).
const OPENING: [u32; 3] = [2, 257, 437];

/// Does `work` where every file that it opens is absent. Where the kernel has no such filter
/// the work is done without; none when no thread could be had or the work panicked.
pub fn without_opening_files<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let bound = move || {
            refuse_to_open();
            work()
        };
        thread::Builder::new().spawn_scoped(scope, bound).ok()?.join().ok()
    })
}

/// Binds the calling thread for the rest of its life.
fn refuse_to_open() {
    let load = |at| statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at);
    // Skips the given number of statements where the loaded word is, or is not, this one.
    let skip = |word: u32, same: u8, other: u8| libc::sock_filter {
        jt: same,
        jf: other,
        ..statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, word)
    };
    let answer = |what| statement(libc::BPF_RET | libc::BPF_K, what);
    let mut filter = [
        load(AT_ARCHITECTURE),
        skip(X86_64, 0, 4),
        load(AT_CALL),
        skip(OPENING[0], 3, 0),
        skip(OPENING[1], 2, 0),
        skip(OPENING[2], 1, 0),
        answer(libc::SECCOMP_RET_ALLOW),
        answer(libc::SECCOMP_RET_ERRNO | libc::ENOENT as u32),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: prctl takes no pointers here; it binds this thread and what it starts, which is nothing.
    // Without it only root may set a filter.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    // SAFETY: `program` and the filter that it points to outlive the call, which copies both.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) };
}

fn statement(code: u32, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_absent_in_there_and_nowhere_else() {
        let read = || std::fs::read("/proc/self/stat").map_err(|error| error.raw_os_error());
        let inside = without_opening_files(read).expect("an answer");
        assert_eq!(inside.expect_err("refused"), Some(libc::ENOENT));
        assert!(read().is_ok(), "outside");
        assert!(thread::spawn(read).join().expect("a thread").is_ok(), "in a thread that came later");
    }

    #[test]
    fn work_that_panics_has_no_answer() {
        assert!(without_opening_files(|| assert_eq!(1, 2)).is_none());
    }
}
