//! A recorder: one sample of everything at a time, into an archive, for as long as the machine is up.
//!
//! Nothing here judges what was seen. What goes wrong costs what it is about, is said once, and
//! stands in the archive's `recorder.json` for `heldup status`.

mod budget;
mod grid;
mod housekeeper;
mod sampling;
mod segments;
mod state;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_archive::journal::{Reading, Sample};
use heldup_archive::kept::{ArchiveFolder, HouseKeeping, HouseKept, RecorderFile, keep_house};
use heldup_hostfs::{
    Host, Interrupts, ResidentMemory, children_cpu_s, cpu_time_ns, give_back_large_memory, give_way,
    monotonic_ns, realtime_ms, thread_cpu_ns,
};
use heldup_model::tables::{ProcessRow, RecorderRow, TaskTimeRow};
use heldup_model::{BpfTime, Missing, RECORD_SCHEMA, Record, RecordSummary, RowSet, Text};

use crate::cancel::Cancel;
use crate::error::Result;
use crate::overhead;
use crate::progress::Progress;
use crate::request::MethodChoice;
use crate::session::look::count_overhead;
use crate::session::pace::{Paced, drive};
use budget::{Budget, Spent};
use grid::{Grid, Jump, Moment, Tick};
use housekeeper::Housekeeper;
use sampling::{Everything, Taken, TakesChanges};
use segments::{Segments, Written};
use state::State;

/// How long sealing may take at the end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Who ends so soon after a sample that rates over the time since are noise waits a little: the last sample has the stacks.
const LAST_WAIT: Duration = Duration::from_millis(250);
/// Different errors that are told; what goes wrong at each sample in another way is not news.
const MOST_ERRORS: usize = 100;

/// What is to be recorded, and how.
#[derive(Clone, Debug)]
pub struct RecordRequest {
    /// Folder of the archive.
    pub archive: PathBuf,
    /// Time between two samples.
    pub interval: Duration,
    /// Time between two flushes.
    pub flush: Duration,
    /// Age from which a segment is sealed.
    pub segment: Duration,
    /// CPU that it may use, as a share of one.
    pub cpu_budget: f64,
    /// How much is kept.
    pub keeping: HouseKeeping,
    /// How time is accounted for.
    pub method: MethodChoice,
    /// Whether the kernel counts what our eBPF programs cost.
    pub measure_overhead: bool,
    /// How long; until it is stopped without it.
    pub length: Option<Duration>,
    /// Who seals what was recorded.
    pub seal: SealBy,
}

/// Who seals segments, removes what is too old and puts days together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealBy {
    /// This program, started again as `keep-house`: a process of low priority whose memory goes with it.
    Child,
    /// The same, and nobody at the end, since the archive goes then.
    ChildUntilEnd,
    /// A thread: for a program that has no such command.
    Thread,
}

/// Records until it is stopped or the time is over.
pub fn record(request: &RecordRequest, progress: &dyn Progress, cancel: &Cancel) -> Result<RecordSummary> {
    give_back_large_memory();
    let host = Host::live();
    let interrupts = cancel.begin()?;
    let (_counted, missing) = count_overhead(request.measure_overhead);
    let mut recorder = Recorder::start(request, &host, missing, progress)?;
    let (every, archive) = (request.interval, request.archive.display());
    progress.note(&format!("recording every {every:.0?} to {archive}; press Ctrl-C to stop"));
    let length_ns = request.length.map(|length| u64::try_from(length.as_nanos()).unwrap_or(u64::MAX));
    let end_ns = length_ns.map_or(u64::MAX, |length_ns| monotonic_ns().saturating_add(length_ns));
    recorder.run(&interrupts, end_ns)?;
    Ok(recorder.end(request))
}

/// Seals what a recorder has closed, removes what is too old or too much, and puts days together, of an archive as of
/// so much later; tells what went wrong. The recorder has a process of its own do it, so that sealing an hour holds up
/// no sample.
pub fn keep_house_in(
    archive: &Path,
    keeping: &HouseKeeping,
    later: Duration,
    progress: &dyn Progress,
) -> Result<HouseKept> {
    give_way();
    let later_ms = i64::try_from(later.as_millis()).unwrap_or(i64::MAX);
    let kept = keep_house(archive, keeping, realtime_ms().saturating_add(later_ms))?;
    for sealed in kept.sealed.iter().filter_map(|sealed| sealed.lost) {
        progress.note(&format!("end of a journal not readable ({} bytes)", sealed.bytes));
    }
    kept.flaws.iter().for_each(|flaw| progress.note(&format!("{}: {}", flaw.place, flaw.what)));
    Ok(kept)
}

/// A recorder at work.
struct Recorder<'a> {
    progress: &'a dyn Progress,
    everything: Everything,
    grid: Grid,
    budget: Budget,
    segments: Segments,
    housekeeper: Housekeeper,
    state: State,
    costs: Costs,
    memory: ResidentMemory,
    /// Errors that were told.
    told: BTreeSet<String>,
    /// Samples in a row that could not be written.
    lost: i64,
    samples: u64,
}

