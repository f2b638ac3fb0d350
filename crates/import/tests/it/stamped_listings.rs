//! Listings with a time before each line, or above each run, as scripts and collectors write them: put together by
//! an independent hand, with times in the forms that `ts`, `date` and `strftime` have.

use crate::listings::check;
use crate::table_text::{import, number, told, value};

const IOSTAT: &str = "\
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           2.00    0.00    1.00    0.50    0.00   96.50

Device:         rrqm/s   wrqm/s   r/s   w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util
sda               0.00    12.00  1.00  5.00    30.00   130.00    26.67     0.10   10.00   1.00   0.60
";

/// Ends of the samples of a table, in seconds.
fn times(text: &str, table: &str) -> Vec<f64> {
    let import = import(text.as_bytes());
    let capture = import.capture.as_ref().unwrap_or_else(|| panic!("nothing known in {text}"));
    let batches = capture.tables.get(table).into_iter().flatten();
    let rows = batches.flat_map(|batch| (0..batch.num_rows()).map(move |row| value(batch, "time", row)));
    rows.map(|ms| ms.expect("a time").parse::<f64>().expect("a number") / 1000.0).collect()
}

fn stamped(listing: &str, stamp: &str) -> String {
    listing.lines().map(|line| format!("{stamp} {line}\n")).collect()
}

#[test]
fn iostat_behind_a_time_in_many_forms() {
    // 2026-03-12 10:11:12 and five seconds later, UTC.
    let at = 1_773_310_272.0;
    for (one, two) in [
        ("2026-03-12 10:11:12", "2026-03-12 10:11:17"),
        ("[2026-03-12 10:11:12]", "[2026-03-12 10:11:17]"),
        ("2026-03-12 10:11:12.125:", "2026-03-12 10:11:17.130:"),
        ("2026-03-12T11:11:12+0100", "2026-03-12T11:11:17+0100"),
        ("Mar 12 10:11:12", "Mar 12 10:11:17"),
        ("Thu Mar 12 11:11:12 CET 2026:", "Thu Mar 12 11:11:17 CET 2026:"),
        ("1773310272", "1773310277"),
        ("03/12/2026 10:11:12", "03/12/2026 10:11:17"),
    ] {
        let text = stamped(IOSTAT, one) + &stamped(IOSTAT, two);
        assert_eq!(times(&text, "disk"), [at, at + 5.0], "{text}");
        let import = import(text.as_bytes());
        assert!(import.flaws.is_empty(), "{one}: {:?}", import.flaws);
        assert_eq!(import.file.what, "iostat, 2 samples", "{one}");
        // The first counts since nobody knows when; of the second five seconds.
        assert_eq!(number(&import, "disk", "reads", None, 0), None, "{one}");
        assert_eq!(number(&import, "disk", "reads", None, 1), Some(5.0), "{one}");
        assert_eq!(number(&import, "cpu", "user_s", None, 1), Some(0.1), "{one}");
    }
}

const VMSTAT: [&str; 3] = [
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st",
    " 4  0      0 123456  10240 2048000    0    0    13    25   10   20  5  2 92  1  0",
    " 9  1      0 123000  10240 2048100    0    0     0   100 1500 3000 80 15  0  5  0",
];

#[test]
fn vmstat_behind_a_time_in_many_forms() {
    let at = 1_773_310_272.0;
    for (one, two) in [
        ("2026-03-12 10:11:12", "2026-03-12 10:11:17"),
        ("[2026-03-12 10:11:12]", "[2026-03-12 10:11:17]"),
        ("2026-03-12 10:11:12,125", "2026-03-12 10:11:17,130"),
        ("Mar 12 10:11:12", "Mar 12 10:11:17"),
        ("Thu Mar 12 11:11:12 CET 2026:", "Thu Mar 12 11:11:17 CET 2026:"),
        ("1773310272.5", "1773310277.5"),
    ] {
        let [heading, first, second] = VMSTAT;
        let text = format!("{one} {heading}\n{one} {first}\n{two} {second}\n");
        assert_eq!(times(&text, "system"), [at, at + 5.0], "{text}");
        let import = import(text.as_bytes());
        assert_eq!(number(&import, "system", "runnable", None, 1), Some(9.0), "{text}");
        assert_eq!(number(&import, "system", "context_switches", None, 0), None, "{text}");
        assert_eq!(number(&import, "system", "context_switches", None, 1), Some(15_000.0), "{text}");
    }
}

#[test]
fn each_run_of_vmstat_below_a_time_begins_with_what_is_since_boot() {
    let [heading, first, second] = VMSTAT;
    let run = |time: &str| format!("zzz ***{time}\nprocs\n{heading}\n{first}\n{second}\n{second}\n");
    let text = run("Thu Mar 12 11:11:12 CET 2026") + &run("Thu Mar 12 11:11:42 CET 2026");
    let at = 1_773_310_272.0;
    assert_eq!(times(&text, "system"), [0.0, 1.0, 2.0, 30.0, 31.0, 32.0].map(|step| at + step));
    let import = import(text.as_bytes());
    let switches: Vec<Option<f64>> =
        (0..6).map(|row| number(&import, "system", "context_switches", None, row)).collect();
    assert_eq!(switches, [None, Some(3000.0), Some(3000.0), None, Some(3000.0), Some(3000.0)]);
    assert!(told(&import).contains("since boot"), "{}", told(&import));
}

