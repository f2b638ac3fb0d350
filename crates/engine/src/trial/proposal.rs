//! `heldup try` without a change: what the worst finding proposes, as far as it is a setting that can
//! be switched.

use std::ffi::OsString;
use std::time::Duration;

use heldup_diagnose::{Options, diagnose_with};
use heldup_hostfs::{ClockedRun, Host, Interrupts, monotonic_ns};
use heldup_model::{Change, Finding, ProposingFinding};
use heldup_prove::asked;
use heldup_tune::Catalogue;

use crate::error::{EngineError, Result};
use crate::progress::Progress;
use crate::request::MethodChoice;
use crate::rules;
use crate::session::look::{CommandToRun, Request, Window, look_until};

/// How long the machine is looked at where no workload is run.
const WINDOW: Duration = Duration::from_secs(10);
/// Part of a workload's time in which it still runs, also when it takes less long than before.
const PART: f64 = 0.6;
/// A shorter look tells too little.
const SHORTEST: Duration = Duration::from_secs(1);
/// How often it is looked whether somebody answered or asked to stop.
const LOOK_NS: u64 = 100_000_000;

/// A change and the finding that proposes it.
pub struct Proposal {
    /// `SETTING=VALUE`.
    pub word: String,
    /// What was found.
    pub finding: ProposingFinding,
    /// What is to be expected of it.
    pub expect: String,
    /// What it may break.
    pub risk: String,
}

/// What is run while the machine is looked at.
#[derive(Clone, Copy)]
pub struct Suffering<'a> {
    /// Line for sh; without one the traffic that is there.
    pub workload: Option<&'a str>,
    /// What is run before it, by sh.
    pub prepare: Option<&'a str>,
}

/// Looks at the machine, while the workload runs where there is one. None where nothing that was
/// found proposes a setting that can be switched, or somebody asked to stop.
///
/// What a process read and wrote is told by files that go with it. So where a look to the workload's end finds
/// nothing, it is run once more, and looked at for a part of that time.
pub fn proposal(
    host: &Host,
    catalogue: &Catalogue,
    suffering: Suffering,
    method: MethodChoice,
    progress: &dyn Progress,
    interrupts: &Interrupts,
) -> Result<Option<Proposal>> {
    let prepared = || -> Result<bool> {
        if let Some(line) = suffering.prepare {
            prepare(line, interrupts)?;
        }
        Ok(!interrupts.stopped())
    };
    let found = |window| -> Result<(Option<Proposal>, Duration)> {
        let looked = look_until(&Request::of(window, method), progress, interrupts)?;
        let options =
            Options { own_pid: looked.own_pid, focus: None, clock: Some(heldup_hostfs::thread_cpu_ns) };
        let ruleset = rules::ruleset(None);
        let diagnosis = diagnose_with(&looked.capture, &ruleset, &options);
        let of_change = of_findings(host, catalogue, &diagnosis.findings);
        let span = looked.capture.span;
        Ok((of_change, Duration::from_millis(span.until_ms.abs_diff(span.since_ms))))
    };
    if !prepared()? {
        return Ok(None);
    }
    let Some(line) = suffering.workload else { return Ok(found(Window::For(WINDOW))?.0) };
    let words = ["sh", "-c", line].map(OsString::from);
    let whole = Window::Command(CommandToRun { words: words.to_vec(), answer_on_stdout: true });
    let (of_change, length) = found(whole)?;
    let part = length.mul_f64(PART).min(WINDOW);
    if of_change.is_some() || part < SHORTEST || !prepared()? {
        return Ok(of_change);
    }
    // Dropped, it is ended.
    let _run = ClockedRun::start(&words)?;
    Ok(found(Window::For(part))?.0)
}

/// Runs a line for sh to its end, or until somebody asks to stop.
fn prepare(line: &str, interrupts: &Interrupts) -> Result<()> {
    let run = ClockedRun::start(&["sh", "-c", line].map(OsString::from))?;
    while !run.has_ended()? {
        if interrupts.stopped() {
            // Dropped, it is ended.
            return Ok(());
        }
        interrupts.wait_until(monotonic_ns() + LOOK_NS);
    }
    let ended = run.finish()?;
    match ended.status {
        Some(status) if !status.success() => {
            Err(EngineError::failed(format!("`{line}`: {status}; {}", ended.complaints.trim())))
        }
        _ => Ok(()),
    }
}

/// The first change that can be switched: of those that make no other finding worse, else of all.
fn of_findings(host: &Host, catalogue: &Catalogue, findings: &[Finding]) -> Option<Proposal> {
    let first = |harmless: bool| {
        let all =
            findings.iter().flat_map(|finding| finding.changes.iter().map(move |change| (finding, change)));
        let mut meant = all.filter(|(_, change)| !harmless || change.worsens.is_empty());
        meant.find_map(|(finding, change)| of_change(host, catalogue, finding, change))
    };
    first(true).or_else(|| first(false))
}

fn of_change(host: &Host, catalogue: &Catalogue, finding: &Finding, change: &Change) -> Option<Proposal> {
    let word = format!("{}={}", change.tunable, change.to);
    asked(catalogue, host, std::slice::from_ref(&word)).ok().filter(|all| all.changes.len() == 1)?;
    let worse = change.worsens.iter().map(|one| format!("; makes {} worse", one.finding));
    let risk = change.risk.clone() + &worse.collect::<String>();
    let (expect, title) = (change.expect.clone(), finding.title.clone());
    Some(Proposal { word, finding: ProposingFinding { key: finding.key.clone(), title }, expect, risk })
}
