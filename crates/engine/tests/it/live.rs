//! Requests to the running machine, by what everybody may read of it.

use std::sync::Mutex;
use std::time::Duration;

use heldup_archive::kept::{HouseKeeping, Retention, Tiers};
use heldup_engine::{
    Cancel, CommandToRun, ExamineRequest, Examined, MethodChoice, Progress, RecordRequest, SealBy, Silent,
    StatusRequest, Step, WatchRequest, Watched, examine, record, status, watch,
};
use heldup_hostfs::Stopper;
use heldup_model::{Method, Severity, WatchEvent, WatchLine, WatchSummary};

use crate::recorded::Folder;

/// Remembers what it was told.
#[derive(Default)]
struct Told {
    looked: Mutex<Vec<Duration>>,
    notes: Mutex<Vec<String>>,
}

impl Progress for Told {
    fn step(&self, step: Step<'_>) {
        if let Step::Looked { so_far, .. } = step {
            self.looked.lock().expect("no panic").push(so_far);
        }
    }

    fn note(&self, what: &str) {
        self.notes.lock().expect("no panic").push(what.to_owned());
    }
}

#[test]
fn a_command_is_examined_from_its_start_to_its_end() {
    let words = ["sh", "-c", "exit 3"].map(Into::into).to_vec();
    let request = ExamineRequest {
        command: Some(CommandToRun { words, answer_on_stdout: true }),
        method: MethodChoice::Delays,
        ..ExamineRequest::default()
    };
    match examine(&request, &Silent, &Cancel::By(Stopper::default())).expect("an answer") {
        Examined::Window { examination, exit } => {
            assert_eq!(exit.and_then(|exit| exit.code()), Some(3));
            assert_eq!(examination.host.method, Method::Delays);
            assert!(examination.command.is_some());
            assert!(examination.overhead.cpu_seconds > 0.0);
        }
        other => panic!("{other:?}"),
    }
}

/// Stops as soon as it is awake, where it is to.
struct Lines<'a> {
    lines: Vec<WatchLine>,
    stopper: Option<&'a Stopper>,
}

impl Watched for Lines<'_> {
    fn line(&mut self, line: WatchLine) {
        self.lines.push(line);
    }

    fn awake(&mut self) {
        self.stopper.iter().for_each(|stopper| stopper.stop());
    }
}

fn watched(every_s: u64, length_s: Option<u64>, lines: &mut Lines<'_>, stopper: &Stopper) -> WatchSummary {
    let request = WatchRequest {
        interval: Duration::from_secs(every_s),
        length: length_s.map(Duration::from_secs),
        min_severity: Severity::Critical,
        raise_after: (1, 1),
        clear_after: 1,
        method: MethodChoice::Delays,
        focus: None,
        ignore: Vec::new(),
        rules: None,
        measure_overhead: false,
    };
    let told = Told::default();
    watch(&request, lines, &told, &Cancel::By(stopper.clone())).expect("watched");
    assert!(told.notes.lock().expect("no panic")[0].starts_with("watching in windows of"));
    assert_eq!(lines.lines.iter().filter(|line| line.event == WatchEvent::Summary).count(), 1);
    lines.lines.last().and_then(|line| line.summary.clone()).expect("a summary")
}

#[test]
fn a_time_is_watched_in_windows() {
    let mut lines = Lines { lines: Vec::new(), stopper: None };
    let summary = watched(1, Some(2), &mut lines, &Stopper::default());
    assert!(summary.windows == 2 && summary.seconds >= 2.0, "{summary:?}");
}

#[test]
fn watching_is_stopped_by_somebody_in_this_process() {
    let stopper = Stopper::default();
    let mut lines = Lines { lines: Vec::new(), stopper: Some(&stopper) };
    let summary = watched(3600, None, &mut lines, &stopper);
    assert_eq!(summary.windows, 0, "{summary:?}");
}

#[test]
fn what_is_recorded_has_a_status() {
    let folder = Folder::new();
    let archive = folder.path().join("archive");
    let request = RecordRequest {
        archive: archive.clone(),
        interval: Duration::from_millis(500),
        flush: Duration::from_secs(10),
        segment: Duration::from_secs(3600),
        cpu_budget: 1.0,
        keeping: HouseKeeping {
            retention: Retention { max_age: Duration::from_secs(86_400), max_bytes: 100_000_000 },
            tiers: Tiers {
                ten_seconds_after: Duration::from_secs(86_400),
                minutes_after: Duration::from_secs(86_400),
            },
        },
        method: MethodChoice::Delays,
        measure_overhead: false,
        length: Some(Duration::from_millis(1_600)),
        seal: SealBy::Thread,
    };
    let told = Told::default();
    let recorded = record(&request, &told, &Cancel::By(Stopper::default())).expect("recorded");
    assert!(recorded.samples >= 2 && recorded.seconds >= 1.0, "{recorded:?}");
    let found = status(&StatusRequest { archive: Some(archive) }, &told).expect("a status");
    assert!(!found.running && found.last_error.is_none(), "{found:?}");
    assert_eq!(found.interval_s, Some(0.5));
}
