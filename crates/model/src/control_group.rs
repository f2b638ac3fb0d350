//! Who owns a control group: the systemd unit and the container that its path names.
//!
//! Recognised by the names that the tools give their groups; `docs` of each: podman and CRI-O
//! `libpod-ID.scope` and `crio-ID.scope`, containerd `cri-containerd-ID.scope`, Docker
//! `docker-ID.scope`, each without prefix and suffix where groups are not made by systemd;
//! LXC `lxc.payload.NAME` (since 4.0; before `lxc/NAME`); systemd `machine-NAME.scope` and
//! `systemd-nspawn@NAME.service`. The monitor of a container is not part of it.

use crate::rows::Text;

/// Owners parsed from a control group's path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// systemd unit: the last component that ends in a unit suffix.
    pub unit: Option<Text>,
    /// Container: the first twelve digits of its id, as container tools print it, or its
    /// name where it has no id (LXC, systemd-nspawn). Of nested ones the innermost.
    pub container: Option<Text>,
}

const UNIT_SUFFIXES: [&str; 3] = [".service", ".scope", ".slice"];
/// Hex digits of a container id (a SHA-256); tools print the first twelve. Machine and boot
/// ids, which units are named after, have 32.
const ID_DIGITS: usize = 64;
/// Below a container's group: processes that watch over it (podman, systemd-nspawn).
const WATCHER: &str = "supervisor";

/// Parses unit and container from a path such as
/// `/system.slice/docker-<64 hex>.scope` or `/kubepods/besteffort/pod…/<64 hex>`.
pub fn owner_of_cgroup(path: &str) -> Owner {
    let mut owner = Owner::default();
    let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
    let mut above = None;
    while let Some(part) = parts.next() {
        let container = by_id(part).or_else(|| by_name(above, part));
        if container.is_some() && parts.peek() != Some(&WATCHER) {
            owner.container = container;
        }
        if UNIT_SUFFIXES.iter().any(|suffix| part.ends_with(suffix)) && part != "-.slice" {
            owner.unit = Some(part.into());
        }
        above = Some(part);
    }
    owner
}

fn by_id(part: &str) -> Option<Text> {
    let name = part.strip_suffix(".scope").unwrap_or(part);
    // `kubepods-burstable-pod….slice:cri-containerd:ID` is containerd told to use systemd by
    // Kubernetes, but not by its own configuration.
    let (tool, id) = name.rsplit_once(['-', ':']).unwrap_or(("", name));
    let is_id = id.len() == ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    // The monitors of podman and CRI-O: `libpod-conmon-ID.scope`.
    let watches = tool == "conmon" || tool.ends_with("-conmon");
    (is_id && !watches).then(|| id[..12].into())
}

