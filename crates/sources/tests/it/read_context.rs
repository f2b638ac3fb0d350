//! What a source is given for its readings, by the sampler and by a recorder.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use heldup_hostfs::Host;
use heldup_model::tables::{MemoryRow, MountRow};
use heldup_model::{Method, Record, TableDef};
use heldup_sources::{Cadence, ReadContext, Reading, Recording, SampleKind, Sampler, Schedule, Source};

const SECOND_NS: u64 = 1_000_000_000;

/// What happened to a source, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Begin,
    Read { since_ms: Option<i64>, asked: bool, base_only: bool, continuous: bool },
}

/// A source that keeps what it was given.
struct Witness {
    cadence: Cadence,
    tables: &'static [&'static TableDef],
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Source for Witness {
    fn name(&self) -> &'static str {
        "witness"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        self.tables
    }

    fn schedule(&self) -> Schedule {
        Schedule::new(self.cadence)
    }

    fn begin(&mut self, _: &Host) {
        self.calls.lock().expect("the calls").push(Call::Begin);
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let ReadContext { since_ms, asked, base_only, continuous, .. } = *context;
        self.calls.lock().expect("the calls").push(Call::Read { since_ms, asked, base_only, continuous });
        Reading::default()
    }
}

type Calls = Arc<Mutex<Vec<Call>>>;

fn witness(cadence: Cadence, tables: &'static [&'static TableDef]) -> (Box<dyn Source>, Calls) {
    let calls = Calls::default();
    (Box::new(Witness { cadence, tables, calls: Arc::clone(&calls) }), calls)
}

fn of(calls: &Calls) -> Vec<Call> {
    calls.lock().expect("the calls").clone()
}

#[test]
fn the_sampler_gives_the_window_the_base_and_what_is_asked() {
    let (every, every_calls) = witness(Cadence::EverySample, &[MemoryRow::DEF]);
    let (once, once_calls) = witness(Cadence::Once, &[MountRow::DEF]);
    let mut sampler = Sampler::new(Host::recorded("/no-such-tree"), vec![every, once], "box");
    sampler.ask(|table| table == MountRow::DEF.name);
    let sample = |sampler: &mut Sampler, kind, second: i64| {
        sampler.sample(kind, 1000 * second, SECOND_NS * second as u64);
    };
    sample(&mut sampler, SampleKind::First, 5);
    sample(&mut sampler, SampleKind::Middle, 6);
    sample(&mut sampler, SampleKind::Turn, 7);
    sampler.end_window(Method::Sampling, 1.0);
    sample(&mut sampler, SampleKind::Last, 8);
    let read = |since_ms, base_only| Call::Read {
        since_ms: Some(since_ms),
        asked: false,
        base_only,
        continuous: false,
    };
    let expected =
        [Call::Begin, read(5000, true), read(5000, false), read(5000, false), Call::Begin, read(7000, false)];
    assert_eq!(of(&every_calls), expected);
    let asked =
        |since_ms| Call::Read { since_ms: Some(since_ms), asked: true, base_only: false, continuous: false };
    assert_eq!(of(&once_calls), [Call::Begin, asked(5000), Call::Begin, asked(7000)]);
}

#[test]
fn a_recorder_reads_continuously_from_its_first_sample() {
    let (every, calls) = witness(Cadence::EverySample, &[MemoryRow::DEF]);
    let mut recording = Recording::new(Host::recorded("/no-such-tree"), vec![every], Duration::from_secs(1));
    for second in 5..7 {
        recording.sample(1000 * second, SECOND_NS * second as u64, &|_| false);
    }
    let read = Call::Read { since_ms: Some(5000), asked: false, base_only: false, continuous: true };
    assert_eq!(of(&calls), [Call::Begin, read, read]);
}
