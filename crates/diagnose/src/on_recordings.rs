//! What a rule asks of a recording of another tool, which knows nothing of what tasks waited for.
//!
//! `vmstat`, `iostat` and `sar` count states of the machine. A rule that judges waits may have a second
//! question for them, `[recording]`: it says that the state was there and for how long, and leaves open
//! its victims. On a live machine the first question is always used.
//!
//! What a kernel's log says (`beside = true`) is known whether or not the columns of the first question are
//! in the recording, and the first where they are: both are asked then, the log first.
//!
//! A listing of one moment (`ss`, `top`, `ps`, `ethtool -S`) has neither an interval nor a second reading. What such a
//! listing can show, a full queue or a counter since boot, is a third question, `[moment]`: it is asked last, so that
//! what was measured over time has precedence.

use heldup_model::tables::TaskTimeRow;
use heldup_model::{Capture, Method, Record};

use crate::document::Rule;

/// Whether a capture is a recording without task waits.
pub(crate) fn is_recording(capture: &Capture) -> bool {
    let batches = capture.tables.get(TaskTimeRow::DEF.name).map(Vec::as_slice).unwrap_or_default();
    capture.method == Method::Imported && batches.iter().all(|batch| batch.num_rows() == 0)
}

/// The questions that are for this capture: the first that finds something decides, and where none
/// does the last.
pub(crate) fn questions<'a>(rule: &'a Rule, capture: &Capture) -> impl Iterator<Item = &'a Rule> {
    let other = rule.on_recordings.as_deref().filter(|_| is_recording(capture));
    let own = other.is_none_or(|other| other.beside).then_some(rule);
    other.into_iter().chain(own)
}

/// The question about one moment, if it is for this capture.
pub(crate) fn of_moment<'a>(rule: &'a Rule, capture: &Capture) -> Option<&'a Rule> {
    rule.on_moments.as_deref().filter(|_| is_recording(capture))
}
