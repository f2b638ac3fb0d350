//! Asks the engine, in a thread of its own: the newest question of a kind takes the place of one that waits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use heldup_engine::{Result, Viewer};
use heldup_hostfs::monotonic_ns;
use heldup_model::{
    Breakdown, BreakdownKind, Comparison, Experiment, Frame, Life, ListedExperiment, Mark, Now,
    RecorderStatus, Span, SqlPage, TablesAnswer, View, Who,
};

/// Between two judgements of a machine that runs.
const JUDGE_EVERY: Duration = Duration::from_secs(10);
/// Between two readings of its vital signs.
const READ_EVERY: Duration = Duration::from_secs(1);
/// Before a machine is judged that could not be judged just now.
const RETRY: Duration = Duration::from_millis(50);
/// How long the end may take.
const FAREWELL: Duration = Duration::from_millis(500);
/// Before that many seconds of a machine were recorded it is judged again sooner.
const SOON: [u64; 3] = [2, 5, 10];

/// A question.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// A window, examined.
    Look(Span),
    /// The last minute of a machine that runs, again and again; none where it is frozen.
    Follow(bool),
    /// The strip of all that there is, in so many steps.
    Strip(usize),
    /// What was found in all that there is.
    Marks,
    /// Figures of a window: words, and steps.
    Figures(Vec<String>, Span, usize),
    /// One kind of time of a window, by program, object and stack.
    Breakdown(BreakdownKind, Span),
    /// Who was there in all of a window, the first ones over time: so many, in so many steps.
    Who(Span, usize, usize),
    /// One process: its number, when it began, a window.
    Life(i64, Option<i64>, Span),
    /// How two windows differ.
    Compare(Span, Span),
    /// Experiments that were kept.
    Experiments,
    /// One of them.
    Experiment(String),
    /// How recording goes.
    Status,
    /// Rows that answer a query about a window, from a row on.
    Sql(String, Span, u64),
    /// What a query can name.
    Tables,
}

/// An answer.
#[derive(Debug)]
pub enum Told {
    /// A window, and whether it was followed.
    View(Box<View>, bool),
    /// Work on a window has begun.
    Busy,
    /// All that there is, and its strip.
    Strip(Span, Option<Box<Frame>>),
    /// What was found.
    Marks(Vec<Mark>),
    /// Figures.
    Figures(Span, Vec<Frame>),
    /// One kind of time.
    Breakdown(Box<Breakdown>),
    /// Who was there.
    Who(Box<Who>),
    /// One process.
    Life(Box<Life>),
    /// How two windows differ.
    Comparison(Box<Comparison>),
    /// Experiments.
    Experiments(Vec<ListedExperiment>),
    /// One experiment.
    Experiment(Box<Experiment>),
    /// How recording goes.
    Status(Box<RecorderStatus>),
    /// Rows.
    Sql(Box<SqlPage>),
    /// What a query can name.
    Tables(Box<TablesAnswer>),
    /// The vital signs of now.
    Now(Box<Now>),
    /// The question of a page that could not be answered: the page says so.
    PageFailed(String),
    /// A question that could not be answered.
    Failed(String),
    /// The recording has ended.
    Lost(String),
}

/// Where questions go.
pub struct Worker {
    asks: Option<Sender<Ask>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts; answers go through `tell`, until that says that nobody listens.
    pub fn start(
        viewer: Viewer,
        tell: impl Fn(Told) -> bool + Send + Sync + 'static,
    ) -> std::io::Result<Worker> {
        let (asks, questions) = channel();
        let viewer = Arc::new(RwLock::new(viewer));
        let mut work = Work {
            viewer,
            tell: Arc::new(tell),
            marks: Arc::default(),
            follows: false,
            judged_ns: None,
            read_ns: 0,
            judgements: 0,
        };
        let thread = Builder::new().name("viewer".to_owned()).spawn(move || work.run(&questions))?;
        Ok(Worker { asks: Some(asks), thread: Some(thread) })
    }

