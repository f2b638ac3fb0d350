//! `heldup tune undo|confirm|recover`: takes changes back, or lets them stand.

use heldup_hostfs::Interrupts;
use heldup_model::{TUNE_UNDO_SCHEMA, TuneUndoAnswer, UndoneChange};
use heldup_report::{harmless, setting_changes};
use heldup_tune::{Change, ChangeError, ChangeId, Foreign, TakenBack, Term};

use super::change_args::UndoArgs;
use super::changed_host::print;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::WrongUsage;
use crate::terminal::Progress;
use heldup_engine::changed::{ChangedHost, writer};

/// Takes changes back.
pub fn run(args: &UndoArgs) -> anyhow::Result<Exit> {
    // It goes on to its end: half taken back is what nobody wants.
    let _interrupts = Interrupts::watch()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, &Progress::notes())?;
    let changes = writer.changes()?;
    let Some(ids) = chosen(args, &changes)? else {
        match args.format {
            Format::Text => println!("Nothing of ours stands."),
            Format::Json => print!("{}", setting_changes::json(&answer(Vec::new()))),
        }
        return Ok(Exit::DONE);
    };
    let foreign = if args.force { Foreign::Goes } else { Foreign::Stays };
    let outcomes = writer.undo(&ids, foreign)?;
    let known = |id: ChangeId| changes.iter().find(|change| change.id() == id);
    match args.format {
        Format::Text => {
            for (id, outcome) in &outcomes {
                said(*id, known(*id), outcome);
            }
        }
        Format::Json => {
            let all = outcomes.iter();
            print!(
                "{}",
                setting_changes::json(&answer(
                    all.map(|(id, outcome)| told(*id, known(*id), outcome)).collect()
                ))
            );
        }
    }
    Ok(if outcomes.iter().all(|(_, outcome)| outcome.is_ok()) { Exit::DONE } else { Exit::COULD_NOT })
}

/// Which changes are meant; none where nothing stands.
fn chosen(args: &UndoArgs, changes: &[Change]) -> anyhow::Result<Option<Vec<ChangeId>>> {
    let stands = |change: &&Change| !change.is_over();
    if !args.changes.is_empty() {
        let one = |word: &String| {
            let found = changes.iter().rfind(|change| !change.is_over() && is_named(change, word));
            found.map(Change::id).ok_or_else(|| {
                let word = harmless(word);
                WrongUsage(format!("no change {word} stands; `heldup tune status` shows which do"))
            })
        };
        return Ok(Some(args.changes.iter().map(one).collect::<Result<_, _>>()?));
    }
    let last = changes.iter().rfind(stands).map(Change::plan);
    let meant = |change: &&Change| args.all || Some(change.plan()) == last;
    let ids: Vec<ChangeId> = changes.iter().filter(stands).filter(meant).map(Change::id).collect();
    Ok(if ids.is_empty() { None } else { Some(ids) })
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

fn said(id: ChangeId, change: Option<&Change>, outcome: &Result<TakenBack, ChangeError>) {
    match (outcome, change.map(|change| &change.begin.setting)) {
        (Ok(taken), Some(setting)) => {
            let said = if taken.gone {
                format!("change {id}: what {} was of is gone", setting.key)
            } else {
                format!("change {id}: {} is {} again", setting.key, setting.before)
            };
            print(&harmless(&said));
            println!();
            if let Some(file) = &taken.left {
                println!("  its line in {file} was edited since and is left");
            }
        }
        (Ok(_), None) => println!("change {id}: taken back"),
        (Err(error), _) => eprintln!("heldup: change {id}: {}", harmless(&error.to_string())),
    }
}

fn answer(changes: Vec<UndoneChange>) -> TuneUndoAnswer {
    TuneUndoAnswer { schema: TUNE_UNDO_SCHEMA.to_owned(), changes }
}

fn told(id: ChangeId, change: Option<&Change>, outcome: &Result<TakenBack, ChangeError>) -> UndoneChange {
    UndoneChange {
        change: id,
        setting: change.map(|change| change.begin.setting.key.clone()),
        before: change.map(|change| change.begin.setting.before.clone()),
        taken_back: outcome.is_ok(),
        gone: outcome.as_ref().is_ok_and(|taken| taken.gone),
        left_in: outcome.as_ref().ok().and_then(|taken| taken.left.clone()),
        error: outcome.as_ref().err().map(ToString::to_string),
    }
}

/// Lets plans stand that wait for it.
pub fn confirm(ids: &[ChangeId]) -> anyhow::Result<Exit> {
    let _interrupts = Interrupts::watch()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, &Progress::notes())?;
    let changes = writer.changes()?;
    let waits = |change: &&Change| !change.is_over() && matches!(change.term, Term::Until(_));
    let waiting: Vec<&Change> = changes.iter().filter(waits).collect();
    if let Some(id) = ids.iter().find(|id| !waiting.iter().any(|change| change.id() == **id)) {
        eprintln!("heldup: change {id} does not wait to be confirmed");
        return Ok(Exit::COULD_NOT);
    }
    let meant = waiting.iter().filter(|change| ids.is_empty() || ids.contains(&change.id()));
    let mut plans: Vec<ChangeId> = meant.map(|change| change.plan()).collect();
    plans.dedup();
    if plans.is_empty() {
        eprintln!("heldup: nothing waits to be confirmed");
        return Ok(Exit::COULD_NOT);
    }
    for plan in plans {
        writer.confirm(plan)?;
        let of_plan = waiting.iter().filter(|change| change.plan() == plan);
        of_plan.for_each(|change| {
            println!("change {}: {} stands", change.id(), harmless(&change.begin.setting.key));
        });
    }
    Ok(Exit::DONE)
}

/// Takes back what earlier runs left unfinished; that alone is what getting the right to write does.
pub fn recover() -> anyhow::Result<Exit> {
    let _interrupts = Interrupts::watch()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, &Progress::notes())?;
    let failed = writer.taken_back_first().iter().any(|recovered| recovered.outcome.is_err());
    if writer.taken_back_first().is_empty() {
        println!("Nothing was left unfinished.");
    }
    Ok(if failed { Exit::COULD_NOT } else { Exit::DONE })
}
