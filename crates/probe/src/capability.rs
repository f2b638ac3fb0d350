//! What can be seen on this host, and what would let one see more: the answers of `heldup doctor`.
//!
//! Programs are probed by loading and attaching them, never by looking at the kernel's version
//! or configuration: both have been found to promise what the kernel then refuses. Everything
//! else is read or opened the way the sources do it.

use heldup_hostfs::Host;

use crate::capability_files::files;
use crate::capability_methods::methods;
use crate::capability_programs::programs;

/// Whether a part of heldup can do its work here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CapabilityState {
    /// As meant.
    Works,
    /// Less than it could see.
    Limited,
    /// Not at all.
    Missing,
}

impl CapabilityState {
    /// The word that is shown.
    pub const fn name(self) -> &'static str {
        match self {
            CapabilityState::Works => "works",
            CapabilityState::Limited => "limited",
            CapabilityState::Missing => "missing",
        }
    }
}

/// One line of the table of `heldup doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// What is needed.
    pub name: &'static str,
    /// Whether it is there.
    pub state: CapabilityState,
    /// What was found, and what it means for the answers.
    pub detail: String,
    /// How to get more; none where nothing is missing or nothing can be done.
    pub how: Option<String>,
}

impl Capability {
    pub(crate) fn works(name: &'static str, detail: impl Into<String>) -> Capability {
        Capability { name, state: CapabilityState::Works, detail: detail.into(), how: None }
    }

    pub(crate) fn limited(name: &'static str, detail: impl Into<String>, how: &str) -> Capability {
        let how = (!how.is_empty()).then(|| how.to_owned());
        Capability { name, state: CapabilityState::Limited, detail: detail.into(), how }
    }

    pub(crate) fn missing(name: &'static str, detail: impl Into<String>, how: &str) -> Capability {
        Capability { state: CapabilityState::Missing, ..Capability::limited(name, detail, how) }
    }
}

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
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_host_without_anything_is_told_what_each_thing_needs() {
        let found = capabilities(&Host::recorded("/nowhere"));
        assert!(found.iter().all(|one| one.state != CapabilityState::Works), "{found:#?}");
        let names: BTreeSet<&str> = found.iter().map(|one| one.name).collect();
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
