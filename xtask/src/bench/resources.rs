//! What a child process used, by the kernel's own account.

use std::process::Command;

use anyhow::Result;

use super::words_of;

/// CPU seconds of a command and of all its children, and what it wrote.
pub fn cpu_seconds_of(command: &mut Command) -> Result<(f64, String)> {
    let before = children_cpu_seconds();
    let words = words_of(command)?;
    Ok((children_cpu_seconds() - before, words))
}

/// User and system time of all children that were waited for.
fn children_cpu_seconds() -> f64 {
    // SAFETY: all-zero bytes are a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` outlives the call, which writes into it; with RUSAGE_CHILDREN it cannot fail.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
