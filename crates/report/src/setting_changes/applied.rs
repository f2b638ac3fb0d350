//! What was changed, or why nothing was, for people.

use std::fmt::Write;
use std::time::Duration;

use heldup_model::{MadeChange, TuneApplyAnswer};

use crate::harmless;

/// What was done, and how to undo it.
pub fn applied(answer: &TuneApplyAnswer) -> String {
    let mut out: String = answer.changes.iter().map(made).collect();
    let Some(plan) = answer.plan else { return out };
    let _ = match answer.confirm_within_s {
        Some(seconds) => {
            let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            writeln!(out, "Undone in {time:?} unless confirmed: heldup tune confirm {plan}")
        }
        None if answer.persist => {
            writeln!(out, "Undo: heldup tune undo (also what is set at boot)")
        }
        None => writeln!(out, "Undo: heldup tune undo, or a reboot"),
    };
    out
}

/// One change that was made.
pub fn made(change: &MadeChange) -> String {
    let MadeChange { setting, before, to, now, .. } = change;
    let Some(id) = change.change else { return harmless(&format!("{setting} is already {now}")) + "\n" };
    let mut out = harmless(&format!("change {id}: {setting} {before} → {now}")) + "\n";
    if now != to {
        out += &(harmless(&format!("  the kernel set {now} instead of {to}")) + "\n");
    }
    for other in &change.moved {
        let moved = format!("  also changed: {} {} → {}", other.setting, other.before, other.now);
        out += &(harmless(&moved) + "\n");
    }
    out
}

/// Why nothing was done, one line each.
pub fn not_applied(answer: &TuneApplyAnswer) -> String {
    let mut out = harmless(answer.error.as_deref().unwrap_or_default()) + "\n";
    for change in &answer.undone {
        let line = format!("undone: {} is {} again", change.setting, change.before);
        out += &(harmless(&line) + "\n");
    }
    for error in &answer.not_undone {
        let line = format!("not undone: {error}; the next `heldup tune apply` or `undo` tries again");
        out += &(harmless(&line) + "\n");
    }
    if answer.not_undone.is_empty() {
        out += "nothing was changed\n";
    }
    out
}

#[cfg(test)]
mod tests {
    use heldup_model::{MovedWithChange, TUNE_APPLY_SCHEMA};

    use super::*;

    fn answer() -> TuneApplyAnswer {
        let moved = MovedWithChange {
            setting: "vm.dirty_ratio".to_owned(),
            before: "20".to_owned(),
            now: "0".to_owned(),
        };
        let change = MadeChange {
            change: Some(3),
            setting: "vm.dirty_bytes".to_owned(),
            before: "0".to_owned(),
            to: "4095".to_owned(),
            now: "4096".to_owned(),
            moved: vec![moved],
        };
        TuneApplyAnswer {
            schema: TUNE_APPLY_SCHEMA.to_owned(),
            plan: Some(3),
            changes: vec![change],
            persist: false,
            confirm_within_s: None,
            error: None,
            interrupted: false,
            refused: Vec::new(),
            undone: Vec::new(),
            not_undone: Vec::new(),
        }
    }

    #[test]
    fn what_was_made_says_how_to_undo_it() {
        let change = "change 3: vm.dirty_bytes 0 → 4096\n  the kernel set 4096 instead of 4095\n  \
                      also changed: vm.dirty_ratio 20 → 0\n";
        let mut done = answer();
        assert_eq!(applied(&done), format!("{change}Undo: heldup tune undo, or a reboot\n"));
        done.persist = true;
        let at_boot = "Undo: heldup tune undo (also what is set at boot)\n";
        assert_eq!(applied(&done), format!("{change}{at_boot}"));
        done.confirm_within_s = Some(300.0);
        let waits = "Undone in 300s unless confirmed: heldup tune confirm 3\n";
        assert_eq!(applied(&done), format!("{change}{waits}"));
    }

    #[test]
    fn what_was_not_made_says_why_and_what_is_left() {
        let mut failed = answer();
        (failed.undone, failed.error) = (std::mem::take(&mut failed.changes), Some("no\u{1b}".to_owned()));
        let again = "undone: vm.dirty_bytes is 0 again\n";
        assert_eq!(not_applied(&failed), format!("no\\x1b\n{again}nothing was changed\n"));
        failed.not_undone = vec!["it is busy".to_owned()];
        let left = "not undone: it is busy; the next `heldup tune apply` or `undo` tries again\n";
        assert_eq!(not_applied(&failed), format!("no\\x1b\n{again}{left}"));
    }
}
