//! Answers from captures, archives and recordings.

use heldup_engine::{
    AskedSpan, BreakdownRequest, Cancel, CaptureRequest, CaptureTo, CompareRequest, ExamineRequest, Examined,
    MethodChoice, RuleTested, RulesTestRequest, Silent, SqlRequest, breakdown, capture, compare, doctor,
    examine, ruleset, sql, test_rules,
};
use heldup_hostfs::Host;
use heldup_model::{BreakdownKind, CapabilityState, Cell, ComparisonVerdict, Examination};

use crate::recorded::{self, Folder, SECONDS, TASK_TIME};

fn examined(request: &ExamineRequest) -> Examination {
    match examine(request, &Silent, &Cancel::Signals).expect("an answer") {
        Examined::Window { examination, exit: None } => *examination,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_kept_capture_is_judged_again() {
    let folder = Folder::new();
    let word = recorded::capture_file(&folder, "a.heldup", 0.9);
    let found = examined(&ExamineRequest { sources: vec![word.clone()], ..ExamineRequest::default() });
    assert_eq!((found.host.name.as_str(), found.host.cpus), ("box", Some(2)));
    assert_eq!((found.host.source.as_str(), found.number), (word.as_str(), None));
    assert_eq!(found.from.as_deref(), Some("2025-11-21T04:40:00Z"));
    let waited = found.ledger.classes.iter().find(|class| class.class_name == "disk_read");
    let waited = waited.map(|class| class.seconds).unwrap_or_default();
    assert!((waited - 0.9 * SECONDS as f64).abs() < 1e-6, "{waited}");
    assert!(!found.ruled_out.is_empty() && !found.not_checked.is_empty());
}

#[test]
fn only_a_focus_is_judged_and_what_is_ignored_is_not_told() {
    let folder = Folder::new();
    let word = recorded::capture_file(&folder, "a.heldup", 0.9);
    let all = ExamineRequest { sources: vec![word], ..ExamineRequest::default() };
    let of_spinner = examined(&ExamineRequest { focus: "pid:8".parse().ok(), ..all.clone() });
    assert!(
        of_spinner.ledger.classes.iter().all(|class| class.class_name != "disk_read" || class.seconds == 0.0)
    );
    let found = examined(&all);
    let Some(first) = found.findings.first() else {
        panic!("nothing found of a reader that waits: {found:?}")
    };
    let without = examined(&ExamineRequest { ignore: vec![first.id.clone()], ..all });
    assert!(without.findings.iter().all(|finding| finding.id != first.id), "{:?}", without.findings);
}

#[test]
fn recordings_of_other_tools_are_one_capture_with_a_line_each() {
    let folder = Folder::new();
    let found =
        examined(&ExamineRequest { sources: vec![recorded::vmstat(&folder)], ..ExamineRequest::default() });
    assert_eq!(found.files.len(), 1);
    assert!(found.files[0].known && found.files[0].what.contains("vmstat"), "{:?}", found.files);
}

#[test]
fn a_long_window_of_an_archive_is_told_by_its_stretches_and_a_short_one_as_any() {
    let folder = Folder::new();
    let word = recorded::archive(&folder);
    let all = ExamineRequest { sources: vec![word], ..ExamineRequest::default() };
    match examine(&all, &Silent, &Cancel::Signals).expect("an answer") {
        Examined::Timeline(told) => {
            assert_eq!((told.host.as_str(), told.recorded_seconds), ("box", 1_800.0));
            assert!((told.waiting_seconds - 1_620.0).abs() < 1e-6, "{}", told.waiting_seconds);
        }
        other => panic!("{other:?}"),
    }
    let since = Some("2025-11-21T04:50Z".to_owned());
    let span = AskedSpan { since, until: Some("2025-11-21T04:55Z".to_owned()), host: None };
    let minutes = examined(&ExamineRequest { span, ..all });
    assert_eq!(
        (minutes.from.as_deref(), minutes.to.as_deref()),
        (Some("2025-11-21T04:50:00Z"), Some("2025-11-21T04:55:00Z"))
    );
}

#[test]
fn two_captures_of_different_loads_differ_and_one_with_itself_does_not() {
    let folder = Folder::new();
    let (calm, slow) = (
        recorded::capture_file(&folder, "calm.heldup", 0.1),
        recorded::capture_file(&folder, "slow.heldup", 0.9),
    );
    let of = |first: &str, second: &str| {
        let sides = vec![first.to_owned(), second.to_owned()];
        {
            let c = compare(&CompareRequest { sides, ..CompareRequest::default() }).expect("a comparison");
            eprintln!("{c:#?}");
            c.verdict
        }
    };
    assert_eq!(of(&calm, &slow), ComparisonVerdict::Differs);
    assert_eq!(of(&slow, &slow), ComparisonVerdict::NoDifference);
}

#[test]
fn a_capture_is_written_once_and_replaced_when_that_is_asked_for() {
    let folder = Folder::new();
    let source = recorded::capture_file(&folder, "a.heldup", 0.5);
    let to = folder.path().join("b.heldup");
    let request = CaptureRequest {
        source: Some(source),
        to: CaptureTo::File(to.clone()),
        window: None,
        span: AskedSpan::default(),
        method: MethodChoice::Auto,
        redact: true,
        force: false,
    };
    let written = capture(&request, &Silent, &Cancel::Signals).expect("written");
    assert_eq!((Some(written.file.as_str()), written.seconds), (to.to_str(), SECONDS as f64));
    assert!(written.host != "box", "names are pseudonyms: {written:?}");
    assert!(written.overhead.is_none(), "nobody looked");
    assert!(capture(&request, &Silent, &Cancel::Signals).is_err(), "it is there already");
    let replaced = CaptureRequest { force: true, ..request };
    assert!(capture(&replaced, &Silent, &Cancel::Signals).is_ok());
}

#[test]
fn tables_are_asked_wherever_they_are_from() {
    let folder = Folder::new();
    let query = format!("select round(sum(seconds)) from {TASK_TIME} where process_name = 'spinner'");
    for (word, seconds) in [
        (recorded::capture_file(&folder, "a.heldup", 0.5), SECONDS as f64),
        (recorded::archive(&folder), 1_800.0),
    ] {
        let request = SqlRequest { source: Some(word), query: query.clone(), ..SqlRequest::default() };
        let rows = sql(&request, &Silent, &Cancel::Signals).expect("an answer");
        assert_eq!(rows.rows, [[Cell::Float(seconds)]]);
        let focus = "pid:7".parse().ok();
        let rows = sql(&SqlRequest { focus, ..request }, &Silent, &Cancel::Signals).expect("an answer");
        assert_eq!(rows.rows, [[Cell::Null]], "that is another process");
    }
}

#[test]
fn one_kind_of_time_is_broken_down() {
    let folder = Folder::new();
    let request = BreakdownRequest {
        kind: BreakdownKind::Io,
        source: Some(recorded::capture_file(&folder, "a.heldup", 0.5)),
        window: None,
        span: AskedSpan::default(),
        focus: None,
        method: MethodChoice::Auto,
        stacks: true,
        redact: false,
        flame: false,
    };
    let found = breakdown(&request, &Silent, &Cancel::Signals).expect("an answer");
    assert_eq!(found.programs[0].program.as_deref(), Some("reader"));
    assert_eq!(found.places[0].object.as_deref(), Some("vda"));
    assert_eq!(found.stacks[0].frames, "reader;disk_read;read;io_schedule");
    assert!(found.overhead.is_none(), "nobody looked");
}

#[test]
fn what_a_host_lacks_is_said() {
    let found = doctor(&Host::recorded("/nowhere"));
    assert!(found.capabilities.iter().all(|one| one.state != CapabilityState::Works), "{found:?}");
}

#[test]
fn rules_are_tested_by_their_own_cases() {
    let request = RulesTestRequest { rule: Some("cpu.saturated".to_owned()), ..RulesTestRequest::default() };
    let mut told = 0;
    let tested = test_rules(&request, &Silent, &mut |one| {
        assert!(matches!(one, RuleTested::Case(_)));
        told += 1;
    });
    let tested = tested.expect("tested");
    assert!(tested.run > 0 && tested.run == told && tested.failed == 0, "{tested:?}");
    assert!(ruleset(None).find("cpu.saturated").is_some());
}

#[test]
fn a_part_of_a_capture_is_judged_by_its_time_of_day() {
    let folder = Folder::new();
    let word = recorded::capture_file(&folder, "a.heldup", 0.9);
    let span = |since: &str, until: &str| AskedSpan {
        since: Some(since.to_owned()),
        until: Some(until.to_owned()),
        host: Some("box".to_owned()),
    };
    // Recorded in 2025: a time without a date is one of its own day.
    let request = ExamineRequest {
        sources: vec![word],
        span: span("04:40:10Z", "04:40:30Z"),
        ..ExamineRequest::default()
    };
    let found = examined(&request);
    let window = (found.from.as_deref(), found.to.as_deref());
    assert_eq!(window, (Some("2025-11-21T04:40:10Z"), Some("2025-11-21T04:40:30Z")));
}

#[test]
fn only_a_name_is_judged() {
    let folder = Folder::new();
    let word = recorded::capture_file(&folder, "a.heldup", 0.9);
    let focus = "comm:spinner".parse().ok();
    let found = examined(&ExamineRequest { sources: vec![word], focus, ..ExamineRequest::default() });
    let read = |class: &&heldup_model::ClassTotal| class.class_name == "disk_read" && class.seconds > 0.0;
    assert!(!found.ledger.classes.iter().any(|class| read(&class)), "{:?}", found.ledger.classes);
}

#[test]
fn a_day_of_sar_names_its_bad_hour() {
    let folder = Folder::new();
    let word = recorded::sar_day(&folder);
    let found = examined(&ExamineRequest { sources: vec![word.clone()], ..ExamineRequest::default() });
    assert_eq!(found.time_zone.as_deref(), Some("UTC"));
    let [stretch] = found.stretches.as_slice() else { panic!("{:?}", found.stretches) };
    assert_eq!(
        (stretch.from.as_str(), stretch.to.as_str()),
        ("2019-05-08T10:00:00Z", "2019-05-08T11:00:00Z")
    );
    assert_eq!(stretch.findings.first().map(|one| one.id.as_str()), Some("cpu.saturated"));
    let command = format!("heldup examine {word} --since 2019-05-08T10:00 --until 11:00");
    assert_eq!(stretch.command, command);
    // What the command examines: that hour, in the zone of the file.
    let span =
        AskedSpan { since: Some("2019-05-08T10:00".to_owned()), until: Some("11:00".to_owned()), host: None };
    let hour = examined(&ExamineRequest { sources: vec![word], span, ..ExamineRequest::default() });
    let (from, to) = (hour.from.as_deref(), hour.to.as_deref());
    assert_eq!((from, to), (Some("2019-05-08T10:00:00Z"), Some("2019-05-08T11:00:00Z")));
    assert!(hour.vitals.cpu_busy.is_some_and(|busy| (busy - 0.98).abs() < 1e-9), "{:?}", hour.vitals);
    assert!(hour.stretches.is_empty(), "{:?}", hour.stretches);
}

#[test]
fn a_partition_of_a_real_listing_stands_on_its_device() {
    let folder = Folder::new();
    let word = folder.word("iostat.txt");
    let listing = include_str!("../../../import/fixtures/iostat/debian-12-6.18.44-sysstat-12.6.1-p-loop.txt");
    std::fs::write(&word, listing).expect("written");
    let request = SqlRequest {
        source: Some(word),
        query: "select top || ' on ' || under from disk_stack".to_owned(),
        ..SqlRequest::default()
    };
    let answer = sql(&request, &Silent, &Cancel::Signals).expect("an answer");
    assert_eq!(answer.rows, [[Cell::Text("loop0p1 on loop0".to_owned())]]);
}

#[test]
fn a_bad_minute_without_times_is_counted_from_the_start() {
    let folder = Folder::new();
    let word = recorded::vmstat_with_a_bad_minute(&folder);
    let found = examined(&ExamineRequest { sources: vec![word.clone()], ..ExamineRequest::default() });
    let [stretch] = found.stretches.as_slice() else { panic!("{:?}", found.stretches) };
    assert_eq!(stretch.from_start_seconds, Some(300.0));
    assert_eq!(stretch.command, format!("heldup examine {word} --since +300s --until +60s"));
    let span = AskedSpan { since: Some("+300s".to_owned()), until: Some("+60s".to_owned()), host: None };
    let minute = examined(&ExamineRequest { sources: vec![word], span, ..ExamineRequest::default() });
    assert!(minute.vitals.runnable.is_some_and(|tasks| (tasks - 12.0).abs() < 1e-9), "{:?}", minute.vitals);
    assert!(minute.findings.iter().any(|one| one.id == "cpu.saturated"), "{:?}", minute.findings);
}
