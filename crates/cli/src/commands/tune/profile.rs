//! `heldup tune profile list|show|plan|apply`: settings for a kind of work, ours and those of tuned.

use heldup_model::{PROFILES_SCHEMA, ProfileAnswer, ProfileNote, ProfileStep, ProfilesAnswer};
use heldup_report::{harmless, profiles as report};
use heldup_tune::tuned::{self, FOLDERS, installed};
use heldup_tune::{Aim, Outcome, Plan, Profile, Step, Tunable, steps};

use super::apply::{Terms, carry_out};
use super::args::{ProfileApplyArgs, ProfileCommand, ProfileNameArgs};
use super::machine::Machine;
use crate::args::Format;
use crate::exit::Exit;
use crate::failure::WrongUsage;
use crate::terminal;

/// What names of tuned's profiles begin with.
const OF_TUNED: &str = "tuned/";

/// Does what was asked of profiles.
pub fn run(command: &ProfileCommand) -> anyhow::Result<Exit> {
    let machine = Machine::read();
    match command {
        ProfileCommand::List { format } => {
            let answer = answer(list(&machine));
            match format {
                Format::Text => print!("{}", report::list(&answer)),
                Format::Json => print!("{}", report::json(&answer)),
            }
        }
        ProfileCommand::Show(args) => page(args, named(&machine, &args.name, false)?),
        ProfileCommand::Plan(args) => {
            let planned = named(&machine, &args.name, true)?;
            let is_change = planned.steps.iter().any(|step| step.outcome.as_deref() == Some("change"));
            page(args, planned);
            if is_change && args.format == Format::Text {
                println!("`heldup tune profile apply {}` makes it.", harmless(&args.name));
            }
        }
        ProfileCommand::Apply(args) => return apply(&machine, args),
    }
    Ok(Exit::DONE)
}

/// Makes what a profile would change, by the plan that `tune apply` has. What is not here, and what would
/// be refused, is said and left out; what the kernel refuses when it is written takes all of it back.
fn apply(machine: &Machine, args: &ProfileApplyArgs) -> anyhow::Result<Exit> {
    let (profile, aims) = read(machine, &args.name)?;
    let terms = Terms { persist: args.persist, confirm: args.confirm, format: args.format };
    carry_out(terms, |changed| {
        let steps = steps(&changed.catalogue, &changed.host, machine.release, &aims);
        for step in &steps {
            if let Outcome::Refused(why) | Outcome::Absent(why) = &step.outcome {
                eprintln!("heldup: {}: {}", harmless(&step.key), harmless(why));
            }
        }
        for note in &profile.notes {
            eprintln!("heldup: {}: {}", harmless(&note.place), harmless(&note.what));
        }
        Ok(Plan::from_steps(&changed.catalogue, &changed.host, &steps, args.persist))
    })
}

fn answer(profiles: Vec<ProfileAnswer>) -> ProfilesAnswer {
    ProfilesAnswer { schema: PROFILES_SCHEMA.to_owned(), profiles }
}

fn page(args: &ProfileNameArgs, profile: ProfileAnswer) {
    match args.format {
        Format::Text => print!("{}", report::page(&profile, terminal::width())),
        Format::Json => print!("{}", report::json(&answer(vec![profile]))),
    }
}

fn list(machine: &Machine) -> Vec<ProfileAnswer> {
    let ours = Profile::builtin().into_iter().map(of_ours);
    let theirs = installed(&machine.host, &FOLDERS).into_iter().map(|name| {
        let read = tuned::read(&machine.host, &FOLDERS, &name);
        let title = read.map_or_else(|error| format!("cannot be read: {error}"), |read| read.summary);
        bare(format!("{OF_TUNED}{name}"), title)
    });
    ours.chain(theirs).collect()
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

/// The profile of a name, held against this machine or not.
fn named(machine: &Machine, name: &str, planned: bool) -> anyhow::Result<ProfileAnswer> {
    let (mut answer, aims) = read(machine, name)?;
    answer.steps = if planned {
        let steps = steps(&machine.catalogue, &machine.host, machine.release, &aims);
        steps.into_iter().map(|step| of_step(machine, step)).collect()
    } else {
        aims.into_iter().map(|aim| of_aim(machine, aim)).collect()
    };
    Ok(answer)
}

/// The profile of a name, and what it wants.
fn read(machine: &Machine, name: &str) -> anyhow::Result<(ProfileAnswer, Vec<Aim>)> {
    Ok(match name.strip_prefix(OF_TUNED) {
        Some(theirs) => {
            let read = tuned::read(&machine.host, &FOLDERS, theirs)?;
            let note = |note: tuned::Note| ProfileNote { place: note.place, what: note.what };
            let notes = read.notes.into_iter().map(note).collect();
            (ProfileAnswer { files: read.files, notes, ..bare(name.to_owned(), read.summary) }, read.aims)
        }
        None => {
            let ours = Profile::builtin().into_iter().find(|profile| profile.name == name);
            let ours = ours.ok_or_else(|| {
                let name = harmless(name);
                WrongUsage(format!("no profile is called `{name}`; `heldup tune profile list` shows them, tuned's as tuned/NAME"))
            })?;
            let aims = ours.aims();
            (of_ours(ours), aims)
        }
    })
}

fn of_aim(machine: &Machine, aim: Aim) -> ProfileStep {
    let tunable = machine.catalogue.tunables.iter().find(|tunable| tunable.covers(&aim.setting));
    let text = |release: heldup_tune::Release| release.to_string();
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

fn of_step(machine: &Machine, step: Step) -> ProfileStep {
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
        ..of_aim(machine, step.aim)
    }
}
