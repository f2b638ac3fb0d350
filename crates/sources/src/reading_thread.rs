//! Reads sources in a thread beside the sampler's, so that one which blocks in the kernel (a
//! file server or a driver that does not answer) costs its own rows and nobody else's.
//!
//! One thread reads all sources of a sample in turn: handing over costs two switches a
//! sample. A source that takes too long is left behind with the thread, named with the call
//! it waits in, and never asked again; the rest goes on in a new thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heldup_hostfs::{Host, ThreadState, monotonic_ns, own_thread_id, thread_cpu_ns, waits_in};

use crate::namespaces::Namespaces;
use crate::source::{ReadContext, Reading, Source};

/// How long a source may be away. Those that wait for others by design (file servers,
/// netlink) have limits of a second of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    /// After so long a source is left behind that has been in the same wait for the last
    /// third of it. On a machine that thrashes each file may take long, and still comes.
    pub blocked: Duration,
    /// After so long also one that gets on: a machine with 100,000 processes has this much to
    /// read only when it is starved, and then an answer is worth more.
    pub working: Duration,
}

impl Default for TimeLimits {
    fn default() -> TimeLimits {
        TimeLimits { blocked: Duration::from_secs(2), working: Duration::from_secs(10) }
    }
}

/// How often a source that takes long is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A source that is to be read.
pub(crate) struct Due {
    /// Its place in the sampler's list.
    pub at: usize,
    pub source: Box<dyn Source>,
    pub terms: ReadTerms,
}

/// The part of a [`ReadContext`] that differs between readings of one host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadTerms {
    pub since_ms: Option<i64>,
    pub asked: bool,
    pub base_only: bool,
    pub continuous: bool,
}

impl ReadTerms {
    pub(crate) fn context<'a>(self, host: &'a Host, namespaces: &'a Namespaces) -> ReadContext<'a> {
        let ReadTerms { since_ms, asked, base_only, continuous } = self;
        ReadContext { host, namespaces, since_ms, asked, base_only, continuous }
    }
}

/// What became of a source.
pub(crate) struct Read {
    pub at: usize,
    /// The source again, unless it was left behind.
    pub source: Option<Box<dyn Source>>,
    pub reading: Reading,
    /// CLOCK_MONOTONIC when it began.
    pub began_ns: u64,
    pub cpu_ns: u64,
    pub wall_ns: u64,
    /// Why it must not be read again.
    pub failed: Option<String>,
}

/// What sampler and thread share.
#[derive(Default)]
struct Round {
    waiting: VecDeque<Due>,
    /// Place and beginning of the source that is being read.
    current: Option<(usize, u64)>,
    done: Vec<Read>,
    /// Number of the thread, once it runs.
    thread: i64,
    /// Nobody waits for this thread any more.
    left_behind: bool,
}

#[derive(Default)]
struct Shared {
    round: Mutex<Round>,
    /// Something is waiting to be read, or everything has been, or the thread is to end.
    changed: Condvar,
}

impl Shared {
    /// No code that can panic runs under the lock; what it holds is whole either way.
    fn lock(&self) -> MutexGuard<'_, Round> {
        self.round.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread, started when first needed.
pub(crate) struct ReadingThread {
    host: Host,
    namespaces: Namespaces,
    limits: TimeLimits,
    shared: Option<Arc<Shared>>,
}

impl ReadingThread {
    pub(crate) fn new(host: Host, namespaces: Namespaces, limits: TimeLimits) -> ReadingThread {
        ReadingThread { host, namespaces, limits, shared: None }
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) fn limit_blocked(&mut self, blocked: Duration) {
        self.limits.blocked = blocked;
    }

    /// Reads sources in their order; each is answered, in the order in which they ended.
    pub(crate) fn read(&mut self, due: Vec<Due>) -> Vec<Read> {
        let mut waiting = VecDeque::from(due);
        let mut done = Vec::new();
        while !waiting.is_empty() {
            let Some(shared) = self.thread() else {
                // No thread can be had: without a limit is better than not at all.
                let mut spent_ns = thread_cpu_ns();
                let one = |due| read_one(due, &self.host, &self.namespaces, &mut spent_ns);
                done.extend(waiting.drain(..).map(one));
                break;
            };
            shared.lock().waiting = std::mem::take(&mut waiting);
            shared.changed.notify_all();
            let left_behind = wait(&shared, self.limits);
            let mut round = shared.lock();
            done.append(&mut round.done);
            if let Some(left_behind) = left_behind {
                done.push(left_behind);
                waiting = std::mem::take(&mut round.waiting);
                round.left_behind = true;
                self.shared = None;
            }
        }
        done
    }