/// Containers without an id; `above` is the part above, none at the root.
fn by_name(above: Option<&str>, part: &str) -> Option<Text> {
    if let Some(name) = part.strip_prefix("lxc.payload.") {
        return Some(name.into());
    }
    match above {
        Some("lxc" | "lxc.payload") => Some(part.into()),
        Some("machine.slice") => {
            let scope = part.strip_prefix("machine-").and_then(|rest| rest.strip_suffix(".scope"));
            let service =
                || part.strip_prefix("systemd-nspawn@").and_then(|rest| rest.strip_suffix(".service"));
            // libvirt registers its virtual machines in the same way.
            let name = scope.or_else(service).filter(|name| !name.starts_with("qemu\\x2d"))?;
            Some(name.replace("\\x2d", "-").into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4f0b0d3c9d2a4f0b0d3c9d2a4f0b0d3c9d2a4f0b0d3c9d2a4f0b0d3c9d2a4f0b";
    const SHORT: Option<&str> = Some("4f0b0d3c9d2a");

    fn check(path: &str, unit: Option<&str>, container: Option<&str>) {
        let path = path.replace("ID", ID);
        let unit = unit.map(|unit| unit.replace("ID", ID));
        let owner = owner_of_cgroup(&path);
        assert_eq!(
            (owner.unit.as_deref(), owner.container.as_deref()),
            (unit.as_deref(), container),
            "{path}"
        );
    }

    #[test]
    fn units() {
        check("/", None, None);
        check("/system.slice/nginx.service", Some("nginx.service"), None);
        check("/user.slice/user-0.slice/session-1.scope", Some("session-1.scope"), None);
        check("/build-deadbeef", None, None);
    }

    #[test]
    fn docker() {
        check("/docker/ID", None, SHORT);
        check("/system.slice/docker-ID.scope", Some("docker-ID.scope"), SHORT);
        check("/system.slice/docker-ID.scope/init", Some("docker-ID.scope"), SHORT);
    }

    #[test]
    fn kubernetes() {
        check("/kubepods/besteffort/pod7f3b1a52-88b1-4f0e-9d0f-2a6d2f0d6c11/ID", None, SHORT);
        let pod = "kubepods-burstable-pod7f3b1a52_88b1_4f0e_9d0f_2a6d2f0d6c11.slice";
        let below = format!("/kubepods.slice/kubepods-burstable.slice/{pod}");
        check(&below, Some(pod), None);
        for tool in ["cri-containerd", "crio", "docker"] {
            let scope = format!("{tool}-ID.scope");
            check(&format!("{below}/{scope}"), Some(&scope), SHORT);
        }
        check(&format!("{below}/crio-ID.scope/container"), Some("crio-ID.scope"), SHORT);
        check(&format!("{below}/crio-conmon-ID.scope"), Some("crio-conmon-ID.scope"), None);
        let mixed = format!("/system.slice/containerd.service/{pod}:cri-containerd:ID");
        check(&mixed, Some("containerd.service"), SHORT);
    }

    #[test]
    fn podman() {
        check("/machine.slice/libpod-ID.scope/container", Some("libpod-ID.scope"), SHORT);
        check("/machine.slice/libpod-conmon-ID.scope", Some("libpod-conmon-ID.scope"), None);
        let user = "/user.slice/user-1000.slice/user@1000.service/user.slice";
        check(&format!("{user}/libpod-ID.scope/container"), Some("libpod-ID.scope"), SHORT);
        check("/libpod_parent/libpod-ID", None, SHORT);
        check("/libpod_parent/libpod-ID/supervisor", None, None);
        check("/machine.slice/machine-libpod_pod_ID.slice", Some("machine-libpod_pod_ID.slice"), None);
        // The transient unit of a health check runs beside the container.
        check("/system.slice/ID.service", Some("ID.service"), None);
    }

    #[test]
    fn containers_with_a_name() {
        check("/lxc/web/system.slice/nginx.service", Some("nginx.service"), Some("web"));
        check("/lxc.payload/101", None, Some("101"));
        check("/lxc.payload.web-1/init.scope", Some("init.scope"), Some("web-1"));
        check("/lxc.monitor.web-1", None, None);
        check("/lxc.monitor/101", None, None);
        let nspawn = "/machine.slice/machine-debian\\x2dsid.scope";
        check(nspawn, Some("machine-debian\\x2dsid.scope"), Some("debian-sid"));
        check(&format!("{nspawn}/payload/system.slice/ssh.service"), Some("ssh.service"), Some("debian-sid"));
        let service = "systemd-nspawn@web.service";
        check(&format!("/machine.slice/{service}/payload"), Some(service), Some("web"));
        check(&format!("/machine.slice/{service}/supervisor"), Some(service), None);
        let machine = "machine-qemu\\x2d1\\x2dbuild.scope";
        check(&format!("/machine.slice/{machine}/libvirt/emulator"), Some(machine), None);
    }

    #[test]
    fn nested_containers_and_what_looks_like_one() {
        let other = "a".repeat(ID_DIGITS);
        check(&format!("/docker/{other}/kubepods/besteffort/podx/ID"), None, SHORT);
        check("/lxc.payload.ci/docker/ID", None, SHORT);
        // Ids of machines and boots have 32 digits.
        let boot = "run-6f1f3b1e0c3d4c0e9a5b6d7e8f901234.scope";
        check(&format!("/system.slice/{boot}"), Some(boot), None);
        check("/job/6f1f3b1e0c3d4c0e9a5b6d7e8f901234", None, None);
    }
}
