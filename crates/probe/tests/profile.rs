//! Samples of the running machine; needs root.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use heldup_hostfs::{Host, is_root};
use heldup_model::{Cells, RowSet};
use heldup_probe::{Profile, ProfileOptions};

/// A process that is ended with the test.
struct Load(Child);

impl Drop for Load {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// CPU time that a load must have had: 200 samples at 499 Hz, known to 7 %.
const ENOUGH: f64 = 0.4;

/// What the kernel says that a process has had of the CPUs.
fn cpu_seconds(pid: i64) -> f64 {
    let stat = Host::live().read_text(format!("/proc/{pid}/stat")).expect("running");
    let ticks = stat.rsplit(')').next().expect("a name").split_ascii_whitespace();
    ticks.skip(11).take(2).map(|field| field.parse::<f64>().expect("ticks")).sum::<f64>() / 100.0
}

fn sampled(command: &[&str]) -> Option<(RowSet, i64)> {
    if !is_root() {
        heldup_skip::skipped("sampling the CPUs needs root");
        return None;
    }
    let mut profile =
        Profile::start(&Host::live(), ProfileOptions { hertz: 499, ..ProfileOptions::default() })
            .expect("samples");
    let load = Load(Command::new(command[0]).args(&command[1..]).spawn().expect("a load"));
    let pid = i64::from(load.0.id());
    // As long as it takes the load to get its share of a busy machine.
    let begin = Instant::now();
    while cpu_seconds(pid) < ENOUGH {
        assert!(begin.elapsed() < Duration::from_secs(60), "the load does not get to run");
        std::thread::sleep(Duration::from_millis(20));
    }
    let rows = profile.stacks().expect("rows");
    let counts = profile.counts().expect("counts");
    println!("{counts:?}, {} rows, eBPF {:?}", rows.len, profile.program_time());
    // Not so `stacks_dropped`: a busy machine has more stacks than there are places for.
    assert_eq!(counts.samples_dropped, 0);
    Some((rows, pid))
}

/// Seconds of one process by class, and its longest row: user stack, kernel stack, call.
fn of_process(rows: &RowSet, pid: i64) -> (f64, f64, Vec<(String, String, String)>) {
    let text = |column: &str, row: usize| match &rows.cells[rows.def.position(column).expect(column)] {
        Cells::Text(values) => values[row].as_deref().unwrap_or("-").to_owned(),
        _ => panic!("{column} is text"),
    };
    let Cells::Int(pids) = &rows.cells[rows.def.position("pid").expect("pid")] else { panic!("integers") };
    let Cells::Float(seconds) = &rows.cells[rows.def.position("seconds").expect("seconds")] else {
        panic!("floats")
    };
    let (mut user, mut kernel, mut stacks) = (0.0, 0.0, Vec::new());
    for row in (0..rows.len).filter(|row| pids[*row] == Some(pid)) {
        let spent = seconds[row].expect("measured");
        if text("class_name", row) == "user" {
            user += spent
        } else {
            kernel += spent
        }
        stacks.push((text("user_stack", row), text("kernel_stack", row), text("syscall", row)));
    }
    (user, kernel, stacks)
}

#[test]
fn a_loop_of_the_shell_runs_in_user_mode() {
    let Some((rows, pid)) = sampled(&["sh", "-c", "while :; do :; done"]) else { return };
    let (user, kernel, stacks) = of_process(&rows, pid);
    assert!(user > ENOUGH / 2.0 && user > kernel * 5.0, "user {user} s, kernel {kernel} s");
    assert!(stacks.iter().any(|(user, ..)| user.contains("sh+0x") || user.contains("main")), "{stacks:?}");
}

#[test]
fn a_reader_of_zeroes_runs_in_the_kernel_in_its_call() {
    let Some((rows, pid)) = sampled(&["dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "status=none"]) else {
        return;
    };
    let (user, kernel, stacks) = of_process(&rows, pid);
    assert!(kernel > ENOUGH / 2.0 && kernel > user * 5.0, "user {user} s, kernel {kernel} s");
    let reading = stacks.iter().find(|(_, kernel, call)| call == "read" && kernel.contains("vfs_read"));
    assert!(reading.is_some(), "{stacks:?}");
}
