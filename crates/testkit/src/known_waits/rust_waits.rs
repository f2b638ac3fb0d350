//! Known waits of Rust programs, run by the test binary in a process of its own.
//!
//! `IT --rust-waits SECONDS [rwlock|rwlock-writers]` does what the C programs do: its threads clock their waits
//! and write the same lines to the file named by `HELDUP_CLOCKED`. `Instant` is
//! CLOCK_MONOTONIC on Linux.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// First argument that turns the test binary into this program.
pub const ARGUMENT: &str = "--rust-waits";

/// How long a holder computes, and how long a helper lets its waiter wait.
const HOLD: Duration = Duration::from_millis(3);
const PAUSE: Duration = Duration::from_millis(15);
/// Several times what it takes until who is woken runs.
const WAKING: Duration = Duration::from_micros(500);
/// Threads that fight for the mutex.
const FIGHTERS: usize = 3;

/// What a thread has clocked.
struct Clock {
    name: &'static str,
    class_name: &'static str,
    born: Instant,
    waited: Duration,
    calls: u64,
}

impl Clock {
    fn new(name: &'static str, class_name: &'static str) -> Clock {
        Clock { name, class_name, born: Instant::now(), waited: Duration::ZERO, calls: 0 }
    }

    fn wait<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = call();
        self.waited += start.elapsed();
        self.calls += 1;
        result
    }

    fn tell(self) -> Result<()> {
        // SAFETY: takes nothing, cannot fail.
        let tid = unsafe { libc::gettid() };
        let (waited, life) = (self.waited.as_nanos(), self.born.elapsed().as_nanos());
        let line = format!("{} {tid} {} {waited} {} {life}\n", self.name, self.class_name, self.calls);
        let path = std::env::var_os("HELDUP_CLOCKED").context("HELDUP_CLOCKED is not set")?;
        OpenOptions::new().append(true).open(path)?.write_all(line.as_bytes())?;
        Ok(())
    }
}

/// Runs all of them for `seconds`, side by side, or the one that is asked for.
pub fn run(seconds: f64, only: Option<&str>) -> Result<()> {
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    match only {
        Some("rwlock") => return write_and_read(end, 1, 2),
        Some("rwlock-writers") => return write_and_read(end, 2, 1),
        _ => {}
    }
    let mutex = Arc::new(Mutex::new(()));
    let mut threads = Vec::new();
    for _ in 0..FIGHTERS {
        let mutex = Arc::clone(&mutex);
        threads.push(thread::spawn(move || fight(&mutex, end)));
    }
    threads.push(thread::spawn(move || park(end)));
    threads.push(thread::spawn(move || receive(end)));
    threads.push(thread::spawn(move || wait_after_two(end)));
    for thread in threads {
        thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??;
    }
    Ok(())
}

fn fight(mutex: &Mutex<()>, end: Instant) -> Result<()> {
    let mut clock = Clock::new("rust-mutex", "lock_user");
    while Instant::now() < end {
        let guard = clock.wait(|| mutex.lock());
        compute(HOLD);
        drop(guard);
        // The mutex is not fair: this lets somebody else have it.
        thread::yield_now();
    }
    clock.tell()
}

/// Writers wait for each other and for readers, readers for writers: each at its own word.
fn write_and_read(end: Instant, writers: usize, readers: usize) -> Result<()> {
    let lock = RwLock::new(());
    let write = || {
        let mut clock = Clock::new("rust-rwlock-write", "lock_user");
        while Instant::now() < end {
            let guard = clock.wait(|| lock.write());
            compute(HOLD);
            drop(guard);
            // Readers come in meanwhile: a writer that asks again at once can have it for ever.
            compute(WAKING);
        }
        clock.tell()
    };
    let read = || {
        let mut clock = Clock::new("rust-rwlock-read", "lock_user");
        while Instant::now() < end {
            let guard = clock.wait(|| lock.read());
            compute(HOLD);
            drop(guard);
            thread::yield_now();
        }
        clock.tell()
    };
    thread::scope(|scope| {
        let mut threads: Vec<_> = (0..writers).map(|_| scope.spawn(write)).collect();
        threads.extend((0..readers).map(|_| scope.spawn(read)));
        threads
            .into_iter()
            .try_for_each(|one| one.join().map_err(|_| anyhow::anyhow!("a thread panicked"))?)
    })
}

fn compute(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

fn park(end: Instant) -> Result<()> {
    let parked = thread::current();
    thread::spawn(move || {
        loop {
            sleep(PAUSE);
            parked.unpark();
        }
    });
    let mut clock = Clock::new("rust-park", "park");
    while Instant::now() < end {
        clock.wait(thread::park);
    }
    clock.tell()
}

/// Waits, a time long, for a condition that has been notified twice: its word is 2, as that of a contended
/// mutex is. Others have waited on it before.
fn wait_after_two(end: Instant) -> Result<()> {
    let notified = Arc::new((Mutex::new(()), Condvar::new()));
    let theirs = Arc::clone(&notified);
    let earlier = thread::spawn(move || {
        for _ in 0..2 {
            wait_for(&theirs);
            theirs.1.notify_all();
        }
    });
    earlier.join().map_err(|_| anyhow::anyhow!("the thread that notifies panicked"))?;
    let mut clock = Clock::new("rust-condition", "park");
    while Instant::now() < end {
        clock.wait(|| wait_for(&notified));
    }
    clock.tell()
}

/// Waits until the time is over: nobody notifies.
fn wait_for(condition: &(Mutex<()>, Condvar)) {
    let held = condition.0.lock().unwrap_or_else(PoisonError::into_inner);
    drop(condition.1.wait_timeout(held, PAUSE));
}

fn receive(end: Instant) -> Result<()> {
    let (send, received) = channel();
    thread::spawn(move || {
        while send.send(()).is_ok() {
            sleep(PAUSE);
        }
    });
    let mut clock = Clock::new("rust-channel", "park");
    while Instant::now() < end {
        clock.wait(|| received.recv())?;
    }
    clock.tell()
}
