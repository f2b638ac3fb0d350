//! The settings of a machine, as a dossier keeps them.

use std::collections::BTreeMap;

use heldup_hostfs::Host;
use heldup_tune::{Catalogue, Tunable, read};

/// Every setting of the catalogue that is one file, or one a device, with its value, by key. Those of
/// processes and groups are not the machine's.
pub fn configuration(host: &Host, catalogue: &Catalogue) -> BTreeMap<String, String> {
    let is_machines = |tunable: &&Tunable| {
        tunable.path.as_deref().is_some_and(|path| !path.contains("**") && !path.starts_with("/proc/*"))
    };
    let mut all = BTreeMap::new();
    for tunable in catalogue.tunables.iter().filter(is_machines) {
        for instance in tunable.instances(host) {
            if let Ok(value) = read(host, tunable, &instance.path) {
                all.insert(instance.key, value);
            }
        }
    }
    all
}
