//! Ctrl-C: acknowledged at once, answered, and a second one ends at once.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use crate::typed::{Folder, command};

/// What is promised of an idle machine is 0.3 s; tests run beside others.
const AT_ONCE: Duration = Duration::from_secs(3);

/// A program that runs, and what it says.
struct Running {
    child: Child,
    said: BufReader<ChildStderr>,
}

impl Running {
    fn start(folder: &Folder, words: &[&str]) -> Running {
        let mut command = command(folder, words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        let said = BufReader::new(child.stderr.take().expect("a pipe"));
        Running { child, said }
    }

    /// Reads lines until one has a text.
    fn await_line(&mut self, part: &str) {
        let mut line = String::new();
        while !line.contains(part) {
            line.clear();
            assert!(self.said.read_line(&mut line).expect("read") > 0, "it ended without `{part}`");
        }
    }

    fn interrupt(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    }
}

#[test]
fn a_watch_ends_with_its_summary() {
    let folder = Folder::new();
    let mut watch = Running::start(&folder, &["watch", "--method", "delays", "--json"]);
    watch.await_line("watching in windows");
    let asked = Instant::now();
    watch.interrupt();
    watch.await_line("stopping: the summary follows; Ctrl-C again ends at once");
    assert!(asked.elapsed() < AT_ONCE, "{:?}", asked.elapsed());
    let output = watch.child.wait_with_output().expect("ended");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"event\":\"summary\""));
}

#[test]
fn a_second_one_ends_at_once() {
    let folder = Folder::new();
    // It is waited for after the first one, because it does not end.
    let stubborn = "trap '' INT; echo begun >&2; sleep 20";
    let words = ["run", "--method", "delays", "sh", "-c", stubborn];
    let mut run = Running::start(&folder, &words);
    run.await_line("begun");
    run.interrupt();
    run.await_line("stopping: the answer follows; Ctrl-C again ends at once");
    let asked = Instant::now();
    run.interrupt();
    let status = run.child.wait().expect("ended");
    assert_eq!(status.code(), Some(130));
    assert!(asked.elapsed() < AT_ONCE, "{:?}", asked.elapsed());
}

#[test]
fn nobody_has_to_read_what_is_said() {
    let folder = Folder::new();
    let mut watch = Running::start(&folder, &["watch", "--method", "delays", "--json"]);
    watch.await_line("watching in windows");
    let Running { child, said } = watch;
    drop(said);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
    let output = child.wait_with_output().expect("ended");
    assert!(output.status.success(), "{}", output.status);
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"event\":\"summary\""));
}
