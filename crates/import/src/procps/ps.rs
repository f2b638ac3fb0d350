//! `ps` with any header: what a column is, is recognised by its heading, in whatever order they were asked for
//! (`aux`, `-ef`, `-l`, `-eLf`, `-eo pid,stat,wchan:20,etimes,…`).
//!
//! Of `ps aux` and `ps -ef` two rows that agree are enough: `grep` leaves the header out.
//!
//! What headings mean stands in [`super::tasks`]. A header of one's own (`-o pid=NUMBER`) is not known.

use crate::document::first_line::{self, FirstLine};
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
    first: FirstLine,
    totals: Totals,
}

struct Listing {
    headings: Headings,
    listed: Listed,
    last_line: u64,
}

impl Importer for Ps {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !is_heading(line.words) {
            return self.begins_without_header(line, document);
        }
        self.begin(line.words, line.text, line.number, document)?;
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
    fn begin(
        &mut self,
        words: &[&str],
        text: &str,
        number: u64,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        self.ends(document)?;
        document.begin(NAME);
        let headings = Headings::of(words, text, kind);
        let when = self.totals.sample(document.moment(NAME));
        let has = |name| headings.has(name);
        // `ps -f` and `ps u` print whole lines, other ready-made forms names.
        let is_full = has("STIME") && has("CMD") && has("UID");
        let is_user = has("%MEM") && has("START") && has("COMMAND");
        let fades = words == USER_OF_BSD || words == USER_OF_SOLARIS;
        let listed = Listed {
            when,
            pid_is_thread: false,
            has_lines: is_full || is_user,
            knows_swap: true,
            covers: if fades { Covers::Recent } else { Covers::Life },
            percent_of: if fades && has("SZ") { PercentOf::AllCpus } else { PercentOf::OneCpu },
        };
        self.listing = Some(Listing { headings, listed, last_line: number });
        Ok(())
    }

    /// Two rows of one form below each other.
    fn begins_without_header(
        &mut self,
        line: &Line<'_>,
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        let Some(form) = form(line.words) else { return Ok(false) };
        let held = self.first.before(line);
        let held = held.filter(|(_, text)| first_line::form_of(text, self::form) == Some(form));
        let Some(held) = held else {
            self.first.hold(line);
            return Ok(false);
        };
        let headings: Vec<&str> = form.split(' ').collect();
        self.begin(&headings, form, held.0, document)?;
        first_line::replay(&held, document, |line, document| self.goes_on(line, document))?;
        self.goes_on(line, document)
    }
}

/// The header that a row of `ps aux` or `ps -ef` stands below.
fn form(words: &[&str]) -> Option<&'static str> {
    let is_count = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_share =
        |word: &str| word.split_once('.').is_some_and(|(whole, part)| is_count(whole) && is_count(part));
    let is_terminal =
        |word: &str| matches!(word, "?" | "??" | "-") || word.starts_with("pts/") || word.starts_with("tty");
    let is_state = |word: &str| {
        word.starts_with(['D', 'I', 'R', 'S', 'T', 't', 'X', 'Z'])
            && word.len() <= 5
            && word.bytes().skip(1).all(|byte| b"<NLsl+".contains(&byte))
    };
    let is_time = |word: &str| {
        word.contains(':') && word.bytes().all(|byte| byte.is_ascii_digit() || b":-.".contains(&byte))
    };
    match words {
        [_, pid, cpu, memory, size, resident, terminal, state, _, time, _, ..]
            if [pid, size, resident].iter().all(|word| is_count(word))
                && is_share(cpu)
                && is_share(memory)
                && is_terminal(terminal)
                && is_state(state)
                && is_time(time) =>
        {
            Some("USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND")
        }
        [_, pid, parent, share, _, terminal, time, _, ..]
            if [pid, parent, share].iter().all(|word| is_count(word))
                && is_terminal(terminal)
                && is_time(time)
                && time.len() >= 8 =>
        {
            Some("UID PID PPID C STIME TTY TIME CMD")
        }
        _ => None,
    }
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
    fn rows_without_their_header_are_told() {
        let is = |line: &str| form(&line.split_whitespace().collect::<Vec<_>>()).map(|form| &form[..4]);
        assert_eq!(
            is("root 3377 0.0 0.0 11980 3352 ? D Jan24 0:00 blkid -c /dev/null -o export"),
            Some("USER")
        );
        assert_eq!(is("www-data 17 99.5 1.2 11980 3352 pts/0 R<l+ 10:04 12:07.52 php-fpm"), Some("USER"));
        assert_eq!(is("postgres 812 1 0 Jan24 ? 00:12:01 postgres: writer"), Some("UID "));
        assert_eq!(is("root 1 2 3 and then - 10:00 more"), None);
        assert_eq!(is("17 99 1.2 0.1 5 6 ? D x y z"), None);
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
