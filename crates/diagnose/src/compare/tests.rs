//! Comparisons of small captures: a load with itself, and with something changed.

use heldup_model::tables::{CpuRow, ProcessRow, SettingRow, SystemRow, TaskTimeRow};
use heldup_model::{
    Capture, Class, ComparisonVerdict, Finding, HeadlineKind, Impact, ImpactKind, Judgement,
    LedgerDifference, RowSet, Severity, Stamp, Subject,
};

use super::*;
use crate::captures::{Sample, Setting, small_capture};

/// Numbers from 0 to 1, the same in every run (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A service whose work leans on what it did a second ago, and what it waits for.
struct Load {
    seconds: i64,
    ramp: i64,
    queue: f64,
    switches: f64,
    nr_requests: &'static str,
    helper: Option<&'static str>,
}

const STEADY: Load =
    Load { seconds: 64, ramp: 0, queue: 0.1, switches: 1000.0, nr_requests: "256", helper: None };

fn task(class: Class, seconds: f64) -> TaskTimeRow {
    TaskTimeRow {
        tid: Some(10),
        start_ms: Some(1),
        pid: Some(10),
        class_name: Some(class.name().into()),
        group_name: Some(class.group().name().into()),
        name: Some("worker".into()),
        process_name: Some("server".into()),
        kernel_thread: Some(false),
        seconds: Some(seconds),
        ..TaskTimeRow::default()
    }
}

impl Load {
    fn capture(&self, chance: &mut Chance) -> Capture {
        let mut wander = 0.0;
        let mut samples = Vec::new();
        for at in 1..=self.seconds {
            wander = 0.6 * wander + chance.next() - 0.5;
            let pace = ((at as f64) / self.ramp.max(1) as f64).min(1.0);
            let noise = 1.0 + 0.1 * wander;
            let mut tasks = vec![
                task(Class::User, 0.5 * pace * noise),
                task(Class::CpuQueue, self.queue * pace * (1.0 + 0.2 * (chance.next() - 0.5))),
                task(Class::Park, 3.0 * chance.next()),
            ];
            if let Some(helper) = self.helper {
                let mut other = task(Class::User, 0.02 * chance.next());
                (other.tid, other.process_name) = (Some(20), Some(helper.into()));
                tasks.push(other);
            }
            let system = SystemRow {
                context_switches: Some((self.switches * noise) as i64),
                uptime_s: Some(at as f64 + 1e6 * chance.next()),
                ..SystemRow::default()
            };
            let cpu = |idx| CpuRow { cpu_idx: Some(idx), user_s: Some(0.25 * noise), ..CpuRow::default() };
            for rows in
                [RowSet::increases(tasks), RowSet::increases([system]), RowSet::increases([cpu(0), cpu(1)])]
            {
                samples.push(Sample { at, secs: Some(1.0), rows });
            }
        }
        let setting = SettingRow {
            setting_key: Some("block.vda.queue.nr_requests".into()),
            setting_value: Some(self.nr_requests.into()),
            path: None,
        };
        let quiet = ProcessRow {
            pid: Some(77),
            start_ms: Some(5),
            name: Some("sleeper".into()),
            kernel_thread: Some(false),
            ..ProcessRow::default()
        };
        for rows in [RowSet::increases([setting]), RowSet::increases([quiet])] {
            samples.push(Sample { at: self.seconds, secs: None, rows });
        }
        small_capture(Setting { samples: self.seconds, ..Setting::default() }, samples)
    }
}

fn compared(first: &Load, second: &Load) -> Comparison {
    let mut chance = Chance(1);
    let (first, second) = (first.capture(&mut chance), second.capture(&mut chance));
    compare(("good", &first), ("bad", &second), CompareOptions::default()).expect("tables that SQL reads")
}

