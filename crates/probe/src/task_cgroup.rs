//! The control group of a process, from `/proc/PID/cgroup`.
//!
//! On hosts that still have the v1 cpu controller its group names the task, else the v2
//! one: the same choice as the ledger's.

use heldup_hostfs::Host;
use heldup_model::Text;

/// The group's path; nothing when the process has ended.
pub(crate) fn cgroup_of(host: &Host, pid: u32) -> Option<Text> {
    parse(&host.read_text(format!("/proc/{pid}/cgroup")).ok()?)
}

/// Lines are `number:controllers:path`; the v2 hierarchy is `0::path`.
fn parse(text: &str) -> Option<Text> {
    let groups = || {
        text.lines().filter_map(|line| {
            let mut fields = line.splitn(3, ':');
            fields.next()?;
            Some((fields.next()?, fields.next()?))
        })
    };
    let of_cpu = groups().find(|(controllers, _)| controllers.split(',').any(|name| name == "cpu"));
    of_cpu.or_else(|| groups().find(|(controllers, _)| controllers.is_empty())).map(|(_, path)| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_controller_comes_before_the_unified_tree() {
        let v1 = "5:cpuset:/a\n3:cpu,cpuacct:/user.slice/b\n1:name=systemd:/c\n0::/d\n";
        assert_eq!(parse(v1).as_deref(), Some("/user.slice/b"));
        assert_eq!(
            parse("1:name=systemd:/c\n0::/system.slice/x:y.service\n").as_deref(),
            Some("/system.slice/x:y.service")
        );
        assert_eq!(parse("nonsense\n"), None);
    }
}
