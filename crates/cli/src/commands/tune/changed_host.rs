//! The running machine and the log of what was changed on it: what the commands that change settings
//! share, and the words for what they have to say.

use anyhow::{Context, bail};
use heldup_hostfs::{Host, SyncedLog, is_root, machine_state_dir};
use heldup_report::harmless;
use heldup_report::harmless::ascii;
use heldup_tune::{Catalogue, Change, ChangeError, Changer, LoggedHost, Plan, Recovered, Why, Writer};

use crate::WrongUsage;
use crate::terminal;

/// Name of the log in the machine's folder.
const LOG: &str = "changes";

/// What the commands need of the machine.
pub struct ChangedHost {
    pub host: Host,
    pub catalogue: Catalogue,
}

impl ChangedHost {
    pub fn live() -> ChangedHost {
        ChangedHost { host: Host::live(), catalogue: Catalogue::builtin() }
    }

    /// Changes settings through the machine's log.
    pub fn changer(&self) -> Changer<'_, LoggedHost<'_>> {
        let log = SyncedLog::at(machine_state_dir().join(LOG));
        Changer::new(&self.catalogue, LoggedHost { host: &self.host, log })
    }

    /// The plan of assignments; unknown names are wrong usage.
    pub fn plan(&self, assignments: &[(String, String)], persist: bool) -> anyhow::Result<Plan> {
        let given = assignments.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Plan::from_assignments(&self.catalogue, &self.host, given, persist).map_err(|errors| {
            let said: Vec<String> = errors.iter().map(|error| harmless(&error.to_string())).collect();
            WrongUsage(said.join("\nheldup: ")).into()
        })
    }
}

/// The right to write; what had to be taken back first is said.
pub fn writer<'w, 'c, 'h>(
    changer: &'w Changer<'c, LoggedHost<'h>>,
) -> anyhow::Result<Writer<'w, 'c, LoggedHost<'h>>> {
    if !is_root() {
        bail!("settings are changed by root alone; `heldup tune plan` shows what would be changed");
    }
    let writer = changer.writer().context("nothing is changed")?;
    writer.taken_back_first().iter().for_each(|recovered| eprintln!("heldup: {}", recovery(recovered)));
    Ok(writer)
}

/// What was taken back of an earlier run.
pub fn recovery(recovered: &Recovered) -> String {
    let (id, setting) = (recovered.change.id(), &recovered.change.begin.setting);
    let why = reason(recovered.why);
    harmless(&match &recovered.outcome {
        Ok(taken) if taken.gone => format!("change {id} {why}: what {} was of is gone", setting.key),
        Ok(_) => format!("change {id} {why}: {} is {} again", setting.key, setting.before),
        Err(error) => format!("change {id} {why} and could not be taken back: {error}"),
    })
}

/// Why a change was taken back, as what is said of it.
pub fn reason(why: Why) -> &'static str {
    match why {
        Why::Asked => "was taken back",
        Why::CutOff => "was cut off",
        Why::NotConfirmed => "was not confirmed in time",
        Why::Refused => "was refused",
    }
}

/// The word of JSON.
pub fn word(why: Why) -> &'static str {
    match why {
        Why::Asked => "asked",
        Why::CutOff => "cut_off",
        Why::NotConfirmed => "not_confirmed",
        Why::Refused => "refused",
    }
}

/// `3 vm.swappiness`, for lines about a change.
pub fn named(change: &Change) -> String {
    format!("change {}, {}", change.id(), change.begin.setting.key)
}

/// Prints an answer as this terminal can show it.
pub fn print(text: &str) {
    if terminal::unicode() { print!("{text}") } else { print!("{}", ascii(text)) }
}

/// The words of errors.
pub fn words<'e>(errors: impl IntoIterator<Item = &'e ChangeError>) -> Vec<String> {
    errors.into_iter().map(ToString::to_string).collect()
}
