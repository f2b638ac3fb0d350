//! The running machine and the log of what was changed on it.

use heldup_hostfs::{Host, SyncedLog, is_root, machine_state_dir};
use heldup_tune::{Catalogue, Changer, LoggedHost, Plan, Recovered, Why, Writer};

use crate::error::{Context, EngineError, ErrorKind, Result};
use crate::progress::Progress;

/// Name of the log in the machine's folder.
const LOG: &str = "changes";

/// The machine whose settings are changed.
pub struct ChangedHost {
    /// The machine.
    pub host: Host,
    /// What is known of its settings.
    pub catalogue: Catalogue,
}

impl ChangedHost {
    /// The one that this program runs on.
    pub fn live() -> ChangedHost {
        ChangedHost { host: Host::live(), catalogue: Catalogue::builtin() }
    }

    /// Changes settings through the machine's log.
    pub fn changer(&self) -> Changer<'_, LoggedHost<'_>> {
        let log = SyncedLog::at(machine_state_dir().join(LOG));
        Changer::new(&self.catalogue, LoggedHost { host: &self.host, log })
    }

    /// The plan of assignments; the error names all that no setting is called.
    pub fn plan(&self, assignments: &[(String, String)], persist: bool) -> Result<Plan> {
        let given = assignments.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Plan::from_assignments(&self.catalogue, &self.host, given, persist).map_err(|errors| {
            let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
            EngineError::usage(said.join("\n"))
        })
    }
}

/// The right to write; what had to be taken back first is said.
pub fn writer<'w, 'c, 'h>(
    changer: &'w Changer<'c, LoggedHost<'h>>,
    progress: &dyn Progress,
) -> Result<Writer<'w, 'c, LoggedHost<'h>>> {
    if !is_root() {
        let what = "settings are changed by root alone; `heldup tune plan` shows what would be changed";
        return Err(EngineError::of(ErrorKind::NotPermitted, what));
    }
    let writer = changer.writer().context("nothing is changed")?;
    writer.taken_back_first().iter().for_each(|recovered| progress.note(&recovery(recovered)));
    Ok(writer)
}

/// What was taken back of an earlier run.
pub fn recovery(recovered: &Recovered) -> String {
    let (id, setting) = (recovered.change.id(), &recovered.change.begin.setting);
    let why = reason(recovered.why);
    match &recovered.outcome {
        Ok(taken) if taken.gone => format!("change {id} {why}: what {} was of is gone", setting.key),
        Ok(_) => format!("change {id} {why}: {} is {} again", setting.key, setting.before),
        Err(error) => format!("change {id} {why} and could not be undone: {error}"),
    }
}

/// Why a change was taken back, as what is said of it.
pub fn reason(why: Why) -> &'static str {
    match why {
        Why::Asked => "was undone",
        Why::CutOff => "was cut off",
        Why::NotConfirmed => "was not confirmed in time",
        Why::Refused => "was refused",
    }
}
