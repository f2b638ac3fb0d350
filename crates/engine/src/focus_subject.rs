//! Whether what `--focus` names is on this machine: asked before a window begins, so that a misspelt name is an
//! error at once and not a window in which nothing was found.

use heldup_diagnose::Focus;
use heldup_hostfs::{Host, Interrupts, monotonic_ns};
use heldup_model::{ErrorNote, owner_of_cgroup};

use crate::progress::Progress;

/// How often it is looked whether it has come.
const LOOK_NS: u64 = 1_000_000_000;

/// Whether it is there now. Of a port that is not asked: sockets of other network namespaces are found in the
/// window only; a command is started by whoever asks.
pub fn is_there(host: &Host, focus: &Focus) -> bool {
    match focus {
        Focus::Pid(pid) => lives(host, *pid),
        Focus::Device(name) => host.exists(format!("/sys/class/block/{name}")),
        Focus::Cgroup(path) => {
            let below = format!("{}/", path.trim_end_matches('/'));
            in_any_group(host, |group| group == path || group.starts_with(&below))
        }
        Focus::Unit(name) => {
            in_any_group(host, |group| owner_of_cgroup(group).unit.is_some_and(|unit| *unit == **name))
        }
        Focus::Container(id) => in_any_group(host, |group| {
            owner_of_cgroup(group).container.is_some_and(|container| container.starts_with(id.as_str()))
        }),
        Focus::Port(_) | Focus::Command => true,
    }
}

/// Whether a process is in a control group, of whatever controller, that fits.
fn in_any_group(host: &Host, fits: impl Fn(&str) -> bool) -> bool {
    let of_process = |pid: i64| {
        let text = host.read_text(format!("/proc/{pid}/cgroup")).unwrap_or_default();
        text.lines().any(|line| line.splitn(3, ':').nth(2).is_some_and(&fits))
    };
    host.list_numbers("/proc").unwrap_or_default().into_iter().any(|pid| of_process(pid) && lives(host, pid))
}

/// Whether a process is there and more than what its parent has not asked for yet.
fn lives(host: &Host, pid: i64) -> bool {
    let stat = host.read_text(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    state.is_some_and(|state| !matches!(state, 'X' | 'Z'))
}

/// Why nothing is looked at.
pub fn absent(focus: &Focus) -> String {
    let hint = match focus {
        Focus::Pid(_) => "it has ended, or is of another pid namespace: `ps -e` lists processes",
        Focus::Device(_) => "`lsblk` lists devices",
        Focus::Cgroup(_) => {
            "no process is in it: `systemd-cgls` and /proc/PID/cgroup list groups, as paths in their tree"
        }
        Focus::Unit(_) => "no process is of it: `systemctl status` lists units that run, with their suffix",
        Focus::Container(_) => {
            "no process is of it: /proc/PID/cgroup names containers, by the first twelve digits of their id"
        }
        Focus::Port(_) | Focus::Command => "",
    };
    format!("nothing on this machine is {focus}: {hint}")
}

/// What is said of a window in which it ended.
pub fn ended(focus: &Focus) -> ErrorNote {
    let what = format!("{focus} ended during the window: what is told of it is until then");
    ErrorNote { place: ErrorNote::FOCUS.to_owned(), what }
}

/// Waits until it is there; false where somebody asked to stop.
pub fn await_it(host: &Host, focus: &Focus, progress: &dyn Progress, interrupts: &Interrupts) -> bool {
    if is_there(host, focus) {
        return true;
    }
    progress.note(&format!("waiting for {focus}; Ctrl-C ends it"));
    while !interrupts.stopped() {
        interrupts.wait_until(monotonic_ns().saturating_add(LOOK_NS));
        if is_there(host, focus) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_looked_for_where_it_would_be() {
        let root = std::env::temp_dir().join(format!("heldup-focus-{}", std::process::id()));
        let id = "4f0b0d3c9d2a".to_owned() + &"0".repeat(52);
        for (file, text) in [
            ("proc/7/cgroup", "4:memory:/a/b\n0::/system.slice/x.service\n".to_owned()),
            ("proc/7/stat", "7 (a) b) S 1\n".to_owned()),
            ("proc/8/cgroup", format!("0::/docker/{id}\n")),
            ("proc/8/stat", "8 (c) R 1\n".to_owned()),
            // It has ended, and its parent has not asked how.
            ("proc/9/cgroup", "0::/gone\n".to_owned()),
            ("proc/9/stat", "9 (d) Z 1\n".to_owned()),
            ("sys/class/block/vda/dev", "253:0\n".to_owned()),
        ] {
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        let host = Host::recorded(&root);
        let is = |text: &str| is_there(&host, &text.parse().expect("a focus"));
        for here in [
            "pid:7",
            "device:vda",
            "cgroup:/a",
            "cgroup:/a/b",
            "cgroup:/",
            "unit:x.service",
            "container:4f0b0d",
            "port:1",
            "command",
        ] {
            assert!(is(here), "{here}");
        }
        for gone in
            ["pid:9", "pid:10", "device:vdb", "cgroup:/a/bc", "cgroup:/gone", "unit:x", "container:4f0b1"]
        {
            assert!(!is(gone), "{gone}");
            let said = absent(&gone.parse().expect("a focus"));
            assert!(said.starts_with(&format!("nothing on this machine is {gone}: ")), "{said}");
        }
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