#[test]
fn a_load_does_not_differ_from_itself() {
    let mut chance = Chance(42);
    let mut with_metrics = 0;
    for pair in 0..40 {
        let (first, second) = (STEADY.capture(&mut chance), STEADY.capture(&mut chance));
        let found =
            compare(("a", &first), ("b", &second), CompareOptions::default()).expect("tables that SQL reads");
        let claimed = found.ledger.iter().filter(|class| class.severity.is_some()).count();
        assert_eq!(
            (claimed, found.settings.len(), found.programs.len()),
            (0, 0, 0),
            "pair {pair}: {found:?}"
        );
        with_metrics += usize::from(!found.metrics.is_empty());
        assert!(found.metrics_judged > 0 && found.errors.is_empty(), "pair {pair}: {found:?}");
    }
    // One in a hundred is what is allowed: three of 40 are seen once in 130 times.
    assert!(with_metrics < 3, "{with_metrics} of 40");
}

/// The capture as one that was asked for packages, each of one version.
fn with_packages(mut capture: Capture, version: &str) -> Capture {
    let row = |name: &str| SettingRow {
        setting_key: Some(format!("package.{name}").into()),
        setting_value: Some(version.into()),
        path: None,
    };
    let rows = ["aaa", "linux-image-amd64", "zlib1g"].map(row);
    let stamp = Stamp { time_ms: capture.span.until_ms, secs: None, host: capture.host.as_str().into() };
    let batch = RowSet::increases(rows).to_batch(&stamp).expect("a batch");
    capture.tables.entry("setting".to_owned()).or_default().push(batch);
    capture
}

#[test]
fn an_upgrade_hides_no_setting() {
    let mut chance = Chance(1);
    let mut of = |load: &Load| load.capture(&mut chance);
    let (first, second) = (of(&STEADY), of(&Load { nr_requests: "2", ..STEADY }));
    let compared = |first: &Capture, second: &Capture| {
        compare(("a", first), ("b", second), CompareOptions::default()).expect("tables that SQL reads")
    };
    let upgraded = compared(&with_packages(first.clone(), "1"), &with_packages(second.clone(), "2"));
    let packages: Vec<_> = upgraded.settings.iter().map(|one| one.package()).collect();
    assert_eq!(packages, [None, Some("linux-image-amd64"), Some("aaa"), Some("zlib1g")]);
    let said = "setting block.vda.queue.nr_requests 256 → 2; 3 packages: linux-image-amd64 1 → 2 …";
    assert_eq!(upgraded.headlines[0].text, said);
    // Who was not asked for packages has not lost them.
    let not_asked = compared(&with_packages(first.clone(), "1"), &second);
    assert_eq!(not_asked.settings.len(), 1, "{:?}", not_asked.settings);
    assert_eq!(not_asked.headlines[0].text, "setting block.vda.queue.nr_requests 256 → 2");
}

#[test]
fn what_was_changed_is_found() {
    let bad = Load { queue: 0.6, switches: 3000.0, nr_requests: "2", helper: Some("backup"), ..STEADY };
    let found = compared(&STEADY, &bad);
    let class = &found.ledger[0];
    assert_eq!((class.class_name.as_str(), class.judgement), ("cpu_queue", Judgement::Differs));
    assert_eq!(class.severity, Some(Severity::Critical));
    assert!((class.second - class.first - 0.5).abs() < 0.05, "{class:?}");
    assert!(class.change_low.is_some_and(|low| low > 0.4), "{class:?}");
    assert_eq!(class.programs[0].name, "server");
    let setting = &found.settings[0];
    assert_eq!((setting.first.as_deref(), setting.second.as_deref()), (Some("256"), Some("2")));
    assert_eq!(found.settings.len(), 1);
    assert_eq!((found.programs[0].name.as_str(), found.programs[0].first), ("backup", None));
    let kinds: Vec<HeadlineKind> = found.headlines.iter().map(|line| line.kind).collect();
    assert_eq!(kinds, [HeadlineKind::Settings, HeadlineKind::Time, HeadlineKind::Metric]);
    assert_eq!(found.headlines[0].text, "setting block.vda.queue.nr_requests 256 → 2");
    assert_eq!(
        (found.headlines[1].severity, &*found.headlines[1].names[0]),
        (Some(Severity::Critical), "server")
    );
    let metric = &found.metrics[0];
    assert_eq!((metric.table.as_str(), metric.column.as_str()), ("system", "context_switches"));
    assert_eq!(metric.unit, "count/s");
}

