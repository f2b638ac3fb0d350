//! Undoes changes, or confirms them.

use heldup_model::{
    ConfirmedChange, TUNE_CONFIRM_SCHEMA, TUNE_UNDO_SCHEMA, TuneConfirmAnswer, TuneUndoAnswer, UndoneChange,
};
use heldup_tune::{Change, ChangeError, ChangeId, Foreign, Recovered, Term, Undone};

use super::changed::{ChangedHost, writer};
use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::progress::Progress;

/// What is undone.
#[derive(Clone, Debug)]
pub struct UndoRequest {
    /// Which changes.
    pub which: UndoWhich,
    /// Also what others have modified since.
    pub force: bool,
}

/// Which changes are undone.
#[derive(Clone, Debug)]
pub enum UndoWhich {
    /// Those of the latest plan in effect.
    Latest,
    /// All in effect.
    All,
    /// Some, by number or setting: the latest change of each.
    Named(Vec<String>),
}

/// Undoes changes; an answer without changes if none is in effect. It goes on to its end whatever asks to stop:
/// nobody wants half an undo.
pub fn undo(request: &UndoRequest, progress: &dyn Progress, cancel: &Cancel) -> Result<TuneUndoAnswer> {
    let _interrupts = cancel.begin()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, progress)?;
    let changes = writer.changes()?;
    let ids = chosen(&request.which, &changes)?;
    if ids.is_empty() {
        return Ok(answer(Vec::new()));
    }
    let foreign = if request.force { Foreign::Goes } else { Foreign::Stays };
    let outcomes = writer.undo(&ids, foreign)?;
    let known = |id: ChangeId| changes.iter().find(|change| change.id() == id);
    let all = outcomes.iter();
    Ok(answer(all.map(|(id, outcome)| undone(*id, known(*id), outcome)).collect()))
}

/// Which changes are meant; none if nothing is in effect.
fn chosen(which: &UndoWhich, changes: &[Change]) -> Result<Vec<ChangeId>> {
    let in_effect = |change: &&Change| !change.is_over();
    let last = changes.iter().rfind(in_effect).map(Change::plan);
    let all = changes.iter().filter(in_effect);
    Ok(match which {
        UndoWhich::Latest => all.filter(|change| Some(change.plan()) == last).map(Change::id).collect(),
        UndoWhich::All => all.map(Change::id).collect(),
        UndoWhich::Named(words) => {
            let one = |word: &String| {
                let found = changes.iter().rfind(|change| !change.is_over() && is_named(change, word));
                found.map(Change::id).ok_or_else(|| {
                    let what = format!("unknown change `{word}` (see `heldup tune status`)");
                    EngineError::unknown_name(what)
                })
            };
            words.iter().map(one).collect::<Result<_>>()?
        }
    })
}

/// Whether a word means a change: its number, or the key or path of its setting; of a control group also the
/// name of its folder.
fn is_named(change: &Change, word: &str) -> bool {
    let setting = &change.begin.setting;
    let by_folder = || {
        let rest = word.strip_prefix("cgroup:").filter(|rest| !rest.starts_with('/'))?;
        Some(setting.key.starts_with("cgroup:/") && setting.key.ends_with(&format!("/{rest}")))
    };
    word.parse() == Ok(change.id())
        || setting.key == word
        || setting.path == word
        || by_folder().unwrap_or(false)
}

fn answer(changes: Vec<UndoneChange>) -> TuneUndoAnswer {
    TuneUndoAnswer { schema: TUNE_UNDO_SCHEMA.to_owned(), changes }
}

fn undone(id: ChangeId, change: Option<&Change>, outcome: &Result<Undone, ChangeError>) -> UndoneChange {
    UndoneChange {
        change: id,
        setting: change.map(|change| change.begin.setting.key.clone()),
        before: change.map(|change| change.begin.setting.before.clone()),
        undone: outcome.is_ok(),
        gone: outcome.as_ref().is_ok_and(|undone| undone.gone),
        left_in: outcome.as_ref().ok().and_then(|undone| undone.left.clone()),
        error: outcome.as_ref().err().map(ToString::to_string),
    }
}

/// The answer of what had to be undone of earlier runs.
pub(super) fn recovered(all: &[Recovered]) -> TuneUndoAnswer {
    let one = |one: &Recovered| undone(one.change.id(), Some(&one.change), &one.outcome);
    answer(all.iter().map(one).collect())
}

/// Confirms plans that wait for it: those of some changes, or all without any.
pub fn confirm(ids: &[ChangeId], progress: &dyn Progress, cancel: &Cancel) -> Result<TuneConfirmAnswer> {
    let _interrupts = cancel.begin()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, progress)?;
    let changes = writer.changes()?;
    let waits = |change: &&Change| !change.is_over() && matches!(change.term, Term::Until(_));
    let waiting: Vec<&Change> = changes.iter().filter(waits).collect();
    if let Some(id) = ids.iter().find(|id| !waiting.iter().any(|change| change.id() == **id)) {
        return Err(EngineError::not_found(format!(
            "change {id} does not wait for confirmation (see `heldup tune status`)"
        )));
    }
    let meant = waiting.iter().filter(|change| ids.is_empty() || ids.contains(&change.id()));
    let mut plans: Vec<ChangeId> = meant.map(|change| change.plan()).collect();
    plans.dedup();
    if plans.is_empty() {
        return Err(EngineError::not_found("no change waits for confirmation"));
    }
    let mut answer =
        TuneConfirmAnswer { schema: TUNE_CONFIRM_SCHEMA.to_owned(), ..TuneConfirmAnswer::default() };
    for plan in plans {
        if let Err(error) = writer.confirm(plan) {
            answer.error = Some(EngineError::from(error).whole());
            break;
        }
        let of_plan = waiting.iter().filter(|change| change.plan() == plan);
        answer.changes.extend(of_plan.map(|change| ConfirmedChange {
            change: change.id(),
            setting: change.begin.setting.key.clone(),
        }));
    }
    Ok(answer)
}

/// Undoes what earlier runs left unfinished; that alone is what getting the right to write does, and what it
/// undid is noted.
pub fn recover(progress: &dyn Progress, cancel: &Cancel) -> Result<TuneUndoAnswer> {
    let _interrupts = cancel.begin()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, progress)?;
    Ok(recovered(writer.recovered()))
}
