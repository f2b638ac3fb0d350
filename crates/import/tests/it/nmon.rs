//! Recordings of nmon: every section of AIX' and of Linux', sorted and as they were written, cut off and damaged.

use crate::listings::check;
use crate::table_text::{import, number, told};

const AIX: &str = include_str!("../../fixtures/nmon/hand-made-aix-7.1.txt");

/// 2018-01-24 15:57:34 UTC.
const SECOND_MS: f64 = 1_516_809_454_000.0;

const HDISK0: Option<(&str, &str)> = Some(("device", "hdisk0"));
const EN0: Option<(&str, &str)> = Some(("name", "en0"));
const TOP: Option<(&str, &str)> = Some(("pid", "8519710"));

fn check_aix(text: &str) {
    check(
        text,
        "nmon, 2 samples",
        &[
            ("host", "cpus", None, 0, Some(4.0)),
            ("cpu", "time", None, 2, Some(SECOND_MS)),
            // The first snapshot does not tell what it covers.
            ("cpu", "user_s", Some(("cpu_idx", "0")), 0, None),
            ("cpu", "user_s", Some(("cpu_idx", "0")), 1, Some(31.26)),
            ("cpu", "idle_s", Some(("cpu_idx", "1")), 1, Some(14.88)),
            ("memory", "free_bytes", None, 0, Some(56.3 * 1_048_576.0)),
            ("memory", "swap_total_bytes", None, 1, Some(512.0 * 1_048_576.0)),
            ("vmstat", "swap_in_pages", None, 1, Some(18_000.0)),
            ("vmstat", "page_in_bytes", None, 1, Some(320.0 * 4096.0 * 60.0)),
            ("vmstat", "scan_kswapd_pages", None, 1, Some(150_000.0)),
            ("system", "runnable", None, 1, Some(12.0)),
            ("system", "context_switches", None, 1, Some(613_980.0)),
            ("system", "forks", None, 1, Some(720.0)),
            ("net_if", "rx_bytes", EN0, 1, Some(100.5 * 1024.0 * 60.0)),
            ("net_if", "tx_packets", EN0, 1, Some(6030.0)),
            ("net_if", "speed_bits_per_s", EN0, 0, Some(1e9)),
            ("disk", "busy_s", HDISK0, 0, Some(57.18)),
            ("disk", "requests", HDISK0, 0, Some(12_000.0)),
            ("disk", "reads", HDISK0, 0, Some(10_800.0)),
            ("disk", "read_bytes", HDISK0, 0, Some(8017.5 * 1024.0 * 60.0)),
            // 8.5 ms at the disk and 21.5 before it, 200 a second.
            ("disk", "queue_s", HDISK0, 0, Some(360.0)),
            ("process", "user_s", TOP, 1, Some(60.15)),
            ("process", "resident_bytes", TOP, 1, Some((3440.0 + 27_888.0) * 1024.0)),
            ("process", "threads", TOP, 0, Some(77.0)),
        ],
    );
}

#[test]
fn every_section_of_aix() {
    check_aix(AIX);
    let read = import(AIX.as_bytes());
    let text = told(&read);
    assert!(text.contains("os=AIX 7.1.3.16") && text.contains("name=aixdb1"), "{text}");
    assert!(text.contains("command=/opt/itm/kuxagent -a,-b"), "{text}");
    assert!(text.contains("no column takes") && text.contains("the section LPAR"), "{text}");
}

#[test]
fn a_sorted_file_is_read_as_well() {
    let mut lines: Vec<&str> = AIX.lines().collect();
    lines.sort_unstable();
    check_aix(&lines.join("\n"));
}

#[test]
fn a_sorted_file_that_was_cut_before_its_times() {
    let mut lines: Vec<&str> = AIX.lines().filter(|line| !line.starts_with("ZZZZ")).collect();
    lines.sort_unstable();
    let read = import(lines.join("\n").as_bytes());
    assert!(told(&read).contains("no times of snapshots"), "{}", told(&read));
    // AAA,date and AAA,time, and an interval of 60 s.
    assert_eq!(number(&read, "cpu", "time", None, 2), Some(1_516_809_450_000.0));
    assert_eq!(number(&read, "disk", "busy_s", HDISK0, 0), Some(57.18));
}