#[test]
fn a_short_side_is_shown_and_not_judged() {
    let found = compared(&Load { seconds: 6, ..STEADY }, &Load { seconds: 6, queue: 0.6, ..STEADY });
    assert_eq!(found.verdict, ComparisonVerdict::Undecided);
    assert!(found.ledger.iter().all(|class| class.judgement != Judgement::Differs));
    let first = &found.ledger[0];
    assert_eq!((first.class_name.as_str(), first.judgement), ("cpu_queue", Judgement::NotJudged));
    // It did not change, and not even the most hopeful test sees that it did.
    let same = found.ledger.iter().find(|class| class.class_name == "park").expect("the class");
    assert_eq!(same.judgement, Judgement::NoDifferenceSeen);
    assert!(
        found.notes.iter().any(|note| note.contains("6 samples, at least 8 needed")),
        "{:?}",
        found.notes
    );
    assert!(found.metrics.is_empty() && found.metrics_too_short > 0, "{found:?}");
}

#[test]
fn two_captures_of_the_default_length_are_judged() {
    let short = Load { seconds: 30, ..STEADY };
    let found = compared(&short, &Load { queue: 0.6, ..short });
    assert_eq!(found.verdict, ComparisonVerdict::Differs);
    assert_eq!(
        (found.ledger[0].class_name.as_str(), found.ledger[0].judgement),
        ("cpu_queue", Judgement::Differs)
    );
    let same = compared(&short, &short);
    assert_eq!((same.verdict, same.headlines.len()), (ComparisonVerdict::NoDifference, 0));
}

#[test]
fn a_ramp_is_left_out() {
    let ramped = Load { seconds: 120, ramp: 40, ..STEADY };
    let found = compared(&STEADY, &ramped);
    assert!(found.notes.iter().any(|note| note.contains("ramp-up")), "{:?}", found.notes);
    assert!((30..=50).contains(&(120 - found.second.samples)), "{:?}", found.second);
    let claimed: Vec<_> = found.ledger.iter().filter(|class| class.severity.is_some()).collect();
    assert!(claimed.is_empty(), "{claimed:?}");
}

#[test]
fn an_empty_capture_is_answered() {
    let empty = small_capture(Setting::default(), []);
    let found =
        compare(("a", &empty), ("b", &empty), CompareOptions::default()).expect("tables that SQL reads");
    assert!(found.ledger.is_empty() && found.metrics.is_empty() && found.settings.is_empty());
}

#[test]
fn the_whole_of_a_ramp_is_compared_when_it_is_asked_for() {
    let mut chance = Chance(1);
    let (steady, ramped) =
        (STEADY.capture(&mut chance), Load { seconds: 120, ramp: 60, ..STEADY }.capture(&mut chance));
    let options = CompareOptions { whole: true, ..CompareOptions::default() };
    let found = compare(("a", &steady), ("b", &ramped), options).expect("tables that SQL reads");
    let user = found.ledger.iter().find(|class| class.class_name == "user").expect("the class");
    assert!(user.second < 0.85 * user.first, "{user:?}");
    assert_eq!(found.second.samples, 120);
}

fn finding(severity: Severity, cost: Option<f64>, query: &str) -> Finding {
    Finding {
        key: "disk.saturated/device:vda".into(),
        id: "disk.saturated".into(),
        severity,
        confidence: 1.0,
        impact: Impact { kind: ImpactKind::Time, amount: 1.0, unit: "s".into() },
        cost,
        subject: Subject { kind: "device".into(), name: "vda".into(), ..Subject::default() },
        culprits: Vec::new(),
        victims: Vec::new(),
        title: "vda is full".into(),
        because: Vec::new(),
        explains: Vec::new(),
        detail_of: None,
        figures: Vec::new(),
        evidence: Vec::new(),
        query: query.into(),
        next: Vec::new(),
        changes: Vec::new(),
        exhausts: Vec::new(),
        in_command: None,
        focus: None,
    }
}

