//! What a plan says before anything is written: on a recorded tree.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::fs;
use std::path::PathBuf;

use heldup_hostfs::Host;
use heldup_tune::{Catalogue, Plan, PlanError};

/// A machine with two disks, removed when dropped.
struct Machine {
    root: PathBuf,
    host: Host,
    catalogue: Catalogue,
}

impl Machine {
    fn new(name: &str) -> Machine {
        let root = std::env::temp_dir().join(format!("heldup-plan-{name}-{}", std::process::id()));
        let machine = Machine { host: Host::recorded(&root), root, catalogue: Catalogue::builtin() };
        machine.file("/proc/sys/vm/swappiness", "60\n");
        machine.file("/proc/sys/vm/dirty_ratio", "20\n");
        machine.file("/proc/sys/vm/dirty_bytes", "0\n");
        for disk in ["vda", "vdb"] {
            machine.file(&format!("/sys/block/{disk}/queue/scheduler"), "[mq-deadline] none\n");
            machine.file(&format!("/sys/block/{disk}/queue/nr_requests"), "256\n");
        }
        machine
    }

    fn file(&self, path: &str, text: &str) {
        let file = self.root.join(&path[1..]);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn plan(&self, given: &[(&str, &str)], persist: bool) -> Result<Plan, Vec<PlanError>> {
        Plan::from_assignments(&self.catalogue, &self.host, given.iter().copied(), persist)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn objections(plan: &Plan) -> Vec<(bool, &str)> {
    let all = plan.changes.iter().flat_map(|planned| &planned.objections);
    all.map(|objection| (objection.refuses, objection.what.as_str())).collect()
}

#[test]
fn names_stand_for_the_files_that_are_meant() {
    let machine = Machine::new("names");
    let keys = |name: &str| {
        let plan = machine.plan(&[(name, "none")], false).unwrap();
        plan.changes.into_iter().map(|planned| planned.instance.key).collect::<Vec<_>>()
    };
    let both = ["block.vda.queue.scheduler", "block.vdb.queue.scheduler"];
    assert_eq!(keys("block.*.queue.scheduler"), both);
    assert_eq!(keys("block.vd*.queue.scheduler"), both);
    assert_eq!(keys("block.vdb.queue.scheduler"), both[1..]);
    assert_eq!(keys("/sys/block/vdb/queue/scheduler"), both[1..]);

    let errors = machine
        .plan(&[("vm.swappines", "1"), ("block.sda.queue.scheduler", "none"), ("boot.isolcpus", "1")], false)
        .unwrap_err();
    assert!(matches!(&errors[0], PlanError::Unknown { name, .. } if name == "vm.swappines"), "{errors:?}");
    assert!(matches!(&errors[1], PlanError::Absent { .. }), "{errors:?}");
    assert_eq!(errors.len(), 3, "{errors:?}");
}

#[test]
fn the_difference_is_told_with_what_moves_and_what_would_refuse() {
    let machine = Machine::new("difference");
    let plan = machine.plan(&[("vm.swappiness", "60"), ("vm.dirty_bytes", "268435456")], false).unwrap();
    assert_eq!(objections(&plan), []);
    let [same, other] = plan.changes.as_slice() else { panic!("{plan:?}") };
    assert!(!same.is_change() && other.is_change());
    assert_eq!((other.from.as_deref(), other.to.as_str()), (Some("0"), "268435456"));
    let moves: Vec<_> = other.coupled.iter().map(|c| (c.instance.key.as_str(), c.value.as_deref())).collect();
    assert_eq!(moves, [("vm.dirty_ratio", Some("20"))]);

    let plan = machine.plan(&[("vm.swappiness", "201"), ("vm.swappiness", "1")], false).unwrap();
    assert_eq!(
        objections(&plan),
        [(true, "201 is out of range (allowed: 0 to 200)"), (true, "vm.swappiness is in the plan twice")]
    );
    assert_eq!(plan.refused().count(), 2);
    let plan = machine.plan(&[("vm.dirty_ratio", "5"), ("vm.dirty_bytes", "268435456")], false).unwrap();
    assert_eq!(objections(&plan), [(false, "may reset vm.dirty_ratio, which this plan sets earlier")]);
}

#[test]
fn what_is_to_last_says_which_file_would_not_let_it() {
    let machine = Machine::new("lasting");
    machine.file("/etc/sysctl.d/10-first.conf", "vm.swappiness = 5\n");
    machine.file("/etc/sysctl.d/95-last.conf", "\nvm.swappiness = 7\nvm.dirty_ratio = 5\n");
    let plan = machine.plan(&[("vm.swappiness", "60"), ("vm.dirty_ratio", "5")], true).unwrap();
    assert!(plan.changes.iter().all(|planned| planned.persist && planned.is_change()));
    assert_eq!(objections(&plan), [(false, "/etc/sysctl.d/95-last.conf:2 overrides it with 7 at each boot")]);
    machine.file("/sys/fs/cgroup/a/memory.max", "max\n");
    let plan = machine.plan(&[("/sys/fs/cgroup/a/memory.max", "1000000")], true).unwrap();
    assert!(objections(&plan)[0].0 && objections(&plan)[0].1.starts_with("cannot be persistent"));
}

/// A distribution may have brought a wider range to its older kernel: the kernel has the last word.
#[test]
fn a_value_of_other_releases_is_warned_of_and_not_refused() {
    let machine = Machine::new("releases");
    let told = |release: &str, value: &str| {
        machine.file("/proc/sys/kernel/osrelease", release);
        let plan = machine.plan(&[("vm.swappiness", value)], false).unwrap();
        let all = objections(&plan).into_iter().map(|(refuses, what)| (refuses, what.to_owned()));
        all.collect::<Vec<_>>()
    };
    assert_eq!(told("5.8.0-1-amd64\n", "150"), []);
    let what = "150 is out of range (allowed: 0 to 100) in 5.4; the kernel refuses it unless the distribution has backported it";
    assert_eq!(told("5.4.0\n", "150"), [(false, what.to_owned())]);
    assert_eq!(told("5.4.0\n", "250"), [(true, "250 is out of range (allowed: 0 to 200)".to_owned())]);
}
