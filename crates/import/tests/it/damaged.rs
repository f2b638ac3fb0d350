//! What is damaged is said, with line and expectation, and the rest is read.

use std::io::Read;

use heldup_import::{Hints, read};

use crate::table_text::{import, number, told};

const HEAD: &str = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";
const ROW: &str = " 1  0      0   1000     12    100    0    0     4     6    3    5  3  1 96  0  0\n";

#[test]
fn what_no_tool_wrote_is_not_guessed_at() {
    for (text, what) in [
        (&b""[..], "an empty file"),
        (b"\x7fELF\x02\x01", "a program (ELF)"),
        (b"Dear support,\nthe machine is slow since 12:00:01, 3 of 4 users say so.\n", "unknown format"),
        (b"12:00:01 started service web\n12:00:02 user 3 logged in\n", "unknown format"),
        (b"Device sda has 5 errors\nr b\n", "unknown format"),
    ] {
        let import = import(text);
        assert_eq!(import.file.what, what);
        assert!(import.capture.is_none() && !import.file.is_known);
    }
}

#[test]
fn a_damaged_line_is_said_and_the_others_are_read() {
    let text = format!(
        "{HEAD}{ROW}{ROW} 1  0      0   1000     12    1x0    0    0     4     6    3    5  3  1 96\n{ROW}"
    );
    let import = import(text.as_bytes());
    assert_eq!(import.flaws.len(), 1, "{:?}", import.flaws);
    assert!(import.flaws[0].place.ends_with(":4"), "{:?}", import.flaws);
    assert!(import.flaws[0].what.contains("expected 17"), "{:?}", import.flaws);
    assert_eq!(number(&import, "memory", "free_bytes", None, 2), Some(1_024_000.0));
}

#[test]
fn zeros_in_the_middle_are_said() {
    let mut bytes = format!("{HEAD}{ROW}").into_bytes();
    bytes.extend([0; 600]);
    bytes.extend(b"\n");
    bytes.extend(ROW.as_bytes());
    bytes.extend(ROW.repeat(200).as_bytes());
    let import = import(&bytes);
    assert!(told(&import).contains("zero bytes"), "{}", told(&import));
    assert!(import.file.what.contains("202 samples"), "{}", import.file.what);
}

#[test]
fn a_line_of_a_gigabyte_is_passed_over() {
    let text =
        HEAD.as_bytes().chain(std::io::repeat(b'1').take(64 << 20)).chain(&b"\n"[..]).chain(ROW.as_bytes());
    let import = read("recording", text, Hints::default()).expect("read");
    assert!(import.flaws[0].what.contains("67108864 bytes; expected at most"), "{:?}", import.flaws);
    assert_eq!(import.file.what, "vmstat, 1 sample");
}

#[test]
fn every_beginning_of_a_recording_is_read_without_panic() {
    let text = include_bytes!("../../fixtures/sar/debian-12-6.18.44-sysstat-12.6.1-A.txt");
    for end in (0..text.len()).step_by(997) {
        let _ = import(&text[..end]);
    }
}

#[test]
fn text_as_windows_saves_it_is_read() {
    let text = format!("{HEAD}{ROW}{ROW}").replace('\n', "\r\n");
    assert_eq!(import(text.as_bytes()).file.what, "vmstat, 2 samples");
    let wide: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(import(&wide).file.what, "vmstat, 2 samples");
}

#[test]
fn damaged_rows_of_every_listing_are_said() {
    for (text, line, expected) in [
        (
            "Name Objects Alloc Free %Fast\n:0000192 10 20 20 90 80\n:0000512 10 20 20\n",
            3,
            "expected two shares",
        ),
        ("node0 node1\nnuma_hit 5 6\nnuma_miss 5 x\n", 3, "expected 2, one a node"),
        (
            "------ Shared Memory Segments --------\nkey shmid owner perms bytes nattch status\n0x00000000 7 a 600 4096 1\n0x00000001 8 a\n",
            4,
            "expected key shmid owner",
        ),
        ("CPU %user %system %idle\nall 1.0 2.0 97.0\n0 1.0 2.0\n", 3, "expected CPU %user"),
        (
            "Mem-Info:\n[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name\n[    7]     0     7      100      50      3        0             0 sh\n[    8]     0     8      100      50      3        0\n",
            4,
            "expected pid uid tgid",
        ),
    ] {
        let import = import(text.as_bytes());
        assert_eq!(import.flaws.len(), 1, "{text}{:?}", import.flaws);
        assert!(import.flaws[0].place.ends_with(&format!(":{line}")), "{text}{:?}", import.flaws);
        assert!(import.flaws[0].what.contains(expected), "{text}{:?}", import.flaws);
        assert!(import.file.is_known, "{text}");
    }
}

