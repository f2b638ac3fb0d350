//! Which files of the machine assign values to settings, and which of them wins.
//!
//! Read as the programs do that apply them at boot: the kernel its command line, systemd-sysctl
//! the folders of sysctl.d(5), systemd-tmpfiles those of tmpfiles.d(5). Rules of udev are told
//! apart: whether one of them matches a device only udev knows.

use std::collections::BTreeMap;

use heldup_hostfs::Host;

use crate::setting_path::{fits, key, sysctl_path};

/// Folders of sysctl.d(5), the first first: a file hides those of its name in later ones.
const SYSCTL: [&str; 5] =
    ["/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d", "/lib/sysctl.d"];
const TMPFILES: [&str; 4] =
    ["/etc/tmpfiles.d", "/run/tmpfiles.d", "/usr/local/lib/tmpfiles.d", "/usr/lib/tmpfiles.d"];
const UDEV: [&str; 4] =
    ["/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d"];
/// Read by `sysctl --system` and `sysctl -p`; systemd-sysctl does not know it.
const SYSCTL_CONF: &str = "/etc/sysctl.conf";
const COMMAND_LINE: &str = "/proc/cmdline";

/// Who applies it, in the order of boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applier {
    /// The kernel: `sysctl.NAME=VALUE` of its command line, since 5.8.
    Kernel,
    /// systemd-sysctl or `sysctl --system`.
    Sysctl,
    /// systemd-tmpfiles: lines that write.
    Tmpfiles,
    /// udev, for devices that its rule matches.
    Udev,
    /// `sysctl --system` alone: `/etc/sysctl.conf` that no link in a folder leads to.
    SysctlConf,
}

impl Applier {
    /// One word for lists.
    pub fn word(self) -> &'static str {
        match self {
            Applier::Kernel => "kernel",
            Applier::Sysctl => "sysctl",
            Applier::Tmpfiles => "tmpfiles",
            Applier::Udev => "udev",
            Applier::SysctlConf => "sysctl.conf",
        }
    }
}

/// A value that a file gives a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Path of the setting; may hold `*`. Of udev the attribute alone.
    pub path: String,
    /// The value, as it stands there.
    pub value: String,
    /// The file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// Who applies it.
    pub applier: Applier,
}

impl Assignment {
    /// The setting's name, as the key of table `setting` has it.
    pub fn key(&self) -> String {
        let below = self.path.strip_prefix("/proc/sys/").or_else(|| self.path.strip_prefix("/sys/"));
        below.map_or_else(|| self.path.clone(), key)
    }

    /// `FILE:LINE`.
    pub fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

/// All that the machine's files assign.
#[derive(Debug, Default)]
pub struct Assignments {
    /// In the order in which they are applied.
    all: Vec<Assignment>,
    /// Paths that globs do not apply to: `-NAME` without a value.
    excluded: Vec<String>,
    /// Files and folders that are there and could not be read.
    pub unread: Vec<String>,
    /// Lines that are no assignment, with their place.
    pub malformed: Vec<String>,
}

impl Assignments {
    /// Reads the machine's files.
    pub fn of(host: &Host) -> Assignments {
        let mut read = Assignments::default();
        if let Ok(line) = host.read_text(COMMAND_LINE) {
            read.command_line(&line);
        }
        let mut linked = false;
        for file in read.files(host, &SYSCTL, ".conf") {
            let target = host.read_link(&file).unwrap_or_default();
            linked |= target.ends_with("/sysctl.conf") || target == "sysctl.conf";
            read.sysctl_file(host, &file, Applier::Sysctl);
        }
        for file in read.files(host, &TMPFILES, ".conf") {
            read.each_line(host, &file, |read, number, line| read.tmpfiles_line(&file, number, line));
        }
        for file in read.files(host, &UDEV, ".rules") {
            read.each_line(host, &file, |read, number, line| read.udev_line(&file, number, line));
        }
        if !linked && host.exists(SYSCTL_CONF) {
            read.sysctl_file(host, SYSCTL_CONF, Applier::SysctlConf);
        }
        read
    }

    /// What is assigned to a path, in the order in which it is applied; the last wins. Rules of
    /// udev are not among them.
    pub fn to(&self, path: &str) -> Vec<&Assignment> {
        let sure = self.all.iter().filter(|given| given.applier != Applier::Udev);
        let given: Vec<&Assignment> = sure.filter(|given| fits(&given.path, path)).collect();
        // As systemd-sysctl: a name that stands by itself is left out of every glob.
        let by_name =
            given.iter().any(|given| given.path == path) || self.excluded.iter().any(|out| out == path);
        given.into_iter().filter(|given| !by_name || given.path == path).collect()
    }

    /// All that is assigned, in the order in which it is applied; rules of udev are not among it.
    pub fn in_order(&self) -> impl Iterator<Item = &Assignment> {
        self.all.iter().filter(|given| given.applier != Applier::Udev)
    }

