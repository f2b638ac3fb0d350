//! Applies settings and undoes them, whatever ends the program in between.
//!
//! The order is the whole of it: the log says what was before the setting is written, the
//! setting is read back after it, and only then the log says that it is in effect.

use std::collections::{BTreeMap, BTreeSet};

use heldup_hostfs::HostError;

use super::{ChangeError, Changer, Door};
use crate::called;
use crate::catalogue::Catalogue;
use crate::change_log::{
    Begin, Change, ChangeId, Persisted, Saved, State, Step, TORN, Term, Why, read, shortened,
};
use crate::instance::Instance;
use crate::namespace;
use crate::persistence::{self, BootFile};
use crate::tunable::Tunable;
use crate::value::canonical;

/// A change that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The setting; none of a file that the catalogue does not have.
    pub tunable: Option<&'a Tunable>,
    /// Which file of it.
    pub instance: &'a Instance,
    /// The value.
    pub to: &'a str,
    /// What a write of it may change too ([`crate::coupled_instances`]).
    pub coupled: &'a [(&'a Tunable, Instance)],
    /// What makes it at each boot, where it is to last.
    pub persist: Option<&'a BootFile>,
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Its number; none where the value was there already.
    pub id: Option<ChangeId>,
    /// The setting.
    pub key: String,
    /// What it was.
    pub before: String,
    /// Requested value.
    pub to: String,
    /// Value read back; a difference to the requested one is a limit or rounding by the kernel.
    pub now: String,
    /// Settings that changed with it: key, before, now.
    pub moved: Vec<(String, String, String)>,
}

/// A change that an earlier run left unfinished, or that nobody confirmed.
#[derive(Debug)]
pub struct Recovered {
    /// As in the log.
    pub change: Change,
    /// Why it is undone.
    pub why: Why,
    /// What became of it.
    pub outcome: Result<Undone, ChangeError>,
}

/// A change that is undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// The file whose lines of it somebody has edited since, which are left.
    pub left: Option<String>,
    /// Its device, mount or process is gone.
    pub gone: bool,
}

/// The result of each undo.
pub type Outcomes = Vec<(ChangeId, Result<Undone, ChangeError>)>;

/// Whose value an undo may overwrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Values that others have set since stay.
    Stays,
    /// The old value is restored in any case.
    Goes,
}

/// The one run that may write, for as long as it is held.
#[derive(Debug)]
pub struct Writer<'w, 'c, D: Door> {
    changer: &'w Changer<'c, D>,
    boot: String,
    recovered: Vec<Recovered>,
    _lock: D::Lock,
}

impl<'w, 'c, D: Door> Writer<'w, 'c, D> {
    pub(crate) fn open(changer: &'w Changer<'c, D>, lock: D::Lock) -> Result<Writer<'w, 'c, D>, ChangeError> {
        let boot = changer.door.boot()?;
        let mut writer = Writer { changer, boot, recovered: Vec::new(), _lock: lock };
        writer.recover()?;
        writer.shorten()?;
        Ok(writer)
    }

    /// What was undone before anything could be written.
    pub fn recovered(&self) -> &[Recovered] {
        &self.recovered
    }

