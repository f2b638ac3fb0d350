//! Clears away what a test run left behind that was killed before it could: swap files,
//! mounts, loop devices, control groups and scratch folders.
//!
//! Everything that the tests make carries the process id of its run in its name
//! ([`crate::scratch::unique_name`]). Touched is only what carries the name of a run whose process
//! is gone. Programs end with their run by themselves, and network namespaces with them; a
//! setting of the kernel has no name, and what it held before is known to nobody any more.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::loop_device::said;
use crate::scratch::{PREFIX, scratch_parent};
use crate::settings_file;

/// Things may lie on each other: a file system on a loop device whose file lies on another.
const LAYERS: usize = 8;

/// Clears away the leftovers of dead runs; says what it cleared, and what it could not.
pub fn sweep() -> Vec<String> {
    let (mut swept, mut failed) = (Vec::new(), Vec::new());
    // What is under something else can go once that is gone: round after round, as long as it helps.
    for _ in 0..LAYERS {
        let before = swept.len();
        failed.clear();
        for (what, undone) in layer() {
            match undone {
                Ok(()) => swept.push(what),
                Err(error) => failed.push(format!("{what}: {error:#}")),
            }
        }
        if swept.len() == before {
            break;
        }
    }
    let swept = swept.into_iter().map(|what| format!("swept {what}"));
    swept.chain(failed.into_iter().map(|what| format!("could not sweep {what}"))).collect()
}

fn layer() -> Vec<(String, anyhow::Result<()>)> {
    let mut done = Vec::new();
    let mut run = |what: String, tool: &str, on: &str| {
        done.push((what, said(Command::new(tool).arg(on)).map(|_| ())));
    };
    for file in words("/proc/swaps", 0).filter(|file| is_left_over(file)) {
        run(format!("swap file {file}"), "swapoff", &file);
    }
    let mut mounts: Vec<String> = words("/proc/mounts", 1).filter(|point| is_left_over(point)).collect();
    mounts.reverse();
    for point in mounts {
        run(format!("mount {point}"), "umount", &point);
    }
    for device in entries(Path::new("/sys/block")) {
        let file = fs::read_to_string(device.join("loop/backing_file")).unwrap_or_default();
        if is_left_over(file.trim()) {
            let device = device.file_name().unwrap_or_default().to_string_lossy().into_owned();
            run(
                format!("loop device {device} of {}", file.trim()),
                "losetup",
                &format!("--detach=/dev/{device}"),
            );
        }
    }
    for root in group_trees() {
        for group in left_over_in(&root) {
            done.push((format!("control group {}", group.display()), remove_group(&group)));
        }
    }
    for file in left_over_in(Path::new(settings_file::FOLDER)) {
        done.push((format!("file {}", file.display()), fs::remove_file(&file).map_err(Into::into)));
    }
    for folder in left_over_in(&scratch_parent()) {
        // Deleting below a mount would delete what is mounted.
        if !words("/proc/mounts", 1).any(|point| Path::new(&point).starts_with(&folder)) {
            done.push((
                format!("folder {}", folder.display()),
                fs::remove_dir_all(&folder).map_err(Into::into),
            ));
        }
    }
    done
}

/// Words of a list of the kernel's, one a line; octal escapes do not occur in our names.
fn words(file: &str, at: usize) -> impl Iterator<Item = String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let words: Vec<String> =
        text.lines().filter_map(|line| line.split_ascii_whitespace().nth(at)).map(str::to_owned).collect();
    words.into_iter()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn left_over_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder)
        .filter(|path| path.file_name().and_then(OsStr::to_str).is_some_and(is_left_over))
        .collect()
}

/// Where control groups are mounted.
fn group_trees() -> Vec<PathBuf> {
    let text = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let tree = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let (point, kind) = (words.next()?, words.next()?);
        kind.starts_with("cgroup").then(|| PathBuf::from(point))
    };
    text.lines().filter_map(tree).collect()
}

/// Removes a group with those below it.
fn remove_group(group: &Path) -> anyhow::Result<()> {
    for below in entries(group).filter(|path| path.is_dir()) {
        remove_group(&below)?;
    }
    Ok(fs::remove_dir(group)?)
}

/// Whether a part of the path is named by a run of the tests whose process is gone.
fn is_left_over(path: &str) -> bool {
    path.split('/').filter_map(run_of).any(|run| !Path::new(&format!("/proc/{run}")).exists())
}

/// The process id in `heldup-it-PID-NUMBER-label`.
fn run_of(name: &str) -> Option<u32> {
    let (run, rest) = name.strip_prefix(PREFIX)?.strip_prefix('-')?.split_once('-')?;
    let (number, label) = rest.split_once('-')?;
    number.parse::<u32>().ok().filter(|_| !label.is_empty())?;
    run.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn only_our_own_names_are_told() {
        assert_eq!(run_of("heldup-it-17-0-home"), Some(17));
        for other in
            ["heldup-it", "heldup-it-17", "heldup-it-17-x-home", "heldup-it-x-0-home", "heldup-it-17-0-"]
        {
            assert_eq!(run_of(other), None, "{other}");
        }
        assert_eq!(run_of("xheldup-it-17-0-home"), None);
    }

    #[test]
    fn what_a_dead_run_left_goes_and_the_rest_stays() {
        let dead = Command::new("true").spawn().and_then(|mut child| child.wait().map(|_| child.id()));
        let dead = dead.expect("a process that has ended");
        let left = scratch_parent().join(format!("{PREFIX}-{dead}-0-left"));
        fs::create_dir_all(left.join("below")).expect("a leftover");
        fs::write(left.join("below/file"), "x").expect("a file in it");
        let ours = Scratch::new("swept").expect("a folder of this run");
        let said = sweep();
        assert!(!left.exists() && ours.path().exists(), "{said:?}");
        assert!(said.contains(&format!("swept folder {}", left.display())), "{said:?}");
    }
}
