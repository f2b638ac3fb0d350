//! How soon after the window's end the answer is there, and what one pass over the
//! tasks costs, with few tasks and with many.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;

use super::resources::cpu_seconds_of;
use super::{Bench, Figure, Setting, examination, median, words_of};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "answer-time",
    question: "how soon the answer is there with 200 and with 10,000 tasks, and what a pass over them costs",
    looks: true,
    measure,
};

/// Looks; the median counts.
const TIMES: usize = 3;
/// Small, so that 10,000 of them need no memory to speak of.
const STACK: usize = 64 * 1024;

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (tasks, limit) in [(200, 0.5), (10_000, 2.0)] {
        let crowd = Crowd::of(tasks)?;
        let mut after = Vec::new();
        for _ in 0..TIMES {
            after.push(seconds_after_the_window(setting)?);
        }
        figures.push(Figure::at_most(
            format!("answer with {tasks} more tasks, after the window"),
            median(&after),
            limit,
            "s",
            2,
        ));
        if tasks == 10_000 {
            figures.extend(passes(setting, tasks)?);
        }
        drop(crowd);
    }
    Ok(figures)
}

fn seconds_after_the_window(setting: &Setting) -> Result<f64> {
    let words = words_of(&mut setting.examine("4s"))?;
    let now = Timestamp::now();
    let examination = examination(&words)?;
    let end: Timestamp = examination["to"].as_str().context("no end of the window")?.parse()?;
    Ok(end.duration_until(now).as_secs_f64())
}

/// CPU time of one reading of the ledger, by its own account and from outside.
///
/// What a longer look costs more than a shorter, by the second: start-up, the whole records
/// and the reading of `/proc` at both ends, and the answer are in both and cancel out. From
/// outside the other sources of each second are in the figure; the ledger's own entry in
/// `source_cost` has what the iterator and the rows cost and nothing else.
fn passes(setting: &Setting, tasks: usize) -> Result<[Figure; 2]> {
    const SHORT: f64 = 4.0;
    const LONG: f64 = 14.0;
    const QUESTION: &str = "select cpu_s from source_cost where source_name = 'ledger'";
    let look = |seconds: f64| -> Result<(f64, f64)> {
        let window = format!("{seconds}s");
        let question = ["sql", "--for", &window, "--format", "csv", QUESTION];
        let (cpu, answer) = cpu_seconds_of(Command::new(&setting.heldup).args(question))?;
        let own = answer.lines().find_map(|line| line.trim().parse().ok());
        Ok((own.context("the capture does not say what the ledger cost")?, cpu))
    };
    let (mut own, mut outside) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let (long, short) = (look(LONG)?, look(SHORT)?);
        own.push((long.0 - short.0) / (LONG - SHORT));
        outside.push((long.1 - short.1) / (LONG - SHORT));
    }
    let what = format!("one pass over {tasks} tasks, CPU");
    let all = format!("a second of looking at {tasks} tasks, CPU, from outside: the pass and all counters");
    Ok([
        Figure::at_most(what, 1e3 * median(&own), 15.0, "ms", 1),
        Figure::shown(all, format!("{:.1} ms", 1e3 * median(&outside))),
    ])
}

/// Tasks that wake once a second, so that every pass finds something new of each.
struct Crowd {
    over: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Crowd {
    fn of(tasks: usize) -> Result<Crowd> {
        let over = Arc::new(AtomicBool::new(false));
        let awake = Arc::new(AtomicUsize::new(0));
        let mut crowd = Crowd { over: Arc::clone(&over), threads: Vec::with_capacity(tasks) };
        for at in 0..tasks {
            let (over, awake) = (Arc::clone(&over), Arc::clone(&awake));
            let body = move || {
                awake.fetch_add(1, Ordering::Relaxed);
                while !over.load(Ordering::Relaxed) {
                    thread::park_timeout(Duration::from_secs(1));
                }
            };
            let named = thread::Builder::new().stack_size(STACK).name(format!("crowd-{at}"));
            crowd.threads.push(named.spawn(body).context("the limit on tasks is too low for this bench")?);
        }
        for _ in 0..300 {
            if awake.load(Ordering::Relaxed) == tasks {
                return Ok(crowd);
            }
            thread::sleep(Duration::from_millis(100));
        }
        ensure!(awake.load(Ordering::Relaxed) == tasks, "not all of {tasks} tasks began within 30 s");
        Ok(crowd)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for one in self.threads.drain(..) {
            one.thread().unpark();
            let _ = one.join();
        }
    }
}
