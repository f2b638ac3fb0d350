//! Stacks of all threads by a debugger: gdb's `thread apply all bt` and `info threads`, `gstack`, and `eu-stack`.
//!
//! Each dump is a sample: the threads of one moment. A thread that comes again begins the next dump.

use std::collections::HashSet;

use crate::document::first_line::{FirstLine, replay};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::thread_rows::DumpedThread;

const NAME: &str = "stacks of threads";
/// Lines between two lines of a dump: warnings of the debugger, local variables.
const LONGEST_GAP: u64 = 40;

/// Reads stacks of threads.
#[derive(Default)]
pub struct ThreadStacks {
    thread: Option<DumpedThread>,
    /// Threads of the dump that is being read.
    threads: Vec<DumpedThread>,
    seen: HashSet<i64>,
    dumps: u64,
    last_line: u64,
    /// A row of `info threads`: the next has to agree.
    first: FirstLine,
}

impl Importer for ThreadStacks {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(thread) = head(line.text) else {
            let Some(thread) = listed(line.text) else { return Ok(false) };
            if self.thread.is_none() && self.threads.is_empty() {
                let Some(held) = self.first.before(line) else {
                    self.first.hold(line);
                    return Ok(false);
                };
                let before = replay(&held, document, |line, _| listed(line.text));
                if let Some(before) = before {
                    self.begin_thread(before, line.number, document)?;
                }
            }
            self.begin_thread(thread, line.number, document)?;
            return Ok(true);
        };
        self.begin_thread(thread, line.number, document)?;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        Ok(self.goes_on_below(line))
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_thread();
        self.end_dump(document)
    }
}

impl ThreadStacks {
    fn begin_thread(
        &mut self,
        thread: DumpedThread,
        number: u64,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        if self.dumps == 0 && self.threads.is_empty() && self.thread.is_none() {
            document.begin(NAME);
        }
        self.end_thread();
        if thread.tid.is_some_and(|tid| !self.seen.insert(tid)) {
            self.end_dump(document)?;
            self.seen.extend(thread.tid);
        }
        self.thread = Some(thread);
        self.last_line = number;
        Ok(())
    }

    fn goes_on_below(&mut self, line: &Line<'_>) -> bool {
        let Some(thread) = self.thread.as_mut().filter(|_| line.number <= self.last_line + LONGEST_GAP)
        else {
            return false;
        };
        if let Some(function) = frame(line.text) {
            thread.functions.push(function.to_owned());
            self.last_line = line.number;
            return true;
        }
        // A long line of a frame goes on below it.
        let goes_on = line.text.starts_with("    ")
            && !thread.functions.is_empty()
            && line.number == self.last_line + 1;
        if goes_on {
            self.last_line = line.number;
        }
        goes_on
    }

    fn end_thread(&mut self) {
        self.threads.extend(self.thread.take().filter(|thread| !thread.functions.is_empty()));
    }

    fn end_dump(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.seen.clear();
        if self.threads.is_empty() {
            return Ok(());
        }
        let when = document.moment(NAME);
        for (at, thread) in std::mem::take(&mut self.threads).iter().enumerate() {
            thread.write(when, &format!("{} {at}", self.dumps), document);
        }
        self.dumps += 1;
        document.end_sample(NAME)
    }
}

/// `Thread 51 (Thread 0x7f1c (LWP 27838) "worker"):`, `Thread 1 (process 4711):`, `TID 4711:`.
fn head(text: &str) -> Option<DumpedThread> {
    let text = text.trim();
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let of = |tid, name: &str| {
        Some(DumpedThread { tid: Some(tid), name: name.to_owned(), threads: 1, ..DumpedThread::default() })
    };
    if let Some(tid) = text.strip_prefix("TID ").and_then(|rest| rest.strip_suffix(':')) {
        return of(number(tid)?, "");
    }
    let (at, rest) = text.strip_prefix("Thread ")?.split_once(" (")?;
    number(at)?;
    let rest = rest.strip_suffix("):")?;
    let behind = ["LWP ", "process ", "thread "].iter().find_map(|word| rest.rsplit_once(word))?.1;
    let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
    let name = behind.split('"').nth(1).unwrap_or("");
    of(number(&behind[..end])?, name)
}

