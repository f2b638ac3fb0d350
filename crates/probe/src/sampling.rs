//! The ledger without eBPF, by samples: what each thread waits for, sampled in `/proc` five
//! to twenty times a second at random moments.
//!
//! Running and queueing are counted, not sampled: `schedstat` has them (running too high after
//! idle wake-ups on virtual machines, queueing too low; docs/decisions/0002). The rest of a
//! thread's time is divided by what it was seen waiting for, and every row made so carries its
//! standard error; that of queueing is what the samples leave open of the count.
//! A thread of its own samples, within [`BUDGET`] of one CPU; it judges waits by the tables of
//! the ledger.

mod book;
mod counters;
mod estimate;
mod proc_task;
mod queue;
mod seen;
mod wait;
mod waves;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use heldup_hostfs::{Host, monotonic_ns, thread_cpu_ns};
use heldup_model::{Class, Missing, RowSet};

use crate::error::ProbeError;
use book::{Book, Hidden};

/// Share of one CPU that sampling may cost; where threads are many it samples less often.
pub const BUDGET: f64 = 0.01;
/// Most often: 20 times a second.
const SHORTEST_NS: u64 = 50_000_000;
/// Less often than five times a second is worth a word.
const LONG_NS: u64 = 200_000_000;
/// Longest wait for a reading: a pass takes some 10 µs a thread.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same at the end of a window: what does not come then is lost, and with it all that was
/// seen. Beside builds an answer took more than two seconds, twice in one window.
const PATIENCE_AT_END: Duration = Duration::from_secs(8);

/// Classes that only a stack shows.
const BY_STACK: [Class; 12] = [
    Class::DiskRead,
    Class::DiskWrite,
    Class::DiskFault,
    Class::DiskThrottle,
    Class::MemReclaim,
    Class::MemSwapIn,
    Class::MemDirty,
    Class::LockKernel,
    Class::LockInode,
    Class::LockMmap,
    Class::KernelWait,
    Class::RemoteFs,
];
/// Classes that counters and states show.
const BY_STATE: [Class; 4] = [Class::User, Class::Kernel, Class::CpuQueue, Class::Stopped];

/// What one reading brought.
#[derive(Debug)]
pub struct SamplingReading {
    /// `task_time`, increases since the reading before; the first reading has none.
    pub rows: RowSet,
    /// Length of the interval that they are about.
    pub secs: Option<f64>,
    /// Classes that could not be distinguished for want of rights.
    pub untold: Vec<Class>,
    /// `stack`: what was seen of waiting threads in the window; only at its end.
    pub stacks: Option<RowSet>,
    /// What was not to be seen, and what would let it.
    pub missing: Vec<Missing>,
    /// CPU time of the looking thread since its start, nanoseconds.
    pub cpu_ns: u64,
    /// Passes over all threads since its start.
    pub passes: u64,
}

type Answer = Result<SamplingReading, ProbeError>;

/// A question to the thread that samples.
struct Ask {
    last: bool,
    answer: Sender<Answer>,
}

/// The running sampler; dropping it ends its thread.
pub struct Sampling {
    ask: Sender<Ask>,
    /// An answer that did not come in time: what it has is reported by the next reading.
    late: Option<Receiver<Answer>>,
}

impl Sampling {
    /// Starts to sample; with a command, the children of this program and all that come of them
    /// are marked (`in_command`), as far as a sample saw each while its parent lived.
    pub fn start(host: &Host, with_command: bool) -> Result<Sampling, ProbeError> {
        if !host.is_live() {
            return Err(ProbeError::NotLive { what: "samples of threads" });
        }
        let book = Book::new(host, with_command)?;
        let (ask, asks) = channel();
        let named = thread::Builder::new().name("heldup-looks".into());
        named
            .spawn(move || Looker::new(book).run(&asks))
            .map_err(|source| ProbeError::Io { place: "a thread for samples", source })?;
        Ok(Sampling { ask, late: None })
    }

    /// Looks once more and closes the interval; the first reading is the base.
    pub fn read(&mut self) -> Result<SamplingReading, ProbeError> {
        self.ask(false)
    }

    /// The same at the end of a window, with what was seen of waits since it began.
    pub fn read_last(&mut self) -> Result<SamplingReading, ProbeError> {
        self.ask(true)
    }

