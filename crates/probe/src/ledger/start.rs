//! Makes every CPU switch once, so that the first reading knows who runs where.
//!
//! A task's account begins when it leaves or takes a CPU. One that computes without
//! a pause would stay unknown for the whole window; a visit to its CPU makes the
//! scheduler switch and costs it a few microseconds.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Longest wait for the visits: real-time tasks may keep a CPU from us for good.
const PATIENCE: Duration = Duration::from_millis(500);
/// CPUs that a `cpu_set_t` of our size can name; the most that Linux is built for is 8,192.
const MAX_CPUS: usize = 8_192;

type CpuMask = [u64; MAX_CPUS / 64];

/// Runs on each CPU that this process may use, one after the other.
///
/// A thread of its own does it, so that nothing has to be restored.
pub(crate) fn visit_every_cpu() {
    let (done, wait) = mpsc::channel();
    let visits = thread::Builder::new().name("heldup-visits".into()).spawn(move || {
        for cpu in allowed_cpus() {
            stay_on(cpu);
        }
        // Nobody listens any more when patience has run out.
        let _ = done.send(());
    });
    if visits.is_ok() {
        let _ = wait.recv_timeout(PATIENCE);
    }
}

fn allowed_cpus() -> Vec<usize> {
    let mut mask: CpuMask = [0; MAX_CPUS / 64];
    // SAFETY: `mask` is a valid place of the size given; 0 is the calling thread.
    let filled = unsafe { libc::sched_getaffinity(0, size_of::<CpuMask>(), mask.as_mut_ptr().cast()) };
    if filled != 0 {
        return Vec::new();
    }
    (0..MAX_CPUS).filter(|cpu| mask[cpu / 64] >> (cpu % 64) & 1 == 1).collect()
}

/// The call returns when the thread runs on that CPU; a CPU that went offline is left out.
fn stay_on(cpu: usize) {
    let mut mask: CpuMask = [0; MAX_CPUS / 64];
    mask[cpu / 64] = 1 << (cpu % 64);
    // SAFETY: `mask` is readable and of the size given; 0 is the calling thread.
    unsafe { libc::sched_setaffinity(0, size_of::<CpuMask>(), mask.as_ptr().cast()) };
}
