//! Changes in effect, modified by others since, or undone by a boot.
//!
//! It only reads, also while another run writes.

use heldup_model::{ChangeNow, TUNE_STATUS_SCHEMA, TuneStatusAnswer};
use heldup_tune::{Change, ChangeId, State, Term, Why, read_value};

use super::changed::ChangedHost;
use crate::error::Result;

/// What is changed.
pub fn status() -> Result<TuneStatusAnswer> {
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let changes = changer.changes()?;
    let (boot, now_ns) = changer.now()?;
    let told = shown(&changes, &boot).map(|change| told(&changed, &changes, change, &boot, now_ns));
    Ok(TuneStatusAnswer { schema: TUNE_STATUS_SCHEMA.to_owned(), changes: told.collect() })
}

/// What is in effect, what was undone in this boot without a request, and changes of the boot before.
fn shown<'c>(changes: &'c [Change], boot: &'c str) -> impl Iterator<Item = &'c Change> {
    let before = changes.iter().rfind(|change| change.begin.boot != boot);
    let before = before.map(|change| change.begin.boot.as_str());
    changes.iter().filter(move |change| match change.state {
        State::Undone(why) => change.begin.boot == boot && matches!(why, Why::CutOff | Why::NotConfirmed),
        State::Gone => Some(change.begin.boot.as_str()) == before,
        _ => true,
    })
}

/// State of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// As it was left.
    InEffect,
    /// As it was left; waits for confirmation.
    Waits { left_ns: u64 },
    /// A later change of ours has set it again.
    Covered { by: ChangeId },
    /// Somebody else has set it since.
    Drifted,
    /// It cannot be read: its device is gone.
    Unreadable,
    /// A run was interrupted, or nobody confirmed it; the next run undoes it.
    Unfinished(Why),
    /// Undone by the next run or the guard.
    Undone(Why),
    /// Undone by a boot.
    Gone,
}

fn told(changed: &ChangedHost, changes: &[Change], change: &Change, boot: &str, now_ns: u64) -> ChangeNow {
    let path = &change.begin.setting.path;
    let text = read_value(&changed.host, path).ok();
    let now = text.map(|text| changed.catalogue.canonical(path, &text));
    let how = how(changes, change, now.as_deref(), boot, now_ns);
    let at_boot = change.begin.persisted.as_ref().filter(|_| !change.is_over()).map(|persisted| {
        let file = changed.host.read(&persisted.path).unwrap_or_default();
        String::from_utf8_lossy(&file).contains(&persisted.lines)
    });
    answer(change, how, now, at_boot)
}

fn how(changes: &[Change], change: &Change, now: Option<&str>, boot: &str, now_ns: u64) -> How {
    let gone = change.begin.boot != boot && change.begin.persisted.is_none();
    match (&change.state, change.recovers(boot, now_ns)) {
        (State::Undone(why), _) => How::Undone(*why),
        (State::Gone, _) => How::Gone,
        _ if gone => How::Gone,
        (_, Some(why)) => How::Unfinished(why),
        (State::Done { now: left, .. }, None) => match (now, change.under(changes), change.term) {
            (None, ..) => How::Unreadable,
            (_, Some(later), _) => How::Covered { by: later.id() },
            (Some(now), ..) if now != left => How::Drifted,
            (_, _, Term::Until(until)) => How::Waits { left_ns: until.saturating_sub(now_ns) },
            _ => How::InEffect,
        },
        (State::Begun | State::Undoing, None) => How::Unfinished(Why::CutOff),
    }
}

fn answer(change: &Change, how: How, now: Option<String>, at_boot_intact: Option<bool>) -> ChangeNow {
    let begin = &change.begin;
    let (state, why, left_ns) = match how {
        How::InEffect => ("in_effect", None, None),
        How::Waits { left_ns } => ("waits", None, Some(left_ns)),
        How::Covered { .. } => ("covered", None, None),
        How::Drifted => ("drifted", None, None),
        How::Unreadable => ("unreadable", None, None),
        How::Unfinished(why) => ("unfinished", Some(word(why)), None),
        How::Undone(why) => ("undone", Some(word(why)), None),
        How::Gone => ("gone", None, None),
    };
    ChangeNow {
        change: begin.id,
        plan: change.plan(),
        setting: begin.setting.key.clone(),
        path: begin.setting.path.clone(),
        before: begin.setting.before.clone(),
        to: begin.to.clone(),
        now,
        state: state.to_owned(),
        why: why.map(str::to_owned),
        covered_by: match how {
            How::Covered { by } => Some(by),
            _ => None,
        },
        confirm_within_s: left_ns.map(|ns| ns as f64 / 1e9),
        at_boot_by: begin.persisted.as_ref().map(|persisted| persisted.path.clone()),
        at_boot_intact,
    }
}

/// The word of answers.
fn word(why: Why) -> &'static str {
    match why {
        Why::Asked => "asked",
        Why::CutOff => "cut_off",
        Why::NotConfirmed => "not_confirmed",
        Why::Refused => "refused",
    }
}
