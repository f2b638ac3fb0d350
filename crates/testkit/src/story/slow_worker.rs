//! A pool of processes whose work is cut unevenly: all wait for the one that has the large piece.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::{Suspect, Told};
use crate::host_figures::cpu_ticks;
use crate::needs::{Need, cpus};
use crate::running::Running;
use crate::story::{Held, PYTHON, Scene, Story};

pub(super) const STORY: Story =
    Story { name: "slow-worker", needs: &[&[Need::Cpus(2), Need::File(PYTHON)]], quick: false, ill, healthy };

/// Rounds of a map over pieces: the next begins when the last piece of the one before is done. How long
/// each computes is told in milliseconds.
const POOL: &str = "
import multiprocessing, os, sys, time
def work(ms):
    end, total = time.monotonic() + ms / 1000, 0
    while time.monotonic() < end:
        total += sum(i * i for i in range(1000))
    return total
pieces = [int(word) for word in sys.argv[1].split(',')]
start = time.monotonic()
with multiprocessing.Pool(len(pieces)) as pool:
    while time.monotonic() < start + 170:
        pool.map(work, pieces, chunksize=1)
        time.sleep(int(sys.argv[2]) / 1000)
";

fn pool(pieces: &str, pause_ms: &str) -> Result<Running> {
    let mut command = Command::new(PYTHON);
    command.args(["-c", POOL, pieces, pause_ms]);
    Running::start(command)
}

/// The child that has computed most, when that is a second or more.
fn busiest(pool: &Running) -> Result<Option<i64>> {
    let path = format!("/proc/{0}/task/{0}/children", pool.pid());
    let children = fs::read_to_string(path)?;
    let busy = children.split_whitespace().filter_map(|word| {
        let pid: i64 = word.parse().ok()?;
        Some((cpu_ticks(pid).ok()?, pid))
    });
    Ok(busy.max().filter(|(ticks, _)| *ticks >= 100).map(|(_, pid)| pid))
}

fn ill() -> Result<Scene> {
    // One of four has all but a hundredth of it, for longer than anybody looks.
    let pool = pool("100000,300,300,300", "0")?;
    until("one worker computes", || Ok(busiest(&pool)?.is_some()))?;
    let slow = busiest(&pool)?.context("no worker computes")?;
    let told = Told::within_three("cpu.single-thread", vec![], vec![Suspect::Process(slow)]);
    Ok(Scene::new(vec![told], vec![Box::new(pool)]))
}

/// The same work in even pieces, with a pause as a service has it.
fn healthy() -> Result<Held> {
    let pieces = vec!["100"; cpus()].join(",");
    let pool = pool(&pieces, "100")?;
    until("the workers compute", || Ok(busiest(&pool)?.is_some()))?;
    Ok(vec![Box::new(pool)])
}