    /// Rules of udev that assign the attribute which a path ends with, for some device.
    pub fn by_udev(&self, path: &str) -> Vec<&Assignment> {
        let rules = self.all.iter().filter(|given| given.applier == Applier::Udev);
        rules
            .filter(|given| {
                path.strip_suffix(given.path.as_str()).is_some_and(|folder| folder.ends_with('/'))
            })
            .collect()
    }

    /// Files of some folders by name, a file hiding those of its name in later folders.
    fn files(&mut self, host: &Host, folders: &[&str], ending: &str) -> Vec<String> {
        let mut by_name: BTreeMap<String, String> = BTreeMap::new();
        for folder in folders {
            match host.list(folder) {
                Ok(names) => {
                    for name in names.into_iter().filter(|name| name.ends_with(ending)) {
                        by_name.entry(name.clone()).or_insert_with(|| format!("{folder}/{name}"));
                    }
                }
                Err(error) if error.is_absent() => {}
                Err(error) => self.unread.push(error.to_string()),
            }
        }
        by_name.into_values().collect()
    }

    fn each_line(&mut self, host: &Host, file: &str, mut take: impl FnMut(&mut Assignments, usize, &str)) {
        // A link to /dev/null switches a file off, and reads as an empty one.
        match host.read_text(file) {
            Ok(text) => text.lines().enumerate().for_each(|(at, line)| take(self, at + 1, line.trim())),
            Err(error) => self.unread.push(error.to_string()),
        }
    }

    fn command_line(&mut self, line: &str) {
        for word in line.split_whitespace() {
            let given = word.strip_prefix("sysctl.").and_then(|rest| rest.split_once('='));
            if let Some((name, value)) = given {
                self.add(sysctl_path(name), value, COMMAND_LINE, 1, Applier::Kernel);
            }
        }
    }

    fn sysctl_file(&mut self, host: &Host, file: &str, applier: Applier) {
        self.each_line(host, file, |read, number, line| {
            if line.is_empty() || line.starts_with(['#', ';']) {
                return;
            }
            let (lenient, rest) = line.strip_prefix('-').map_or((false, line), |rest| (true, rest));
            match rest.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    read.add(sysctl_path(name.trim()), value.trim(), file, number, applier);
                }
                None if lenient => read.excluded.push(sysctl_path(rest.trim())),
                _ => read.malformed.push(format!("{file}:{number}: expected NAME = VALUE")),
            }
        });
    }

    /// `w PATH MODE USER GROUP AGE VALUE`; the letter may have `+`, `!` and `-` behind it.
    fn tmpfiles_line(&mut self, file: &str, number: usize, line: &str) {
        let mut words = line.split_whitespace();
        let (Some(letter), Some(path)) = (words.next(), words.next()) else { return };
        if !letter.starts_with('w') {
            return;
        }
        let value = words.skip(4).collect::<Vec<_>>().join(" ");
        self.add(path.to_owned(), value.trim_matches('"'), file, number, Applier::Tmpfiles);
    }

    /// `ATTR{queue/scheduler}="none"`: an assignment, not a comparison.
    fn udev_line(&mut self, file: &str, number: usize, line: &str) {
        if line.starts_with('#') {
            return;
        }
        for part in line.split("ATTR{").skip(1) {
            let Some((name, rest)) = part.split_once('}') else { continue };
            let Some(value) = rest.strip_prefix("=\"") else { continue };
            let value = value.split('"').next().unwrap_or_default();
            self.add(name.to_owned(), value, file, number, Applier::Udev);
        }
    }

    fn add(&mut self, path: String, value: &str, file: &str, line: usize, applier: Applier) {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        self.all.push(Assignment { path, value, file: file.to_owned(), line, applier });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tmpfiles_and_udev() {
        let mut read = Assignments::default();
        read.tmpfiles_line("t.conf", 1, "w! /sys/kernel/mm/ksm/run - - - - 1");
        read.tmpfiles_line("t.conf", 2, "d /run/lock 0755 root root -");
        read.udev_line(
            "u.rules",
            3,
            "KERNEL==\"sd*\", ATTR{queue/rotational}==\"0\", ATTR{queue/scheduler}=\"none\"",
        );
        let ksm = read.to("/sys/kernel/mm/ksm/run");
        assert_eq!((ksm.len(), ksm[0].value.as_str()), (1, "1"));
        let by_udev = read.by_udev("/sys/block/sda/queue/scheduler");
        assert_eq!((by_udev.len(), by_udev[0].value.as_str(), by_udev[0].line), (1, "none", 3));
        assert!(read.by_udev("/sys/block/sda/queue/rotational").is_empty(), "a comparison assigns nothing");
        assert!(read.to("/sys/block/sda/queue/scheduler").is_empty());
    }
}
