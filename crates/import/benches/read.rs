//! How fast recordings are read, in MB a second on one CPU: prints times, asserts nothing.
//!
//! `cargo bench -p heldup-import --bench read`. The texts are made up in the layout of real output, with
//! times that go on; the bar is 150 MB/s.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used)]

use std::fmt::Write as _;

use heldup_hostfs::monotonic_ns;
use heldup_import::{Hints, read};

const ROUNDS: usize = 5;
const MEGABYTES: usize = 32;
const BANNER: &str = "Linux 5.4.0 (host) \t01/31/2024 \t_x86_64_\t(8 CPU)\n\n";

fn main() {
    for (name, text) in
        [("sar", sar()), ("vmstat -t", vmstat()), ("iostat -xt", iostat()), ("pidstat -h", pidstat())]
    {
        let seconds = (0..ROUNDS).map(|_| seconds(&text)).fold(f64::INFINITY, f64::min);
        println!("{name:12} {:6.0} MB/s", text.len() as f64 / 1e6 / seconds);
    }
}

fn seconds(text: &str) -> f64 {
    let begun = monotonic_ns();
    let import = read("recording", text.as_bytes(), Hints::default()).expect("memory can be read");
    assert!(import.file.is_known && import.flaws.is_empty(), "{:?}", import.flaws.first());
    (monotonic_ns() - begun) as f64 / 1e9
}

/// Lines of one sample after another until there are enough of them.
fn repeated(mut text: String, mut sample: impl FnMut(&mut String, usize)) -> String {
    let mut at = 0;
    while text.len() < MEGABYTES << 20 {
        sample(&mut text, at);
        at += 1;
    }
    text
}

/// A time of day that goes on by a second, and over midnight.
fn time(at: usize) -> String {
    let second = at % 86_400;
    format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

fn sar() -> String {
    let heading = "00:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n";
    repeated(format!("{BANNER}{heading}"), |text, at| {
        for cpu in 0..8 {
            let user = (at * 7 + cpu) % 90;
            let rest = 90 - user;
            let _ = writeln!(
                text,
                "{}          {cpu}     {user:2}.17      0.00      {:2}.03      1.25      0.00     {rest:2}.55",
                time(at + 1),
                at % 10
            );
        }
    })
}

fn vmstat() -> String {
    let heading = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n \
                   r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n";
    repeated(heading.to_owned(), |text, at| {
        let (day, cache) = (1 + at / 86_400 % 28, 500_000 + at % 9999);
        let _ = writeln!(
            text,
            " 1  0      0 {cache} 103296 1224780    0    0     4    61  {:3} 1234  3  1 96  0  0 2024-01-{day:02} {}",
            at % 999,
            time(at)
        );
    })
}

fn iostat() -> String {
    let heading = "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await \
                   wareq-sz  aqu-sz  %util\n";
    repeated(BANNER.to_owned(), |text, at| {
        let _ = write!(text, "01/{:02}/2024 {}\n{heading}", 1 + at / 86_400 % 28, time(at));
        for disk in ["sda", "sdb", "nvme0n1", "dm-0"] {
            let _ = writeln!(
                text,
                "{disk:12} {:7}.00    144.00     0.00   0.00    1.25     4.00   12.00    512.00     3.00  20.00    2.50    \
                 42.67    0.12   4.80",
                at % 5000
            );
        }
        text.push('\n');
    })
}

fn pidstat() -> String {
    let heading = "# Time        UID       PID    %usr %system  %guest   %wait    %CPU   CPU  minflt/s  majflt/s     VSZ     RSS   \
                   %MEM  Command\n";
    repeated(format!("{BANNER}{heading}"), |text, at| {
        for process in 0..20 {
            let _ = writeln!(
                text,
                "{}        0     {:5}    {:2}.00    1.00    0.00    0.50   13.00     3      4.00      0.00  286300  254488   \
                 1.03  worker",
                time(at),
                1000 + process,
                (at + process) % 90
            );
        }
    })
}
