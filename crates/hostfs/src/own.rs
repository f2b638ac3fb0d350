//! This program itself: its id, its rights, what it used.

/// Process id of this program.
pub fn own_pid() -> i64 {
    i64::from(std::process::id())
}

/// Whether this program runs as root.
pub fn is_root() -> bool {
    // SAFETY: geteuid has no preconditions and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// Largest resident memory of this program so far, in bytes.
pub fn peak_rss_bytes() -> i64 {
    // SAFETY: rusage is plain data; zero is a valid value of it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid place to write to.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    usage.ru_maxrss as i64 * 1024
}
