//! How a setting stands: its value now, its default, and who set it.

use heldup_hostfs::{Host, HostError};

use crate::assignment::{Applier, Assignment, Assignments};
use crate::called::Place;
use crate::instance::Instance;
use crate::release::Release;
use crate::tunable::Tunable;
use crate::value::canonical;

/// Longer values are no settings that anyone compares.
const MAX_VALUE_BYTES: usize = 1024;

/// Who set a value, as far as known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetBy {
    /// It is the kernel's default, and no file says anything else.
    Kernel,
    /// The file's line that wins says this value.
    File(Assignment),
    /// A file says another value: it was changed after that was applied, or the kernel did not
    /// take it as it stands there.
    SinceFile(Assignment),
    /// Not the default and in no file: set at run time, by a program, or by how the kernel was
    /// built or the device made.
    RunTime,
    /// No file says anything, and the default is not one value.
    Unknown,
}

/// A setting as it stands on a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Which file it is.
    pub instance: Instance,
    /// Its value as canonical text; none where it cannot be read.
    pub value: Option<String>,
    /// Why it cannot be read.
    pub unread: Option<String>,
    /// The default of the host's kernel, where that is one value and known.
    pub default: Option<String>,
    /// Who set it.
    pub set_by: SetBy,
    /// Every line that assigns it, in the order in which they are applied; the last wins.
    pub assigned: Vec<Assignment>,
    /// Rules of udev that may assign it.
    pub by_udev: Vec<Assignment>,
}

impl Standing {
    /// How an instance of a tunable stands.
    pub fn of(
        host: &Host,
        release: Option<Release>,
        tunable: &Tunable,
        instance: Instance,
        assignments: &Assignments,
    ) -> Standing {
        let (value, unread) = match read(host, tunable, &instance.path) {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let own = |found: Vec<&Assignment>| found.into_iter().cloned().collect::<Vec<_>>();
        let assigned = own(assignments.to(&instance.path));
        let by_udev = own(assignments.by_udev(&instance.path));
        let default = release.and_then(|release| tunable.default_in(release)).map(str::to_owned);
        let set_by = value
            .as_deref()
            .map_or(SetBy::Unknown, |value| set_by(tunable, value, default.as_deref(), &assigned, &by_udev));
        Standing { instance, value, unread, default, set_by, assigned, by_udev }
    }

    /// Whether lines of files contradict each other.
    pub fn is_disputed(&self) -> bool {
        self.assigned.windows(2).any(|pair| pair[0].value != pair[1].value)
    }

    /// Whether the value is another than the kernel's default; none where that is not known.
    pub fn is_changed(&self) -> Option<bool> {
        Some(self.value.as_ref()? != self.default.as_ref()?)
    }
}

/// The value of a file in canonical form.
pub fn read(host: &Host, tunable: &Tunable, path: &str) -> Result<String, HostError> {
    let text = read_value(host, path)?;
    if text.len() > MAX_VALUE_BYTES {
        return Err(HostError::TooLarge { path: path.into(), limit: MAX_VALUE_BYTES });
    }
    Ok(canonical(tunable, &text))
}

/// The text of a file, or of a place that calls reach.
pub fn read_value(host: &Host, path: &str) -> Result<String, HostError> {
    Place::of(path).map_or_else(|| host.read_text(path), |place| place.read(host))
}

fn set_by(
    tunable: &Tunable,
    value: &str,
    default: Option<&str>,
    assigned: &[Assignment],
    by_udev: &[Assignment],
) -> SetBy {
    let same = |given: &&Assignment| canonical(tunable, &given.value) == value;
    // What is in sysctl.conf alone may not have been applied: it speaks only where it fits.
    let at_boot = assigned.iter().rfind(|given| given.applier != Applier::SysctlConf);
    let by_hand = assigned.iter().rfind(|given| given.applier == Applier::SysctlConf).filter(same);
    match by_hand.or(at_boot) {
        Some(given) if same(&given) => SetBy::File(given.clone()),
        Some(given) => SetBy::SinceFile(given.clone()),
        None => match (by_udev.iter().rfind(same), default) {
            (_, Some(default)) if default == value => SetBy::Kernel,
            (Some(rule), _) => SetBy::File(rule.clone()),
            (None, Some(_)) => SetBy::RunTime,
            (None, None) => SetBy::Unknown,
        },
    }
}

/// The kernel release of a host.
pub fn release(host: &Host) -> Option<Release> {
    host.read_text("/proc/sys/kernel/osrelease").ok()?.parse().ok()
}
