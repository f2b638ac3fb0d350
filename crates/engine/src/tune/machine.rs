//! The running machine and what is known of its settings.

use heldup_hostfs::Host;
use heldup_tune::{Assignments, Catalogue, Instance, Release, Standing, Tunable, release};

/// A machine that is asked for its settings.
pub(super) struct Machine {
    pub host: Host,
    pub release: Option<Release>,
    pub catalogue: Catalogue,
    pub assignments: Assignments,
}

impl Machine {
    /// Reads the machine's files that assign settings.
    pub fn read() -> Machine {
        let host = Host::live();
        let assignments = Assignments::of(&host);
        Machine { release: release(&host), catalogue: Catalogue::builtin(), assignments, host }
    }

    /// What could not be read of the files, and lines that assign nothing.
    pub fn notes(&self) -> impl Iterator<Item = &String> {
        self.assignments.unread.iter().chain(&self.assignments.malformed)
    }

    /// How each file of a setting stands.
    pub fn standings(&self, tunable: &Tunable) -> Vec<Standing> {
        let instances = tunable.instances(&self.host).into_iter();
        instances.map(|instance| self.standing(tunable, instance)).collect()
    }

    /// How one of them stands.
    pub fn standing(&self, tunable: &Tunable, instance: Instance) -> Standing {
        Standing::of(&self.host, self.release, tunable, instance, &self.assignments)
    }
}
