//! `/proc/PID/cgroup`: the control groups of a process, one for each v1 hierarchy and one of v2.

use heldup_model::{Text, owner_of_cgroup};

use crate::kernel_text::{ParseError, Parsed, lines};

/// The groups that our tables hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskCgroups {
    /// The one to show: of v2, unless that is the root and v1 says more.
    pub shown: Option<Text>,
    /// Of the cpu controller.
    pub cpu: Option<Text>,
    /// Of the memory controller.
    pub memory: Option<Text>,
    /// Of the io controller (blkio in v1).
    pub io: Option<Text>,
    /// Of the pids controller.
    pub pids: Option<Text>,
    /// systemd unit.
    pub unit: Option<Text>,
    /// Container id.
    pub container: Option<Text>,
}

/// Reads lines of `id:controllers:path`; the v2 line has id 0 and no controllers.
pub fn parse(text: &[u8]) -> Parsed<TaskCgroups> {
    let mut parsed = Parsed::<TaskCgroups>::default();
    let mut v2: Option<Text> = None;
    let mut longest: Option<Text> = None;
    let mut systemd: Option<Text> = None;
    let mut controllers: [Option<Text>; 4] = [None, None, None, None];
    for (line, content) in lines(parsed.whole_lines(text)) {
        // A path may hold colons.
        let mut parts = content.splitn(3, |b| *b == b':').map(String::from_utf8_lossy);
        let (Some(_), Some(names), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            parsed.error(ParseError::new(line, "control group", content, "id:controllers:path"));
            continue;
        };
        let path: Text = path.as_ref().into();
        if names.is_empty() {
            v2 = Some(path);
            continue;
        }
        for name in names.split(',') {
            match name {
                "cpu" => controllers[0] = Some(path.clone()),
                "memory" => controllers[1] = Some(path.clone()),
                "blkio" => controllers[2] = Some(path.clone()),
                "pids" => controllers[3] = Some(path.clone()),
                "name=systemd" => systemd = Some(path.clone()),
                _ => {}
            }
        }
        if longest.as_ref().is_none_or(|known| path.len() > known.len()) {
            longest = Some(path);
        }
    }
    // Hybrid hosts leave every task in the root of v2 and group by v1.
    let shown = v2.clone().filter(|path| &**path != "/").or(longest).or_else(|| v2.clone());
    let owner = shown.as_deref().map(owner_of_cgroup).unwrap_or_default();
    let of_systemd = systemd.as_deref().map(owner_of_cgroup).unwrap_or_default();
    let [cpu, memory, io, pids] = controllers.map(|path| path.or_else(|| v2.clone()));
    let (unit, container) = (owner.unit.or(of_systemd.unit), owner.container.or(of_systemd.container));
    parsed.value = TaskCgroups { shown, cpu, memory, io, pids, unit, container };
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v1_v2_and_hybrid() {
        let shown = |text: &[u8]| {
            let groups = parse(text).value;
            let text = |path: Option<Text>| path.unwrap_or_else(|| "-".into());
            [groups.shown, groups.cpu, groups.memory, groups.io, groups.pids, groups.unit].map(text).join(" ")
        };
        assert_eq!(
            shown(b"0::/system.slice/a.service\n"),
            ["/system.slice/a.service"; 5].join(" ") + " a.service"
        );
        assert_eq!(
            shown(b"4:memory:/m\n2:cpu,cpuacct:/c/deep\n1:name=systemd:/system.slice/b.service\n"),
            "/system.slice/b.service /c/deep /m - - b.service"
        );
        assert_eq!(shown(b"4:memory:/m:1\n3:blkio:/\n1:cpu:/\n0::/\n"), "/m:1 / /m:1 / / -");
        assert_eq!(shown(b"8:pids:/few\n0::/\n"), "/few / / / /few -");
        assert_eq!(shown(b"0::/\n"), "/ / / / / -");
        assert_eq!(shown(b""), "- - - - - -");
    }

    #[test]
    fn a_line_without_a_path_is_named() {
        let parsed = parse(b"4:memory\n3:cpu:/c\n");
        assert_eq!(parsed.errors[0].line, 1);
        assert_eq!(parsed.value.cpu.as_deref(), Some("/c"));
    }
}