    fn ask(&mut self, last: bool) -> Result<SamplingReading, ProbeError> {
        let answer = match self.late.take() {
            Some(late) => late,
            None => self.send(last)?,
        };
        let patience = if last { PATIENCE_AT_END } else { PATIENCE };
        let reading = self.wait(answer, patience)?;
        // One that was late has no stacks; what came after it is reported with them.
        if last && reading.stacks.is_none() {
            let answer = self.send(true)?;
            let stacks = self.wait(answer, patience).ok().and_then(|after| after.stacks);
            return Ok(SamplingReading { stacks, ..reading });
        }
        Ok(reading)
    }

    fn send(&self, last: bool) -> Result<Receiver<Answer>, ProbeError> {
        let (answer, wait) = channel();
        self.ask.send(Ask { last, answer }).map_err(|_| stopped("the sampling thread has ended"))?;
        Ok(wait)
    }

    fn wait(&mut self, answer: Receiver<Answer>, patience: Duration) -> Result<SamplingReading, ProbeError> {
        match answer.recv_timeout(patience) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                self.late = Some(answer);
                Err(stopped(&format!("no answer within {} s", patience.as_secs())))
            }
            Err(RecvTimeoutError::Disconnected) => Err(stopped("the sampling thread has ended")),
        }
    }
}

fn stopped(what: &str) -> ProbeError {
    ProbeError::Record { place: "samples of threads", what: what.to_owned() }
}

/// The thread that samples.
struct Looker {
    book: Book,
    random: u64,
    period_ns: u64,
    passes: u64,
}

impl Looker {
    fn new(book: Book) -> Looker {
        // Any odd number does: moments must be out of step with the machine, not secret.
        Looker { book, random: monotonic_ns() | 1, period_ns: SHORTEST_NS, passes: 0 }
    }

    /// Looks once in each period, at a random moment of it, until nobody can ask any more.
    fn run(mut self, asks: &Receiver<Ask>) {
        // Nothing is sampled before the base is asked for.
        let Ok(first) = asks.recv() else { return };
        let _ = first.answer.send(self.answer(first.last));
        let mut period_start = monotonic_ns();
        let mut due = period_start + self.moment();
        loop {
            let wait = Duration::from_nanos(due.saturating_sub(monotonic_ns()));
            match asks.recv_timeout(wait) {
                // Who asked may have lost patience.
                Ok(asker) => drop(asker.answer.send(self.answer(asker.last))),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let length = self.period_ns;
                    // /proc that cannot be listed is reported at the next reading.
                    let _ = self.pass();
                    // A period that was missed is not made up for.
                    period_start = (period_start + length).max(monotonic_ns().saturating_sub(length));
                    due = period_start + self.moment();
                }
            }
        }
    }

    /// A pass, after which the period is what the budget allows.
    fn pass(&mut self) -> Result<(), ProbeError> {
        let cpu_ns = thread_cpu_ns();
        self.book.pass()?;
        self.passes += 1;
        let cost_ns = thread_cpu_ns().saturating_sub(cpu_ns);
        let wanted = (cost_ns as f64 / BUDGET) as u64;
        // Half of the old one: a single slow pass does not make the next ones rare.
        self.period_ns = ((self.period_ns + wanted) / 2).max(SHORTEST_NS);
        Ok(())
    }

    fn answer(&mut self, last: bool) -> Answer {
        self.pass()?;
        let (mut rows, secs) = self.book.close();
        let base = self.passes == 1;
        if base {
            rows = RowSet::empty(rows.def, rows.form);
            // It read what is read once of each thread: no measure of what follows.
            self.period_ns = SHORTEST_NS;
        }
        let hidden = self.book.hidden();
        let mut missing = hidden_missing(hidden);
        missing.extend((self.period_ns > LONG_NS).then(|| rarely(self.period_ns)));
        let untold = untold(hidden);
        let stacks = last.then(|| self.book.end_window());
        Ok(SamplingReading {
            rows,
            secs: (!base).then_some(secs),
            untold,
            stacks,
            missing,
            cpu_ns: thread_cpu_ns(),
            passes: self.passes,
        })
    }

    /// A random part of the period (xorshift, Marsaglia 2003).
    fn moment(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % self.period_ns
    }
}

fn untold(hidden: &Hidden) -> Vec<Class> {
    // Some hosts hide a process or two from everybody: what is reported of the others counts.
    let most = |hidden: usize, all: usize| hidden * 2 > all;
    if most(hidden.calls.len(), hidden.looked.len()) {
        Class::ALL.into_iter().filter(|class| !BY_STATE.contains(class)).collect()
    } else if most(hidden.stacks.len(), hidden.asked.len()) {
        BY_STACK.to_vec()
    } else {
        Vec::new()
    }
}

