//! `heldup try` without a change: what the worst finding proposes, as far as it is a setting that can
//! be switched.

use std::io::{BufRead, IsTerminal};
use std::sync::mpsc::{TryRecvError, channel};
use std::time::Duration;

use heldup_diagnose::{Options, Ruleset, diagnose_with};
use heldup_hostfs::{Host, Interrupts, monotonic_ns};
use heldup_model::Finding;
use heldup_prove::{asked, of_command};
use heldup_tune::Catalogue;

use crate::args::MethodChoice;
use crate::live::{Request, Window, look};

/// How long the machine is looked at where no workload is run.
const WINDOW: Duration = Duration::from_secs(10);
/// How often it is looked whether somebody answered or asked to stop.
const LOOK_NS: u64 = 100_000_000;

/// A change and the finding that proposes it.
pub struct Proposal {
    /// `SETTING=VALUE`.
    pub word: String,
    /// What was found.
    pub title: String,
    /// What is to be expected of it.
    pub expect: String,
    /// What it may break.
    pub risk: String,
}

/// Looks at the machine, while the workload runs where there is one. None where nothing that was
/// found proposes a setting that can be switched.
pub fn proposal(
    host: &Host,
    catalogue: &Catalogue,
    workload: Option<&str>,
    method: MethodChoice,
) -> anyhow::Result<Option<Proposal>> {
    let window = match workload {
        Some(line) => {
            Window::Command { command: ["sh", "-c", line].map(Into::into).to_vec(), answer_on_stdout: true }
        }
        None => Window::For(WINDOW),
    };
    let looked = look(&Request::of(window, method))?;
    let options = Options { own_pid: looked.own_pid, focus: None, clock: Some(heldup_hostfs::thread_cpu_ns) };
    let ruleset: Ruleset = crate::commands::rules::ruleset(None);
    let diagnosis = diagnose_with(&looked.capture, &ruleset, &options);
    Ok(diagnosis.findings.iter().find_map(|finding| of_finding(host, catalogue, finding)))
}

/// The first change of a finding that can be switched.
fn of_finding(host: &Host, catalogue: &Catalogue, finding: &Finding) -> Option<Proposal> {
    finding.changes.iter().find_map(|change| {
        let named = format!("{}={}", change.tunable, change.to);
        let words = std::iter::once(named).chain(of_command(&change.command));
        let is_here = |word: &String| {
            asked(catalogue, host, std::slice::from_ref(word)).is_ok_and(|all| all.len() == 1)
        };
        let word = words.into_iter().find(is_here)?;
        let (title, expect, risk) = (finding.title.clone(), change.expect.clone(), change.risk.clone());
        Some(Proposal { word, title, expect, risk })
    })
}

/// Whether somebody at the terminal says yes; none where nobody is there. No where they ask to stop.
pub fn confirmed(question: &str, interrupts: &Interrupts) -> Option<bool> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    eprint!("{question} [y/N] ");
    let (send, answered) = channel();
    // A read of the terminal goes on when a signal comes: it is left behind.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let _ = send.send(read.map(|_| line).unwrap_or_default());
    });
    loop {
        match answered.try_recv() {
            Ok(line) => return Some(matches!(line.trim(), "y" | "Y" | "yes")),
            Err(TryRecvError::Disconnected) => return Some(false),
            Err(TryRecvError::Empty) if interrupts.stopped() => return Some(false),
            Err(TryRecvError::Empty) => interrupts.wait_until(monotonic_ns() + LOOK_NS),
        }
    }
}