#[test]
fn semicolons_and_decimal_commas() {
    check(
        "AAA;progname;nmon\nAAA;host;box\nCPU_ALL;CPU Total box;User%;Sys%;Wait%;Idle%;Steal%;Busy;CPUs\n\
         ZZZZ;T0001;23:59:50;31-DEC-2019\nCPU_ALL;T0001;1,0;2,0;0,0;97,0;0,0;;2\n\
         ZZZZ;T0002;00:00:00;01-JAN-2020\nCPU_ALL;T0002;10,5;2,0;0,0;87,0;0,5;;2\n",
        "nmon, 2 samples",
        &[
            ("cpu", "user_s", None, 1, Some(2.1)),
            ("cpu", "steal_s", None, 1, Some(0.1)),
            ("cpu", "time", None, 1, Some(1_577_836_800_000.0)),
        ],
    );
}

#[test]
fn a_listing_inside_a_snapshot_leaves_rows_in_their_order() {
    let disks: Vec<String> = (0..12).map(|at| format!("hdisk{at:02}")).collect();
    let headings = |tag: &str| format!("{tag},{tag} aixdb1,{}\n", disks.join(","));
    let row = |tag: &str, value: &str| format!("{tag},T0002,{}\n", [value; 12].join(","));
    let text = [
        "AAA,progname,nmon\n",
        &["DISKSERV", "DISKWAIT", "DISKXFER"].map(headings).concat(),
        "ZZZZ,T0001,15:56:34,24-JAN-2018\nZZZZ,T0002,15:57:34,24-JAN-2018\n",
        &row("DISKSERV", "8.5"),
        &row("DISKWAIT", "21.5"),
        &row("DISKXFER", "200.0"),
        // What was told before a whole sample of another tool is not changed any more.
        "r b swpd free buff cache si so bi bo in cs us sy id wa\n0 0 0 1 1 1 0 0 0 0 1 1 0 0 99 1\n",
        "ZZZZ,T0003,15:58:34,24-JAN-2018\n",
    ]
    .concat();
    let read = import(text.as_bytes());
    let tables = |read: &heldup_import::Import| read.capture.as_ref().map(|capture| capture.tables.clone());
    for _ in 0..4 {
        assert_eq!(tables(&import(text.as_bytes())), tables(&read));
    }
    assert_eq!(number(&read, "disk", "requests", Some(("device", "hdisk11")), 0), Some(12_000.0));
    assert_eq!(number(&read, "disk", "queue_s", Some(("device", "hdisk11")), 1), Some(360.0));
}

#[test]
fn damaged_rows_are_said_and_the_rest_is_read() {
    for (from, to, line, expected) in [
        ("DISKREAD,T0002,8017.5,0.0", "DISKREAD,T0002,8017.5", 85, "DISKREAD has 1 values; expected 2"),
        ("ZZZZ,T0002,15:57:34,24-JAN-2018", "ZZZZ,T0002,15:57,24-JAN-2018", 71, "expected ZZZZ"),
        ("MEM,T0002,1.4,", "MEM,T0002,1.4,7.0,", 77, "MEM has 7 values; expected 6"),
        ("TOP,8519710,T0002,120.50,", "TOP,8519710,T0002,", 92, "expected +PID,Time,%CPU"),
        ("DISKBUSY,T0002", "DISKLOST,T0002", 84, "a row of DISKLOST; expected its headings"),
    ] {
        assert!(AIX.contains(from), "{from}");
        let read = import(AIX.replace(from, to).as_bytes());
        let flaw = read.flaws.first().unwrap_or_else(|| panic!("no flaw: {to}\n{}", told(&read)));
        assert!(flaw.place.ends_with(&format!(":{line}")), "{to}: {flaw:?}");
        assert!(flaw.what.contains(expected), "{to}: {flaw:?}");
        assert!(read.file.is_known, "{to}");
    }
}

#[test]
fn every_beginning_is_read_without_panic() {
    for end in 0..AIX.len() {
        let _ = import(&AIX.as_bytes()[..end]);
    }
}

#[test]
fn prose_with_commas_is_no_recording() {
    for text in
        ["AAA, the battery, is empty\n", "ZZZZ,T0001,late,today\n", "CPU_ALL,T0001,1,2,3\n", "NET,Network\n"]
    {
        assert_eq!(import(text.as_bytes()).file.what, "unknown format", "{text}");
    }
}
