//! Files that people bring along, judged line by line.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::fs;
use std::path::Path;

use heldup_tune::{Catalogue, JudgedLine, Target, Verdict, audit, read_document};

fn judged(release: &str, texts: &[&str]) -> Vec<JudgedLine> {
    let documents: Vec<_> = texts.iter().map(|text| read_document(text)).collect();
    let target = Target { linux: release.parse().unwrap(), other: None, to_linux: false, here: None };
    audit(&Catalogue::builtin(), &documents, &target)
}

fn verdicts(release: &str, text: &str) -> Vec<(usize, Verdict)> {
    judged(release, &[text]).iter().map(|line| (line.line, line.verdict())).collect()
}

/// What is said first of the only line.
fn one(release: &str, text: &str) -> (Verdict, String) {
    let lines = judged(release, &[text]);
    assert_eq!(lines.len(), 1, "{text}");
    (lines[0].verdict(), lines[0].remarks[0].why.clone())
}

#[test]
fn what_moved_is_where_the_release_has_it() {
    let text = "kernel.sched_migration_cost_ns = 5000000";
    let (verdict, why) = one("6.1", text);
    assert_eq!(verdict, Verdict::Obsolete);
    assert_eq!(
        why,
        "this path was in use until 5.12; in 6.1 it is /sys/kernel/debug/sched/migration_cost_ns"
    );
    assert_eq!(one("5.4", text).0, Verdict::Fine);
    let (verdict, why) = one("6.12", "kernel.sched_min_granularity_ns = 10000000");
    assert!(verdict == Verdict::Obsolete && why.ends_with("/sys/kernel/debug/sched/base_slice_ns"), "{why}");
}

#[test]
fn what_is_gone_says_since_when_and_what_to_use() {
    let (verdict, why) = one("6.1", "net.ipv4.tcp_tw_recycle = 1");
    assert_eq!((verdict, why.as_str()), (Verdict::Obsolete, "removed after 4.11"));
    let (verdict, why) = one("6.1", "net.ipv4.netfilter.ip_conntrack_max = 65536");
    assert!(verdict == Verdict::Obsolete && why.contains("net.netfilter.nf_conntrack_max"), "{why}");
    assert_eq!(one("4.4", "net.ipv4.netfilter.ip_conntrack_max = 65536").0, Verdict::Unknown);
    assert!(one("6.1", "net.ipv4.tcp_fack = 1").1.starts_with("no effect after 4.14"));
}

#[test]
fn what_is_not_there_yet_says_when_it_comes() {
    let (verdict, why) = one("4.18", "vm.compaction_proactiveness = 10");
    assert!(verdict == Verdict::Absent && why.contains("available since 5.9"), "{why}");
}

#[test]
fn values_are_judged_one_by_one() {
    assert_eq!(one("6.1", "vm.dirty_ratio = 150").0, Verdict::OutOfRange);
    assert_eq!(one("6.1", "vm.dirty_bytes = 0").0, Verdict::OutOfRange);
    assert_eq!(one("6.1", "vm.swappiness = 60"), (Verdict::Default, "60 is the default of 6.1".to_owned()));
    let (verdict, why) = one("6.1", "vm.dirty_ratio = 80");
    assert!(verdict == Verdict::Risky && why.contains("better: 20"), "{why}");
    assert_eq!(one("6.1", "vm.swappiness = 10").0, Verdict::Fine);
    assert_eq!(one("6.1", "my.own_setting = 1").0, Verdict::Unknown);
}

/// A value that one release takes and another refuses.
#[test]
fn a_range_is_that_of_the_release() {
    let verdicts = |line: &str, releases: [&str; 2]| releases.map(|release| one(release, line).0);
    let cases = [
        ("vm.swappiness = 150", ["5.7", "5.8"]),
        ("net.ipv4.tcp_ecn = 3", ["6.18", "7.0"]),
        ("kernel.numa_balancing = 2", ["5.15", "5.18"]),
        ("/sys/kernel/mm/transparent_hugepage/defrag = defer+madvise", ["4.10", "4.11"]),
    ];
    for (line, releases) in cases {
        assert_eq!(verdicts(line, releases), [Verdict::OutOfRange, Verdict::Fine], "{line}");
    }
    assert_eq!(
        verdicts("/sys/block/sda/queue/scheduler = cfq", ["4.18", "5.0"]),
        [Verdict::Fine, Verdict::OutOfRange]
    );
    let (_, why) = one("5.4", "vm.swappiness = 150");
    assert!(
        why.starts_with(
            "150 is out of range (allowed: 0 to 100) in 5.4, unless the distribution has backported it"
        ),
        "{why}"
    );
    // What no release takes is nobody's to bring.
    let (verdict, why) = one("5.4", "vm.swappiness = 250");
    assert!(verdict == Verdict::OutOfRange && !why.contains("distribution"), "{why}");
}

#[test]
fn somaxconn_has_the_default_of_its_release() {
    assert_eq!(one("4.18", "net.core.somaxconn = 128").0, Verdict::Default);
    assert_eq!(one("6.1", "net.core.somaxconn = 128").0, Verdict::Fine);
    assert_eq!(one("6.1", "net.core.somaxconn = 4096").0, Verdict::Default);
}