fn hidden_missing(hidden: &Hidden) -> Vec<Missing> {
    // One of them is enough: who may not read calls may not read stacks.
    let (threads, what) = match (hidden.calls.len(), hidden.stacks.len()) {
        (0, 0) => return Vec::new(),
        (0, stacks) => (stacks, "stack"),
        (calls, _) => (calls, "system call"),
    };
    vec![Missing {
        what: "task_time.class_name".to_owned(),
        why: format!("{what} of {threads} waiting threads not readable: their waits are unknown"),
        how: "run as root".to_owned(),
    }]
}

fn rarely(period_ns: u64) -> Missing {
    Missing {
        what: "task_time.error_s".to_owned(),
        why: format!(
            "so many threads that they are sampled only every {:.1} s, to use no more than {:.0} % of a CPU",
            period_ns as f64 / 1e9,
            BUDGET * 100.0
        ),
        how: "run as root on a kernel with eBPF (counts instead of sampling)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread of this program's child that sleeps is seen to sleep, by whoever runs the test.
    #[test]
    fn a_sleeping_child_is_seen() {
        let mut child =
            heldup_hostfs::spawn(&["sleep".into(), "60".into()], heldup_hostfs::ChildOutput::Shared)
                .expect("sleep runs");
        let mut sampling = Sampling::start(&Host::live(), false).expect("started");
        // On a machine with much to do the first pass takes longer than anybody waits for it.
        let base = (0..10).find_map(|_| sampling.read().ok()).expect("the base");
        assert_eq!(base.rows.len, 0);
        thread::sleep(Duration::from_millis(400));
        let reading = sampling.read().expect("a reading");
        let pid = i64::from(child.id());
        child.kill().expect("killed");
        child.wait().expect("ended");
        let rows = &reading.rows;
        let mut slept = 0.0;
        for at in (0..rows.len).filter(|at| rows.ints("pid")[*at] == Some(pid)) {
            let class = rows.texts("class_name")[at].clone().expect("a class");
            if &*class == "timer" {
                slept += rows.floats("seconds")[at].expect("seconds");
            }
        }
        let denied = reading.missing.iter().any(|missing| missing.what == "task_time.class_name");
        assert!(slept > 0.3 || denied, "{slept} s of sleep");
        assert!(reading.passes >= 3, "{} passes", reading.passes);
    }

    #[test]
    fn an_answer_that_came_late_is_not_lost() {
        let (ask, asks) = channel();
        let mut sampling = Sampling { ask, late: None };
        let reading = |secs, stacks| SamplingReading {
            rows: RowSet::empty(
                <heldup_model::tables::TaskTimeRow as heldup_model::Record>::DEF,
                heldup_model::Form::Increases,
            ),
            secs: Some(secs),
            untold: Vec::new(),
            stacks,
            missing: Vec::new(),
            cpu_ns: 0,
            passes: 1,
        };
        let looks = thread::spawn(move || {
            let first: Ask = asks.recv().expect("asked");
            thread::sleep(PATIENCE + Duration::from_millis(200));
            first.answer.send(Ok(reading(1.0, None))).expect("still waited for");
            let second = asks.recv().expect("asked again");
            let rows = RowSet::empty(
                <heldup_model::tables::StackRow as heldup_model::Record>::DEF,
                heldup_model::Form::Increases,
            );
            assert!(second.last);
            second.answer.send(Ok(reading(2.0, Some(rows)))).expect("waited for");
        });
        assert!(sampling.read().is_err());
        let last = sampling.read_last().expect("the late answer");
        assert_eq!(last.secs, Some(1.0));
        assert!(last.stacks.is_some());
        looks.join().expect("no panic");
    }

    #[test]
    fn rights_decide_what_is_told() {
        let keys = |n: i64| (0..n).map(|tid| (tid, tid)).collect();
        let some = |calls, stacks| Hidden {
            looked: keys(100),
            calls: keys(calls),
            asked: keys(20),
            stacks: keys(stacks),
        };
        assert!(untold(&some(13, 3)).is_empty());
        assert_eq!(untold(&some(0, 11)), BY_STACK);
        let all = untold(&some(80, 20));
        assert!(all.contains(&Class::LockUser) && !all.contains(&Class::CpuQueue));
        assert_eq!(hidden_missing(&some(0, 0)), []);
        assert!(hidden_missing(&some(0, 7))[0].why.contains("stack of 7"));
    }
}
