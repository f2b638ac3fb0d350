//! `ps` with any header: what a column is, is recognised by its heading, in whatever order they were asked for
//! (`aux`, `-ef`, `-l`, `-eLf`, `-eo pid,stat,wchan:20,etimes,…`).
//!
//! What headings mean stands in [`super::tasks`]. A header of one's own (`-o pid=NUMBER`) is not known.

use crate::document::listed_cpu::{Covers, PercentOf};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::procps::tasks::{self, Listed, PIDS, TIDS};
use crate::table::totals::Totals;
use crate::text::aligned::{Headings, Kind};

const NAME: &str = "ps";
/// Lines between two rows of one listing.
const MOST_GAP: u64 = 2;

/// Headings below which numbers stand.
const NUMBERS: [&str; 47] = [
    "%CPU", "%MEM", "C", "CNT", "CP", "DRS", "EGID", "ESP", "EUID", "GID", "LWP", "MAJFL", "MAJFLT", "MINFL",
    "MINFLT", "NI", "NLWP", "OOM", "OOMADJ", "PGID", "PGRP", "PID", "PPID", "PRI", "PSR", "PSS", "RGID",
    "RSS", "RSZ", "RTPRIO", "RUID", "SESS", "SGID", "SID", "SIZE", "SPID", "SUID", "SZ", "TGID", "THCNT",
    "TID", "TPGID", "TRS", "TSIZ", "USS", "VSIZE", "VSZ",
];
/// Headings below which one word stands. `UID` is the name of the user in `ps -f`.
const WORDS: [&str; 35] = [
    "ADDR",
    "BLOCKED",
    "CAUGHT",
    "CGNAME",
    "CLS",
    "CONTAINER",
    "EGROUP",
    "ELAPSED",
    "EUSER",
    "F",
    "FLAGS",
    "GROUP",
    "IGNORED",
    "IPCNS",
    "LUID",
    "LXC",
    "MACHINE",
    "MNTNS",
    "NETNS",
    "NUMA",
    "NWCHAN",
    "PENDING",
    "PIDNS",
    "POL",
    "RGROUP",
    "RUSER",
    "S",
    "SLICE",
    "STAT",
    "STATE",
    "TIME",
    "TT",
    "TTY",
    "UID",
    "USER",
];
/// Headings of times.
const TIMES: [&str; 3] = ["START", "STARTED", "STIME"];
/// Headings of text with blanks.
const TEXTS: [&str; 4] = ["ARGS", "CMD", "CMDLINE", "COMMAND"];
/// Further headings of one word.
const OTHER_WORDS: [&str; 4] = ["CGROUP", "LABEL", "UNIT", "WCHAN"];

/// `ps aux` of Linux.
const USER_OF_LINUX: [&str; 11] =
    ["USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME", "COMMAND"];
/// `ps aux` of the BSDs and of macOS, whose CPU use fades; that of Linux is over the life of a process.
const USER_OF_BSD: [&str; 11] =
    ["USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TT", "STAT", "STARTED", "TIME", "COMMAND"];
/// That of Solaris fades too, and is of all CPUs.
const USER_OF_SOLARIS: [&str; 11] =
    ["USER", "PID", "%CPU", "%MEM", "SZ", "RSS", "TT", "S", "START", "TIME", "COMMAND"];

/// Reads `ps`.
#[derive(Default)]
pub struct Ps {
    listing: Option<Listing>,
    totals: Totals,
    /// A row of `ps aux` without its header, as `ps aux | grep` leaves it: a second one says what it was.
    candidate: Option<(u64, String)>,
}

struct Listing {
    headings: Headings,
    listed: Listed,
    last_line: u64,
}

