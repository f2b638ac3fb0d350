//! Who owns a control group: the systemd unit and the container that its path names.

use crate::rows::Text;

/// Owners read off a control group's path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// systemd unit: the last component that ends in a unit suffix.
    pub unit: Option<Text>,
    /// Container id, its first twelve digits, as container tools print it.
    pub container: Option<Text>,
}

const UNIT_SUFFIXES: [&str; 3] = [".service", ".scope", ".slice"];
/// Shortest run of hex digits that is taken for a container id: ids have 64, Docker prints 12.
const CONTAINER_ID_DIGITS: usize = 32;

/// Reads unit and container off a path such as
/// `/system.slice/docker-<64 hex>.scope` or `/kubepods/besteffort/pod…/<64 hex>`.
pub fn owner_of_cgroup(path: &str) -> Owner {
    let mut owner = Owner::default();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if let Some(id) = container_id(part) {
            owner.container = Some(id.into());
        }
        if UNIT_SUFFIXES.iter().any(|suffix| part.ends_with(suffix)) && part != "-.slice" {
            owner.unit = Some(part.into());
        }
    }
    owner
}

fn container_id(part: &str) -> Option<&str> {
    let name = part.strip_suffix(".scope").unwrap_or(part);
    let id = name.rsplit(['-', ':']).next()?;
    let hex = id.len() >= CONTAINER_ID_DIGITS && id.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then(|| id.get(..12)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4f0b0d3c9d2a4f0b0d3c9d2a4f0b0d3c9d2a4f0b0d3c9d2a4f0b0d3c9d2a4f0b";

    fn check(path: &str, unit: Option<&str>, container: Option<&str>) {
        let owner = owner_of_cgroup(path);
        assert_eq!((owner.unit.as_deref(), owner.container.as_deref()), (unit, container), "{path}");
    }

    #[test]
    fn owners() {
        check("/", None, None);
        check("/system.slice/nginx.service", Some("nginx.service"), None);
        check(&format!("/docker/{ID}"), None, Some("4f0b0d3c9d2a"));
        let scope = format!("docker-{ID}.scope");
        check(&format!("/system.slice/{scope}"), Some(&scope), Some("4f0b0d3c9d2a"));
        check(&format!("/kubepods/besteffort/podabc/{ID}"), None, Some("4f0b0d3c9d2a"));
        check("/user.slice/user-0.slice/session-1.scope", Some("session-1.scope"), None);
        check("/build-deadbeef", None, None);
    }
}
