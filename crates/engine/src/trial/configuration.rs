//! The settings of a machine, as a dossier keeps them.

use std::collections::BTreeMap;

use heldup_hostfs::Host;
use heldup_tune::{Catalogue, read};

/// Every setting of the catalogue that is the machine's or a device's, with its value, by key. Those of
/// processes and groups are not the machine's.
pub fn configuration(host: &Host, catalogue: &Catalogue) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for tunable in catalogue.tunables.iter().filter(|tunable| tunable.is_machines()) {
        for instance in tunable.instances(host) {
            if let Ok(value) = read(host, tunable, &instance.path) {
                all.insert(instance.key, value);
            }
        }
    }
    all
}