/// `* 1    Thread 0x7f97 (LWP 1251700) "fio" 0x00007f98 in epoll_wait () from /lib64/libc.so.6`, a row of `info threads`.
fn listed(text: &str) -> Option<DumpedThread> {
    let text = text.trim_start();
    let (number, rest) = text.strip_prefix('*').unwrap_or(text).trim_start().split_once(' ')?;
    number.parse::<u32>().ok()?;
    let (id, rest) = rest.trim_start().strip_prefix("Thread ")?.split_once(" (LWP ")?;
    let (tid, rest) = rest.split_once(')')?;
    let is_id = id.strip_prefix("0x").unwrap_or(id).bytes().all(|byte| byte.is_ascii_hexdigit());
    let rest = rest.trim_start();
    let (name, rest) = match rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some((name, rest)) => (name, rest.trim_start()),
        None => ("", rest),
    };
    let first = format!("#0 {rest}");
    let function = frame(&first).filter(|_| is_id && rest.contains('('))?;
    Some(DumpedThread {
        tid: Some(tid.trim().parse().ok()?),
        name: name.to_owned(),
        functions: vec![function.to_owned()],
        threads: 1,
        ..DumpedThread::default()
    })
}

/// The function of `#1  0x00007f in poll (fds=0x1) at poll.c:29`, `#2  main ()`, `#0  0x00007f __poll - 1`.
fn frame(text: &str) -> Option<&str> {
    let (number, rest) = text.trim_start().strip_prefix('#')?.split_once(char::is_whitespace)?;
    number.parse::<u32>().ok()?;
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix("0x") {
        Some(address) => {
            let behind = address.trim_start_matches(|c: char| c.is_ascii_hexdigit()).trim_start();
            behind.strip_prefix("in ").unwrap_or(behind)
        }
        None => rest,
    };
    let name = &rest[..end_of_name(rest)];
    let name = name.split(" - ").next().unwrap_or(name).trim();
    (!name.is_empty()).then_some(name)
}

/// Where the arguments begin: at the first bracket behind a blank that is not within a template.
fn end_of_name(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && before == ' ' && at > 0 => return at,
            _ => {}
        }
        before = c;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_the_tools() {
        let check = |text: &str, tid: i64, name: &str| {
            let told = head(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((told.tid, told.name.as_str()), (Some(tid), name), "{text}");
        };
        check("Thread 51 (Thread 1895635296 (LWP 27838)):", 27838, "");
        check("Thread 2 (Thread 0x7ffff7d8e6c0 (LWP 4712) \"worker 1\"):", 4712, "worker 1");
        check("Thread 1 (process 4711):", 4711, "");
        check("TID 4711:", 4711, "");
        for other in ["Thread 3 (see below):", "Thread 1 \"a\" received signal SIGSEGV", "TID of it:", ""] {
            assert_eq!(head(other), None, "{other}");
        }
    }

    #[test]
    fn rows_of_info_threads() {
        let read =
            |text: &str| listed(text).map(|thread| (thread.tid, thread.name, thread.functions.concat()));
        let told = |tid, name: &str, function: &str| Some((Some(tid), name.to_owned(), function.to_owned()));
        assert_eq!(
            read(
                "* 1    Thread 0x7f97b7fff740 (LWP 1251700) \"fio 1\" 0x00007f98a159e06f in epoll_wait () from /lib64/libc.so.6"
            ),
            told(1_251_700, "fio 1", "epoll_wait")
        );
        assert_eq!(
            read(
                "  2    Thread 0x7f978ffff700 (LWP 7) futex_wait_cancelable (private=128) at ../sysdeps/futex-internal.h:88"
            ),
            told(7, "", "futex_wait_cancelable")
        );
        for text in
            ["1 Thread of (LWP 7)", "* 1 Thread 0x7f (LWP 7)", "  Id   Target Id                 Frame"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn frames_of_the_tools() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(frame(text), expect, "{text}");
        check(
            "#0  0x00007f1e in __lll_lock_wait (futex=0x1, private=0) at lowlevellock.c:52",
            Some("__lll_lock_wait"),
        );
        check("#12 main (argc=1, argv=0x7ffe) at a.c:3", Some("main"));
        check(
            "#1  0x0000000000817630 in tcmalloc::CentralFreeList::InsertRange ()",
            Some("tcmalloc::CentralFreeList::InsertRange"),
        );
        check(
            "#3  0x00 in std::function<void (int)>::operator()(int) const (this=0x1)",
            Some("std::function<void (int)>::operator()(int) const"),
        );
        check("#0  0x00007f5a __poll - /lib/libc.so.6", Some("__poll"));
        check("#2  0x0000000000401136 main", Some("main"));
        check("#5  0x00 in ?? ()", Some("??"));
        check("#define A", None);
        check("Thread 1", None);
    }
}
