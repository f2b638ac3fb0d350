//! Which `--method` works here: what each measures, what it does not, and the remedy.
//! Derived from the other capabilities; nothing is tried again.

use heldup_hostfs::Host;

use crate::capability_files::DELAY_ACCOUNTING;
use heldup_model::{Capability, CapabilityState};

/// Linux before 6.4: accounts of tasks may not be created while the run queue is locked.
const WITHOUT_POOL: &str = "; before Linux 6.4 the accounting of a task begins with its creation or \
                            its first sample";

/// The four choices, the most complete first.
pub(crate) fn methods(host: &Host, found: &[Capability]) -> Vec<Capability> {
    let found = Found(found);
    let (ebpf, sampling, delays) = (exact(host, &found), sampling(host, &found), delays(&found));
    let auto = auto(&ebpf, &sampling, &delays);
    vec![auto, ebpf, sampling, delays]
}

struct Found<'f>(&'f [Capability]);

impl Found<'_> {
    fn state(&self, name: &str) -> CapabilityState {
        self.0.iter().find(|one| one.name == name).map_or(CapabilityState::Missing, |one| one.state)
    }

    fn works(&self, name: &str) -> bool {
        self.state(name) == CapabilityState::Works
    }

    /// The remedy.
    fn how(&self, name: &str) -> &str {
        self.0.iter().find(|one| one.name == name).and_then(|one| one.how.as_deref()).unwrap_or_default()
    }
}

fn auto(ebpf: &Capability, sampling: &Capability, delays: &Capability) -> Capability {
    let name = "--method auto";
    let how = ebpf.how.as_deref().unwrap_or_default();
    match [ebpf, sampling, delays].iter().position(|one| one.state != CapabilityState::Missing) {
        Some(0) => Capability::works(name, "uses ebpf: exact, all classes of time"),
        Some(1) => Capability::limited(name, "uses sampling, because ebpf is not available", how),
        Some(_) => {
            Capability::limited(name, "uses delays, because neither ebpf nor sampling is available", how)
        }
        None => Capability::missing(name, "no time accounting, only the counters of the machine", how),
    }
}

fn exact(host: &Host, found: &Found) -> Capability {
    let name = "--method ebpf";
    if !found.works("ledger") {
        let detail = "not available (see ledger): no exact wait times, none of tasks that \
                      end within a second";
        return Capability::missing(name, detail, found.how("ledger"));
    }
    let release = host.read_text("/proc/sys/kernel/osrelease").unwrap_or_default();
    let note = if crate::ledger::accounts_from_pool(&release) { "" } else { WITHOUT_POOL };
    let detail = format!("every context switch of every task is counted: all classes, exact{note}");
    match found.works("CPU samples") {
        true => Capability::works(name, detail),
        false => Capability::limited(
            name,
            format!("{detail}; no stacks of running tasks"),
            found.how("CPU samples"),
        ),
    }
}

fn sampling(host: &Host, found: &Found) -> Capability {
    let name = "--method sampling";
    if !host.is_live() || found.state("other users' processes") == CapabilityState::Missing {
        let detail = "not available: the threads of the machine cannot be read";
        return Capability::missing(name, detail, found.how("other users' processes"));
    }
    let detail = "samples each thread 5 to 20 times a second, with a standard error; not measured: \
                  cpu_throttled, peer, stacks and threads that live shorter than a sample";
    match (found.works("schedstat"), found.works("other users' processes")) {
        (true, true) => Capability::works(name, detail),
        (false, _) => {
            Capability::limited(name, format!("{detail}; no run-queue wait"), found.how("schedstat"))
        }
        (true, false) => Capability::limited(
            name,
            format!("{detail}; most waits of other users' processes are unknown"),
            found.how("other users' processes"),
        ),
    }
}

fn delays(found: &Found) -> Capability {
    let name = "--method delays";
    let counted = "CPU time and run-queue wait from kernel counters";
    match (found.works("schedstat"), found.works(DELAY_ACCOUNTING)) {
        (true, true) => Capability::works(
            name,
            format!("{counted}, disk waits (by direction) and swap waits; other waits are unknown"),
        ),
        (true, false) => Capability::limited(
            name,
            format!("{counted}; all waits are unknown"),
            found.how(DELAY_ACCOUNTING),
        ),
        (false, _) => Capability::missing(
            name,
            "not available: no per-thread times in this kernel",
            found.how("schedstat"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CapabilityState::{Limited, Missing, Works};

    /// States of auto, ebpf, sampling and delays where the capabilities named are missing.
    fn states(missing: &[&'static str]) -> Vec<CapabilityState> {
        let names = ["ledger", "CPU samples", "schedstat", DELAY_ACCOUNTING, "other users' processes"];
        let found = names.map(|name| match missing.contains(&name) {
            true => Capability::missing(name, "gone", "get it"),
            false => Capability::works(name, "there"),
        });
        let methods = methods(&Host::live(), &found);
        for one in methods.iter().filter(|one| one.state != Works) {
            assert_eq!(one.how.as_deref(), Some("get it"), "what would lift it: {one:?}");
        }
        methods.into_iter().map(|one| one.state).collect()
    }

    #[test]
    fn each_lack_costs_what_depends_on_it() {
        assert_eq!(states(&[]), [Works, Works, Works, Works]);
        assert_eq!(states(&[DELAY_ACCOUNTING]), [Works, Works, Works, Limited]);
        assert_eq!(states(&["CPU samples"]), [Works, Limited, Works, Works]);
        assert_eq!(states(&["ledger"]), [Limited, Missing, Works, Works]);
        assert_eq!(states(&["ledger", "schedstat"]), [Limited, Missing, Limited, Missing]);
        assert_eq!(states(&["ledger", "other users' processes"]), [Limited, Missing, Missing, Works]);
        assert_eq!(states(&["ledger", "other users' processes", "schedstat"]), [Missing; 4]);
    }

    #[test]
    fn an_account_that_begins_late_is_said() {
        let found = [Capability::works("ledger", ""), Capability::works("CPU samples", "")];
        let of_kernel = |release: &str| {
            let folder =
                std::env::temp_dir().join(format!("heldup-methods-{release}-{}", std::process::id()));
            std::fs::create_dir_all(folder.join("proc/sys/kernel")).unwrap();
            std::fs::write(folder.join("proc/sys/kernel/osrelease"), release).unwrap();
            let said = exact(&Host::recorded(&folder), &Found(&found)).detail;
            std::fs::remove_dir_all(folder).unwrap();
            said
        };
        assert!(of_kernel("6.1.0-50-amd64").contains("before Linux 6.4"));
        assert!(!of_kernel("6.12.0").contains("before Linux 6.4"));
    }
}
