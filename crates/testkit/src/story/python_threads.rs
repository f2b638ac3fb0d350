//! Nine Python threads that compute, of which the interpreter lets one run at a time.

use std::process::Command;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::{Suspect, Told};
use crate::host_figures::cpu_ticks;
use crate::needs::Need;
use crate::running::Running;
use crate::story::{Held, PYTHON, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "python-threads",
    needs: &[&[Need::Cpus(2), Need::File(PYTHON)]],
    quick: false,
    ill,
    healthy,
};

const THREADS: &str = "9";
/// Each computes for some milliseconds and rests for the given time.
const SERVER: &str = "
import sys, threading, time
rest = int(sys.argv[2]) / 1000
start = time.monotonic()
def work():
    while time.monotonic() < start + 170:
        sum(i * i for i in range(50000))
        if rest:
            time.sleep(rest)
threads = [threading.Thread(target=work) for _ in range(int(sys.argv[1]))]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
";

fn server(rest_ms: &str) -> Result<Running> {
    let mut command = Command::new(PYTHON);
    command.args(["-c", SERVER, THREADS, rest_ms]);
    let server = Running::start(command).context("start Python")?;
    until("it computes", || Ok(cpu_ticks(server.pid())? > 20))?;
    Ok(server)
}

fn ill() -> Result<Scene> {
    let server = server("0")?;
    let told = Told::within_three("lock.user-contention", vec![], vec![Suspect::Process(server.pid())]);
    Ok(Scene::new(vec![told], vec![Box::new(server)]))
}

/// As many threads that mostly wait for others, as in a web server: a tenth of a CPU together.
fn healthy() -> Result<Held> {
    Ok(vec![Box::new(server("400")?)])
}
