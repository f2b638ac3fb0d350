//! This program itself: its id, its rights, what it used, where it remembers.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Process id of this program.
pub fn own_pid() -> i64 {
    i64::from(std::process::id())
}

/// Whether this program runs as root.
pub fn is_root() -> bool {
    own_uid() == 0
}

/// The user whose rights this program has.
pub fn own_uid() -> u32 {
    // SAFETY: geteuid has no preconditions and cannot fail.
    unsafe { libc::geteuid() }
}

/// Largest resident memory of this program so far, in bytes.
pub fn peak_rss_bytes() -> i64 {
    // SAFETY: rusage is plain data; zero is a valid value of it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid place to write to.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    usage.ru_maxrss as i64 * 1024
}

/// Resident memory of this program, through a file that is kept open: asked each second, opening it again is most
/// of what asking costs.
pub struct ResidentMemory {
    statm: Option<File>,
    page_bytes: i64,
}

impl ResidentMemory {
    /// Of the process that calls; a fork of it has to open its own.
    pub fn open() -> ResidentMemory {
        // SAFETY: takes a number.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as i64;
        ResidentMemory { statm: File::open("/proc/self/statm").ok(), page_bytes }
    }

    /// Now, in bytes; none where /proc does not say.
    pub fn bytes(&self) -> Option<i64> {
        // Seven numbers of at most twenty digits.
        let mut text = [0; 160];
        let length = self.statm.as_ref()?.read_at(&mut text, 0).ok()?;
        let pages: i64 = std::str::from_utf8(&text[..length]).ok()?.split(' ').nth(1)?.parse().ok()?;
        Some(pages * self.page_bytes)
    }
}

/// From which size on what is allocated is a mapping of its own, bytes: what glibc begins with.
#[cfg(target_env = "gnu")]
const MAPPED_FROM_BYTES: libc::c_int = 128 << 10;

/// From now on large pieces of memory go back to the kernel when they are given up.
///
/// glibc does so until the first of them is given up; from then on it takes pieces of that size, up to
/// 32 MiB, from a heap that shrinks only at its end (mallopt(3), `M_MMAP_THRESHOLD`). So one crowded second would
/// stay for as long as the program runs. Setting the threshold stops that. And all threads share one heap, where each
/// would have its own: here one works at a time. Other libraries, as musl, have no such habits.
pub fn give_back_large_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: takes two numbers; refusing them changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM_BYTES);
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// How many files this program may have open; none where there is no such limit.
pub fn most_open_files() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place to write to.
    let asked = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    (asked == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Restores the default reaction to writing to a closed pipe: the program ends quietly.
///
/// Rust ignores SIGPIPE at start, which turns `heldup … | head` into an error message.
pub fn default_sigpipe() {
    // SAFETY: setting a default disposition has no preconditions.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

/// Where this program keeps what it remembers between runs: `$HELDUP_STATE_DIR`, else
/// `/var/lib/heldup` for root, else `$XDG_STATE_HOME/heldup`, else `~/.local/state/heldup`.
pub fn state_dir() -> Option<PathBuf> {
    if let Some(folder) = set("HELDUP_STATE_DIR") {
        return Some(folder);
    }
    if is_root() {
        return Some(machine_state_dir());
    }
    let base = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(base.join("heldup"))
}

/// Where it remembers what it has changed on the machine, whoever asks: `$HELDUP_STATE_DIR`, else
/// `/var/lib/heldup`.
pub fn machine_state_dir() -> PathBuf {
    set("HELDUP_STATE_DIR").unwrap_or_else(|| PathBuf::from("/var/lib/heldup"))
}

/// The machine's configuration of this program.
pub const MACHINE_CONFIG: &str = "/etc/heldup";

/// The configuration of the user whose environment this is: `$XDG_CONFIG_HOME/heldup`, else
/// `~/.config/heldup`. Under sudo that is root's, unless sudo was told to keep `HOME`.
pub fn user_config_dir() -> Option<PathBuf> {
    // The XDG base directory specification: a relative path is to be ignored.
    let base = set("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    Some(base.or_else(|| Some(set("HOME")?.join(".config")))?.join("heldup"))
}

/// A variable of the environment that is not empty.
fn set(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

#[cfg(test)]
#[cfg(target_env = "gnu")]
mod tests {
    use super::*;

    /// Pieces as a crowded second takes them, each with something small behind it that stays: bytes that
    /// stay resident when the pieces are given up.
    fn left_of_a_crowd() -> i64 {
        const PIECES: usize = 64;
        let memory = ResidentMemory::open();
        let resident_bytes = || memory.bytes().expect("/proc says it");
        let before = resident_bytes();
        let mut kept = Vec::new();
        let crowd: Vec<Vec<u8>> = (0..PIECES)
            .map(|at| {
                kept.push(vec![at as u8; 4096]);
                vec![1; 1 << 20]
            })
            .collect();
        let full = resident_bytes() - before;
        assert!(full >= (PIECES << 20) as i64, "{full}");
        drop(crowd);
        resident_bytes() - before
    }

    #[test]
    fn what_a_crowd_took_goes_back() {
        give_back_large_memory();
        // With what glibc does by itself the first crowd goes back, and the others stay.
        for _ in 0..3 {
            let left = left_of_a_crowd();
            assert!(left < 8 << 20, "{left} bytes");
        }
    }
}