#[test]
fn prose_about_kernels_and_databases_is_no_recording() {
    let text = "The kernel: it says oom-killer, and Node 0 is full.\nfree:1 of 3\nLoad is high\nEvent of the day\n\
                CPU and %idle are headings\nnode zero\nSamples of wood, 3 % of them oak\n<p>Count the callers</p>\n";
    let import = import(text.as_bytes());
    assert_eq!(import.file.what, "unknown format", "{}", told(&import));
}

#[test]
fn every_beginning_of_a_log_is_read_without_panic() {
    let text = include_bytes!("../../fixtures/kernel_log/hand-made-syslog-group-at-its-limit.txt");
    for end in 0..text.len() {
        let _ = import(&text[..end]);
    }
}

/// What can be no time is said, and costs itself only: nobody could say when it was.
#[test]
fn absurd_times_are_said_and_the_others_are_kept() {
    let sar = |date: &str| {
        format!(
            "Linux 5.4.0 (h) \t{date} \t_x86_64_\t(8 CPU)\n\n\
             23:59:50        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
             23:59:58        all     10.00      0.00      5.00     25.00      0.00     60.00\n"
        )
    };
    let read = import(format!("{}\n{}", sar("12/30/9999"), sar("11/22/2026")).as_bytes());
    assert!(
        read.flaws.iter().any(|flaw| flaw.what.contains("expected a year from 1990 to 2199")),
        "{:?}",
        read.flaws
    );
    let span = read.file.span.expect("a span");
    assert_eq!((span.since_ms / 86_400_000, span.until_ms / 86_400_000), (20_779, 20_779));
    let log = "[99999999999999999999.5] a: b\n[    0.500000] x: y\n1e300 h kernel: z\n\
        9999999999999999999.5 host kernel: z is here\n[    1.500000] c: d\n";
    let read = import(log.as_bytes());
    let span = read.file.span.expect("a span");
    assert!(span.until_ms - span.since_ms < 600_000, "{}", told(&read));
}

/// Numbers that cannot be are left out, their rows stay, and what was left out is counted.
#[test]
fn impossible_numbers_are_left_out_and_counted() {
    let text = "Linux 5.4.0 (h) \t11/22/2026 \t_x86_64_\t(4 CPU)\n\n\
        10:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
        10:10:00          0     10.00      0.00      5.00     25.00      0.00     60.00\n\
        10:20:00          0 1844674407370955.16 0.00   5.00     25.00      0.00     60.00\n\
        10:30:00          0    -10.00      0.00      5.00     25.00      0.00     60.00\n\n\
        10:00:00          DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util\n\
        10:10:00          sda     10.00    100.00    100.00     20.00      0.10     10.00    100.10\n\
        10:20:00          sda     10.00    100.00    100.00     20.00      0.10     10.00    910.00\n";
    let read = import(text.as_bytes());
    let cell = |table: &str, column: &str, row| number(&read, table, column, None, row);
    assert_eq!([0, 1, 2].map(|row| cell("cpu", "user_s", row)), [Some(60.0), None, None]);
    assert_eq!([0, 1, 2].map(|row| cell("cpu", "iowait_s", row)), [Some(150.0); 3], "their rows stay");
    assert_eq!([0, 1].map(|row| cell("disk", "busy_s", row)), [Some(600.6), None], "a rounded 100 % is none");
    assert_eq!(cell("disk", "read_bytes", 1), Some(61_440_000.0));
    let refused = read.capture.as_ref().and_then(|capture| capture.tables.get("refused_value"));
    let rows: usize = refused.into_iter().flatten().map(arrow_array::RecordBatch::num_rows).sum();
    assert_eq!(rows, 2, "cpu.user_s and disk.busy_s");
    let cells: Vec<Option<f64>> = (0..2).map(|row| cell("refused_value", "cells", row)).collect();
    assert_eq!(cells.iter().flatten().sum::<f64>(), 3.0);
}
