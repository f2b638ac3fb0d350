//! Lines between files that were printed one behind the other: what says when, and what names the file that follows.

use jiff::tz::TimeZone;

use super::kernel_file;
use crate::document::local_ms;
use crate::text::civil::{DateOrder, INSTANTS_MS, midnight_s};
use crate::text::clock_line;

/// Longer than this no such line is.
const LONGEST_LINE: usize = 160;
/// Tools that print a file, and what stands before them.
const READERS: [&str; 5] = ["cat", "head", "more", "sudo", "tail"];

/// What a line says of those below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark<'l> {
    /// When they were printed, milliseconds since 1970-01-01 UTC.
    Time(i64),
    /// Which file they are, as a path in a tree.
    Path(&'l str),
}

/// What a line says of those below it. A time without a zone is of this one, else of UTC.
pub fn mark<'l>(line: &'l str, zone: Option<&TimeZone>) -> Option<Mark<'l>> {
    let line = line.trim();
    if line.is_empty() || line.len() > LONGEST_LINE {
        return None;
    }
    if let Some(path) = named(line) {
        return Some(Mark::Path(path));
    }
    // Most lines are of neither: a look at the first letter tells.
    if !line.starts_with(|first: char| {
        first.is_alphanumeric() || matches!(first, '#' | '*' | '-' | '=' | '[' | '<')
    }) {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let told = clock_line::epoch(&words)
        .or_else(|| clock_line::labelled(&words, DateOrder::MonthFirst))
        .or_else(|| clock_line::parse(&words, DateOrder::MonthFirst))?;
    let local_s = midnight_s(told.day) + told.seconds;
    let ms = match told.zone_s {
        Some(zone_s) => (local_s - zone_s) * 1000,
        None => local_ms(local_s, zone),
    };
    INSTANTS_MS.contains(&ms).then_some(Mark::Time(ms))
}

/// The file that a line names: `==> /proc/stat <==`, `# cat /proc/vmstat`, `/proc/meminfo:`.
fn named(line: &str) -> Option<&str> {
    // Lists of folders (`ls -R /sys`) have such lines too; of `/proc` they are not made.
    let at = line.find("/proc/")?;
    let path = line
        .get(at..)?
        .split_whitespace()
        .next()?
        .trim_end_matches([':', '=', '<', ']', ')', '"', '\'', '`']);
    let (before, behind) = (line.get(..at)?, line.get(at + path.len()..)?);
    let is_marks =
        |text: &str| text.split_whitespace().all(|word| word.bytes().all(|byte| byte.is_ascii_punctuation()));
    // A prompt ends with its sign.
    let command = before.rfind(['#', '$']).and_then(|at| before.get(at + 1..)).unwrap_or(before);
    let is_command = !command.trim().is_empty()
        && command.split_whitespace().all(|word| word.starts_with('-') || is_reader(word));
    let is_heading =
        is_marks(before) && (!before.trim().is_empty() || !behind.trim().is_empty() || line == path);
    let is_one = is_marks(behind) && (is_command || is_heading);
    let (folder, path) = kernel_file::in_tree(path.strip_prefix('/')?).filter(|_| is_one)?;
    folder.is_empty().then_some(path)
}

/// Whether a word is a tool that prints a file, with its folder or without.
fn is_reader(word: &str) -> bool {
    let word = word.trim_start_matches(['`', '*']);
    READERS.contains(&word.rsplit('/').next().unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_names_are_told_from_content() {
        let noon = Some(Mark::Time(1_646_307_224_000));
        for (line, expect) in [
            ("Thu Mar  3 12:33:44 CET 2022", noon),
            ("zzz ***Thu Mar  3 12:33:44 CET 2022", noon),
            ("2022-03-03 11:33:44", noon),
            ("1646307224", noon),
            ("1646307224.123456789", noon),
            ("TS 1646307224.5 2022-03-03 12:33:44", noon),
            ("timestamp: 1646307224", noon),
            ("# captured on Thu Mar  3 11:33:44 UTC 2022", noon),
            ("==> /proc/stat <==", Some(Mark::Path("proc/stat"))),
            ("# cat /proc/vmstat", Some(Mark::Path("proc/vmstat"))),
            ("[root@db1 ~]# cat /proc/net/snmp", Some(Mark::Path("proc/net/snmp"))),
            ("/proc/meminfo:", Some(Mark::Path("proc/meminfo"))),
            ("=== /proc/loadavg ===", Some(Mark::Path("proc/loadavg"))),
            ("/proc/stat", Some(Mark::Path("proc/stat"))),
            ("`cat /proc/net/softnet_stat`:", Some(Mark::Path("proc/net/softnet_stat"))),
            ("$ sudo /bin/cat /proc/loadavg", Some(Mark::Path("proc/loadavg"))),
            ("see /proc/stat for more", None),
            ("systemd-1  0  0  0  0% /proc/sys/fs/binfmt_misc", None),
            ("sysfs on /sys/kernel/debug", None),
            ("/sys/block:", None),
            ("cat: /proc/stat: No such file or directory", None),
            ("MemTotal: 1646307224 kB", None),
            ("nr_free_pages 1646307224", None),
            ("cpu 1646307224 0 0 0", None),
            ("16463072240", None),
            ("", None),
        ] {
            assert_eq!(mark(line, None), expect, "{line}");
        }
        let berlin = TimeZone::fixed(jiff::tz::Offset::from_hours(1).expect("an hour"));
        assert_eq!(mark("2022-03-03 12:33:44", Some(&berlin)), noon);
    }
}
