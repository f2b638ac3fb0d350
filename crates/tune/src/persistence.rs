//! What makes a change at each boot: lines of ours in a file that the machine applies.
//!
//! A comment with the change's number, and the line itself: sysctl.d(5) for `/proc/sys`, a rule of
//! udev(7) for block devices and network interfaces, tmpfiles.d(5) for the rest of `/sys`. What is
//! taken out is these two lines as they were put in, and nothing that anybody has made of them.

use crate::called;
use crate::change_log::{ChangeId, Persisted};
use crate::instance::Instance;
use crate::setting_path::key;

/// Behind most files that distributions bring (`60-block-scheduler.rules`) and most of an
/// administrator's (sysctl.d(5): 60 to 90), before the names of those that must come last.
const SYSCTL: &str = "/etc/sysctl.d/90-heldup.conf";
const UDEV: &str = "/etc/udev/rules.d/90-heldup.rules";
const TMPFILES: &str = "/etc/tmpfiles.d/90-heldup.conf";

/// First line of each file.
const HEAD: &str = "# Written by heldup tune apply --persist; heldup tune undo removes each change.\n";

/// The line of a setting and the file that it belongs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootFile {
    /// The file.
    pub path: &'static str,
    /// The line, without its end.
    pub line: String,
}

impl BootFile {
    /// What sets an instance at boot; in words where nothing does.
    pub fn of(instance: &Instance, value: &str) -> Result<BootFile, String> {
        if value.chars().any(|c| c.is_control() || "\"\\$%".contains(c)) {
            return Err(format!("value {value} cannot be written into a boot file"));
        }
        let path = instance.path.as_str();
        if let Some(below) = path.strip_prefix("/proc/sys/") {
            return Ok(BootFile { path: SYSCTL, line: format!("{} = {value}", key(below)) });
        }
        let devices = [("/sys/block/", "block", "add|change"), ("/sys/class/net/", "net", "add")];
        for (folder, subsystem, action) in devices {
            let Some((name, attribute)) = path.strip_prefix(folder).and_then(|below| below.split_once('/'))
            else {
                continue;
            };
            let line = format!(
                "ACTION==\"{action}\", SUBSYSTEM==\"{subsystem}\", KERNEL==\"{name}\", \
                 ATTR{{{attribute}}}=\"{value}\""
            );
            return Ok(BootFile { path: UDEV, line });
        }
        // Groups and processes are not there yet when the machine boots.
        if path.starts_with("/sys/") && !path.starts_with("/sys/fs/cgroup/") {
            return Ok(BootFile { path: TMPFILES, line: format!("w {path} - - - - {value}") });
        }
        if let Some(command) = called::lasting(path, value) {
            return Err(format!("cannot be persistent here; `{command}` makes it permanent"));
        }
        Err("cannot be persistent: a process, a control group or a call has it".to_owned())
    }

    /// The lines of a change.
    pub(crate) fn lines(&self, id: ChangeId) -> Persisted {
        Persisted { path: self.path.to_owned(), lines: format!("# change {id}\n{}\n", self.line) }
    }
}

/// A file's text with lines at its end.
pub(crate) fn with(text: &str, lines: &str) -> String {
    let start = if text.is_empty() { HEAD } else { text };
    let end = if start.ends_with('\n') { "" } else { "\n" };
    format!("{start}{end}{lines}")
}

/// What is left of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Without {
    /// Its text; empty where nothing but ours was in it.
    pub text: String,
    /// The comment is there and what follows it is not ours any more.
    pub edited: bool,
}

/// A file's text without some lines, where they stand as they were put in.
pub(crate) fn without(text: &str, lines: &str) -> Without {
    let at = text.match_indices(lines).find(|(at, _)| *at == 0 || text[..*at].ends_with('\n'));
    let Some((at, _)) = at else {
        let comment = lines.split_inclusive('\n').next().unwrap_or_default();
        let edited = text.lines().any(|line| line == comment.trim_end());
        return Without { text: text.to_owned(), edited };
    };
    let rest = format!("{}{}", &text[..at], &text[at + lines.len()..]);
    Without { text: if rest == HEAD { String::new() } else { rest }, edited: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, value: &str) -> Result<BootFile, String> {
        BootFile::of(&Instance { path: path.to_owned(), key: String::new() }, value)
    }

    #[test]
    fn each_setting_has_its_file_and_form() {
        let line = |path, value| at(path, value).map(|file| (file.path, file.line)).expect("a line");
        assert_eq!(
            line("/proc/sys/net/ipv4/conf/eth0.100/rp_filter", "1"),
            (SYSCTL, "net.ipv4.conf.eth0/100.rp_filter = 1".to_owned())
        );
        assert_eq!(
            line("/sys/block/sda/queue/read_ahead_kb", "256"),
            (
                UDEV,
                "ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"sda\", ATTR{queue/read_ahead_kb}=\"256\""
                    .to_owned()
            )
        );
        assert_eq!(
            line("/sys/kernel/mm/ksm/run", "1"),
            (TMPFILES, "w /sys/kernel/mm/ksm/run - - - - 1".to_owned())
        );
        for (path, value) in [
            ("/sys/fs/cgroup/a/memory.max", "1"),
            ("/proc/1/oom_score_adj", "1"),
            ("/proc/sys/kernel/core_pattern", "|/bin/x %p"),
            ("/sys/block/sda/queue/scheduler", "a\"b"),
        ] {
            assert!(at(path, value).is_err(), "{path}");
        }
    }

    #[test]
    fn what_is_taken_out_is_what_was_put_in() {
        let (one, two) = ("# change 1\na = 1\n", "# change 2\na = 2\n");
        let both = with(&with("", one), two);
        assert_eq!(both, format!("{HEAD}{one}{two}"));
        assert_eq!(without(&both, one), Without { text: with("", two), edited: false });
        assert_eq!(without(&with("", one), one), Without { text: String::new(), edited: false });
        // Somebody's own line stays, and what somebody has made of ours.
        let foreign = with(&format!("{HEAD}{one}b = 3"), two);
        assert_eq!(foreign, format!("{HEAD}{one}b = 3\n{two}"));
        assert_eq!(without(&without(&foreign, one).text, two).text, format!("{HEAD}b = 3\n"));
        let edited = both.replace("a = 1", "a = 7");
        assert_eq!(without(&edited, one), Without { text: edited.clone(), edited: true });
        assert_eq!(without(&both, "# change 3\na = 1\n"), Without { text: both.clone(), edited: false });
        // The number of another change that begins with the same figure.
        let eleven = with("", "## change 1\na = 1\n");
        assert_eq!(without(&eleven, one), Without { text: eleven.clone(), edited: false });
    }
}
