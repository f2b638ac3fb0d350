//! Changes and their state, for people.

use std::fmt::Write;

use heldup_model::{ChangeNow, TuneStatusAnswer};

use crate::harmless;

/// Changes in a line each, and another of what is set at boot.
pub fn status(answer: &TuneStatusAnswer) -> String {
    if answer.changes.is_empty() {
        return "No changes in effect.\n".to_owned();
    }
    let mut out = String::new();
    for one in &answer.changes {
        let line = format!("change {}, {}: {}", one.change, one.setting, words(one));
        let _ = writeln!(out, "{}", harmless(&line));
        match (&one.at_boot_by, one.at_boot_intact) {
            (Some(file), Some(true)) => _ = writeln!(out, "  also set at boot by {}", harmless(file)),
            (Some(file), Some(false)) => {
                let _ = writeln!(out, "  its line in {} is missing or edited", harmless(file));
            }
            _ => {}
        }
    }
    out
}

/// Its state, in a few words.
fn words(change: &ChangeNow) -> String {
    let ChangeNow { before, to, .. } = change;
    let now = change.now.as_deref().unwrap_or_default();
    let why = reason(change.why.as_deref().unwrap_or_default());
    match change.state.as_str() {
        "waits" => {
            let left_s = change.confirm_within_s.unwrap_or_default().ceil();
            format!("{before} → {now}, undone in {left_s} s unless confirmed")
        }
        "covered" => {
            let by = change.covered_by.unwrap_or_default();
            format!("{before} → {to}, changed again by change {by}: {now} now")
        }
        "drifted" => format!("{before} → {to}, {now} now (modified by someone else)"),
        "unreadable" => format!("{before} → {to}, cannot be read now"),
        "unfinished" => format!("{why}; the next `heldup tune apply` or `undo` undoes it"),
        "undone" => format!("{why}, undone: {now} now"),
        "gone" => format!("undone by a reboot: {now} now"),
        _ => format!("{before} → {now}"),
    }
}

/// Why a change was, or will be, undone.
fn reason(why: &str) -> &str {
    match why {
        "asked" => "was to be undone",
        "cut_off" => "was interrupted",
        "not_confirmed" => "was not confirmed in time",
        "refused" => "was refused",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::TUNE_STATUS_SCHEMA;

    use super::*;

    fn change(state: &str) -> ChangeNow {
        ChangeNow {
            change: 3,
            plan: 3,
            setting: "vm.a\u{1b}".to_owned(),
            path: "/proc/sys/vm/a".to_owned(),
            before: "1".to_owned(),
            to: "2".to_owned(),
            now: Some("5".to_owned()),
            state: state.to_owned(),
            why: None,
            covered_by: None,
            confirm_within_s: None,
            at_boot_by: None,
            at_boot_intact: None,
        }
    }

    fn said(change: ChangeNow) -> String {
        status(&TuneStatusAnswer { schema: TUNE_STATUS_SCHEMA.to_owned(), changes: vec![change] })
    }

    #[test]
    fn each_state_has_its_words() {
        let of = |what: &str| format!("change 3, vm.a\\x1b: {what}\n");
        assert_eq!(said(change("in_effect")), of("1 → 5"));
        let waits = ChangeNow { confirm_within_s: Some(12.000_000_001), ..change("waits") };
        assert_eq!(said(waits), of("1 → 5, undone in 13 s unless confirmed"));
        let covered = ChangeNow { covered_by: Some(4), ..change("covered") };
        assert_eq!(said(covered), of("1 → 2, changed again by change 4: 5 now"));
        assert_eq!(said(change("drifted")), of("1 → 2, 5 now (modified by someone else)"));
        assert_eq!(said(change("unreadable")), of("1 → 2, cannot be read now"));
        let cut_off = |state| ChangeNow { why: Some("cut_off".to_owned()), ..change(state) };
        assert_eq!(
            said(cut_off("unfinished")),
            of("was interrupted; the next `heldup tune apply` or `undo` undoes it")
        );
        assert_eq!(said(cut_off("undone")), of("was interrupted, undone: 5 now"));
        assert_eq!(said(change("gone")), of("undone by a reboot: 5 now"));
    }

    #[test]
    fn what_is_set_at_boot_has_a_line() {
        let at_boot = |intact| ChangeNow {
            at_boot_by: Some("/etc/a.conf".to_owned()),
            at_boot_intact: Some(intact),
            ..change("in_effect")
        };
        assert!(said(at_boot(true)).ends_with("\n  also set at boot by /etc/a.conf\n"));
        assert!(said(at_boot(false)).ends_with("\n  its line in /etc/a.conf is missing or edited\n"));
        let nothing = TuneStatusAnswer { schema: TUNE_STATUS_SCHEMA.to_owned(), changes: Vec::new() };
        assert_eq!(status(&nothing), "No changes in effect.\n");
    }
}
