//! From a capture and its diagnosis to the examination that is printed.

use heldup_diagnose::{Diagnosis, HostFacts, OF_RECORDING, OF_SAMPLES, group_findings};
use heldup_hostfs::is_root;
use heldup_model::{
    Capture, EXAMINATION_SCHEMA, ErrorNote, Examination, HostSummary, Missing, Overhead, TimeSource, Timing,
};

use crate::error::Result;
use crate::times::rfc3339;

/// Joins what is known of the host with what was found. The cost of looking is filled in last.
pub fn of(capture: &Capture, diagnosis: Diagnosis, source: &str) -> Result<Examination> {
    let mut errors: Vec<ErrorNote> = capture.flaws.iter().cloned().map(ErrorNote::from).collect();
    errors.extend(diagnosis.errors);
    let Timing { time, has_intervals } = capture.timing;
    let is_known = time != TimeSource::Unknown;
    let is_live_root = source == "live" && is_root();
    errors.extend(capture.missing.iter().map(|missing| not_seen(missing, is_live_root)));
    let mut not_checked = diagnosis.not_checked;
    for one in not_checked.iter_mut().filter(|one| is_live_root && needs_root(&one.how)) {
        one.how = DENIED_TO_ROOT.to_owned();
    }
    let mut groups = group_findings(&diagnosis.findings, &diagnosis.measured);
    let mut findings = diagnosis.findings;
    if !has_intervals {
        groups.iter_mut().for_each(|group| in_samples(&mut group.impact.unit));
        for finding in &mut findings {
            in_samples(&mut finding.impact.unit);
            finding.evidence.iter_mut().for_each(|evidence| in_samples(&mut evidence.unit));
        }
    }
    Ok(Examination {
        schema: EXAMINATION_SCHEMA.to_owned(),
        number: None,
        host: host(capture, diagnosis.host, source),
        from: is_known.then(|| rfc3339(capture.span.since_ms)).transpose()?,
        to: is_known.then(|| rfc3339(capture.span.until_ms)).filter(|_| has_intervals).transpose()?,
        time,
        // Of samples that are only in their order it is none.
        seconds: has_intervals
            .then(|| capture.secs())
            .map(|secs| if !is_known && secs < 0.1 { 0.0 } else { secs }),
        time_zone: None,
        files: Vec::new(),
        vitals: diagnosis.vitals,
        ledger: diagnosis.ledger,
        cpu_use: diagnosis.cpu_use,
        command: diagnosis.command,
        groups,
        findings,
        stretches: Vec::new(),
        more_stretches: 0,
        ruled_out: diagnosis.ruled_out,
        not_checked,
        errors,
        overhead: Overhead::default(),
    })
}

/// How long a state lasted is a number of samples where nobody knows how long one is.
fn in_samples(unit: &mut String) {
    if unit == OF_RECORDING {
        OF_SAMPLES.clone_into(unit);
    }
}

/// Said to root in place of "run as root".
const DENIED_TO_ROOT: &str = "denied even to root (container, lockdown)";

fn needs_root(how: &str) -> bool {
    how.starts_with("run as root")
}

/// What was not measured is part of the answer: it limits what is *ruled out*.
fn not_seen(missing: &Missing, is_live_root: bool) -> ErrorNote {
    let how = match missing.how.as_str() {
        how if how.is_empty() || missing.why.contains(how) => String::new(),
        how if is_live_root && needs_root(how) => format!(" ({DENIED_TO_ROOT})"),
        how => format!(" ({how})"),
    };
    ErrorNote { place: missing.what.clone(), what: format!("{}{how}", missing.why) }
}

fn host(capture: &Capture, facts: HostFacts, source: &str) -> HostSummary {
    HostSummary {
        name: capture.host.clone(),
        kernel: facts.kernel.unwrap_or_else(|| "unknown".to_owned()),
        os: facts.os,
        cpus: facts.cpus,
        memory_bytes: facts.memory_bytes,
        source: source.to_owned(),
        method: capture.method,
        coverage: capture.coverage,
    }
}
