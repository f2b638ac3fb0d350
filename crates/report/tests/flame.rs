//! Flame graphs: golden files, hostile frames, and what is said of what is missing.
//!
//! `UPDATE_GOLDEN=1 cargo test -p heldup-report` writes them anew; look at them before committing.

#![expect(
    clippy::expect_used,
    reason = "clippy's allowance for tests does not reach functions beside #[test]"
)]

use std::time::Instant;

use heldup_model::{
    BREAKDOWN_DIFFERENCE_SCHEMA, BREAKDOWN_SCHEMA, Breakdown, BreakdownDifference, BreakdownKind,
    BreakdownProgram, DifferencePer, DifferenceRow, DifferenceSide, Flame, FlameEvent, FlameGaps, FlameStack,
    FlameUnit,
};
use heldup_report::breakdown_difference;
use heldup_report::figure::svg::flame::{difference_file, file, svg};
use jiff::tz::TimeZone;

fn program(program: &str, class: &str, amount: f64) -> BreakdownProgram {
    let program = Some(program.to_owned());
    BreakdownProgram { amount, program, processes: Some(1), class: class.to_owned(), waits: Some(7) }
}

fn stack(program: &str, class: &str, call: &str, kernel: &str, amount: f64) -> FlameStack {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    FlameStack {
        program: some(program),
        class: some(class),
        syscall: some(call),
        kernel_stack: some(kernel),
        amount,
        ..FlameStack::default()
    }
}

fn found(kind: BreakdownKind, programs: Vec<BreakdownProgram>, flame: Flame) -> Breakdown {
    Breakdown {
        schema: BREAKDOWN_SCHEMA.to_owned(),
        kind,
        source: "db1.heldup".to_owned(),
        host: "db1".to_owned(),
        focus: None,
        from: "2026-11-24T05:30:00Z".to_owned(),
        to: "2026-11-24T05:32:20Z".to_owned(),
        length_s: 140.0,
        not_measured: Vec::new(),
        unit: kind.unit().to_owned(),
        programs,
        places: Vec::new(),
        parts: Vec::new(),
        stacks: Vec::new(),
        flame: Some(flame),
        errors: Vec::new(),
        overhead: None,
    }
}

const SYNC: &str = "entry_SYSCALL_64_after_hwframe;do_syscall_64;__x64_sys_fsync;do_fsync;ext4_sync_file";

/// The waits of the design's picture, rounded.
fn waits() -> Breakdown {
    let on = |object: &str, stack: FlameStack| FlameStack {
        object: Some(object.to_owned()),
        waker: Some("jbd2/vdb-8".to_owned()),
        ..stack
    };
    let stacks = vec![
        on("vdb", stack("exporter", "disk_sync", "fsync", &format!("{SYNC};jbd2_log_wait_commit"), 237.0)),
        on(
            "vdb",
            stack("exporter", "disk_sync", "fsync", &format!("{SYNC};file_write_and_wait_range"), 30.0),
        ),
        stack("exporter", "lock_inode", "rename", "vfs_rename;lock_rename", 4.0),
        on("vda", stack("postgres", "disk_sync", "fdatasync", "do_fsync;blkdev_issue_flush", 60.0)),
    ];
    let programs = vec![
        program("exporter", "disk_sync", 274.0),
        program("postgres", "disk_sync", 68.0),
        program("postgres", "cpu_queue", 12.0),
        program("exporter", "lock_inode", 4.0),
    ];
    found(BreakdownKind::Wait, programs, Flame { stacks, ..Flame::default() })
}

/// A later window, half as long: a lock in place of the exporter.
fn later() -> Breakdown {
    let stacks = vec![
        stack("invoiced", "lock_user", "futex", "", 250.0),
        stack("postgres", "disk_sync", "fdatasync", "do_fsync;blkdev_issue_flush", 35.0),
    ];
    let programs = vec![program("invoiced", "lock_user", 259.0), program("postgres", "disk_sync", 37.0)];
    let found = found(BreakdownKind::Wait, programs, Flame { stacks, ..Flame::default() });
    Breakdown {
        length_s: 70.0,
        from: "2026-11-24T18:45:00Z".into(),
        to: "2026-11-24T18:46:10Z".into(),
        ..found
    }
}