/// Totals up to the sample before.
#[derive(Clone, Copy, Debug, Default)]
struct Costs {
    /// Whether the kernel counts what eBPF programs cost.
    measure_overhead: bool,
    cpu_s: f64,
    bpf_ns: Option<u64>,
    begun_bpf_ns: u64,
    written_bytes: usize,
    /// CPU time of the program itself when the first sample was taken, nanoseconds.
    begun_cpu_ns: u64,
    begun_ns: u64,
}

impl<'a> Recorder<'a> {
    /// Takes the archive and opens everything.
    fn start(
        plan: &RecordRequest,
        host: &Host,
        missing: Vec<Missing>,
        progress: &'a dyn Progress,
    ) -> Result<Recorder<'a>> {
        let file = RecorderFile::take(&plan.archive)?;
        let everything = Everything::open(host, plan.method, plan.interval, missing)?;
        let name = host.read_text("/proc/sys/kernel/hostname").unwrap_or_else(|_| "localhost".to_owned());
        let archive = ArchiveFolder::at(&plan.archive);
        let mut housekeeper = Housekeeper::new(plan.archive.clone(), plan.keeping, plan.seal);
        // What one that was killed has left.
        housekeeper.begin(None);
        let state = State::begin(file, plan, &name, everything.method());
        let mut recorder = Recorder {
            progress,
            everything,
            grid: Grid::new(plan.interval),
            budget: Budget::new(plan.cpu_budget),
            segments: Segments::new(archive, host, &name, plan),
            housekeeper,
            state,
            costs: Costs { measure_overhead: plan.measure_overhead, ..Costs::default() },
            memory: ResidentMemory::open(),
            told: BTreeSet::new(),
            lost: 0,
            samples: 0,
        };
        recorder.tell_missing();
        recorder.state.write();
        Ok(recorder)
    }

    /// Samples until it is asked to stop, or a time of the monotonic clock.
    fn run(&mut self, interrupts: &Interrupts, end_ns: u64) -> Result<()> {
        drive(self, interrupts, end_ns, &mut || Ok(false), &mut |_| ()).map(drop)
    }

    /// Takes the last sample, seals it, and says what it was.
    fn end(mut self, request: &RecordRequest) -> RecordSummary {
        self.everything.end();
        let worth_ns = self.grid.worth_a_sample_ns();
        std::thread::sleep(LAST_WAIT.min(Duration::from_nanos(worth_ns.saturating_sub(monotonic_ns()))));
        if monotonic_ns() >= worth_ns {
            self.sample();
        }
        let (bpf_ns, known_by) = self.program_time();
        let wrong = self.housekeeper.end(self.segments.end(), PATIENCE);
        if let Some(what) = wrong {
            self.state.error(&what);
        }
        self.state.end();
        let seconds = monotonic_ns().saturating_sub(self.costs.begun_ns) as f64 / 1e9;
        let share = |ns: u64| ns as f64 / 1e9 / seconds;
        let bpf = bpf_ns.map(|ns| share(ns.saturating_sub(self.costs.begun_bpf_ns)));
        RecordSummary {
            schema: RECORD_SCHEMA.to_owned(),
            archive: request.archive.display().to_string(),
            samples: self.samples,
            seconds,
            cpu_ratio: share(cpu_time_ns().saturating_sub(self.costs.begun_cpu_ns)),
            bpf_ratio: bpf,
            bpf_time: bpf.map(|_| known_by),
        }
    }

    fn sample(&mut self) {
        let tick = self.grid.tick(Moment::now());
        if self.segments.should_turn(tick.moment, tick.jump.is_some()) {
            self.say_jump(tick.jump);
            let closed = self.segments.turn(tick.moment);
            self.everything.begin_segment();
            if closed.is_some() {
                self.housekeeper.begin(closed);
            }
        }
        let now_ns = tick.moment.now_ns;
        let takes = TakesChanges {
            task_time: self.segments.takes_changes(TaskTimeRow::DEF.name, now_ns),
            process: self.segments.takes_changes(ProcessRow::DEF.name, now_ns),
        };
        let taken = self.everything.sample(tick.stamp_ms, now_ns, takes, &self.budget);
        self.write(tick, taken);
        self.keep_to_budget(now_ns);
        if let Some(what) = self.housekeeper.look_after().or_else(|| self.segments.flush_error()) {
            self.state.error(&what);
            self.tell(what);
        }
        self.state.write();
    }

    fn write(&mut self, tick: Tick, taken: Taken) {
        let rows = taken.rows() + 1;
        taken.flaws.into_iter().for_each(|what| self.tell(what));
        let row = self.row(&tick, taken.tasks, taken.processes);
        let mut readings = taken.readings;
        let secs = taken.secs;
        readings.push(Reading { rows: RowSet::increases([row]), secs });
        let sample = Sample { time_ms: tick.stamp_ms, monotonic_ns: tick.moment.now_ns, readings };
        let began_ns = (thread_cpu_ns(), monotonic_ns());
        let written = self.segments.append(sample, &taken.changed);
        self.everything.note_cost("journal", began_ns, rows);
        match written {
            Written::Whole(bytes) => {
                self.samples += 1;
                self.costs.written_bytes = bytes;
                if std::mem::take(&mut self.lost) > 0 {
                    self.progress.note("samples are written again");
                    self.told.clear();
                }
            }
            Written::Lost(why) => {
                self.lost += 1;
                self.costs.written_bytes = 0;
                self.state.lost(&why);
                self.tell(format!("samples are lost: {why}"));
            }
        }
    }

    /// What the recorder is and costs.
    fn row(&mut self, tick: &Tick, tasks: Option<i64>, processes: Option<i64>) -> RecorderRow {
        let (user_s, kernel_s) = children_cpu_s();
        let cpu_s = cpu_time_ns() as f64 / 1e9 + user_s + kernel_s;
        let (bpf_s, bpf_time) = self.bpf_growth_s(tick.moment.now_ns).unzip();
        let first = self.costs.begun_ns == 0;
        if first {
            (self.costs.begun_ns, self.costs.begun_cpu_ns) = (tick.moment.now_ns, cpu_time_ns());
            self.costs.begun_bpf_ns = self.costs.bpf_ns.unwrap_or(0);
        }
        let used_s = cpu_s - std::mem::replace(&mut self.costs.cpu_s, cpu_s);
        RecorderRow {
            method: Some(self.everything.method().name().into()),
            // More digits are noise, which an archive would keep.
            coverage: Some((self.everything.coverage() * 1e4).round() / 1e4),
            // What loading the programs took is not what recording costs.
            cpu_s: (!first).then_some(used_s),
            bpf_s,
            bpf_time: bpf_time.map(|time| time.name().into()),
            resident_bytes: self.memory.bytes(),
            written_bytes: Some(self.costs.written_bytes as i64),
            tasks,
            processes,
            thinned: self.budget.words().map(Text::from),
            booted_ms: Some(tick.moment.time_ms - (tick.moment.boot_ns / 1_000_000) as i64),
            boot_id: self.segments.boot_id().map(Text::from),
            missed_samples: Some(tick.missed),
        }
    }

    /// Run time of the eBPF programs since it was asked last, in seconds: when the budget is judged, since
    /// asking takes calls.
    fn bpf_growth_s(&mut self, now_ns: u64) -> Option<(f64, BpfTime)> {
        if !self.budget.is_due(now_ns) {
            return None;
        }
        let (run_ns, known_by) = self.program_time();
        let before_ns = std::mem::replace(&mut self.costs.bpf_ns, run_ns);
        let growth = run_ns.zip(before_ns).map(|(now, before)| now.saturating_sub(before) as f64 / 1e9);
        growth.map(|growth_s| (growth_s, known_by))
    }

    fn program_time(&self) -> (Option<u64>, BpfTime) {
        overhead::of_programs(self.everything.program_time(), self.costs.measure_overhead)
    }

    /// At the time of the sample, by which run times of the programs were read: what they took belongs to the same span.
    fn keep_to_budget(&mut self, now_ns: u64) {
        if !self.budget.is_due(now_ns) {
            return;
        }
        let spent = Spent { cpu_ns: cpu_time_ns(), bpf_ns: self.costs.bpf_ns.unwrap_or(0) };
        if self.budget.judge(now_ns, spent, &self.everything.paces()) {
            self.everything.set_times(&self.budget);
            match self.budget.words() {
                Some(words) => {
                    self.progress.note(&format!("over the CPU budget; sampled less often: {words}"))
                }
                None => self.progress.note("within the CPU budget; all sources at their interval"),
            }
        }
    }

    fn say_jump(&mut self, jump: Option<Jump>) {
        match jump {
            Some(Jump::Slept(ms)) => self.progress.note(&format!("the machine slept for {} s", ms / 1000)),
            Some(Jump::Set(ms)) => self.progress.note(&format!("the clock was set by {:+} s", ms / 1000)),
            None => {}
        }
    }

    fn tell_missing(&mut self) {
        for Missing { what, why, .. } in self.everything.take_missing() {
            self.tell(format!("not recorded: {what}: {why}"));
        }
    }

    /// Says something that went wrong, once.
    fn tell(&mut self, what: String) {
        if self.told.len() < MOST_ERRORS && !self.told.contains(&what) {
            self.progress.note(&what);
            self.told.insert(what);
        }
    }
}

/// At the interval that was asked for, on a grid of the clock; what costs much is read at paces of its own.
impl Paced for Recorder<'_> {
    fn next_ns(&self, end_ns: u64) -> u64 {
        self.grid.next_ns(Moment::now()).min(end_ns)
    }

    fn wanted_ns(&self) -> u64 {
        self.everything.want_ns()
    }

    fn look_after(&mut self) {
        let flaws = self.everything.look_after();
        flaws.into_iter().for_each(|what| self.tell(what));
    }

    fn sample(&mut self) -> Result<()> {
        Recorder::sample(self);
        Ok(())
    }
}