    fn thread(&mut self) -> Option<Arc<Shared>> {
        if self.shared.is_none() {
            let shared = Arc::new(Shared::default());
            let (host, namespaces) = (self.host.clone(), self.namespaces.clone());
            let theirs = Arc::clone(&shared);
            let builder = std::thread::Builder::new().name("sources".to_owned());
            builder.spawn(move || read_until_left_behind(&host, &namespaces, &theirs)).ok()?;
            self.shared = Some(shared);
        }
        self.shared.clone()
    }
}

impl Drop for ReadingThread {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.lock().left_behind = true;
            shared.changed.notify_all();
        }
    }
}

/// The thread's life.
fn read_until_left_behind(host: &Host, namespaces: &Namespaces, shared: &Shared) {
    let mut round = shared.lock();
    round.thread = own_thread_id();
    let mut cpu_ns = thread_cpu_ns();
    while !round.left_behind {
        let Some(due) = round.waiting.pop_front() else {
            shared.changed.notify_all();
            round = shared.changed.wait(round).unwrap_or_else(PoisonError::into_inner);
            cpu_ns = thread_cpu_ns();
            continue;
        };
        round.current = Some((due.at, monotonic_ns()));
        drop(round);
        let read = read_one(due, host, namespaces, &mut cpu_ns);
        round = shared.lock();
        round.current = None;
        round.done.push(read);
    }
}

/// One reading, timed: its CPU time is what this thread has used since `spent_ns`, which is moved on. A panic is a
/// bug of the source; it must not take the others along.
pub(crate) fn read_one(due: Due, host: &Host, namespaces: &Namespaces, spent_ns: &mut u64) -> Read {
    let Due { at, mut source, terms } = due;
    let context = terms.context(host, namespaces);
    let began_ns = monotonic_ns();
    let result = catch_unwind(AssertUnwindSafe(|| source.read(&context)));
    let now_ns = thread_cpu_ns();
    let cpu_ns = now_ns.saturating_sub(std::mem::replace(spent_ns, now_ns));
    let wall_ns = monotonic_ns().saturating_sub(began_ns);
    let mut failed = None;
    let reading = result.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        failed = Some(format!("stopped by a defect of its own ({said}); not read any more"));
        Reading::default()
    });
    Read { at, source: Some(source), reading, began_ns, cpu_ns, wall_ns, failed }
}

/// Waits until all are read; answers the source that took too long, if one did.
fn wait(shared: &Shared, limits: TimeLimits) -> Option<Read> {
    let mut round = shared.lock();
    // The source that takes long, what its thread was last seen to do, and for how long then.
    let mut seen: Option<(usize, ThreadState, Duration)> = None;
    while round.current.is_some() || !round.waiting.is_empty() {
        let mut sleep = limits.blocked / 2;
        // A thread that has not begun yet has its whole time before it.
        if let Some((at, began_ns)) = round.current {
            let away = Duration::from_nanos(monotonic_ns().saturating_sub(began_ns));
            if away >= limits.blocked / 2 {
                let state = ThreadState::of(round.thread);
                let since = match seen {
                    Some((known, before, since)) if known == at && before == state && state.asleep => since,
                    _ => away,
                };
                seen = Some((at, state, since));
                let stuck = away >= limits.blocked && state.asleep && away - since >= limits.blocked / 3;
                if stuck || away >= limits.working {
                    return Some(left_behind(at, began_ns, round.thread, away));
                }
                sleep = LOOK_AGAIN.min(limits.blocked / 10);
            } else {
                sleep -= away;
            }
        }
        round = shared.changed.wait_timeout(round, sleep).unwrap_or_else(PoisonError::into_inner).0;
    }
    None
}

fn left_behind(at: usize, began_ns: u64, thread: i64, away: Duration) -> Read {
    let wall_ns = away.as_nanos() as u64;
    let failed = Some(why_left_behind(thread, away));
    Read { at, source: None, reading: Reading::default(), began_ns, cpu_ns: 0, wall_ns, failed }
}

fn why_left_behind(thread: i64, away: Duration) -> String {
    let call = waits_in(thread).map_or_else(String::new, |call| format!(" ({call})"));
    format!("no answer within {:.1} s{call}; left behind and not read any more", away.as_secs_f64())
}