fn difference() -> BreakdownDifference {
    let side = |of: &Breakdown, amount| DifferenceSide {
        source: of.source.clone(),
        host: of.host.clone(),
        from: of.from.clone(),
        to: of.to.clone(),
        length_s: of.length_s,
        amount,
    };
    let row = |class: &str, before_amount: f64, after_amount: f64| DifferenceRow {
        program: None,
        class: Some(class.to_owned()),
        before_amount: Some(before_amount),
        after_amount: Some(after_amount),
        before: Some(before_amount / 140.0),
        after: Some(after_amount / 70.0),
        difference: Some(after_amount / 70.0 - before_amount / 140.0),
    };
    BreakdownDifference {
        schema: BREAKDOWN_DIFFERENCE_SCHEMA.to_owned(),
        kind: BreakdownKind::Wait,
        unit: "seconds".to_owned(),
        per: DifferencePer::Second,
        before: side(&waits(), 358.0),
        after: side(&later(), 296.0),
        classes: vec![
            row("lock_user", 0.0, 259.0),
            row("disk_sync", 342.0, 37.0),
            row("cpu_queue", 12.0, 0.0),
            row("lock_inode", 4.0, 0.0),
            DifferenceRow { after_amount: None, after: None, difference: None, ..row("peer", 1.0, 0.0) },
        ],
        programs: Vec::new(),
        stacks: Vec::new(),
        errors: Vec::new(),
        overhead: None,
    }
}

fn golden(name: &str, text: &str) {
    let path = format!("{}/golden/figures/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("written");
    }
    let expect = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expect, "{name} differs; UPDATE_GOLDEN=1 renews it");
}

/// The texts of a well-formed document, references as they are written.
fn texts(xml: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut texts = vec![String::new()];
    loop {
        match reader.read_event().expect("well-formed") {
            quick_xml::events::Event::Text(text) => {
                texts.iter_mut().last().expect("one").push_str(&text.decode().expect("UTF-8"));
            }
            quick_xml::events::Event::GeneralRef(name) => {
                let name = name.decode().expect("UTF-8");
                texts.iter_mut().last().expect("one").push_str(&format!("&{name};"));
            }
            quick_xml::events::Event::End(_) => texts.push(String::new()),
            quick_xml::events::Event::Eof => return texts,
            _ => {}
        }
    }
}

/// What is written in a picture, without its style and script.
fn written(found: &Breakdown) -> String {
    texts(&file(found, &TimeZone::UTC).expect("a picture")).join("\n")
}

#[test]
fn pictures_are_as_they_were() {
    golden("flame-waits.svg", &file(&waits(), &TimeZone::UTC).expect("a picture"));
    let compared = difference_file(&waits(), &later(), &difference(), &TimeZone::UTC).expect("a picture");
    golden("flame-difference.svg", &compared);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(file(&waits(), &TimeZone::UTC), file(&waits(), &TimeZone::UTC));
    let mut mixed = waits();
    mixed.flame.as_mut().expect("stacks").stacks.reverse();
    mixed.programs.reverse();
    assert_eq!(file(&mixed, &TimeZone::UTC), file(&waits(), &TimeZone::UTC), "order is by size");
}

