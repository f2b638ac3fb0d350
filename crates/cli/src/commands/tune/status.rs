//! `heldup tune status`: what of ours stands, what somebody else has set since, what a boot took back.
//!
//! It only reads, also while another run writes.

use std::fmt::Write;

use heldup_model::{ChangeNow, TUNE_STATUS_SCHEMA, TuneStatusAnswer};
use heldup_report::{harmless, setting_changes};
use heldup_tune::{Change, ChangeId, State, Term, Why, read_value};

use super::changed_host::{named, print, word};
use crate::args::Format;
use crate::exit::Exit;
use heldup_engine::changed::{ChangedHost, reason};

/// Tells what is changed.
pub fn run(format: Format) -> anyhow::Result<Exit> {
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let changes = changer.changes()?;
    let (boot, now_ns) = changer.now()?;
    let told: Vec<Told> =
        shown(&changes, &boot).map(|change| Told::of(&changed, &changes, change, &boot, now_ns)).collect();
    match format {
        Format::Text => print(&text(&told)),
        Format::Json => {
            let changes = told.iter().map(Told::answer).collect();
            print!(
                "{}",
                setting_changes::json(&TuneStatusAnswer { schema: TUNE_STATUS_SCHEMA.to_owned(), changes })
            );
        }
    }
    Ok(Exit::DONE)
}

/// What stands, what this boot took back by itself, and what the boot before had and a boot took back.
fn shown<'c>(changes: &'c [Change], boot: &'c str) -> impl Iterator<Item = &'c Change> {
    let before = changes.iter().rfind(|change| change.begin.boot != boot);
    let before = before.map(|change| change.begin.boot.as_str());
    changes.iter().filter(move |change| match change.state {
        State::Undone(why) => change.begin.boot == boot && matches!(why, Why::CutOff | Why::NotConfirmed),
        State::Gone => Some(change.begin.boot.as_str()) == before,
        _ => true,
    })
}

/// How a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// As it was left.
    Stands,
    /// As it was left, until nobody confirms it.
    Waits { left_ns: u64 },
    /// A later change of ours has set it again.
    Covered { by: ChangeId },
    /// Somebody else has set it since.
    Drifted,
    /// It cannot be read: a device that is gone.
    Unreadable,
    /// A run was cut off, or nobody confirmed it; the next run takes it back.
    Unfinished(Why),
    /// Taken back by the next run or the guard.
    TakenBack(Why),
    /// A boot took it back.
    Gone,
}

struct Told<'c> {
    change: &'c Change,
    now: Option<String>,
    how: How,
    /// Its lines are in the file of what is set at boot, where they should be.
    at_boot: Option<bool>,
}

impl<'c> Told<'c> {
    fn of(
        changed: &ChangedHost,
        changes: &[Change],
        change: &'c Change,
        boot: &str,
        now_ns: u64,
    ) -> Told<'c> {
        let path = &change.begin.setting.path;
        let text = read_value(&changed.host, path).ok();
        let now = text.map(|text| changed.catalogue.canonical(path, &text));
        let gone = change.begin.boot != boot && change.begin.persisted.is_none();
        let how = match (&change.state, change.recovers(boot, now_ns)) {
            (State::Undone(why), _) => How::TakenBack(*why),
            (State::Gone, _) => How::Gone,
            _ if gone => How::Gone,
            (_, Some(why)) => How::Unfinished(why),
            (State::Done { now: left, .. }, None) => match (&now, change.under(changes), change.term) {
                (None, ..) => How::Unreadable,
                (_, Some(later), _) => How::Covered { by: later.id() },
                (Some(now), ..) if now != left => How::Drifted,
                (_, _, Term::Until(until)) => How::Waits { left_ns: until.saturating_sub(now_ns) },
                _ => How::Stands,
            },
            (State::Begun | State::Undoing, None) => How::Unfinished(Why::CutOff),
        };
        let at_boot = change.begin.persisted.as_ref().filter(|_| !change.is_over()).map(|persisted| {
            let file = changed.host.read(&persisted.path).unwrap_or_default();
            String::from_utf8_lossy(&file).contains(&persisted.lines)
        });
        Told { change, now, how, at_boot }
    }

    /// What it is, in a few words.
    fn words(&self) -> String {
        let begin = &self.change.begin;
        let now = self.now.as_deref().unwrap_or_default();
        match self.how {
            How::Stands => format!("{} → {now}", begin.setting.before),
            How::Waits { left_ns } => format!(
                "{} → {now}, taken back in {} s unless confirmed",
                begin.setting.before,
                left_ns.div_ceil(1_000_000_000)
            ),
            How::Covered { by } => format!(
                "{} → {}, and changed again by change {by}: {now} now",
                begin.setting.before, begin.to
            ),
            How::Drifted => format!(
                "{} → {}, and {now} now: somebody else has set it since",
                begin.setting.before, begin.to
            ),
            How::Unreadable => format!("{} → {}, and not to be read now", begin.setting.before, begin.to),
            How::Unfinished(why) => format!("{}; `heldup tune recover` takes it back", reason(why)),
            How::TakenBack(why) => format!("{}, and taken back: {now}", reason(why)),
            How::Gone => format!("a boot took it back: {now}"),
        }
    }

    fn answer(&self) -> ChangeNow {
        let begin = &self.change.begin;
        let (state, why, left_ns) = match self.how {
            How::Stands => ("stands", None, None),
            How::Waits { left_ns } => ("waits", None, Some(left_ns)),
            How::Covered { .. } => ("covered", None, None),
            How::Drifted => ("drifted", None, None),
            How::Unreadable => ("unreadable", None, None),
            How::Unfinished(why) => ("unfinished", Some(word(why)), None),
            How::TakenBack(why) => ("taken_back", Some(word(why)), None),
            How::Gone => ("gone", None, None),
        };
        ChangeNow {
            change: begin.id,
            plan: self.change.plan(),
            setting: begin.setting.key.clone(),
            path: begin.setting.path.clone(),
            before: begin.setting.before.clone(),
            to: begin.to.clone(),
            now: self.now.clone(),
            state: state.to_owned(),
            why: why.map(str::to_owned),
            covered_by: match self.how {
                How::Covered { by } => Some(by),
                _ => None,
            },
            confirm_within_s: left_ns.map(|ns| ns as f64 / 1e9),
            at_boot_by: begin.persisted.as_ref().map(|persisted| persisted.path.clone()),
            at_boot_intact: self.at_boot,
        }
    }
}

fn text(told: &[Told]) -> String {
    if told.is_empty() {
        return "Nothing of ours is changed.\n".to_owned();
    }
    let mut out = String::new();
    for one in told {
        let _ = writeln!(out, "{}", harmless(&format!("{}: {}", named(one.change), one.words())));
        let file = one.change.begin.persisted.as_ref().map(|persisted| persisted.path.as_str());
        match (file, one.at_boot) {
            (Some(file), Some(true)) => _ = writeln!(out, "  at each boot by {file}"),
            (Some(file), Some(false)) => _ = writeln!(out, "  its line in {file} is gone or edited"),
            _ => {}
        }
    }
    out
}
