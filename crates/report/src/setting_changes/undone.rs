//! What was undone or confirmed, for people.

use heldup_model::{TuneConfirmAnswer, TuneUndoAnswer};

use crate::harmless;

/// What was undone; what could not be is an error of its change.
pub fn undone(answer: &TuneUndoAnswer) -> String {
    if answer.changes.is_empty() {
        return "No changes in effect.\n".to_owned();
    }
    let mut out = String::new();
    for change in answer.changes.iter().filter(|change| change.undone) {
        let id = change.change;
        let line = match (&change.setting, &change.before) {
            (Some(setting), _) if change.gone => format!("change {id} undone: {setting} no longer exists"),
            (Some(setting), Some(before)) => format!("change {id} undone: {setting} is {before} again"),
            _ => format!("change {id} undone"),
        };
        out += &(harmless(&line) + "\n");
        if let Some(file) = &change.left_in {
            out += &(harmless(&format!("  its line in {file} was edited since and is kept")) + "\n");
        }
    }
    out
}

/// That there was nothing to undo; what was undone is noted already.
pub fn recovered(answer: &TuneUndoAnswer) -> &'static str {
    if answer.changes.is_empty() { "No unfinished changes.\n" } else { "" }
}

/// What was confirmed.
pub fn confirmed(answer: &TuneConfirmAnswer) -> String {
    let changes = answer.changes.iter();
    changes.map(|one| format!("change {} confirmed: {}\n", one.change, harmless(&one.setting))).collect()
}

#[cfg(test)]
mod tests {
    use heldup_model::{ConfirmedChange, TUNE_UNDO_SCHEMA, UndoneChange};

    use super::*;

    #[test]
    fn each_change_says_what_it_is_again() {
        let change = |number, gone, undone| UndoneChange {
            change: number,
            setting: Some("vm.a\u{1b}".to_owned()),
            before: Some("1".to_owned()),
            undone,
            gone,
            left_in: (number == 1).then(|| "/etc/a.conf".to_owned()),
            error: None,
        };
        let changes = vec![change(1, false, true), change(2, true, true), change(3, false, false)];
        let mut answer = TuneUndoAnswer { schema: TUNE_UNDO_SCHEMA.to_owned(), changes };
        assert_eq!(
            undone(&answer),
            "change 1 undone: vm.a\\x1b is 1 again\n  its line in /etc/a.conf was edited since and is kept\n\
             change 2 undone: vm.a\\x1b no longer exists\n"
        );
        assert_eq!(recovered(&answer), "");
        answer.changes.clear();
        assert_eq!(
            (undone(&answer).as_str(), recovered(&answer)),
            ("No changes in effect.\n", "No unfinished changes.\n")
        );
    }

    #[test]
    fn what_was_confirmed_is_named() {
        let changes = vec![ConfirmedChange { change: 3, setting: "vm.a".to_owned() }];
        let text = confirmed(&TuneConfirmAnswer { changes, ..TuneConfirmAnswer::default() });
        assert_eq!(text, "change 3 confirmed: vm.a\n");
    }
}
