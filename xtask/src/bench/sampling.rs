//! What looking without eBPF costs: as root, and as an ordinary user, beside 200 processes.

use std::ffi::OsStr;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::resources::cpu_seconds_of;
use super::{Bench, Figure, Setting, median};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "sampling",
    question: "what a look of 20 s costs by samples, beside 200 processes",
    // By samples: whether the probe loads makes no difference.
    looks: false,
    measure,
};

/// Length of the window.
const SECONDS: f64 = 20.0;
/// Looks of each kind; the median counts.
const TIMES: usize = 3;
/// Processes that sleep, half of them the ordinary user's.
const PROCESSES: usize = 200;
/// A command in front of another one that runs it as nobody.
const AS_USER: [&str; 5] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"];

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let _sleepers = Sleepers::start()?;
    let mut figures = Vec::new();
    for (who, before) in [("root", &[][..]), ("an ordinary user", &AS_USER[..])] {
        let mut shares = Vec::new();
        for _ in 0..TIMES {
            let mut look = setting.examine("20s");
            look.args(["--method", "sampling"]);
            let (cpu, _) = cpu_seconds_of(&mut under(before, &look))?;
            shares.push(100.0 * cpu / SECONDS);
        }
        let what = format!("CPU of the program as {who}, of one CPU, start and answer included");
        figures.push(Figure::shown(what, format!("{:.2} %", median(&shares))));
    }
    Ok(figures)
}

/// A command behind another one.
fn under(before: &[&str], command: &Command) -> Command {
    let mut words = before.iter().map(OsStr::new).chain([command.get_program()]).chain(command.get_args());
    // There is always the program itself.
    let mut under = Command::new(words.next().unwrap_or_default());
    under.args(words);
    under
}

/// Processes that sleep until this is dropped.
struct Sleepers(Vec<Child>);

impl Sleepers {
    fn start() -> Result<Sleepers> {
        let mut sleepers = Sleepers(Vec::with_capacity(PROCESSES));
        for at in 0..PROCESSES {
            let mut sleep = Command::new("sleep");
            sleep.arg("600");
            let before = if at % 2 == 0 { &[][..] } else { &AS_USER[..] };
            let mut command = under(before, &sleep);
            let child = command.stdout(Stdio::null()).spawn().context("start a process that sleeps")?;
            sleepers.0.push(child);
        }
        Ok(sleepers)
    }
}

impl Drop for Sleepers {
    fn drop(&mut self) {
        for sleeper in &mut self.0 {
            // One that cannot be ended has ended.
            let _ = sleeper.kill();
            let _ = sleeper.wait();
        }
    }
}