#[test]
fn time_without_a_stack_is_drawn_as_its_class() {
    let said = written(&waits());
    for part in ["waits\n358\u{a0}s", "sync\n274\u{a0}s", "run queue\n12\u{a0}s", "fsync\n267\u{a0}s"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // The way into the kernel tells nothing.
    assert!(!said.contains("do_syscall_64") && !said.contains("__x64_sys_fsync"), "{said}");
    assert!(said.contains("object: vdb 267\u{a0}s") && said.contains("woken by: jbd2/vdb-8"), "{said}");
    assert!(said.contains("stacks, for 92\u{a0}% of it"), "{said}");
}

#[test]
fn of_cpus_the_run_queue_is_said_and_not_drawn() {
    let cpu = FlameStack {
        class: Some("user".into()),
        user_stack: Some("main;work".into()),
        amount: 3.0,
        ..FlameStack::default()
    };
    let flame =
        Flame { stacks: vec![FlameStack { program: Some("perl".into()), ..cpu }], ..Flame::default() };
    let programs = vec![program("perl", "user", 4.0), program("perl", "cpu_queue", 9.0)];
    let said = written(&found(BreakdownKind::Cpu, programs, flame));
    assert!(said.contains("CPU time: 4\u{a0}s"), "{said}");
    assert!(said.contains("Not drawn: 9\u{a0}s in the run queue"), "{said}");
}

#[test]
fn what_is_missing_is_said() {
    let of = |user: &str, amount: f64| FlameStack {
        program: Some("app".to_owned()),
        class: Some("user".to_owned()),
        user_stack: (!user.is_empty()).then(|| user.to_owned()),
        amount,
        ..FlameStack::default()
    };
    let deep = vec!["f"; 300].join(";");
    let gaps = FlameGaps {
        most_frames: Some(48),
        untimed_samples: 1_234,
        other_events: vec![FlameEvent { event: "page-faults".to_owned(), samples: 9 }],
        by_the_minute: true,
        errors: vec!["names: no memory".to_owned()],
        ..FlameGaps::default()
    };
    let stacks = vec![of("main;[unknown];[unknown];[unknown]", 5.0), of("", 3.0), of(&deep, 2.0)];
    let flame = Flame { stacks, gaps, ..Flame::default() };
    let said = written(&found(BreakdownKind::Cpu, Vec::new(), flame));
    for part in [
        "1,234 samples without a time",
        "9 of page-faults",
        "once a minute",
        "Names: no memory.",
        "Without functions: 30\u{a0}%",
        "Without a symbol for the innermost function: 50\u{a0}%",
        "outermost functions may be lost: 20\u{a0}%",
        "Deeper than is drawn, counted in their callers: 20\u{a0}%",
    ] {
        assert!(said.replace('\n', " ").contains(part), "{part}: {said}");
    }
    assert_eq!(said.matches("[unknown]\n5").count(), 1, "{said}");
    let missing = FlameGaps { missing: Some("no CPU stacks in this archive".into()), ..FlameGaps::default() };
    let bare = found(
        BreakdownKind::Cpu,
        vec![program("app", "user", 1.0)],
        Flame { gaps: missing, ..Flame::default() },
    );
    assert!(written(&bare).contains("No CPU stacks in this archive."));
    let nothing = found(BreakdownKind::Cpu, Vec::new(), Flame::default());
    assert!(file(&nothing, &TimeZone::UTC).is_none() && svg(&nothing, 900.0).is_none());
}

#[test]
fn amounts_of_other_tools_keep_their_unit() {
    let of = |unit, amount| {
        let stacks = vec![stack("java", "", "", "", amount)];
        written(&found(BreakdownKind::Cpu, Vec::new(), Flame { unit, stacks, ..Flame::default() }))
    };
    assert!(of(FlameUnit::Samples, 251.0).contains("profile: 251 samples"));
    assert!(of(FlameUnit::Threads, 1.0).contains("runnable threads: 1 thread"));
    assert!(of(FlameUnit::Share, 0.5).contains("profile: 50\u{a0}%"));
}

#[test]
fn hostile_frames_are_nothing_but_text() {
    let evil = "</title><script>alert(1)</script>]]>&\"'\u{1b}[2J\u{202e}\u{0}\u{fffe}\nx";
    let mut breakdown = waits();
    breakdown.host = evil.to_owned();
    breakdown.source = evil.to_owned();
    breakdown.programs.push(program(evil, evil, 50.0));
    let flame = breakdown.flame.as_mut().expect("stacks");
    let long = "x".repeat(1_000_000);
    for name in [evil, &long, "", ";;;"] {
        flame.stacks.push(FlameStack {
            program: Some(name.to_owned()),
            class: Some(name.to_owned()),
            syscall: Some(name.to_owned()),
            user_stack: Some(format!("{name};{name}")),
            kernel_stack: Some(name.to_owned()),
            object: Some(name.to_owned()),
            waker: Some(name.to_owned()),
            amount: 30.0,
        });
    }
    flame.gaps.missing = Some(evil.to_owned());
    flame.gaps.errors = vec![long];
    flame.gaps.other_events = vec![FlameEvent { event: evil.to_owned(), samples: 1 }];
    let alone = file(&breakdown, &TimeZone::UTC).expect("a picture");
    let (inline, notes) = svg(&breakdown, 900.0).expect("a picture");
    let mut changed = difference();
    changed.classes[0].class = Some(evil.to_owned());
    let compared = difference_file(&waits(), &breakdown, &changed, &TimeZone::UTC).expect("a picture");
    for picture in [&alone, &inline, &compared] {
        let all = texts(picture).join("\n");
        assert!(all.contains("&lt;script&gt;"), "the name itself is shown");
        let scripts = picture.matches("<script>").count();
        assert_eq!(scripts, usize::from(!std::ptr::eq(picture, &inline)), "one script, ours");
        assert!(!picture.contains(['\u{1b}', '\u{202e}', '\u{0}', '\u{fffe}']));
        assert!(picture.len() < 100_000, "{} bytes", picture.len());
    }
    assert!(notes.iter().all(|note| note.chars().count() < 1_000 && !note.contains('\u{1b}')));
}

#[test]
fn what_is_too_narrow_is_counted() {
    let mut stacks = vec![stack("big", "disk_read", "read", "vfs_read", 1_000_000.0)];
    stacks.extend((0..500).map(|at| stack(&format!("tiny{at}"), "disk_read", "read", "vfs_read", 1.0)));
    let found = found(BreakdownKind::Io, Vec::new(), Flame { stacks, ..Flame::default() });
    let said = written(&found);
    assert!(
        said.contains("Too narrow to be drawn: 2,000 boxes, together &lt;0.1\u{a0}% of the width"),
        "{said}"
    );
    assert!(!said.contains("tiny1"));
}

/// So many stacks of so many functions, none of them alike.
fn wide(stacks: usize, frames: usize) -> Breakdown {
    let of = |at: usize| {
        let kernel: Vec<String> = (0..frames).map(|level| format!("function_{level}_{at}")).collect();
        stack(&format!("program{}", at % 7), "disk_read", "read", &kernel.join(";"), 1.0)
    };
    let stacks = (0..stacks).map(of).collect();
    found(BreakdownKind::Io, Vec::new(), Flame { stacks, ..Flame::default() })
}

#[test]
fn many_boxes_are_drawn_at_once_and_not_all() {
    for (stacks, frames, expect) in [(1_000, 20, 20_022), (4_000, 25, 30_000), (20_000, 5, 22)] {
        let found = wide(stacks, frames);
        let begun = Instant::now();
        let picture = file(&found, &TimeZone::UTC).expect("a picture");
        // In a release build it is 0.1 s: this fails where it has become quadratic.
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
        assert_eq!(picture.matches("<rect class=\"fl-n ").count(), expect);
        assert_eq!(picture.contains("Too narrow to be drawn"), expect != 20_022);
    }
}

#[test]
fn a_difference_has_signs_and_shows_what_is_gone() {
    let picture = difference_file(&waits(), &later(), &difference(), &TimeZone::UTC).expect("a picture");
    let said = texts(&picture).join("\n");
    assert!(said.contains("invoiced +3.7\u{a0}s/s"), "{said}");
    assert!(said.contains("exporter \u{2212}1.99\u{a0}s/s"), "{said}");
    assert!(said.contains("70\u{a0}s after"), "{said}");
    assert!(picture.contains("fl-l5") || picture.contains("fl-l3"), "{picture}");
}

#[test]
fn a_difference_in_words_has_signs_too() {
    let evil = DifferenceRow { program: Some("a\u{1b}[2Jb".to_owned()), ..difference().classes[0].clone() };
    let found = BreakdownDifference { programs: vec![evil], ..difference() };
    let all = breakdown_difference::text([&waits(), &later()], &found, 100, 15, &TimeZone::UTC);
    let said = all.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Per second of each window: 2.33 min before, 70 s after.",
        "lock (futex) 0 s/s 3.7 s/s +3.7 s/s",
        "sync 2.44 s/s 529 ms/s −1.91 s/s",
        "remote peer 7.14 ms/s – –",
        "–: not measured in that window",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!all.contains('\u{1b}'), "{all:?}");
}