/// A level that is just reached makes a finding come and go; what was judged decides.
#[test]
fn a_finding_differs_where_the_ledger_does() {
    let costly = [finding(Severity::Warning, Some(0.3), "select 1 from task_time")];
    let judged = |second: f64, long: bool| {
        let found = compared(&STEADY, &Load { queue: second, ..STEADY });
        let metrics = metrics::Metrics { differences: found.metrics, ..Default::default() };
        let ledger: &[LedgerDifference] = &found.ledger;
        let evidence = Evidence { ledger, metrics: &metrics, settings: &[], long };
        findings::compare(&[], &costly, &evidence)[0].judgement
    };
    assert_eq!(judged(0.1, true), Judgement::NoDifferenceSeen);
    assert_eq!(judged(0.6, true), Judgement::Differs);
    assert_eq!(judged(0.6, false), Judgement::NotJudged);
}

#[test]
fn a_finding_that_costs_no_time_differs_where_its_table_does() {
    let judged_rows = [("disk", ["device=vda".to_owned()].into())].into();
    let metrics = metrics::Metrics { judged_rows, ..Default::default() };
    let evidence = Evidence { ledger: &[], metrics: &metrics, settings: &[], long: true };
    let judged = |sql: &str| {
        let found = [finding(Severity::Critical, None, sql)];
        (
            findings::compare(&[], &found, &evidence)[0].judgement,
            findings::compare(&found, &found, &evidence).len(),
        )
    };
    assert_eq!(judged("select sum(read_ios) from disk"), (Judgement::NoDifferenceSeen, 0));
    // Of events and states there is no metric.
    assert_eq!(judged("select * from event"), (Judgement::Differs, 0));
    // Nor of a disk that was there on one side only.
    let metrics = metrics::Metrics {
        judged_rows: [("disk", ["device=sdb".to_owned()].into())].into(),
        ..Default::default()
    };
    let of_one_side = Evidence { metrics: &metrics, ..evidence };
    let found = [finding(Severity::Critical, None, "select sum(read_ios) from disk")];
    assert_eq!(findings::compare(&[], &found, &of_one_side)[0].judgement, Judgement::Differs);
    // Nor of what is read once in a window.
    assert_eq!(judged("select * from setting_line"), (Judgement::Differs, 0));
}

fn named(captures: &[Capture]) -> Vec<Named<'_>> {
    captures.iter().map(|capture| ("x", capture)).collect()
}

#[test]
fn groups_are_held_against_what_is_usual_among_the_first() {
    let mut chance = Chance(3);
    let mut make = |load: &Load, count: usize| -> Vec<Capture> {
        (0..count).map(|_| load.capture(&mut chance)).collect()
    };
    let bad = Load { queue: 0.6, nr_requests: "2", helper: Some("backup"), ..STEADY };
    let (good, like_them, bad) = (make(&STEADY, 4), make(&STEADY, 2), make(&bad, 2));
    let options = CompareOptions::default();
    let found = compare_groups(&named(&good), &named(&bad), options).expect("tables").expect("members");
    assert_eq!((found.first_members.len(), found.second_members.len()), (4, 2));
    assert_eq!((found.settings.len(), found.settings[0].second_members), (1, Some(2)));
    let class = &found.ledger[0];
    assert_eq!((class.class_name.as_str(), class.judgement), ("cpu_queue", Judgement::Differs));
    assert_eq!(found.programs[0].name, "backup");
    assert_eq!(found.headlines[0].kind, HeadlineKind::Settings);
    let alike = compare_groups(&named(&good), &named(&like_them), options).expect("tables").expect("members");
    assert!(alike.headlines.is_empty(), "{:?}", alike.headlines);
    let few = compare_groups(&named(&good[..2]), &named(&bad), options).expect("tables").expect("members");
    assert!(few.ledger.iter().all(|class| class.judgement == Judgement::NotJudged));
    assert!(few.notes.iter().any(|note| note.contains("2 of 3 captures")), "{:?}", few.notes);
}
