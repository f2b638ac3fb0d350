//! What can be seen on this host, and what would let one see more: the answers of `heldup doctor`.
//!
//! Programs are probed by loading and attaching them, never by looking at the kernel's version
//! or configuration: both have been found to promise what the kernel then refuses. Everything
//! else is read or opened the way the sources do it.

use heldup_hostfs::Host;
use heldup_model::Capability;

use crate::capability_files::files;
use crate::capability_methods::methods;
use crate::capability_programs::programs;

/// Everything that heldup can use, in the order of what it matters; takes about 0.2 s of CPU.
pub fn capabilities(host: &Host) -> Vec<Capability> {
    let mut found = programs(host);
    found.extend(files(host));
    // What all of them come to: the kinds of account that can be had.
    found.extend(methods(host, &found));
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use heldup_model::CapabilityState;

    use super::*;

    #[test]
    fn a_host_without_anything_is_told_what_each_thing_needs() {
        let found = capabilities(&Host::recorded("/nowhere"));
        assert!(found.iter().all(|one| one.state != CapabilityState::Works), "{found:#?}");
        let names: BTreeSet<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names.len(), found.len(), "each is said once");
        assert!(found.iter().all(|one| !one.detail.is_empty()));
    }

    #[test]
    fn root_on_the_running_machine_has_the_ledger_or_is_told_why_not() {
        if !heldup_hostfs::is_root() {
            return heldup_skip::skipped("loading programs needs root");
        }
        for one in capabilities(&Host::live()) {
            println!(
                "{:<22} {:<8} {} | {}",
                one.name,
                one.state.name(),
                one.detail,
                one.how.as_deref().unwrap_or("-")
            );
            assert!(one.state == CapabilityState::Works || one.detail.len() > 10, "{one:?}");
        }
    }
}
