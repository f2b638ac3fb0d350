//! Whether what `--focus` names is on this machine: asked before a window begins, so that a misspelt name is an
//! error at once and not a window in which nothing was found.

use heldup_diagnose::{Focus, is_in};
use heldup_hostfs::{Host, Interrupts, monotonic_ns};
use heldup_model::{Capture, ErrorNote, owner_of_cgroup};

use crate::error::{EngineError, Result};
use crate::progress::Progress;

/// How often it is looked whether it has come.
const LOOK_NS: u64 = 1_000_000_000;

/// Tables and columns that tell what a focus names, as the text of a query.
pub fn named_by(focus: &Focus) -> &'static str {
    match focus {
        Focus::Device(_) => " from disk device parent backing from stack object_device",
        Focus::Mount(_) => " from mount mount device from filesystem from disk parent backing",
        Focus::Port(_) => " pid local_port peer_port from socket from task_time from process",
        _ => {
            " pid name process_name cgroup cgroup_cpu cgroup_memory cgroup_io cgroup_pids unit container in_command \
             from task_time from process"
        }
    }
}

/// An error where nothing on this machine is named.
pub fn must_be_here(focus: Option<&Focus>) -> Result<()> {
    match focus.filter(|focus| !is_there(&Host::live(), focus)) {
        None => Ok(()),
        Some(focus) => Err(EngineError::not_found(absent(focus))),
    }
}

/// An error where nothing of a recording is named.
pub fn must_be_in(capture: &Capture, focus: &Focus) -> Result<()> {
    if is_in(capture, focus) {
        return Ok(());
    }
    Err(EngineError::not_found(format!("nothing in this recording matches {focus}")))
}

/// Whether it is there now. Of a port that is not asked: sockets of other network namespaces are found in the
/// window only; a command is started by whoever asks.
pub fn is_there(host: &Host, focus: &Focus) -> bool {
    match focus {
        Focus::Pid(pid) => lives(host, *pid),
        Focus::Comm(name) => has_name(host, name),
        Focus::Device(name) => host.exists(format!("/sys/class/block/{name}")),
        Focus::Mount(path) => has_mount(host, path),
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

/// Whether a process has a name.
fn has_name(host: &Host, name: &str) -> bool {
    let is_named = |pid: &i64| {
        let comm = host.read_text(format!("/proc/{pid}/comm")).unwrap_or_default();
        comm.trim_end_matches('\n') == name
    };
    host.list_numbers("/proc").unwrap_or_default().iter().any(|pid| is_named(pid) && lives(host, *pid))
}

/// Whether something is mounted at a path.
fn has_mount(host: &Host, path: &str) -> bool {
    let table = host.read_text("/proc/self/mountinfo").unwrap_or_default();
    // Blanks and what steers are written as octal digits there.
    let escaped = path.replace('\\', "\\134").replace(' ', "\\040").replace('\t', "\\011");
    table.lines().any(|line| line.split(' ').nth(4) == Some(escaped.as_str()))
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
        Focus::Comm(_) => "no process has this name: `ps -eo comm` lists names, of at most 15 characters",
        Focus::Device(_) => "`lsblk` lists devices",
        Focus::Mount(_) => "nothing is mounted there: `findmnt` lists mounts",
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
    let what = format!("{focus} ended during the window: the answer covers the time until then");
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
            ("proc/7/comm", "a) b\n".to_owned()),
            ("proc/9/comm", "d\n".to_owned()),
            ("proc/self/mountinfo", "36 35 98:0 / /mnt/my\\040disk rw - ext4 /dev/root rw\n".to_owned()),
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
            "comm:a) b",
            "mount:/mnt/my disk",
            "command",
        ] {
            assert!(is(here), "{here}");
        }
        for gone in [
            "pid:9",
            "pid:10",
            "device:vdb",
            "cgroup:/a/bc",
            "cgroup:/gone",
            "unit:x",
            "container:4f0b1",
            "comm:d",
            "comm:a",
            "mount:/mnt",
        ] {
            assert!(!is(gone), "{gone}");
            let said = absent(&gone.parse().expect("a focus"));
            assert!(said.starts_with(&format!("nothing on this machine is {gone}: ")), "{said}");
        }
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
