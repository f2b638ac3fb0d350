//! Settings for a kind of work, ours and those of tuned.

use std::time::Duration;

use heldup_hostfs::Host;
use heldup_model::{
    PROFILES_SCHEMA, ProfileAnswer, ProfileNote, ProfileStep, ProfilesAnswer, TuneApplyAnswer,
};
use heldup_tune::tuned::{self, FOLDERS, installed};
use heldup_tune::{Aim, Catalogue, Outcome, Plan, Profile, Release, Step, Tunable, release, steps};

use super::apply::{Terms, carry_out};
use super::changed::ChangedHost;
use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::nearest;
use crate::progress::Progress;

/// What names of tuned's profiles begin with.
const OF_TUNED: &str = "tuned/";

/// Which profile is made, and for how long.
#[derive(Clone, Debug)]
pub struct ProfileApplyRequest {
    /// Its name.
    pub name: String,
    /// Whether it is also made at each boot.
    pub persist: bool,
    /// Until this time is over, unless it is confirmed; for good without it.
    pub confirm: Option<Duration>,
}

/// All profiles, without what they want.
pub fn profiles() -> ProfilesAnswer {
    let host = Host::live();
    let ours = Profile::builtin().into_iter().map(of_ours);
    let theirs = installed(&host, &FOLDERS).into_iter().map(|name| {
        let read = tuned::read(&host, &FOLDERS, &name);
        let title = read.map_or_else(|error| format!("cannot be read: {error}"), |read| read.summary);
        bare(format!("{OF_TUNED}{name}"), title)
    });
    answer(ours.chain(theirs).collect())
}

/// What the profile of a name wants, and why.
pub fn profile(name: &str) -> Result<ProfilesAnswer> {
    let catalogue = Catalogue::builtin();
    let (mut found, aims) = read(&Host::live(), name)?;
    found.steps = aims.into_iter().map(|aim| of_aim(&catalogue, aim)).collect();
    Ok(answer(vec![found]))
}

/// What the profile of a name would change on this machine.
pub fn planned_profile(name: &str) -> Result<ProfilesAnswer> {
    let machine = ChangedHost::live();
    let (mut found, aims) = read(&machine.host, name)?;
    let steps = steps(&machine.catalogue, &machine.host, release(&machine.host), &aims);
    found.steps = steps.into_iter().map(|step| of_step(&machine.catalogue, step)).collect();
    Ok(answer(vec![found]))
}

/// Makes what a profile would change. What is not here, and what would be refused, is noted and left out; what the
/// kernel refuses when it is written takes all of it back.
pub fn apply_profile(
    request: &ProfileApplyRequest,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<TuneApplyAnswer> {
    let ProfileApplyRequest { name, persist, confirm } = request;
    let (profile, aims) = read(&Host::live(), name)?;
    let wanted = |changed: &ChangedHost| {
        let steps = steps(&changed.catalogue, &changed.host, release(&changed.host), &aims);
        for step in &steps {
            if let Outcome::Refused(why) | Outcome::Absent(why) = &step.outcome {
                progress.note(&format!("{}: {why}", step.key));
            }
        }
        for note in &profile.notes {
            progress.note(&format!("{}: {}", note.place, note.what));
        }
        Ok(Plan::from_steps(&changed.catalogue, &changed.host, &steps, *persist))
    };
    carry_out(Terms { persist: *persist, confirm: *confirm }, wanted, progress, cancel)
}

fn answer(profiles: Vec<ProfileAnswer>) -> ProfilesAnswer {
    ProfilesAnswer { schema: PROFILES_SCHEMA.to_owned(), profiles }
}

fn of_ours(profile: Profile) -> ProfileAnswer {
    ProfileAnswer {
        for_whom: Some(profile.for_whom),
        leave: Some(profile.leave),
        ..bare(profile.name, profile.title)
    }
}

fn bare(name: String, title: String) -> ProfileAnswer {
    let (files, steps, notes) = (Vec::new(), Vec::new(), Vec::new());
    ProfileAnswer { name, title, for_whom: None, leave: None, files, steps, notes }
}

/// The profile of a name, and what it wants.
fn read(host: &Host, name: &str) -> Result<(ProfileAnswer, Vec<Aim>)> {
    Ok(match name.strip_prefix(OF_TUNED) {
        Some(theirs) => {
            let read = tuned::read(host, &FOLDERS, theirs)?;
            let note = |note: tuned::Note| ProfileNote { place: note.place, what: note.what };
            let notes = read.notes.into_iter().map(note).collect();
            (ProfileAnswer { files: read.files, notes, ..bare(name.to_owned(), read.summary) }, read.aims)
        }
        None => {
            let ours = Profile::builtin().into_iter().find(|profile| profile.name == name);
            let ours = ours.ok_or_else(|| unknown(host, name))?;
            let aims = ours.aims();
            (of_ours(ours), aims)
        }
    })
}

/// Why there is no profile of a name, and which are near.
fn unknown(host: &Host, name: &str) -> EngineError {
    let ours = Profile::builtin().into_iter().map(|profile| profile.name);
    let theirs = installed(host, &FOLDERS).into_iter().map(|name| format!("{OF_TUNED}{name}"));
    let names: Vec<String> = ours.chain(theirs).collect();
    nearest::unknown("profile", name, names.iter().map(String::as_str), "heldup tune profile list")
}

fn of_aim(catalogue: &Catalogue, aim: Aim) -> ProfileStep {
    let tunable = catalogue.tunables.iter().find(|tunable| tunable.covers(&aim.setting));
    let text = |release: Release| release.to_string();
    ProfileStep {
        path: None,
        id: tunable.map(|tunable| tunable.id.clone()),
        wanted: aim.want.words(),
        why: Some(aim.why).filter(|why| !why.is_empty()),
        since: tunable.and_then(|tunable: &Tunable| tunable.since).map(text),
        until: tunable.and_then(|tunable| tunable.until).map(text),
        place: aim.place,
        key: aim.setting,
        from: None,
        to: None,
        outcome: None,
        reason: None,
    }
}

fn of_step(catalogue: &Catalogue, step: Step) -> ProfileStep {
    let (outcome, reason) = match step.outcome {
        Outcome::Change => ("change", None),
        Outcome::Already => ("already", None),
        Outcome::Refused(why) => ("refused", Some(why)),
        Outcome::Absent(why) => ("absent", Some(why)),
    };
    ProfileStep {
        key: step.key,
        path: Some(step.path).filter(|path| !path.is_empty()),
        id: step.id,
        from: step.from,
        to: step.to,
        outcome: Some(outcome.to_owned()),
        reason,
        ..of_aim(catalogue, step.aim)
    }
}
