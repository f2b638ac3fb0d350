//! Who set a value, on a small machine made of files.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use heldup_hostfs::Host;
use heldup_tune::{Assignments, Catalogue, SetBy, Standing, release};

/// A machine whose files are removed with it.
struct Machine {
    root: PathBuf,
}

impl Machine {
    fn new(name: &str, files: &[(&str, &str)]) -> Machine {
        let root = std::env::temp_dir().join(format!("heldup-tune-{name}-{}", std::process::id()));
        for (path, text) in [("proc/sys/kernel/osrelease", "6.12.1-test\n")].iter().chain(files) {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Machine { root }
    }

    fn standing(&self, id: &str) -> Vec<Standing> {
        let host = Host::recorded(&self.root);
        let catalogue = Catalogue::builtin();
        let tunable = catalogue.find(id).unwrap();
        let assignments = Assignments::of(&host);
        let of = |instance| Standing::of(&host, release(&host), tunable, instance, &assignments);
        tunable.instances(&host).into_iter().map(of).collect()
    }

    fn one(&self, id: &str) -> Standing {
        self.standing(id).pop().unwrap()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn place(set_by: &SetBy) -> String {
    match set_by {
        SetBy::File(given) => format!("{}:{}", given.file, given.line),
        SetBy::SinceFile(given) => format!("since {}:{}", given.file, given.line),
        other => format!("{other:?}"),
    }
}

#[test]
fn the_last_file_by_name_wins_whatever_its_folder() {
    let machine = Machine::new(
        "order",
        &[
            ("proc/sys/vm/swappiness", "10\n"),
            ("etc/sysctl.d/10-first.conf", "# ours\nvm.swappiness = 1\n"),
            ("usr/lib/sysctl.d/90-last.conf", "vm.dirty_ratio = 30\n\nvm/swappiness=10\n"),
        ],
    );
    let standing = machine.one("vm.swappiness");
    assert_eq!(place(&standing.set_by), "/usr/lib/sysctl.d/90-last.conf:3");
    assert!(standing.is_disputed());
    assert_eq!((standing.value.as_deref(), standing.default.as_deref()), (Some("10"), Some("60")));
}

#[test]
fn a_file_hides_its_namesake_and_a_link_to_null_switches_it_off() {
    let machine = Machine::new(
        "hides",
        &[
            ("proc/sys/vm/swappiness", "60\n"),
            ("usr/lib/sysctl.d/50-a.conf", "vm.swappiness = 1\n"),
            ("etc/sysctl.d/50-a.conf", ""),
        ],
    );
    assert_eq!(place(&machine.one("vm.swappiness").set_by), "Kernel");
}

#[test]
fn what_differs_from_its_file_was_changed_since() {
    let machine = Machine::new(
        "since",
        &[("proc/sys/vm/swappiness", "33\n"), ("etc/sysctl.d/a.conf", "vm.swappiness=10\n")],
    );
    assert_eq!(place(&machine.one("vm.swappiness").set_by), "since /etc/sysctl.d/a.conf:1");
    let machine = Machine::new("runtime", &[("proc/sys/vm/swappiness", "33\n")]);
    assert_eq!(place(&machine.one("vm.swappiness").set_by), "RunTime");
}

#[test]
fn sysctl_conf_counts_in_its_order_only_where_a_link_leads_to_it() {
    let files = [
        ("proc/sys/vm/swappiness", "10\n"),
        ("etc/sysctl.conf", "vm.swappiness=5\n"),
        ("etc/sysctl.d/50-x.conf", "vm.swappiness=10\n"),
    ];
    let machine = Machine::new("conf", &files);
    let standing = machine.one("vm.swappiness");
    assert_eq!(place(&standing.set_by), "/etc/sysctl.d/50-x.conf:1", "systemd does not read sysctl.conf");
    assert!(standing.is_disputed());
    symlink("../sysctl.conf", machine.root.join("etc/sysctl.d/99-sysctl.conf")).unwrap();
    assert_eq!(place(&machine.one("vm.swappiness").set_by), "since /etc/sysctl.d/99-sysctl.conf:1");
}

#[test]
fn a_name_by_itself_is_left_out_of_globs() {
    let machine = Machine::new(
        "globs",
        &[
            ("proc/sys/vm/dirty_ratio", "20\n"),
            ("proc/sys/vm/swappiness", "10\n"),
            ("etc/sysctl.d/a.conf", "vm.swappiness=10\n-vm.dirty_ratio\n"),
            ("etc/sysctl.d/b.conf", "vm.*=20\nwhat is this\n"),
        ],
    );
    assert_eq!(place(&machine.one("vm.swappiness").set_by), "/etc/sysctl.d/a.conf:1");
    assert_eq!(place(&machine.one("vm.dirty_ratio").set_by), "Kernel");
    let read = Assignments::of(&Host::recorded(&machine.root));
    assert_eq!(read.malformed, ["/etc/sysctl.d/b.conf:2: expected NAME = VALUE"]);
}

#[test]
fn each_device_stands_by_itself_and_udev_may_have_set_it() {
    let rule = "ACTION==\"add\", KERNEL==\"sd*\", ATTR{queue/scheduler}=\"bfq\"\n";
    let machine = Machine::new(
        "devices",
        &[
            ("sys/block/sda/queue/scheduler", "none mq-deadline [bfq]\n"),
            ("sys/block/vda/queue/scheduler", "[none] mq-deadline\n"),
            ("etc/udev/rules.d/60-io.rules", rule),
        ],
    );
    let found = machine.standing("block.*.queue.scheduler");
    let told: Vec<_> = found.iter().map(|s| (s.instance.key.as_str(), place(&s.set_by))).collect();
    assert_eq!(
        told,
        [
            ("block.sda.queue.scheduler", "/etc/udev/rules.d/60-io.rules:1".to_owned()),
            ("block.vda.queue.scheduler", "Unknown".to_owned()),
        ]
    );
}

#[test]
fn a_former_place_is_found_where_the_kernel_has_that() {
    let machine = Machine::new("former", &[("proc/sys/kernel/sched_migration_cost_ns", "500000\n")]);
    let standing = machine.one("kernel.debug.sched.migration_cost_ns");
    assert_eq!(standing.instance.key, "kernel.sched_migration_cost_ns");
    assert_eq!(place(&standing.set_by), "Kernel");
}