#[test]
fn lines_that_undo_each_other_are_named() {
    let text = "vm.dirty_ratio = 30\nvm.dirty_bytes = 100000000\n";
    assert_eq!(verdicts("6.1", text), [(1, Verdict::Coupled), (2, Verdict::Fine)]);
    let background = "vm.dirty_background_ratio = 25\n";
    let (verdict, why) = one("6.1", background);
    assert_eq!(verdict, Verdict::Coupled);
    assert!(why.contains("below vm.dirty_ratio = 20 (its default)"), "{why}");
    assert_eq!(
        verdicts("6.1", &format!("{background}vm.dirty_ratio = 40")),
        [(1, Verdict::Fine), (2, Verdict::Fine)]
    );
    // Once the threshold is in bytes, the default of the ratio says nothing.
    let bytes = format!("{background}vm.dirty_bytes = 100000000");
    assert_eq!(verdicts("6.1", &bytes), [(1, Verdict::Fine), (2, Verdict::Fine)]);
}

#[test]
fn the_last_line_wins_also_across_files() {
    let (first, second) =
        ("vm.swappiness = 10\nvm.max_map_count = 262144\n", "vm/swappiness = 1\nvm.max_map_count=262144");
    let lines = judged("6.1", &[first, second]);
    let told: Vec<_> = lines.iter().map(|line| (line.file, line.line, line.verdict())).collect();
    assert_eq!(
        told,
        [
            (0, 1, Verdict::Overridden),
            (0, 2, Verdict::Repeated),
            (1, 1, Verdict::Fine),
            (1, 2, Verdict::Fine),
        ]
    );
    assert_eq!(lines[0].remarks[0].why, "line 1 of file 2 sets it to 1, which overrides it");
    let one_file = judged("6.1", &["vm.swappiness = 10\nvm.swappiness = 1\n"]);
    assert_eq!(one_file[0].remarks[0].why, "line 2 sets it to 1, which overrides it");
}

#[test]
fn a_file_of_solaris_outlives_its_release() {
    use Verdict::{Fine, Obsolete, OutOfRange, Overridden};
    let text = "set shmsys:shminfo_shmmax=4294967295\nset priority_paging=1\nset rlim_fd_max=65536\nset rlim_fd_max=0\n";
    let documents = [read_document(text)];
    let mut target = Target {
        linux: "6.1".parse().unwrap(),
        other: Some("10".parse().unwrap()),
        to_linux: false,
        here: None,
    };
    let against = |target: &Target| -> Vec<Verdict> {
        audit(&Catalogue::builtin(), &documents, target).iter().map(JudgedLine::verdict).collect()
    };
    assert_eq!(against(&target), [Obsolete, Obsolete, Overridden, OutOfRange]);
    target.other = Some("2.6".parse().unwrap());
    assert_eq!(against(&target), [Fine, Fine, Overridden, OutOfRange]);
    target.to_linux = true;
    let lines = audit(&Catalogue::builtin(), &documents, &target);
    assert!(
        lines[0].remarks[0].why.ends_with("on Linux see kernel.shmmax, kernel.shmall"),
        "{:?}",
        lines[0].remarks
    );
    assert!(lines.iter().all(|line| line.verdict() == Obsolete));
}

#[test]
fn defaults_of_aix_are_those_of_its_release() {
    let documents = [read_document("vmo:\n\tminperm% = \"20\"\n\tlru_file_repage = \"1\"\n")];
    let mut target = Target { linux: "6.1".parse().unwrap(), other: None, to_linux: false, here: None };
    let against = |target: &Target| -> Vec<Verdict> {
        audit(&Catalogue::builtin(), &documents, target).iter().map(JudgedLine::verdict).collect()
    };
    assert_eq!(against(&target), [Verdict::Fine, Verdict::Obsolete], "7.2 without a release");
    target.other = Some("5.3".parse().unwrap());
    assert_eq!(against(&target), [Verdict::Default, Verdict::Default]);
}

#[test]
fn a_listing_is_not_blamed_for_defaults_and_couples() {
    let filler: String = (0..250).map(|at| format!("my.x{at} = 1\n")).collect();
    let text = format!("{filler}vm.dirty_background_bytes = 0\nvm.dirty_bytes = 0\nvm.dirty_ratio = 20\n");
    let lines = judged("6.1", &[&text]);
    let last: Vec<_> = lines[250..].iter().map(JudgedLine::verdict).collect();
    assert_eq!(last, [Verdict::Default; 3]);
}

/// The rule `config.risky` judges by SQL, from a list of its own: it is the catalogue's.
#[test]
fn the_rule_config_risky_has_the_harms_of_the_catalogue() {
    let rule = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rules/config/config.risky.toml");
    let rule = fs::read_to_string(rule).unwrap();
    let mut listed: Vec<String> = rule
        .lines()
        .filter_map(|line| line.trim_start().trim_start_matches("values ").strip_prefix('('))
        .filter(|line| line.starts_with('\'') && line.matches(", ").count() >= 4)
        .map(|line| line.trim_end_matches([',', ')', '"', ' ']).to_owned())
        .collect();
    let mut harms = Vec::new();
    for tunable in Catalogue::builtin().tunables {
        for harm in &tunable.harms {
            let Some((from, to)) = harm.from.zip(harm.to) else {
                assert!(
                    harm.is.iter().all(|word| rule.contains(word)) && rule.contains(&harm.why),
                    "{}",
                    tunable.id
                );
                continue;
            };
            let better = harm.better.as_ref().map_or("null".to_owned(), |better| format!("'{better}'"));
            harms.push(format!("'{}', {from}, {to}, {better}, '{}'", tunable.id, harm.why));
        }
    }
    listed.sort();
    harms.sort();
    assert_eq!(listed, harms);
}