    /// Asks.
    pub fn ask(&self, question: Ask) {
        // A thread that has ended has said why.
        let _ = self.asks.as_ref().map(|asks| asks.send(question));
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.asks = None;
        // A temporary recorder ends with the viewer. Who reads a day just then is not waited for: the recorder sees
        // that we have gone.
        let until_ns = monotonic_ns() + FAREWELL.as_nanos() as u64;
        let Some(thread) = self.thread.take() else { return };
        while !thread.is_finished() && monotonic_ns() < until_ns {
            std::thread::sleep(FAREWELL / 50);
        }
    }
}

struct Work {
    viewer: Arc<RwLock<Viewer>>,
    tell: Arc<dyn Fn(Told) -> bool + Send + Sync>,
    /// What was found in all that there is is being looked for.
    marks: Arc<AtomicBool>,
    follows: bool,
    judged_ns: Option<u64>,
    /// When the vital signs were read last.
    read_ns: u64,
    judgements: usize,
}

impl Work {
    fn run(&mut self, questions: &Receiver<Ask>) {
        let mut waiting: Vec<Ask> = Vec::new();
        loop {
            if waiting.is_empty() {
                match questions.recv_timeout(self.rest()) {
                    Ok(ask) => put(&mut waiting, ask),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            loop {
                match questions.try_recv() {
                    Ok(ask) => put(&mut waiting, ask),
                    Err(std::sync::mpsc::TryRecvError::Empty) => break,
                    Err(std::sync::mpsc::TryRecvError::Disconnected) => return,
                }
            }
            let is_listened_to = match waiting.is_empty() {
                true => self.follow(),
                false => {
                    let ask = waiting.remove(0);
                    self.answer(ask)
                }
            };
            if !is_listened_to {
                return;
            }
        }
    }

    /// How long until the machine is judged again.
    fn patience(&self) -> Duration {
        match (self.follows, self.judged_ns) {
            (false, _) => Duration::from_secs(3600),
            (true, None) => Duration::ZERO,
            (true, Some(judged_ns)) => {
                let every = SOON.get(self.judgements).map_or(JUDGE_EVERY, |s| Duration::from_secs(*s));
                every.saturating_sub(since(judged_ns))
            }
        }
    }

    /// How long until there is something to do where nobody asks.
    fn rest(&self) -> Duration {
        match self.follows {
            true => self.patience().min(READ_EVERY.saturating_sub(since(self.read_ns))),
            false => self.patience(),
        }
    }

    fn follow(&mut self) -> bool {
        if !self.follows {
            return true;
        }
        if !self.patience().is_zero() {
            return self.read();
        }
        // Who looks for marks needs the viewer as it is; keys are not kept waiting for that.
        let Ok(mut viewer) = self.viewer.try_write() else {
            std::thread::sleep(RETRY);
            return true;
        };
        if let Some(what) = viewer.lost() {
            self.follows = false;
            return (self.tell)(Told::Lost(what));
        }
        self.judged_ns = Some(monotonic_ns());
        self.judgements += 1;
        let seen = viewer.follow();
        drop(viewer);
        (self.tell)(told(seen, |view| Told::View(Box::new(view), true)))
    }

    /// Reads the vital signs, where a second has passed. What cannot be read now is told by the next judgement.
    fn read(&mut self) -> bool {
        if since(self.read_ns) < READ_EVERY {
            return true;
        }
        self.read_ns = monotonic_ns();
        let now = reader(&self.viewer).vitals();
        now.map_or(true, |now| (self.tell)(Told::Now(Box::new(now))))
    }

    /// In a thread of its own: of a long time it takes as long as many judgements, and nobody waits for it.
    fn look_for_marks(&self) -> bool {
        if self.marks.swap(true, Ordering::Relaxed) {
            return true;
        }
        let (viewer, tell, marks) =
            (Arc::clone(&self.viewer), Arc::clone(&self.tell), Arc::clone(&self.marks));
        let look = move || {
            let found = answer(&reader(&viewer), Ask::Marks);
            marks.store(false, Ordering::Relaxed);
            tell(found);
        };
        match Builder::new().name("marks".to_owned()).spawn(look) {
            Ok(_) => true,
            Err(error) => (self.tell)(Told::Failed(error.to_string())),
        }
    }

    fn answer(&mut self, ask: Ask) -> bool {
        match ask {
            Ask::Follow(follows) => {
                self.follows = follows && reader(&self.viewer).is_live();
                self.judged_ns = None;
                true
            }
            Ask::Look(_) if !(self.tell)(Told::Busy) => false,
            Ask::Marks => self.look_for_marks(),
            ask => (self.tell)(answer(&reader(&self.viewer), ask)),
        }
    }
}

fn reader(viewer: &RwLock<Viewer>) -> RwLockReadGuard<'_, Viewer> {
    viewer.read().unwrap_or_else(PoisonError::into_inner)
}

fn since(at_ns: u64) -> Duration {
    Duration::from_nanos(monotonic_ns().saturating_sub(at_ns))
}

/// The answer to a question.
pub fn answer(viewer: &Viewer, ask: Ask) -> Told {
    match ask {
        Ask::Look(span) => told(viewer.look(span), |view| Told::View(Box::new(view), false)),
        // Who follows asks again and again.
        Ask::Follow(_) => {
            let seen = viewer.first().and_then(|span| viewer.look(span));
            told(seen, |view| Told::View(Box::new(view), true))
        }
        Ask::Strip(steps) => told(strip(viewer, steps), |(all, strip)| Told::Strip(all, strip.map(Box::new))),
        Ask::Marks => told(viewer.all().and_then(|all| viewer.marks(all)), Told::Marks),
        Ask::Figures(words, span, steps) => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            told(viewer.figures(&words, span, steps), |frames| Told::Figures(span, frames))
        }
        Ask::Breakdown(kind, span) => {
            told(viewer.breakdown(kind, span), |found| Told::Breakdown(Box::new(found)))
        }
        Ask::Who(span, processes, steps) => {
            told(viewer.who_over_time(span, processes, steps), |found| Told::Who(Box::new(found)))
        }
        Ask::Life(pid, start_ms, span) => {
            on_page(viewer.life(pid, start_ms, span), |found| Told::Life(Box::new(found)))
        }
        Ask::Compare(before, after) => {
            on_page(viewer.compare(before, after), |found| Told::Comparison(Box::new(found)))
        }
        Ask::Experiments => on_page(viewer.experiments(), Told::Experiments),
        Ask::Experiment(id) => on_page(viewer.experiment(&id), |found| Told::Experiment(Box::new(found))),
        Ask::Status => on_page(viewer.status(), |found| Told::Status(Box::new(found))),
        Ask::Sql(query, span, offset) => {
            on_page(viewer.sql(&query, span, offset), |found| Told::Sql(Box::new(found)))
        }
        Ask::Tables => Told::Tables(Box::new(viewer.tables())),
    }
}

