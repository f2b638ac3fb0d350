//! Limits of control groups: one name for both versions and for units, on recorded trees.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::fs;
use std::path::PathBuf;

use heldup_hostfs::{Host, HostError, SyncedLog};
use heldup_tune::{Catalogue, Door, LoggedHost, Plan, PlanError, Planned, read_value};

/// A machine with groups, removed when dropped.
struct Machine {
    root: PathBuf,
    host: Host,
    catalogue: Catalogue,
}

const V1: &str = "30 1 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                  31 1 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                  32 1 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                  33 1 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
const V2: &str = "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

impl Machine {
    fn new(name: &str, mounts: &str, files: &[(&str, &str)]) -> Machine {
        let root = std::env::temp_dir().join(format!("heldup-groups-{name}-{}", std::process::id()));
        let machine = Machine { host: Host::recorded(&root), root, catalogue: Catalogue::builtin() };
        machine.file("/proc/self/mountinfo", mounts);
        machine.file("/proc/meminfo", "MemTotal: 8000000 kB\nSwapFree: 1000 kB\n");
        files.iter().for_each(|(path, text)| machine.file(path, text));
        machine
    }

    fn file(&self, path: &str, text: &str) {
        let file = self.root.join(&path[1..]);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(&path[1..])).unwrap().trim().to_owned()
    }

    fn write(&self, place: &str, value: &str) -> Result<(), HostError> {
        LoggedHost { host: &self.host, log: SyncedLog::at(self.root.join("log")) }.write(place, value)
    }

    fn plan(&self, name: &str, value: &str) -> Result<Plan, Vec<PlanError>> {
        Plan::from_assignments(&self.catalogue, &self.host, [(name, value)], false)
    }

    fn planned(&self, name: &str, value: &str) -> Planned {
        self.plan(name, value).unwrap().changes.remove(0)
    }

    /// What speaks against a value; what refuses it begins with `!`.
    fn objections(&self, name: &str, value: &str) -> Vec<String> {
        let all = self.planned(name, value).objections;
        all.into_iter().map(|one| format!("{}{}", if one.refuses { "!" } else { "" }, one.what)).collect()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Two groups of version 2, one in the other.
fn of_version_two(name: &str) -> Machine {
    Machine::new(
        name,
        V2,
        &[
            ("/sys/fs/cgroup/a.slice/cpu.max", "300000 100000\n"),
            ("/sys/fs/cgroup/a.slice/memory.max", "2000000000\n"),
            ("/sys/fs/cgroup/a.slice/x@1.service/cpu.max", "33333 100000\n"),
            ("/sys/fs/cgroup/a.slice/x@1.service/memory.max", "max\n"),
            ("/sys/fs/cgroup/a.slice/x@1.service/memory.current", "900000000\n"),
            ("/sys/fs/cgroup/a.slice/x@1.service/memory.stat", "anon 300000000\nfile 600000000\n"),
            ("/sys/fs/cgroup/a.slice/x@1.service/pids.max", "100\n"),
            ("/sys/fs/cgroup/a.slice/x@1.service/pids.current", "40\n"),
        ],
    )
}

/// The same in version 1.
fn of_version_one(name: &str) -> Machine {
    Machine::new(
        name,
        V1,
        &[
            ("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "150000\n"),
            ("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "50000\n"),
            ("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n"),
            ("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "70000\n"),
            ("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "900000000\n"),
            ("/sys/fs/cgroup/memory/a/b/memory.memsw.limit_in_bytes", "4000000000\n"),
            ("/sys/fs/cgroup/memory/a/b/memory.stat", "rss 1\ntotal_rss 300000000\n"),
            ("/sys/fs/cgroup/pids/a/b/pids.max", "max\n"),
        ],
    )
}

#[test]
fn one_name_reads_and_writes_both_versions() {
    let (two, one) = (of_version_two("both2"), of_version_one("both1"));
    let cases = [
        (&two, "cgroup:/a.slice/x@1.service/cpu.quota", "0.33333", "1.5", "cpu.max", "150000"),
        (&two, "cgroup:/a.slice/x@1.service/cpu.quota", "0.33333", "unlimited", "cpu.max", "max"),
        (&two, "cgroup:x@1.service/memory.limit", "max", "1.5GB", "memory.max", "1500000000"),
        (&two, "cgroup:/a.slice/x@1.service/pids.limit", "100", "200", "pids.max", "200"),
        (&one, "cgroup:/a/b/cpu.quota", "max", "0.142857142857", "cpu/a/b/cpu.cfs_quota_us", "10000"),
        (&one, "cgroup:/a/cpu.quota", "3", "250%", "cpu/a/cpu.cfs_quota_us", "125000"),
        (&one, "cgroup:/a/cpu.quota", "3", "-1", "cpu/a/cpu.cfs_quota_us", "-1"),
        (&one, "cgroup:/a/b/memory.limit", "max", "1GiB", "memory/a/b/memory.limit_in_bytes", "1073741824"),
        (&one, "cgroup:/a/b/pids.limit", "max", "7", "pids/a/b/pids.max", "7"),
    ];
    for (machine, name, from, to, file, written) in cases {
        let planned = machine.planned(name, to);
        assert_eq!(planned.from.as_deref(), Some(from), "{name}");
        assert_eq!(
            planned.objections.iter().filter(|one| one.refuses).count(),
            0,
            "{:?}",
            planned.objections
        );
        let folder = if file.contains('/') { "/sys/fs/cgroup" } else { "/sys/fs/cgroup/a.slice/x@1.service" };
        let file = format!("{folder}/{file}");
        let before = machine.text(&file);
        machine.write(&planned.instance.path, &planned.to).unwrap();
        assert_eq!(machine.text(&file), written, "{name}={to}");
        // The kernel keeps the period that is not written.
        if file.ends_with("cpu.max") {
            machine.file(&file, &format!("{written} 100000\n"));
        }
        let read = read_value(&machine.host, &planned.instance.path).unwrap();
        assert_eq!(read, planned.to, "{name}: what is read back is what was wanted");
        machine.write(&planned.instance.path, from).unwrap();
        let back = machine.text(&file);
        assert_eq!(back, before.split(' ').next().unwrap().replace("9223372036854771712", "-1"), "{name}");
        machine.file(&file, &before);
    }
}

#[test]
fn names_stand_for_groups_and_say_what_is_missing() {
    let two = of_version_two("names");
    two.file("/sys/fs/cgroup/b.slice/x@1.service/cpu.max", "max 100000\n");
    let keys: Vec<String> = two
        .plan("cgroup:x@1.service/cpu.quota", "1")
        .unwrap()
        .changes
        .into_iter()
        .map(|c| c.instance.key)
        .collect();
    assert_eq!(keys, ["cgroup:/a.slice/x@1.service/cpu.quota", "cgroup:/b.slice/x@1.service/cpu.quota"]);
    let said = |name: &str| two.plan(name, "1").unwrap_err()[0].to_string();
    assert_eq!(
        said("cgroup:/no/such/cpu.quota"),
        "cgroup:/no/such/cpu.quota: not on this machine (only while the group exists)"
    );
    assert!(said("cgroup.cpu.quota").ends_with("as in cgroup:/system.slice/cron.service/cpu.quota"));
    assert!(said("cgroup:/a.slice/cpu.quotas").contains("unknown setting"));
}

/// A unit that was restarted has a group of its own, of the same name.
#[test]
fn a_group_that_was_made_anew_is_another_one() {
    let two = of_version_two("anew");
    let instance = two.planned("cgroup:/a.slice/x@1.service/cpu.quota", "1").instance;
    let folder = two.root.join("sys/fs/cgroup/a.slice/x@1.service");
    fs::rename(&folder, two.root.join("kept")).unwrap();
    two.file("/sys/fs/cgroup/a.slice/x@1.service/cpu.max", "33333 100000\n");
    assert!(read_value(&two.host, &instance.path).unwrap_err().is_absent());
    assert!(two.write(&instance.path, "2").unwrap_err().is_absent());
}

#[test]
fn what_a_group_uses_and_has_above_it_speaks_against_a_value() {
    let (two, one) = (of_version_two("against2"), of_version_one("against1"));
    let unit = "cgroup:/a.slice/x@1.service";
    let of_two = |setting: &str, value: &str| two.objections(&format!("{unit}/{setting}"), value);
    assert_eq!(of_two("cpu.quota", "2"), [""; 0]);
    assert_eq!(of_two("cpu.quota", "max"), [""; 0]);
    assert_eq!(of_two("cpu.quota", "4"), ["cgroup:/a.slice/cpu.quota is 3 and limits it too"]);
    assert_eq!(of_two("cpu.quota", "0.001"), ["!below the minimum of 0.01 CPUs for its period"]);
    assert_eq!(of_two("cpu.quota", "0"), ["!invalid value 0 (expected CPUs above 0 such as 1.5, or max)"]);
    assert_eq!(
        of_two("cpu.quota", "much"),
        ["!invalid value much (expected CPUs above 0 such as 1.5, or max)"]
    );
    assert_eq!(of_two("memory.limit", "1GB"), [""; 0]);
    assert_eq!(
        of_two("memory.limit", "some"),
        ["!invalid value some (expected a whole number of bytes, or max)"]
    );
    assert_eq!(
        of_two("memory.limit", "500MB"),
        ["900000000 bytes in use: the excess is reclaimed or swapped out at once"]
    );
    let killed = of_two("memory.limit", "100MB");
    assert!(
        killed.len() == 1 && killed[0].starts_with('!') && killed[0].ends_with("would be killed"),
        "{killed:?}"
    );
    assert_eq!(
        of_two("memory.limit", "3GB"),
        ["cgroup:/a.slice/memory.limit is 2000000000 and limits it too"]
    );
    assert_eq!(
        of_two("pids.limit", "10"),
        ["the group has 40 tasks: it cannot start more until there are fewer"]
    );
    assert_eq!(
        of_two("pids.limit", "1.5"),
        ["!invalid value 1.5 (expected a whole number of tasks, or max)"]
    );

    let refused = one.objections("cgroup:/a/b/cpu.quota", "3.5");
    assert_eq!(refused, ["!cgroup:/a/cpu.quota is 3 and limits it too; raise that first"]);
    let refused = one.objections("cgroup:/a/b/memory.limit", "5GB");
    assert!(
        refused.len() == 1 && refused[0].starts_with("!above memory.memsw.limit_in_bytes (4000000000)"),
        "{refused:?}"
    );
    assert!(one.objections("cgroup:/a/b/memory.limit", "100MB")[0].starts_with('!'));
}

#[test]
fn of_a_unit_it_is_said_how_it_lasts() {
    let two = of_version_two("units");
    let name = "cgroup:x@1.service/cpu.quota";
    assert_eq!(two.objections(name, "1.5"), [""; 0], "nobody but this program owns it");
    two.file("/run/systemd/system/x", "");
    let said = two.objections(name, "1.5");
    let command = "`systemctl set-property x@1.service CPUQuota=150%` makes it permanent";
    assert!(said.len() == 1 && said[0].ends_with(command), "{said:?}");
    let said = two.objections("cgroup:x@1.service/memory.limit", "max");
    assert!(said[0].contains("MemoryMax=infinity`"), "{said:?}");
    let plan = Plan::from_assignments(&two.catalogue, &two.host, [(name, "2")], true).unwrap();
    let refused: Vec<&str> = plan.refused().map(|(_, objection)| objection.what.as_str()).collect();
    assert!(
        refused.len() == 1 && refused[0].contains("set-property x@1.service CPUQuota=200%"),
        "{refused:?}"
    );
    // The group of a user's own systemd.
    two.file("/sys/fs/cgroup/u.slice/user@1000.service/app.slice/cpu.max", "max 100000\n");
    assert!(
        two.objections("cgroup:app.slice/cpu.quota", "1")[0]
            .contains("systemctl --user set-property app.slice")
    );
    two.file("/sys/fs/cgroup/u.slice/user@1000.service/cpu.max", "max 100000\n");
    assert!(!two.objections("cgroup:user@1000.service/cpu.quota", "1")[0].contains("--user"));
}
