//! Which hypervisor `host` names, by what the machine says of itself.

use heldup_hostfs::Host;
use heldup_sources::live;

use crate::recorded::{Tree, read, show};

const GUEST: (&str, &str) = ("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor lahf_lm\n");
const METAL: (&str, &str) = ("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu lahf_lm\n");
const CLOCKS: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
const VENDOR: &str = "/sys/class/dmi/id/sys_vendor";
const PRODUCT: &str = "/sys/class/dmi/id/product_name";

fn check(files: &[(&str, &str)], expected: &str) {
    let tree = Tree::empty();
    for (path, content) in files {
        tree.write(path, content.as_bytes());
    }
    let mut sources = live();
    let host = sources.iter_mut().find(|source| source.name() == "host").expect("the source");
    let shown = show(&read(host.as_mut(), &Host::recorded(&tree.root)));
    let named = shown.split("hypervisor=").nth(1).and_then(|rest| rest.split('"').nth(1));
    assert_eq!(named.unwrap_or("NULL"), expected, "{files:?}");
}

#[test]
fn the_machine_names_its_hypervisor_as_far_as_it_says_so() {
    check(&[GUEST, (VENDOR, "QEMU\n"), (PRODUCT, "Standard PC (Q35 + ICH9, 2009)\n")], "QEMU");
    check(&[GUEST, (VENDOR, "Microsoft Corporation\n"), (PRODUCT, "Virtual Machine\n")], "Hyper-V");
    check(&[GUEST, (VENDOR, "Amazon EC2\n"), (CLOCKS, "tsc kvm-clock\n")], "Amazon EC2");
    check(&[GUEST, (CLOCKS, "tsc kvm-clock \n")], "KVM");
    check(&[GUEST, ("/sys/hypervisor/type", "xen\n")], "Xen");
    check(&[GUEST], "unknown");
    check(&[METAL, (VENDOR, "Amazon EC2\n")], "none");
    // arm64 has no such flag: without more, nothing is known.
    check(&[("/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n")], "NULL");
}