/// Time by class, and where that is not known what the CPUs did.
fn strip(viewer: &Viewer, steps: usize) -> Result<(Span, Option<Frame>)> {
    let all = viewer.all()?;
    for id in ["time.classes", "cpu.states"] {
        let mut frames = viewer.figures(&[id], all, steps)?;
        if !frames.is_empty() {
            return Ok((all, Some(frames.swap_remove(0))));
        }
    }
    Ok((all, None))
}

fn told<T>(answer: Result<T>, told: impl FnOnce(T) -> Told) -> Told {
    answer.map_or_else(|error| Told::Failed(error.whole()), told)
}

fn on_page<T>(answer: Result<T>, told: impl FnOnce(T) -> Told) -> Told {
    answer.map_or_else(|error| Told::PageFailed(error.whole()), told)
}

/// A question takes the place of an older one of its kind.
fn put(waiting: &mut Vec<Ask>, ask: Ask) {
    let kind = std::mem::discriminant(&ask);
    waiting.retain(|other| std::mem::discriminant(other) != kind);
    waiting.push(ask);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_window_is_asked_for() {
        let span = |since_ms| Span { since_ms, until_ms: since_ms + 1000 };
        let mut waiting = Vec::new();
        [Ask::Look(span(1)), Ask::Marks, Ask::Look(span(2))]
            .into_iter()
            .for_each(|ask| put(&mut waiting, ask));
        assert_eq!(waiting, [Ask::Marks, Ask::Look(span(2))]);
    }
}
