//! Names of people and machines in an answer, replaced by pseudonyms before anything is judged.

use heldup_archive::{KnownNames, Redactor};
use heldup_hostfs::Host;
use heldup_model::{Capture, Examination, Experiment, Holds, Missing};

use crate::error::{EngineError, Result};

/// The captures with pseudonyms, and what replaces names in texts about them.
pub fn without_names(captures: &[&Capture]) -> Result<(Vec<Capture>, Redactor)> {
    let mut redactor = Redactor::new(captures, &known(captures)).map_err(refused)?;
    let mut redacted = Vec::new();
    for capture in captures {
        let mut capture = redactor.capture(capture).map_err(refused)?;
        capture.missing.push(Missing {
            what: "names".to_owned(),
            why: "hosts, addresses, users, arguments and paths of homes were replaced by pseudonyms"
                .to_owned(),
            how: "a capture without --redact".to_owned(),
        });
        redacted.push(capture);
    }
    Ok((redacted, redactor))
}

/// One capture in place of another, where that is asked for.
pub fn of_one(capture: &mut Capture, is_asked: bool) -> Result<Option<Redactor>> {
    if !is_asked {
        return Ok(None);
    }
    let (redacted, redactor) = without_names(&[capture])?;
    redacted.into_iter().for_each(|one| *capture = one);
    Ok(Some(redactor))
}

/// What this machine knows of names helps only with its own captures.
fn known(captures: &[&Capture]) -> KnownNames {
    let host = Host::live();
    let own = host.read_text("/proc/sys/kernel/hostname").unwrap_or_default();
    let is_ours = captures.is_empty() || captures.iter().any(|capture| capture.host == own);
    if is_ours { KnownNames::of(&host) } else { KnownNames::default() }
}

fn refused(error: String) -> EngineError {
    EngineError::failed(format!("cannot replace names, nothing was written: {error}"))
}

/// What an examination says beside its capture: names of files, and of what was read.
pub fn of_examination(examination: &mut Examination, redactor: &mut Redactor) {
    let mut text = |text: &mut String| *text = redactor.text(Holds::Message, text);
    text(&mut examination.host.source);
    for file in &mut examination.files {
        text(&mut file.file);
        text(&mut file.what);
        file.notes.iter_mut().for_each(&mut text);
        file.files.iter_mut().for_each(&mut text);
    }
    examination.stretches.iter_mut().for_each(|stretch| text(&mut stretch.command));
}

/// An experiment without names. Settings keep theirs: they are the kernel's.
pub fn of_experiment(experiment: &mut Experiment) -> Result<()> {
    let mut redactor = Redactor::new(&[], &known(&[])).map_err(refused)?;
    experiment.host = redactor.text(Holds::Host, &experiment.host);
    let mut command = |text: &mut String| *text = redactor.text(Holds::Command, text);
    experiment.asked.workload.iter_mut().for_each(&mut command);
    experiment.asked.prepare.iter_mut().for_each(&mut command);
    let mut text = |text: &mut String| *text = redactor.text(Holds::Message, text);
    text(&mut experiment.asked.figure);
    experiment.asked.guards.iter_mut().for_each(&mut text);
    experiment.reason.iter_mut().for_each(&mut text);
    experiment.notes.iter_mut().for_each(&mut text);
    if let Some(finding) = &mut experiment.proposed_by {
        text(&mut finding.key);
        text(&mut finding.title);
    }
    experiment.before.values_mut().for_each(&mut text);
    experiment.changed_after.values_mut().for_each(&mut text);
    for change in &mut experiment.changes {
        [&mut change.before, &mut change.asked].into_iter().for_each(&mut text);
        change.now.iter_mut().for_each(&mut text);
    }
    Ok(())
}
