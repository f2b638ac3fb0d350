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

    /// The plan of assignments; the error names all unknown settings.
    pub fn plan(&self, assignments: &[(String, String)], persist: bool) -> Result<Plan> {
        let given = assignments.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Plan::from_assignments(&self.catalogue, &self.host, given, persist).map_err(|errors| {
            let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
            EngineError::usage(said.join("\n"))
        })
    }
}

/// The right to write; what had to be undone first is noted.
pub fn writer<'w, 'c, 'h>(
    changer: &'w Changer<'c, LoggedHost<'h>>,
    progress: &dyn Progress,
) -> Result<Writer<'w, 'c, LoggedHost<'h>>> {
    if !is_root() {
        let what = "only root can change settings (`heldup tune plan` shows what would change)";
        return Err(EngineError::of(ErrorKind::NotPermitted, what));
    }
    let writer = changer.writer().context("nothing was changed")?;
    writer.recovered().iter().for_each(|recovered| progress.note(&recovery(recovered)));
    Ok(writer)
}

/// What was undone of an earlier run.
pub fn recovery(recovered: &Recovered) -> String {
    let (id, setting) = (recovered.change.id(), &recovered.change.begin.setting);
    let why = reason(recovered.why);
    match &recovered.outcome {
        Ok(undone) if undone.gone => format!("change {id} {why}: {} no longer exists", setting.key),
        Ok(_) => format!("change {id} {why}, undone: {} is {} again", setting.key, setting.before),
        Err(error) => format!("change {id} {why}, not undone: {error}"),
    }
}

/// Why a change was undone, in words.
pub fn reason(why: Why) -> &'static str {
    match why {
        Why::Asked => "was to be undone",
        Why::CutOff => "was interrupted",
        Why::NotConfirmed => "was not confirmed in time",
        Why::Refused => "was refused",
    }
}
