//! Undoes a plan that nobody confirms: this program, detached from whoever started it.
//!
//! It survives the terminal and the session; where it is ended too, the next run of heldup that writes
//! undoes the plan, and a boot does in any case.

use heldup_hostfs::{HostError, boottime_ns, sleep_until_boottime, start_detached};
use heldup_model::TuneUndoAnswer;
use heldup_tune::{Change, ChangeId, Term};

use super::changed::ChangedHost;
use super::undo;
use crate::error::Result;

/// How often it checks whether there is something left to undo.
const CHECK_NS: u64 = 10_000_000_000;

/// Starts it for a plan that the caller is still at work on.
pub(super) fn start(plan: ChangeId) -> Result<(), HostError> {
    let words = ["tune".into(), "guard".into(), "--plan".into(), plan.to_string().into()];
    start_detached(&words).map(drop)
}

/// Waits for whoever made the plan, and then for its time; what it undid.
pub fn guard(plan: ChangeId) -> Result<TuneUndoAnswer> {
    let changed = ChangedHost::live();
    let changer = changed.changer();
    // A plan whose run was interrupted is undone by this alone.
    drop(changer.wait_for_writer()?);
    loop {
        // Confirmed or undone meanwhile, perhaps with the log.
        let Some(until_ns) = waits(&changer.changes()?, plan) else { return Ok(undo::recovered(&[])) };
        let now_ns = boottime_ns();
        if until_ns <= now_ns {
            break;
        }
        sleep_until_boottime(until_ns.min(now_ns.saturating_add(CHECK_NS)));
    }
    Ok(undo::recovered(changer.wait_for_writer()?.recovered()))
}

/// Until when a plan waits to be confirmed.
fn waits(changes: &[Change], plan: ChangeId) -> Option<u64> {
    let mut mine = changes.iter().filter(|change| change.plan() == plan && !change.is_over());
    mine.find_map(|change| match change.term {
        Term::Until(until_ns) => Some(until_ns),
        _ => None,
    })
}