    /// The catalogue that it goes by.
    pub fn catalogue(&self) -> &'c Catalogue {
        self.changer.catalogue
    }

    /// All changes in the log.
    pub fn changes(&self) -> Result<Vec<Change>, ChangeError> {
        self.changer.changes()
    }

    /// Undoes what was interrupted and what was not confirmed in time, and notes what a boot undid.
    /// What cannot be undone is tried again by the next run; other changes go on.
    fn recover(&mut self) -> Result<(), ChangeError> {
        let now_ns = self.changer.door.now_ns();
        // The latest first: an earlier one may have been made under it.
        let mut in_effect: Vec<Change> = Vec::new();
        for change in self.changes()?.into_iter().rev().filter(|change| !change.is_over()) {
            if change.ended_with(&self.boot) {
                self.append(&Step::Gone { change: change.id() }.line())?;
                continue;
            }
            let Some(why) = change.recovers(&self.boot, now_ns) else {
                in_effect.push(change);
                continue;
            };
            // A later change of the same setting is what somebody wants now.
            let outcome = match change.under(&in_effect) {
                Some(by) => Err(ChangeError::Under { key: change.begin.setting.key.clone(), by: by.id() }),
                None => self.undo_one(&change, why),
            };
            if outcome.is_err() {
                in_effect.push(change.clone());
            }
            self.recovered.push(Recovered { change, why, outcome });
        }
        Ok(())
    }

    /// Leaves out of the log what has long been over. A cut leaves the log as it was, or the shorter one.
    fn shorten(&self) -> Result<(), ChangeError> {
        let log = read(&self.changer.door.log()?)?;
        match shortened(&log) {
            Some(text) => Ok(self.changer.door.replace_log(&text)?),
            None => Ok(()),
        }
    }

    /// Writes a setting, which is in effect from then on.
    pub fn apply(&self, wanted: &Wanted) -> Result<Applied, ChangeError> {
        self.make(wanted, None)
    }

    /// Writes a setting as a part of a plan, whose number is that of its first change; the next run
    /// undoes it unless [`Writer::commit`] has completed the plan.
    pub fn apply_in(&self, wanted: &Wanted, plan: Option<ChangeId>) -> Result<Applied, ChangeError> {
        let plan = match plan {
            Some(plan) => plan,
            None => self.next_id()?,
        };
        self.make(wanted, Some(plan))
    }

    /// Completes a plan: it is permanent, or in effect until a time of CLOCK_BOOTTIME unless it is confirmed.
    pub fn commit(&self, plan: ChangeId, until_ns: Option<u64>) -> Result<(), ChangeError> {
        Ok(self.append(&Step::Committed { plan, until_ns }.line())?)
    }

    /// Makes a plan that is in effect until a time permanent.
    pub fn confirm(&self, plan: ChangeId) -> Result<(), ChangeError> {
        let waits = |change: &Change| {
            change.plan() == plan && !change.is_over() && matches!(change.term, Term::Until(_))
        };
        if !self.changes()?.iter().any(waits) {
            return Err(ChangeError::NoChange(plan));
        }
        Ok(self.append(&Step::Confirmed { plan }.line())?)
    }

    /// Undoes changes, the latest first. The list of them is on the disk before the
    /// first is touched, so that an interrupted run does not undo a part.
    pub fn undo(&self, ids: &[ChangeId], foreign: Foreign) -> Result<Outcomes, ChangeError> {
        let changes = self.changes()?;
        let mut ids: Vec<ChangeId> = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let mut going = Going::default();
        let mut outcomes = Vec::new();
        for id in ids.into_iter().rev() {
            match self.may_go(id, &changes, &going, foreign) {
                Ok(change) => going.add(change),
                Err(error) => outcomes.push((id, Err(error))),
            }
        }
        if !going.changes.is_empty() {
            let changes = going.changes.iter().map(|change| change.id()).collect();
            self.append(&Step::Undo { changes }.line())?;
        }
        for change in going.changes {
            outcomes.push((change.id(), self.undo_one(change, Why::Asked)));
        }
        outcomes.sort_by_key(|(id, _)| *id);
        Ok(outcomes)
    }

    /// Undoes all of a plan.
    pub fn undo_plan(&self, plan: ChangeId, foreign: Foreign) -> Result<Outcomes, ChangeError> {
        let changes = self.changes()?;
        let ids = changes.iter().filter(|change| change.plan() == plan && !change.is_over()).map(Change::id);
        self.undo(&ids.collect::<Vec<_>>(), foreign)
    }

    /// Whether a change may be undone once those that are going are.
    fn may_go<'l>(
        &self,
        id: ChangeId,
        changes: &'l [Change],
        going: &Going,
        foreign: Foreign,
    ) -> Result<&'l Change, ChangeError> {
        let change = changes.iter().find(|change| change.id() == id && !change.is_over());
        let change = change.ok_or(ChangeError::NoChange(id))?;
        let setting = &change.begin.setting;
        self.is_here(&change.begin)?;
        let later = |other: &&Change| {
            other.id() > id
                && !other.is_over()
                && !going.ids.contains(&other.id())
                && other.touches(&setting.path)
        };
        if let Some(by) = changes.iter().find(later) {
            return Err(ChangeError::Under { key: setting.key.clone(), by: by.id() });
        }
        let State::Done { now: expected, .. } = &change.state else { return Ok(change) };
        // What a boot has made of it is not a setting by somebody else.
        if foreign == Foreign::Goes || change.begin.boot != self.boot {
            return Ok(change);
        }
        let now = match going.values.get(setting.path.as_str()) {
            Some(value) => value.clone(),
            None => match self.value(setting) {
                Ok(now) => now,
                Err(error) if error.is_absent() => return Ok(change),
                Err(error) => return Err(error.into()),
            },
        };
        let is = |value: &str| called::is_same(&setting.path, &now, value);
        if is(expected) || is(&setting.before) {
            return Ok(change);
        }
        Err(ChangeError::Drifted { key: setting.key.clone(), now, expected: expected.clone() })
    }

    fn make(&self, wanted: &Wanted, plan: Option<ChangeId>) -> Result<Applied, ChangeError> {
        let Wanted { tunable, instance, to, .. } = *wanted;
        let key = instance.key.clone();
        let judged = called::judged(&instance.path, to);
        if let Some(what) = tunable.and_then(|tunable| tunable.objection(judged, None)) {
            return Err(ChangeError::Unfit { key, what });
        }
        let setting = self.saved(tunable, instance)?;
        if setting.before == to && wanted.persist.is_none() {
            let (before, now) = (to.to_owned(), to.to_owned());
            return Ok(Applied { id: None, key, before, to: now.clone(), now, moved: Vec::new() });
        }
        let mut coupled = Vec::new();
        for (other, at) in wanted.coupled {
            match self.saved(Some(other), at) {
                Ok(saved) => coupled.push(saved),
                // Some answer only while they are of use (wbt_lat_usec): there is nothing to restore.
                Err(error) if !error.is_denied() => {}
                Err(error) => return Err(error.into()),
            }
        }
        let id = self.next_id()?;
        let namespace = namespace::of(&instance.path).and_then(|kind| self.changer.door.namespace(kind));
        let persisted = wanted.persist.map(|file| file.lines(id));
        let begin = Begin {
            id,
            plan,
            boot: self.boot.clone(),
            namespace,
            setting,
            to: to.to_owned(),
            coupled,
            persisted,
        };
        self.append(&Step::Begin(begin.clone()).line())?;
        self.write(&begin).or_else(|error| {
            let change = Change { begin, state: State::Begun, term: Term::Unfinished };
            self.undo_one(&change, Why::Refused)?;
            Err(error)
        })
    }

    /// What comes after the log knows what was before.
    fn write(&self, begin: &Begin) -> Result<Applied, ChangeError> {
        let (setting, to) = (&begin.setting, &begin.to);
        if setting.before != *to {
            let written = self.changer.door.write(&setting.path, to);
            written.map_err(|source| ChangeError::Refused {
                key: setting.key.clone(),
                to: to.clone(),
                source,
            })?;
        }
        let now = self.value(setting)?;
        let (mut moved, mut paths) = (Vec::new(), Vec::new());
        for other in &begin.coupled {
            // One that was there and has gone with the change has no value.
            let value = self.value(other).unwrap_or_default();
            if value != other.before {
                paths.push(other.path.clone());
                moved.push((other.key.clone(), other.before.clone(), value));
            }
        }
        if let Some(persisted) = &begin.persisted {
            let text = persistence::with(&self.file(&persisted.path)?, &persisted.lines);
            self.changer.door.replace(&persisted.path, Some(&text))?;
        }
        self.append(&Step::Done { change: begin.id, now: now.clone(), moved: paths }.line())?;
        let (key, before, to) = (setting.key.clone(), setting.before.clone(), to.clone());
        Ok(Applied { id: Some(begin.id), key, before, to, now, moved })
    }

    /// Restores what was before a change, and notes that; whatever fails, the rest is done.
    fn undo_one(&self, change: &Change, why: Why) -> Result<Undone, ChangeError> {
        let begin = &change.begin;
        self.is_here(begin)?;
        let file = begin.persisted.as_ref().map_or(Ok(Undone::default()), |lines| self.forget(lines));
        let gone = self.restore(change)?;
        let undone = Undone { gone, ..file? };
        self.append(&Step::Undone { change: begin.id, why }.line())?;
        Ok(undone)
    }

    /// Removes our lines from a file that is applied at boot.
    fn forget(&self, persisted: &Persisted) -> Result<Undone, ChangeError> {
        let text = self.file(&persisted.path)?;
        let without = persistence::without(&text, &persisted.lines);
        // Also where nothing is to be taken out: a cut may have left the next text beside it.
        let next = Some(without.text.as_str()).filter(|text| !text.is_empty());
        self.changer.door.replace(&persisted.path, next)?;
        Ok(Undone { left: without.edited.then(|| persisted.path.clone()), gone: false })
    }

    /// Writes what was; whether there is nothing left that it was of.
    fn restore(&self, change: &Change) -> Result<bool, ChangeError> {
        let begin = &change.begin;
        if begin.boot != self.boot {
            // Made by our file at boot, or else what the boot or somebody since has set.
            let ours = match &change.state {
                State::Done { now, .. } => now,
                _ => &begin.to,
            };
            if !self.value(&begin.setting).is_ok_and(|now| now == *ours) {
                return Ok(false);
            }
        }
        // Of a finished change only what moved with it: the rest may be somebody else's by now.
        let ours = |other: &&Saved| match &change.state {
            State::Done { moved, .. } => moved.contains(&other.path),
            _ => true,
        };
        let all: Vec<&Saved> =
            std::iter::once(&begin.setting).chain(begin.coupled.iter().filter(ours)).collect();
        let mut failed = None;
        for saved in all.iter().filter(|saved| !saved.is_unset) {
            let written = match self.value(saved) {
                Ok(now) if called::is_same(&saved.path, &now, &saved.before) => Ok(()),
                Ok(_) => self.changer.door.write(&saved.path, &saved.before),
                Err(error) => Err(error),
            };
            // With a device go its settings.
            failed = failed.or(written.err().filter(|error| !error.is_absent()));
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
        let mut gone = false;
        for saved in &all {
            let now = match self.value(saved) {
                Err(error) if error.is_absent() => {
                    gone |= saved.path == begin.setting.path;
                    continue;
                }
                read => read?,
            };
            if !called::is_same(&saved.path, &now, &saved.before) {
                let (key, before) = (saved.key.clone(), saved.before.clone());
                return Err(ChangeError::NotRestored { key, now, before });
            }
        }
        Ok(gone)
    }

    /// Whether the setting is that of the namespace that this program is in.
    fn is_here(&self, begin: &Begin) -> Result<(), ChangeError> {
        let Some(theirs) = &begin.namespace else { return Ok(()) };
        let kind = theirs.split(':').next().unwrap_or_default();
        let here = self.changer.door.namespace(kind).unwrap_or_default();
        if here == *theirs {
            return Ok(());
        }
        Err(ChangeError::Elsewhere { key: begin.setting.key.clone(), theirs: theirs.clone(), here })
    }

    fn next_id(&self) -> Result<ChangeId, ChangeError> {
        Ok(read(&self.changer.door.log()?)?.last + 1)
    }

    /// Adds a line to the log, behind one that a cut may have left without its end.
    fn append(&self, line: &str) -> Result<(), HostError> {
        let torn = self.changer.door.log()?.last().is_some_and(|byte| *byte != b'\n');
        let end = if torn { format!("{TORN}\n") } else { String::new() };
        self.changer.door.append(&format!("{end}{line}"))
    }

    /// The text of a file; empty where there is none.
    fn file(&self, path: &str) -> Result<String, HostError> {
        match self.changer.door.read(path) {
            Err(error) if error.is_absent() => Ok(String::new()),
            read => read,
        }
    }

    fn saved(&self, tunable: Option<&Tunable>, instance: &Instance) -> Result<Saved, HostError> {
        let text = self.changer.door.read(&instance.path)?;
        let before = match tunable {
            Some(tunable) => canonical(tunable, &text),
            None => self.changer.catalogue.canonical(&instance.path, &text),
        };
        let is_unset = tunable.is_some_and(|tunable| tunable.unset.as_ref() == Some(&before));
        Ok(Saved { key: instance.key.clone(), path: instance.path.clone(), before, is_unset })
    }

    fn value(&self, saved: &Saved) -> Result<String, HostError> {
        let text = self.changer.door.read(&saved.path)?;
        Ok(self.changer.catalogue.canonical(&saved.path, &text))
    }
}

/// Changes that are going to be undone, and what their settings are then.
#[derive(Default)]
struct Going<'l> {
    /// The latest first.
    changes: Vec<&'l Change>,
    ids: BTreeSet<ChangeId>,
    values: BTreeMap<&'l str, String>,
}

impl<'l> Going<'l> {
    fn add(&mut self, change: &'l Change) {
        let begin = &change.begin;
        let moved = begin.coupled.iter().filter(|other| change.touches(&other.path));
        for saved in std::iter::once(&begin.setting).chain(moved) {
            self.values.insert(&saved.path, saved.before.clone());
        }
        self.ids.insert(change.id());
        self.changes.push(change);
    }
}