#[test]
fn each_run_of_iostat_below_a_time_begins_with_what_is_since_boot() {
    let run = |time: &str| format!("zzz ***{time}\n\n{IOSTAT}\n{IOSTAT}\n");
    let text = run("Thu Mar 12 11:11:12 CET 2026") + &run("Thu Mar 12 11:11:42 CET 2026");
    let at = 1_773_310_272.0;
    assert_eq!(times(&text, "disk"), [0.0, 1.0, 30.0, 31.0].map(|step| at + step));
    let import = import(text.as_bytes());
    let writes: Vec<Option<f64>> = (0..4).map(|row| number(&import, "disk", "writes", None, row)).collect();
    assert_eq!(writes, [None, Some(5.0), None, Some(5.0)]);
}

#[test]
fn the_zone_of_a_time_above_is_that_of_the_listing_below() {
    let text = "zzz ***Thu Mar 12 11:11:12 CET 2026\n\
        Linux 5.4.0 (db1) \t03/12/2026 \t_x86_64_\t(8 CPU)\n\n\
        11:11:12     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n\
        11:11:17     all    2.00    0.00    1.00    0.50    0.00    0.00    0.00    0.00    0.00   96.50\n";
    assert_eq!(times(text, "cpu"), [1_773_310_277.0]);
    assert!(!told(&import(text.as_bytes())).contains("taken as UTC"));
}

#[test]
fn a_date_that_could_be_two_is_read_as_the_rest_of_the_file_tells() {
    // The 13th follows the 12th: days come first.
    let [heading, first, second] = VMSTAT;
    let text = format!("12/03/2026 23:59:55\n{heading}\n{first}\n13/03/2026 00:00:05\n{heading}\n{second}\n");
    let midnight = 1_773_360_000.0;
    assert_eq!(times(&text, "system"), [midnight - 5.0, midnight + 5.0]);
}

#[test]
fn a_message_behind_a_time_is_no_listing() {
    let text = "Mar 12 10:11:12 web1 sshd[1]: Accepted\nMar 12 10:11:13 web1 r b in the log\n";
    assert!(!import(text.as_bytes()).file.is_known);
}

#[test]
fn lines_of_several_machines_are_not_mixed() {
    let [heading, first, second] = VMSTAT;
    let line = |host: &str, line: &str| format!("{host}: {line}\n");
    let text =
        [heading, first, second].map(|row| line("web1", row) + &line("web2", &row.replace("123000", "77")));
    let import = import(text.concat().as_bytes());
    assert_eq!(import.file.what, "vmstat, 2 samples");
    assert_eq!(number(&import, "memory", "free_bytes", None, 1), Some(123_000.0 * 1024.0));
    assert!(told(&import).contains("only those of the first are read"));
}

/// Written by an independent hand: `sar` of a machine that was started anew shortly before midnight.
#[test]
fn a_day_that_ends_behind_a_restart() {
    let text = "Linux 2.6.18-194.el5 (web1) \t2011-04-12\n\n\
        11:50:01 PM       CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
        11:55:01 PM       all      2.00      0.00      1.00      0.50      0.00     96.50\n\
        11:58:01 PM       LINUX RESTART\n\n\
        12:00:01 AM       CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
        12:05:01 AM       all      3.00      0.00      1.00      0.50      0.00     95.50\n\
        Average:          all      2.50      0.00      1.00      0.50      0.00     96.00\n";
    check(
        text,
        "sar, 2 samples",
        &[
            ("cpu", "time", None, 0, Some(1_302_652_501_000.0)),
            ("cpu", "user_s", None, 0, Some(6.0)),
            ("cpu", "time", None, 1, Some(1_302_653_101_000.0)),
            ("cpu", "user_s", None, 1, Some(9.0)),
        ],
    );
}

#[test]
fn iostat_behind_a_time_of_day_alone_across_midnight() {
    let text = format!(
        "Linux 5.14.0 (db1) \t03/12/2026 \t_x86_64_\t(4 CPU)\n{}{}{}",
        stamped(IOSTAT, "23:59:50"),
        stamped(IOSTAT, "23:59:55"),
        stamped(IOSTAT, "00:00:00")
    );
    // 2026-03-12 23:59:50 UTC.
    let at = 1_773_359_990.0;
    assert_eq!(times(&text, "disk"), [at, at + 5.0, at + 10.0], "{text}");
    let import = import(text.as_bytes());
    assert!(import.flaws.is_empty(), "{:?}", import.flaws);
    assert_eq!(number(&import, "disk", "reads", None, 0), None);
    assert_eq!(number(&import, "disk", "reads", None, 2), Some(5.0));
    assert_eq!(number(&import, "cpu", "user_s", None, 2), Some(4.0 * 0.1));
}