impl Importer for Ps {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !is_heading(line.words) {
            return self.begins_with_rows(line, document);
        }
        self.ends(document)?;
        document.begin(NAME);
        let headings = Headings::of(line.words, line.text, kind);
        let when = self.totals.sample(document.moment(NAME));
        let has = |name| headings.has(name);
        // `ps -f` and `ps u` print whole lines, other ready-made forms names.
        let is_full = has("STIME") && has("CMD") && has("UID");
        let is_user = has("%MEM") && has("START") && has("COMMAND");
        let fades = line.words == USER_OF_BSD || line.words == USER_OF_SOLARIS;
        let listed = Listed {
            when,
            pid_is_thread: false,
            has_lines: is_full || is_user,
            knows_swap: true,
            covers: if fades { Covers::Recent } else { Covers::Life },
            percent_of: if fades && has("SZ") { PercentOf::AllCpus } else { PercentOf::OneCpu },
        };
        self.listing = Some(Listing { headings, listed, last_line: line.number });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.as_mut().filter(|it| line.number <= it.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let cells = listing.headings.cells(line.words, line.text);
        let is_row = cells.is_some_and(|cells| {
            tasks::write(&listing.headings, &cells, listing.listed, &mut self.totals, document)
        });
        if is_row {
            listing.last_line = line.number;
            return Ok(true);
        }
        if !listing.headings.is_damaged_row(line.words) {
            return Ok(false);
        }
        listing.last_line = line.number;
        let expected: Vec<&str> = listing.headings.names().collect();
        let what = format!("ps: {} words; expected {}", line.words.len(), expected.join(" "));
        document.flaw(line.number, what);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Ps {
    /// The second of two rows without a header.
    fn begins_with_rows(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !is_user_row(line.words) {
            return Ok(false);
        }
        let before = self.candidate.replace((line.number, line.text.to_owned()));
        let Some((_, first)) = before.filter(|(number, _)| line.number <= number + MOST_GAP) else {
            return Ok(false);
        };
        let header = USER_OF_LINUX.join(" ");
        self.begins(&Line { words: &USER_OF_LINUX, text: &header, ..*line }, document)?;
        let words: Vec<&str> = first.split_whitespace().collect();
        self.goes_on(&Line { words: &words, text: &first, ..*line }, document)?;
        self.goes_on(line, document)
    }
}

/// Whether a line is a row of `ps aux` of Linux: eleven cells, each as this tool prints it.
fn is_user_row(words: &[&str]) -> bool {
    let [_, pid, cpu, memory, virtual_kib, resident_kib, tty, state, start, time, _, ..] = words else {
        return false;
    };
    let is_whole = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    // From 100 % on without decimals.
    let is_share = |word: &str| {
        (word.len() >= 3 && is_whole(word))
            || word.split_once(['.', ',']).is_some_and(|(a, b)| is_whole(a) && is_whole(b))
    };
    let is_time = |word: &str| word.split_once(':').is_some_and(|(a, b)| is_whole(a) && is_whole(b));
    let is_tty = matches!(*tty, "?" | "-" | "console") || tty.starts_with("pts/") || tty.starts_with("tty");
    let is_state = state.starts_with(['D', 'I', 'R', 'S', 'T', 't', 'W', 'X', 'Z'])
        && state.bytes().skip(1).all(|byte| b"<+LNlsW".contains(&byte));
    let is_start = is_time(start) || (start.len() == 4 && is_whole(start)) || start.len() == 5;
    [pid, virtual_kib, resident_kib].into_iter().all(|word| is_whole(word))
        && [cpu, memory].into_iter().all(|word| is_share(word))
        && (is_tty && is_state && is_start && is_time(time))
}

/// What stands below a heading.
fn kind(heading: &str) -> Kind {
    if NUMBERS.contains(&heading) {
        Kind::Number
    } else if TIMES.contains(&heading) {
        Kind::Time
    } else if TEXTS.contains(&heading) {
        Kind::Text
    } else {
        Kind::Word
    }
}

/// Whether a line is a header: the number of a process or thread is among its columns, two others are
/// known, nearly all of them are, and none has a small letter.
fn is_heading(words: &[&str]) -> bool {
    let is_known = |word: &&&str| {
        [&NUMBERS[..], &WORDS, &TIMES, &TEXTS, &OTHER_WORDS].iter().any(|list| list.contains(*word))
    };
    let is_id = |word: &&str| PIDS.contains(word) || TIDS.contains(word);
    if words.len() < 3 || !words.iter().any(is_id) {
        return false;
    }
    let known = words.iter().filter(is_known).count();
    known >= 3
        && known * 4 >= words.len() * 3
        && !words.concat().bytes().any(|byte| byte.is_ascii_lowercase())
        && !words.iter().any(|word| super::top::OWN_HEADINGS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_from_those_of_other_tools() {
        let is = |line: &str| is_heading(&line.split_whitespace().collect::<Vec<_>>());
        for line in [
            "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND",
            "UID          PID    PPID  C STIME TTY          TIME CMD",
            "F S   UID   PID  PPID  C PRI  NI ADDR SZ WCHAN  TTY          TIME CMD",
            "    PID WCHAN                STAT ELAPSED   RSS NLWP COMMAND",
            "    PID TTY          TIME CMD",
        ] {
            assert!(is(line), "{line}");
        }
        for line in [
            // top, BusyBox top, pidstat, and the kernel's list of tasks.
            "  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND",
            "  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND",
            "11:39:24      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command",
            "[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name",
            "the PID and the TTY of CMD are shown",
            "PID",
        ] {
            assert!(!is(line), "{line}");
        }
    }

    #[test]
    fn rows_without_a_header_are_told_from_prose() {
        let is = |line: &str| is_user_row(&line.split_whitespace().collect::<Vec<_>>());
        assert!(is("165536     302  0.0  0.0   6172   732 ?        D    02:00   0:00 sync"));
        assert!(is("root       100  0.0  0.0      0     0 ?        S<   Oct14   0:00 [ipv6_addrconf]"));
        assert!(is("mysql     4321  780  2.9 973684 73684 ?  Sl  10:00  90:08 java"));
        assert!(!is("server 1 2.0 3.0 4 5 and so on it goes here"));
        assert!(!is("root 100 0.0 0.0 0 0 ? S"));
    }

    #[test]
    fn every_heading_is_in_one_list() {
        let mut all: Vec<&str> = [&NUMBERS[..], &WORDS, &TIMES, &TEXTS, &OTHER_WORDS].concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
