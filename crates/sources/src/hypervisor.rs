//! Which hypervisor the machine runs under, as far as files say so.
//!
//! No instruction is asked (CPUID leaves): a recorded tree must answer as the machine did.

use heldup_hostfs::Host;

use crate::cpuinfo::cpuinfo_value;
use crate::kernel_text::fields;

/// Vendor or product that firmware tables name, and what is meant by it. The order
/// matters: clouds built on KVM keep QEMU's names in other fields.
const FIRMWARE_NAMES: [(&str, &str); 13] = [
    ("Amazon EC2", "Amazon EC2"),
    ("Google Compute Engine", "Google Compute Engine"),
    ("Alibaba Cloud", "Alibaba Cloud"),
    ("OpenStack", "OpenStack"),
    ("DigitalOcean", "DigitalOcean"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("Parallels", "Parallels"),
    ("Virtual Machine", "Hyper-V"),
    ("KVM", "KVM"),
    ("QEMU", "QEMU"),
    ("Xen", "Xen"),
];
const FIRMWARE_FILES: [&str; 4] = ["sys_vendor", "product_name", "bios_vendor", "board_vendor"];
/// A clock that only a guest of that hypervisor has.
const GUEST_CLOCKS: [(&str, &str); 3] = [("kvm-clock", "KVM"), ("hyperv_", "Hyper-V"), ("xen", "Xen")];

/// The hypervisor's name, `none` on bare metal, `unknown` where there is one that says no
/// more; nothing where the machine does not say whether there is one.
pub(crate) fn detect(host: &Host, cpuinfo: &[u8]) -> Option<&'static str> {
    // A Xen host says xen here too: its own kernel runs above the hypervisor.
    if let Ok(kind) = host.read_text("/sys/hypervisor/type") {
        return Some(if kind == "xen" { "Xen" } else { "unknown" });
    }
    let is_guest =
        cpuinfo_value(cpuinfo, &["flags"]).map(|flags| fields(flags).any(|flag| flag == b"hypervisor"));
    if is_guest == Some(false) {
        return Some("none");
    }
    from_firmware(host).or_else(|| from_clocks(host)).or(is_guest.and(Some("unknown")))
}

/// Cloud machines of bare metal name the cloud too: asked only where a guest is possible.
fn from_firmware(host: &Host) -> Option<&'static str> {
    let read = |name| host.read_text(format!("/sys/class/dmi/id/{name}")).unwrap_or_default();
    let texts = FIRMWARE_FILES.map(read);
    let named = |part: &str| texts.iter().any(|text| text.contains(part));
    FIRMWARE_NAMES.iter().find(|(part, _)| named(part)).map(|(_, name)| *name)
}

fn from_clocks(host: &Host) -> Option<&'static str> {
    let clocks = host.read_text("/sys/devices/system/clocksource/clocksource0/available_clocksource").ok()?;
    let has = |start: &str| clocks.split_whitespace().any(|clock| clock.starts_with(start));
    GUEST_CLOCKS.iter().find(|(start, _)| has(start)).map(|(_, name)| *name)
}
